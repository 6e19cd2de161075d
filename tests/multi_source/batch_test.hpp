// SPDX-License-Identifier: Apache-2.0
// A graph on a device, and searches from many sources.
#pragma once

#include <stdlib.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "problems/multi_source/batch.hpp"
#include "tests/oracle/tiny_graph.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::multi_source {

class multi_source_fixture {
 public:
  multi_source_fixture(const std::string& device, const graph::csr_graph& graph,
                       problems::search_kind kind = problems::search_kind::sssp, problems::ring_limits limits = {})
      : problem_(kind, limits) {
    device_ = backends::open_device(device);
    instance_ = problem_.load_graph(*device_, graph, "the graph");
  }

  void prepare(const std::string& label, tuner::instrumentation mode = tuner::instrumentation::counters) {
    const auto chosen = tuner::parameter_set::from_declarations(problem_.declarations()).parse_label(label);
    instance_->prepare(chosen, device_->compile(instance_->variant(chosen, mode)), mode);
  }
  tuner::run_report run(const std::string& query, std::uint64_t seed = 1, double limit_ms = 10000) {
    device_->set_seed(seed);
    return instance_->run(tuner::query::parse(query), limit_ms);
  }
  tuner::run_report search(const search_request& request, std::uint64_t seed = 1) {
    device_->set_seed(seed);
    return instance_->search(request, 10000);
  }
  search_instance& instance() { return *instance_; }
  backends::backend& device() { return *device_; }

  /// @return the error of the run, or "" if the answer is right
  std::string run_and_check(const std::string& query, std::uint64_t seed = 1) {
    const tuner::run_report report = run(query, seed);
    return report.result == db::outcome::ok ? instance_->check() : report.message;
  }

 private:
  search_problem problem_;
  std::unique_ptr<backends::backend> device_;
  std::unique_ptr<search_instance> instance_;
};

/// Returns pairs of a device and a configuration: every solver, with configurations small enough for the simulator.
inline std::vector<std::pair<std::string, std::string>> device_and_label() {
  return {{"simt", "solver=block,threads=32,blocks=1,near_items=32,delta=1"},
          {"simt", "solver=block,threads=64,blocks=2,near_items=32,delta=20,ell_width=4,concurrent=2"},
          {"simt", "solver=block,threads=64,blocks=1,near_items=64,delta=4,heavy_degree=8"},
          {"simt", "solver=block,threads=32,blocks=1,near_items=32,delta=4,ell_width=8"},
          {"simt", "solver=block,threads=64,blocks=1,near_items=32,delta=3,order=place"},
          {"simt", "solver=block,threads=32,blocks=2,near_items=64,delta=6,ell_width=4,order=place,concurrent=3"},
          {"simt", "solver=block,threads=32,blocks=1,near_items=32,delta=2,ell_width=8,order=place"},
          {"simt", "solver=group,threads=64,blocks=1,parts=1"},
          {"simt", "solver=group,threads=32,blocks=2,parts=3"},
          {"cpu:2", "solver=cpu_dijkstra"}};
}

/// Returns such pairs for the solvers that need small integer weights.
inline std::vector<std::pair<std::string, std::string>> hierarchy_device_and_label() {
  return {{"cpu:2", "solver=cpu_hierarchy"},
          {"simt", "solver=hierarchy,threads=64,blocks=1,lane_searches=1,slots=4,piece_vertices=2,round_groups=1"},
          {"simt", "solver=hierarchy,threads=32,blocks=2,lane_searches=2,slots=8,piece_vertices=5,round_groups=2"},
          {"simt", "solver=hierarchy,threads=64,blocks=1,lane_searches=4,slots=64,piece_vertices=40,round_groups=1"},
          {"simt", "solver=hierarchy,threads=32,blocks=1,lane_searches=8,slots=12,piece_vertices=4,round_groups=1"},
          {"simt", "solver=supernode,threads=64,blocks=1,columns=1,added_arcs=0"},
          {"simt", "solver=supernode,threads=32,blocks=3,columns=4,added_arcs=3"}};
}

}  // namespace mlmq::multi_source
