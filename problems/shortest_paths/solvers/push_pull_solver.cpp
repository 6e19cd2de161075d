// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "base/time_limit.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"
#include "push_pull/push_pull_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr std::array reported = {
    counter::pops,      counter::relaxations, counter::updates,       counter::distance_atomics,
    counter::l2_writes, counter::l2_reads,    counter::queue_atomics, counter::supersteps};

/// Number of vertices below which one block of the kernel initializes the distances faster than a fill from the host.
constexpr std::size_t vertices_worth_a_fill = 1 << 16;

class push_pull_solver final : public solver {
 public:
  explicit push_pull_solver(const search_input& input)
      : input_(input),
        fills_(input.graph.vertex_count() < vertices_worth_a_fill),
        launcher_(input, sizeof(push_pull::control_words), offsetof(push_pull::control_words, host_abort),
                  {.distances = !fills_, .spare_control = true}) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const push_pull_numbers numbers(chosen);
    const bool is_alone = input_.graph.edge_count() <= numbers.one_block_graph;
    launcher_.prepare(std::move(compiled),
                      {.threads = numbers.threads,
                       .shared_bytes = push_pull::shared_bytes(numbers.threads),
                       .per_multiprocessor = numbers.blocks_per_multiprocessor,
                       .least = 1,
                       .most = is_alone ? 1 : superstep_progress::max_blocks},
                      mode);
    numbers_ = numbers;
    numbers_.one_block = std::min(numbers.one_block, push_pull::pieces_in_block(numbers.threads));
    if (is_alone) {
      numbers_.one_block = push_pull::pieces_in_block(numbers.threads);
      numbers_.one_block_edges = numbers.one_block_graph;
    }
    reserve_pieces();
    if (numbers.pull_share == 0) {
      reverse_.reset();
      return;
    }
    if (sets_.bytes() == 0) {
      const std::size_t words = push_pull::set_words(input_.graph.vertex_count());
      sets_ = input_.device.allocate(3 * words * sizeof(u32), "sets of vertices");
    }
    reverse_ = input_.reversed.get();
  }

  [[nodiscard]] tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) override {
    const std::size_t words = push_pull::set_words(input_.graph.vertex_count());
    const push_pull::arguments arguments{
        .offsets = input_.on_device.offsets.address(),
        .edges = input_.on_device.edges.as<u32>(),
        .in_offsets = reverse_ == nullptr ? nullptr : reverse_->offsets.address(),
        .in_edges = reverse_ == nullptr ? nullptr : reverse_->edges.as<u32>(),
        .distances = input_.on_device.distances.as<u32>(),
        .control = static_cast<push_pull::control_words*>(launcher_.control()),
        .next_control = static_cast<push_pull::control_words*>(launcher_.spare_control()),
        .pieces = pieces_.as<push_pull::piece>(),
        .seen = sets_.as<u32>(),
        .open = sets_.bytes() == 0 ? nullptr : sets_.as<u32>() + 2 * words,
        .counters = launcher_.counters(),
        .edge_count = input_.graph.edge_count(),
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
        .vertex_count = input_.graph.vertex_count(),
        .piece_edges = numbers_.piece_edges,
        .long_row = std::max(numbers_.piece_edges, numbers_.long_row),
        .source = seeds.front().vertex,
        .one_block = numbers_.one_block,
        .one_block_edges = numbers_.one_block_edges,
        .pull_share = numbers_.pull_share,
        .pull_edges = numbers_.pull_edges,
        .gathers = input_.graph.vertex_count() >= numbers_.gather ? 1U : 0U,
        .fills = fills_ ? 1U : 0U,
        .read_edges = numbers_.read_edges,
    };
    return run_in_room(
        "there was no room for a piece of a row",
        [&](tuner::run_report& report) { return launcher_.run(arguments, time_limit_ms, reported, report); },
        time_limit_ms);
  }

 private:
  /// Reserves pieces for all rows, which suffices because a search finds each vertex once.
  void reserve_pieces() {
    capacity_ = input_.graph.vertex_count() + input_.graph.edge_count() / numbers_.piece_edges;
    if (capacity_ > std::numeric_limits<u32>::max() ||
        input_.graph.edge_count() >= u64{1} << push_pull::piece_begin_bits) {
      throw backends::launch_error(
          fmt::format("solver push_pull: {} vertices and {} edges in pieces of {} are too many",
                      input_.graph.vertex_count(), input_.graph.edge_count(), numbers_.piece_edges));
    }
    const std::size_t bytes = capacity_ * sizeof(push_pull::piece);
    if (pieces_.bytes() >= bytes) return;
    pieces_ = backends::device_memory();
    pieces_ = input_.device.allocate(bytes, "pieces of rows");
  }

  const search_input& input_;
  bool fills_;  // the kernel initializes the distances
  search_launcher launcher_;
  push_pull_numbers numbers_;
  std::shared_ptr<const reversed_rows> reverse_;
  backends::device_memory pieces_;
  backends::device_memory sets_;  // two sets of found vertices, and one of vertices still to be found
  std::size_t capacity_ = 0;      // number of pieces in pieces_
};

}  // namespace

std::unique_ptr<solver> make_push_pull_solver(const search_input& input) {
  return std::make_unique<push_pull_solver>(input);
}

}  // namespace mlmq::problems
