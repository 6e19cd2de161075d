// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "base/time_limit.hpp"
#include "baselines/frontier_abi.cuh"
#include "problems/graphs/ell_rows.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"

namespace mlmq::problems {
namespace {

constexpr std::array reported = {counter::pops,        counter::stale_pops, counter::resplits,
                                 counter::relaxations, counter::updates,    counter::distance_atomics,
                                 counter::l2_writes,   counter::l2_reads,   counter::queue_atomics,
                                 counter::supersteps};

/// The piles of a search. Their content between searches is irrelevant.
class frontier_storage {
 public:
  /// @throws backends::out_of_device_memory; a later call may ask for less
  void reserve(backends::backend& device, std::size_t capacity, bool has_far) {
    const std::size_t bytes = 2 * capacity * sizeof(u64);
    if (near_.bytes() >= bytes) return;
    near_ = backends::device_memory();
    far_ = backends::device_memory();
    near_ = device.allocate(bytes, fmt::format("two near piles of {} elements", capacity));
    if (!has_far) return;
    try {
      far_ = device.allocate(bytes, fmt::format("two far piles of {} elements", capacity));
    } catch (const backends::out_of_device_memory&) {
      near_ = backends::device_memory();
      throw;
    }
  }

  [[nodiscard]] u64* near_pile() const { return near_.as<u64>(); }
  [[nodiscard]] u64* far_pile() const { return far_.as<u64>(); }

 private:
  backends::device_memory near_;
  backends::device_memory far_;
};

/// Edges per slice of a long row: a few steps of a warp, but enough that the slice counters do not overflow.
std::size_t slice_edges_of(const graph::csr_graph& graph) {
  const std::size_t few_steps = std::clamp<std::size_t>(std::bit_ceil(graph.edge_count() / 64), 64, 1024);
  return std::max(few_steps, std::bit_ceil(graph.edge_count() / (frontier_progress::max_slices / 2)));
}

/// Upper bound for the slices of a superstep. A vertex is expanded at most once per superstep, so each row is cut at
/// most once; the last slice of a row may be shorter.
std::size_t slice_capacity_of(const graph::csr_graph& graph) {
  const std::size_t whole = graph.edge_count() / slice_edges_of(graph);
  return whole + whole / 4 + 1;
}

class frontier_solver final : public solver {
 public:
  frontier_solver(const search_input& input, bool has_far)
      : input_(input),
        has_far_(has_far),
        launcher_(input, sizeof(frontier_control), offsetof(frontier_control, host_abort)),
        slices_(input.device.allocate(slice_capacity_of(input.graph) * sizeof(edge_slice), "slices of long rows")) {
    if (input.graph.weights() != graph::weight_type::float64) return;
    stamps_ = input.device.allocate(input.graph.vertex_count() * sizeof(u32), "stamps of long rows");
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const baseline_numbers numbers(chosen);
    launcher_.prepare(std::move(compiled),
                      {.threads = numbers.threads,
                       .shared_bytes = frontier_shared_bytes(numbers.threads),
                       .per_multiprocessor = numbers.blocks_per_multiprocessor,
                       .least = 1,
                       .most = superstep_progress::max_blocks},
                      mode);
    one_block_ = std::min(numbers.one_block, frontier_in_block(numbers.threads));
    launches_steps_ = numbers.launches_steps;
    const double delta = numbers.delta(input_.average_weight, average_degree(input_.graph));
    delta_ = std::max(1U, distance_word(delta, input_.graph.weights()));
  }

  [[nodiscard]] tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) override {
    if (capacity_ == 0) capacity_ = first_capacity();
    return run_with_room(
        {.capacity = capacity_,
         .largest = std::min<std::size_t>(input_.limits.largest, frontier_progress::max_near),
         .reserve =
             [this](std::size_t capacity) {
               input_.ell_rows.with_room([&] { storage_.reserve(input_.device, capacity, has_far_); });
             },
         .full = [](std::size_t capacity) { return fmt::format("a pile was full at {} elements", capacity); },
         .run_once = [&](tuner::run_report& report) { return run_once(seeds, time_limit_ms, report); }},
        time_limit_ms);
  }

 private:
  /// Returns a first capacity: a frontier rarely has more elements, including stale ones, than the graph has vertices.
  [[nodiscard]] std::size_t first_capacity() const {
    if (input_.limits.first != 0) return input_.limits.first;
    return std::bit_ceil(std::max<std::size_t>(4096, input_.graph.vertex_count()));
  }

  run_status run_once(std::span<const graph::seed_vertex> seeds, double time_limit_ms, tuner::run_report& report) {
    double stamping_ms = 0;
    if (stamps_.bytes() > 0) {
      stamping_ms = input_.device.measure([this] { input_.device.fill(stamps_, 0, stamps_.bytes(), 0xFF); });
    }
    frontier_arguments arguments{
        .offsets = input_.on_device.offsets.address(),
        .edges = input_.on_device.edges.address(),
        .distances = input_.on_device.distances.as<u32>(),
        .control = static_cast<frontier_control*>(launcher_.control()),
        .near_pile = storage_.near_pile(),
        .far_pile = storage_.far_pile(),
        .slices = slices_.as<edge_slice>(),
        .counters = launcher_.counters(),
        .near_capacity = static_cast<u32>(capacity_),
        .far_mask = static_cast<u32>(capacity_ - 1),
        .slice_edges = static_cast<u32>(slice_edges_of(input_.graph)),
        .source = seeds.front().vertex,
        .delta = delta_,
        .one_block = one_block_,
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
        .stamps = stamps_.as<u32>(),
        .step = 0,
    };
    const run_status status =
        launcher_.run(arguments, time_limit_ms, reported, report, launches_steps_ ? &arguments.step : nullptr);
    report.milliseconds += stamping_ms;
    return status;
  }

  const search_input& input_;
  bool has_far_;
  search_launcher launcher_;
  backends::device_memory slices_;
  backends::device_memory stamps_;  // for distances of 8 bytes
  frontier_storage storage_;

  unsigned one_block_ = 0;
  bool launches_steps_ = false;
  u32 delta_ = 1;
  std::size_t capacity_ = 0;  // elements per pile
};

}  // namespace

std::unique_ptr<solver> make_frontier_solver(const search_input& input, bool has_far) {
  return std::make_unique<frontier_solver>(input, has_far);
}

}  // namespace mlmq::problems
