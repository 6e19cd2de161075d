// SPDX-License-Identifier: Apache-2.0
// A graph on a device, and the betweenness of its vertices.
#pragma once

#include <stdlib.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "problems/betweenness/betweenness.hpp"
#include "tests/oracle/tiny_graph.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::betweenness {

class betweenness_fixture {
 public:
  betweenness_fixture(const std::string& device, const graph::csr_graph& graph,
                      problems::search_kind kind = problems::search_kind::sssp)
      : problem_(kind) {
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
  tuner::run_report add_up(const betweenness_request& request, std::uint64_t seed = 1) {
    device_->set_seed(seed);
    return instance_->add_up(request, 10000);
  }
  betweenness_instance& instance() { return *instance_; }

  /// @return the error of the run, or "" if the answer is right
  std::string run_and_check(const std::string& query, std::uint64_t seed = 1) {
    const tuner::run_report report = run(query, seed);
    return report.result == db::outcome::ok ? instance_->check() : report.message;
  }

 private:
  betweenness problem_;
  std::unique_ptr<backends::backend> device_;
  std::unique_ptr<betweenness_instance> instance_;
};

/// Returns pairs of a device and a configuration: every solver, with configurations small enough for the simulator.
inline std::vector<std::pair<std::string, std::string>> device_and_label() {
  return {{"simt", "threads=32,blocks=1,heavy_degree=8,search=block"},
          {"simt", "threads=64,blocks=2,concurrent=2"},
          {"simt", "threads=128,blocks=1,heavy_degree=16,search=group"},
          {"cpu:2", "solver=cpu_brandes"}};
}

}  // namespace mlmq::betweenness
