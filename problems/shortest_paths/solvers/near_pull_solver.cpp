// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/near_pull_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/time_limit.hpp"
#include "near_pull/near_pull_abi.cuh"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"

namespace mlmq::problems {
namespace {

constexpr std::array reported = {
    counter::pops,      counter::relaxations, counter::updates,       counter::distance_atomics,
    counter::l2_writes, counter::l2_reads,    counter::queue_atomics, counter::supersteps};

class near_pull_solver final : public solver {
 public:
  explicit near_pull_solver(const search_input& input)
      : input_(input),
        launcher_(input, sizeof(near_pull::control_words), offsetof(near_pull::control_words, host_abort),
                  {.distances = false, .spare_control = true}),
        stamps_(input.device.allocate(std::max<std::size_t>(1, input.graph.vertex_count()) * sizeof(u32),
                                      "stamps of vertices")) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    numbers_ = near_pull_numbers(chosen);
    launcher_.prepare(std::move(compiled),
                      {.threads = numbers_.threads,
                       .shared_bytes = near_pull::shared_bytes(numbers_.threads),
                       .per_multiprocessor = numbers_.blocks_per_multiprocessor,
                       .least = 1,
                       .most = near_pull::progress::max_blocks},
                      mode);
    reserve_pieces();
    reverse_ = numbers_.pull_share == 0 ? nullptr : input_.reversed.get();
  }

  [[nodiscard]] tuner::run_report run(graph::vertex_id source, double time_limit_ms) override {
    near_pull::arguments arguments{
        .offsets = input_.on_device.offsets.address(),
        .edges = input_.on_device.edges.address(),
        .in_offsets = reverse_ == nullptr ? nullptr : reverse_->offsets.address(),
        .in_edges = reverse_ == nullptr ? nullptr : reverse_->edges.address(),
        .distances = input_.on_device.distances.as<u32>(),
        .stamps = stamps_.as<u32>(),
        .control = static_cast<near_pull::control_words*>(launcher_.control()),
        .next_control = static_cast<near_pull::control_words*>(launcher_.spare_control()),
        .pieces = pieces_.as<near_pull::piece>(),
        .counters = launcher_.counters(),
        .edge_count = input_.graph.edge_count(),
        .frontier_capacity = capacity_,
        .limits = {},
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
        .vertex_count = input_.graph.vertex_count(),
        .piece_edges = numbers_.piece_edges,
        .long_row = std::max(numbers_.piece_edges, numbers_.long_row),
        .source = source,
        .one_block = numbers_.one_block,
        .one_block_edges = numbers_.one_block_edges,
        .pull_share = numbers_.pull_share,
        .read_edges = numbers_.read_edges,
    };
    double limit = numbers_.near_limit * input_.average_weight;
    for (u64& word : arguments.limits) {
      word = limit_word(limit);
      limit *= 2;
    }
    return run_in_room(
        "there was no room for a piece of a row",
        [&](tuner::run_report& report) { return launcher_.run(arguments, time_limit_ms, reported, report); },
        time_limit_ms);
  }

 private:
  [[nodiscard]] u64 limit_word(double limit) const {
    const graph::weight_type weights = input_.graph.weights();
    if (weights == graph::weight_type::float64) return wide_distance_word(limit);
    return std::max(1U, distance_word(limit, weights));
  }

  /// Reserves two frontiers that can have the pieces of all rows.
  void reserve_pieces() {
    const std::size_t edges = input_.graph.edge_count();
    capacity_ = input_.graph.vertex_count() + edges / numbers_.piece_edges;
    if (capacity_ > std::numeric_limits<u32>::max() || edges >= u64{1} << near_pull::piece_begin_bits) {
      throw backends::launch_error(fmt::format("solver near_pull: {} vertices and {} edges in pieces of {} are too many",
                                               input_.graph.vertex_count(), edges, numbers_.piece_edges));
    }
    const std::size_t bytes = 2 * capacity_ * sizeof(near_pull::piece);
    if (pieces_.bytes() >= bytes) return;
    pieces_ = backends::device_memory();
    pieces_ = input_.device.allocate(bytes, "pieces of rows");
  }

  const search_input& input_;
  search_launcher launcher_;
  backends::device_memory stamps_;
  near_pull_numbers numbers_;
  std::shared_ptr<const reversed_rows> reverse_;
  backends::device_memory pieces_;
  std::size_t capacity_ = 0;  // number of pieces of a frontier
};

}  // namespace

std::unique_ptr<solver> make_near_pull_solver(const search_input& input) {
  return std::make_unique<near_pull_solver>(input);
}

}  // namespace mlmq::problems
