// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/solver.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.hpp"
#include "backends/cpu/searches/search.hpp"
#include "base/time_limit.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"
#include "problems/team_run.hpp"

namespace mlmq::problems {
namespace {

struct reported_count {
  counter work_counter;
  std::uint64_t cpu::work_counts::*count;
};

constexpr std::array reported = {reported_count{counter::pops, &cpu::work_counts::pops},
                                 reported_count{counter::stale_pops, &cpu::work_counts::stale_pops},
                                 reported_count{counter::relaxations, &cpu::work_counts::relaxations},
                                 reported_count{counter::updates, &cpu::work_counts::updates},
                                 reported_count{counter::distance_atomics, &cpu::work_counts::distance_atomics},
                                 reported_count{counter::queue_atomics, &cpu::work_counts::queue_atomics}};

class cpu_solver final : public solver {
 public:
  explicit cpu_solver(const search_input& input) : input_(input), runs_(input.device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    if (mode == tuner::instrumentation::timeline && !input_.device.info().timeline) {
      throw backends::launch_error("searches on processors record no timeline; choose a solver for GPUs");
    }
    const processor_numbers numbers(chosen);
    kernel_ = std::move(compiled);
    const resident_graph& graph = input_.on_device;
    request_ = {.graph = {.vertices = input_.graph.vertex_count(),
                          .weights = input_.graph.weights(),
                          .unit_weights = input_.kind == search_kind::bfs,
                          .wide_offsets = graph.wide_offsets,
                          .offsets = graph.offsets.address(),
                          .edges = graph.edges.address(),
                          .csr = &input_.graph},
                .source = 0,
                .abort_word = runs_.abort_word(),
                .time_limit_ns = 0,
                .count = mode == tuner::instrumentation::counters};
    if (solver_named(solver_of(chosen)).reads_reverse_edges) {
      reverse_ = input_.reversed.get();
      request_.graph.reverse_offsets = reverse_->offsets.address();
      request_.graph.reverse_edges = reverse_->edges.address();
    }
    // A solver ignores the parameters that it does not have.
    request_.pull = numbers.pull;
    request_.chunk = numbers.chunk;
    request_.delta = numbers.delta * input_.average_weight;
    request_.lookahead = numbers.lookahead;
    request_.fusion = numbers.fusion;
  }

  [[nodiscard]] tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) override {
    backends::backend& device = input_.device;
    request_.source = seeds.front().vertex;
    request_.seeds = seeds;
    if (input_.graph.weights() == graph::weight_type::float64) {
      request_.wide_distances = input_.on_device.distances.as<graph::wide_distance_bits>();
    } else {
      request_.distances = input_.on_device.distances.as<graph::distance_bits>();
    }
    request_.time_limit_ns = time_limit_ns_from_ms(time_limit_ms);
    cpu::search_result result;
    const cpu::search_call call{.request = request_, .result = &result};
    runs_.guard(time_limit_ms);
    const backends::launch_spec launched{
        .grid_blocks = 1, .shared_bytes = 0, .arguments = &call, .argument_bytes = sizeof call};
    tuner::run_report report;
    report.milliseconds = device.measure([&] { device.launch(*kernel_, launched); });
    if (request_.count) {
      for (const reported_count& entry : reported) {
        report.counters.emplace_back(name_of(entry.work_counter), static_cast<double>(result.counts.*entry.count));
      }
    }
    if (result.status != cpu::run_status::finished) report_timeout(report, time_limit_ms);
    return report;
  }

 private:
  const search_input& input_;
  abortable_runs runs_;
  std::shared_ptr<const backends::kernel> kernel_;
  cpu::search_request request_;
  std::shared_ptr<const reversed_rows> reverse_;
};

}  // namespace

std::unique_ptr<solver> make_cpu_solver(const search_input& input) { return std::make_unique<cpu_solver>(input); }

backends::kernel_source cpu_solver_variant(const tuner::configuration& chosen, const variant_traits& traits) {
  return {.file = backends::cpu_solver_file,
          .entry = solver_of(chosen),
          .block_threads = 1,
          .defines = common_defines(traits)};
}

}  // namespace mlmq::problems
