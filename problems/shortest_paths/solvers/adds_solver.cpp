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
#include "baselines/adds_abi.cuh"
#include "problems/graphs/ell_rows.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"

namespace mlmq::problems {
namespace {

constexpr std::array reported = {
    counter::pops,         counter::stale_pops, counter::relaxations, counter::updates,       counter::distance_atomics,
    counter::l2_writes,    counter::l2_reads,   counter::l2_claims,   counter::queue_atomics, counter::bucket_switches,
    counter::delta_changes};

/// Division of the pool into storage blocks.
struct pool_layout {
  unsigned blocks;
  unsigned block_shift;  ///< log2 of the elements of a storage block
};

/// @param capacity elements, a power of two
pool_layout layout_of(std::size_t capacity) {
  const std::size_t elements = std::max<std::size_t>(adds_segment, capacity / adds_max_blocks);
  return {.blocks = static_cast<unsigned>(std::max<std::size_t>(1, capacity / elements)),
          .block_shift = static_cast<unsigned>(std::countr_zero(elements))};
}

/// The pool of storage blocks. Its content between searches is irrelevant.
class adds_storage {
 public:
  explicit adds_storage(backends::backend& device) : device_(device) {}

  /// @throws backends::out_of_device_memory; a later call may ask for less
  void reserve(std::size_t capacity) {
    const pool_layout layout = layout_of(capacity);
    const std::size_t elements = std::size_t{layout.blocks} << layout.block_shift;
    if (pool_.bytes() >= elements * sizeof(u64)) return;
    pool_ = backends::device_memory();
    written_ = backends::device_memory();
    written_ = device_.allocate(elements / adds_segment * sizeof(u64), "what is written in the buckets");
    pool_ = device_.allocate(elements * sizeof(u64), fmt::format("a pool of {} elements for the buckets", elements));
  }

  [[nodiscard]] u64* pool() const { return pool_.as<u64>(); }
  [[nodiscard]] u64* written() const { return written_.as<u64>(); }

 private:
  backends::backend& device_;
  backends::device_memory pool_;
  backends::device_memory written_;
};

class adds_solver final : public solver {
 public:
  explicit adds_solver(const search_input& input)
      : input_(input),
        launcher_(input, sizeof(adds_control), offsetof(adds_control, host_abort)),
        storage_(input.device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const baseline_numbers numbers(chosen);
    input_.ell_rows.place(numbers.ell_width);
    launcher_.prepare(std::move(compiled),
                      {.threads = numbers.threads,
                       .shared_bytes = adds_shared_bytes(numbers.threads),
                       .per_multiprocessor = numbers.blocks_per_multiprocessor,
                       .least = 2,
                       .most = adds_max_workers + 1},
                      mode);
    const double degree = average_degree(input_.graph);
    const double threads = static_cast<double>(launcher_.grid_blocks() - 1) * numbers.threads;
    arguments_ = {};
    arguments_.chunk = numbers.adds_chunk;
    arguments_.least = numbers.adds_least;
    arguments_.open_buckets = numbers.adds_open;
    arguments_.long_row = std::max(numbers.heavy_degree, 2 * numbers.threads);
    arguments_.buckets_per_distance = static_cast<float>(1.0 / numbers.delta(input_.average_weight, degree));
    arguments_.high_use = static_cast<float>(numbers.adds_load * threads / std::max(degree, 1.0));
    arguments_.low_use = arguments_.high_use / 2;
    reports_open_ = numbers.adapts_open && mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) override {
    if (capacity_ == 0) capacity_ = first_capacity();
    return run_with_room(
        {.capacity = capacity_,
         .largest = std::min(input_.limits.largest, std::size_t{1} << 31),
         .reserve = [this](std::size_t capacity) { input_.ell_rows.with_room([&] { storage_.reserve(capacity); }); },
         .full =
             [](std::size_t capacity) {
               return fmt::format("the pool for the buckets was full at {} elements", capacity);
             },
         .run_once = [&](tuner::run_report& report) { return run_once(seeds, time_limit_ms, report); }},
        time_limit_ms);
  }

 private:
  /// A vertex can be queued several times, and every bucket starts one or two storage blocks.
  [[nodiscard]] std::size_t first_capacity() const {
    if (input_.limits.first != 0) return input_.limits.first;
    return std::bit_ceil(std::max<std::size_t>(adds_segment * std::size_t{adds_max_blocks},
                                               4 * std::size_t{input_.graph.vertex_count()}));
  }

  run_status run_once(std::span<const graph::seed_vertex> seeds, double time_limit_ms, tuner::run_report& report) {
    const pool_layout layout = layout_of(capacity_);
    adds_arguments arguments = arguments_;
    arguments.offsets = input_.on_device.offsets.address();
    arguments.edges = input_.on_device.edges.address();
    arguments.ell_rows = input_.ell_rows.address();
    arguments.distances = input_.on_device.distances.as<u32>();
    arguments.control = static_cast<adds_control*>(launcher_.control());
    arguments.pool = storage_.pool();
    arguments.written = storage_.written();
    arguments.counters = launcher_.counters();
    arguments.blocks = layout.blocks;
    arguments.block_shift = layout.block_shift;
    arguments.source = seeds.front().vertex;
    arguments.time_limit_ns = time_limit_ns_from_ms(time_limit_ms);
    const run_status status = launcher_.run(arguments, time_limit_ms, reported, report);
    if (reports_open_ && status == run_status::finished) report_open(report);
    return status;
  }

  void report_open(tuner::run_report& report) const {
    adds_control::open_words words{};
    auto* const address = static_cast<std::byte*>(launcher_.control()) + offsetof(adds_control, open);
    input_.device.download(&words, backends::device_memory::borrowed(address, sizeof words), sizeof words);
    const double turns = std::max(1.0, static_cast<double>(words.turns));
    report.counters.emplace_back(mean_open_counter, static_cast<double>(words.sum) / turns);
    report.counters.emplace_back(open_changes_counter, static_cast<double>(words.changes));
  }

  const search_input& input_;
  search_launcher launcher_;
  adds_storage storage_;

  adds_arguments arguments_{};  // the part that the configuration determines
  std::size_t capacity_ = 0;    // elements of the pool
  bool reports_open_ = false;   // report the number of open buckets with the counters
};

}  // namespace

std::unique_ptr<solver> make_adds_solver(const search_input& input) { return std::make_unique<adds_solver>(input); }

}  // namespace mlmq::problems
