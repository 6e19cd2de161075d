// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/near_pull_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/time_limit.hpp"
#include "near_pull/near_pull_abi.cuh"
#include "problems/graphs/ell_rows.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"

namespace mlmq::problems {
namespace {

constexpr std::array reported = {counter::pops,     counter::stale_pops,       counter::relaxations,
                                 counter::updates,  counter::distance_atomics, counter::l1_writes,
                                 counter::l1_reads, counter::l1_spills,        counter::l2_writes,
                                 counter::l2_reads, counter::queue_atomics,    counter::supersteps};

class near_pull_solver final : public solver {
 public:
  explicit near_pull_solver(const search_input& input)
      : input_(input),
        launcher_(input, sizeof(near_pull::control_words), offsetof(near_pull::control_words, host_abort),
                  {.distances = false, .spare_control = true}) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    numbers_ = near_pull_numbers(chosen);
    launcher_.prepare(std::move(compiled),
                      {.threads = numbers_.threads,
                       .shared_bytes = near_pull::shared_bytes(numbers_.threads),
                       .per_multiprocessor = 1,
                       .least = 1,
                       .most = near_pull::progress::max_blocks},
                      mode);
    reverse_ = numbers_.pull_share == 0 ? nullptr : input_.reversed.get();
  }

  [[nodiscard]] tuner::run_report run(graph::vertex_id source, double time_limit_ms) override {
    if (capacity_ == 0) capacity_ = first_capacity();
    return run_with_room(
        {.capacity = capacity_,
         .largest = std::min<std::size_t>(input_.limits.largest, largest_frontier),
         .reserve = [this](std::size_t capacity) { reserve(capacity); },
         .full = [](std::size_t capacity) { return fmt::format("a frontier was full at {} pieces of rows", capacity); },
         .run_once = [&](tuner::run_report& report) { return run_once(source, time_limit_ms, report); }},
        time_limit_ms);
  }

 private:
  static constexpr std::size_t largest_frontier = std::size_t{1} << 32;

  /// Returns a first capacity: it suffices if each vertex is lowered once in a superstep.
  [[nodiscard]] std::size_t first_capacity() const {
    if (input_.limits.first != 0) return input_.limits.first;
    return std::max<std::size_t>(4096, input_.graph.vertex_count() + input_.graph.edge_count() / numbers_.piece_edges);
  }

  /// Reserves two frontiers. A later call may ask for less. @throws backends::out_of_device_memory
  void reserve(std::size_t capacity) {
    const std::size_t bytes = 2 * capacity * sizeof(near_pull::piece);
    if (pieces_.bytes() >= bytes) return;
    pieces_ = backends::device_memory();
    input_.ell_rows.with_room([&] { pieces_ = input_.device.allocate(bytes, "pieces of rows"); });
  }

  run_status run_once(graph::vertex_id source, double time_limit_ms, tuner::run_report& report) {
    near_pull::arguments arguments{
        .offsets = input_.on_device.offsets.address(),
        .edges = input_.on_device.edges.address(),
        .in_offsets = reverse_ == nullptr ? nullptr : reverse_->offsets.address(),
        .in_edges = reverse_ == nullptr ? nullptr : reverse_->edges.address(),
        .distances = input_.on_device.distances.as<u32>(),
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
        .pull_share = numbers_.pull_share,
        .kept_pieces = numbers_.local_pieces,
        .hops = numbers_.local_hops,
    };
    double limit = numbers_.near_limit * input_.average_weight;
    for (u64& word : arguments.limits) {
      word = limit_word(limit);
      limit *= 2;
    }
    return launcher_.run(arguments, time_limit_ms, reported, report);
  }

  [[nodiscard]] u64 limit_word(double limit) const {
    const graph::weight_type weights = input_.graph.weights();
    if (weights == graph::weight_type::float64) return wide_distance_word(limit);
    return std::max(1U, distance_word(limit, weights));
  }

  const search_input& input_;
  search_launcher launcher_;
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
