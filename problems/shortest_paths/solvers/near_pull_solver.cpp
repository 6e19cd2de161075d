// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "base/time_limit.hpp"
#include "near_pull/near_pull_abi.cuh"
#include "near_rows_abi.cuh"
#include "problems/graphs/helper_kernels.hpp"
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
                       .per_multiprocessor = 1,
                       .least = 1,
                       .most = superstep_progress::max_blocks},
                      mode);
    reserve_pieces();
    order_rows();
    reverse_ = numbers_.pull_share == 0 ? nullptr : input_.reversed.get();
  }

  [[nodiscard]] tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) override {
    near_pull::arguments arguments{
        .offsets = input_.on_device.offsets.address(),
        .edges = near_edges_.address(),
        .near_counts = near_counts_.as<u32>(),
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
        .source = seeds.front().vertex,
        .pull_share = numbers_.pull_share,
    };
    std::ranges::copy(row_limits_, arguments.limits);
    return run_in_room(
        "there was no room for a piece of a row",
        [&](tuner::run_report& report) { return launcher_.run(arguments, time_limit_ms, reported, report); },
        time_limit_ms);
  }

 private:
  using limit_words = std::array<u64, near_limits>;

  /// Returns the distances up to which vertices are settled, each twice the one before.
  [[nodiscard]] limit_words limits() const {
    const graph::weight_type weights = input_.graph.weights();
    double limit = numbers_.near_limit * input_.average_weight;
    limit_words words{};
    for (u64& word : words) {
      word = weights == graph::weight_type::float64 ? wide_distance_word(limit)
                                                    : std::max(1U, distance_word(limit, weights));
      limit *= 2;
    }
    return words;
  }

  /// Reserves two frontiers that can have the pieces of all rows.
  void reserve_pieces() {
    const std::size_t edges = input_.graph.edge_count();
    capacity_ = input_.graph.vertex_count() + edges / numbers_.piece_edges;
    if (edges >= u64{1} << near_pull::piece_begin_bits) {
      throw backends::launch_error(fmt::format("solver near_pull: {} edges are too many", edges));
    }
    const std::size_t bytes = 2 * capacity_ * sizeof(near_pull::piece);
    if (pieces_.bytes() >= bytes) return;
    pieces_ = backends::device_memory();
    pieces_ = input_.device.allocate(bytes, "pieces of rows");
  }

  /// Makes the rows that are ordered by the limits, unless the last configuration had the same limits.
  void order_rows() {
    const limit_words new_limits = limits();
    if (near_counts_.bytes() != 0 && new_limits == row_limits_) return;
    const std::size_t n = input_.graph.vertex_count();
    const std::size_t word_bytes = edge_bytes(input_.graph.weights(), input_.kind == search_kind::bfs);
    if (near_edges_.bytes() == 0) {
      near_edges_ = input_.device.allocate(input_.graph.edge_count() * word_bytes, "rows ordered by limits");
    }
    if (near_counts_.bytes() == 0) {
      near_counts_ = input_.device.allocate(n * near_limits * sizeof(u32), "numbers of edges below limits");
    }
    near_rows_arguments arguments{.offsets = input_.on_device.offsets.address(),
                                  .edges = input_.on_device.edges.address(),
                                  .near_edges = near_edges_.address(),
                                  .near_counts = near_counts_.as<u32>(),
                                  .limits = {},
                                  .vertices = static_cast<u32>(n),
                                  .wide_offsets = input_.on_device.wide_offsets ? 1U : 0U,
                                  .edge_bytes = static_cast<u32>(word_bytes)};
    std::ranges::copy(new_limits, arguments.limits);
    constexpr unsigned blocks_per_multiprocessor = 8;
    const backends::device_info& info = input_.device.info();
    const auto kernel = input_.device.compile(helper_variant("near_rows", info));
    const unsigned blocks =
        std::clamp(kernel->resident_blocks(0), 1U, blocks_per_multiprocessor * std::max(1U, info.multiprocessors));
    row_limits_ = {};  // if the launch fails, the rows are made again
    input_.device.set_watchdog({});
    (void)input_.device.measure([&] {
      input_.device.launch(*kernel, {.grid_blocks = blocks,
                                     .shared_bytes = 0,
                                     .arguments = &arguments,
                                     .argument_bytes = sizeof arguments,
                                     .together = false});
    });
    row_limits_ = new_limits;
  }

  const search_input& input_;
  search_launcher launcher_;
  backends::device_memory stamps_;
  near_pull_numbers numbers_;
  limit_words row_limits_{};             // limits by which the rows are ordered
  backends::device_memory near_edges_;   // the rows ordered by limits
  backends::device_memory near_counts_;  // numbers of edges below the limits, near_limits per vertex
  std::shared_ptr<const reversed_rows> reverse_;
  backends::device_memory pieces_;
  std::size_t capacity_ = 0;  // number of pieces of a frontier
};

}  // namespace

std::unique_ptr<solver> make_near_pull_solver(const search_input& input) {
  return std::make_unique<near_pull_solver>(input);
}

}  // namespace mlmq::problems
