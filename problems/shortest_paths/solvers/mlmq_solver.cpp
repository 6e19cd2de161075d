// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/mlmq_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/time_limit.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"
#include "problems/shortest_paths/solvers/split_rows.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr std::array reported = {counter::pops,         counter::stale_pops,    counter::resplits,
                                 counter::relaxations,  counter::updates,       counter::distance_atomics,
                                 counter::row_segments, counter::ell_overflow,  counter::l0_writes,
                                 counter::l0_reads,     counter::l1_writes,     counter::l1_reads,
                                 counter::l1_spills,    counter::l2_writes,     counter::l2_reads,
                                 counter::l2_claims,    counter::queue_atomics, counter::polls,
                                 counter::delta_changes};

/// Kind of the subqueues of an L2 queue: rings of slots, heaps of nodes, or queues of data blocks.
enum class subqueue_kind { ring, heap, blocks };

/// Division of the memory of the L2 queue.
struct queue_layout {
  unsigned subqueues = 0;
  std::size_t capacity = 0;  ///< slots per subqueue
  subqueue_kind kind = subqueue_kind::ring;

  /// Names the subqueues.
  [[nodiscard]] const char* plural() const {
    return kind == subqueue_kind::ring ? "rings" : kind == subqueue_kind::heap ? "heaps" : "queues of blocks";
  }
  /// Returns the size of the queue. Each node and each block of 32 slots has a header.
  [[nodiscard]] std::size_t bytes() const {
    return subqueues * (capacity + (kind == subqueue_kind::ring ? 0 : capacity / 32)) * sizeof(std::uint64_t);
  }
  bool operator==(const queue_layout&) const = default;
};

/// The memory of the L2 queue. Memory filled with ones is an empty queue; a search that finishes leaves an empty queue
/// of its layout.
class queue_storage {
 public:
  explicit queue_storage(backends::backend& device) : device_(device) {}

  /// Prepares an empty queue for one search.
  /// @throws backends::out_of_device_memory; a later call may request less
  void reserve(const queue_layout& layout) {
    if (slots_.bytes() < layout.bytes()) {
      slots_ = backends::device_memory();
      empty_as_.reset();
      slots_ = device_.allocate(layout.bytes(), fmt::format("an L2 queue of {} {} of {} slots", layout.subqueues,
                                                            layout.plural(), layout.capacity));
    }
    // Emptied rings are all ones in every layout. Emptied heaps keep old elements, which their headers mark as invalid,
    // and so do blocks after clear_headers().
    const bool is_empty = empty_as_ && (*empty_as_ == layout ||
                                        (empty_as_->kind == subqueue_kind::ring && layout.kind == subqueue_kind::ring));
    if (!is_empty) device_.measure([this] { device_.fill(slots_, 0, slots_.bytes(), 0xFF); });
    // Unless the search finishes, the next one clears the memory, also after an exception.
    empty_as_.reset();
  }

  /// Returns the headers of blocks, which count turns, to their state before a search. @return milliseconds
  [[nodiscard]] double clear_headers(const queue_layout& layout) {
    const std::size_t slots = layout.subqueues * layout.capacity * sizeof(std::uint64_t);
    return device_.measure([&] { device_.fill(slots_, slots, layout.bytes() - slots, 0xFF); });
  }

  /// Records that a search has finished and left an empty queue.
  void note_empty(const queue_layout& layout) { empty_as_ = layout; }

  [[nodiscard]] u64* slots() const { return slots_.as<u64>(); }

 private:
  backends::backend& device_;
  backends::device_memory slots_;
  std::optional<queue_layout> empty_as_;
};

class mlmq_solver final : public solver {
 public:
  explicit mlmq_solver(const search_input& input)
      : input_(input),
        launcher_(input, sizeof(queue_control), offsetof(queue_control, host_abort)),
        queue_(input.device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const search_configuration numbers(chosen);
    layout_ = {.subqueues = numbers.parts(),
               .capacity = 0,
               .kind = numbers.has_heaps()       ? subqueue_kind::heap
                       : numbers.warps_read_l2() ? subqueue_kind::blocks
                                                 : subqueue_kind::ring};
    adapts_delta_ = numbers.adapts_delta;
    buckets_per_key_ = numbers.delta > 0 ? static_cast<float>(1.0 / (numbers.delta * input_.average_weight)) : 1.0F;
    l1_width_ = distance_word(numbers.l1_delta * input_.average_weight, input_.graph.weights());
    near_far_start_ = distance_word(numbers.nf * input_.average_weight, input_.graph.weights());
    split_rows(numbers.split_degree);
    input_.ell_rows.place(numbers.ell_width);
    if (input_.ell_rows.rows() + segment_count_ >= std::numeric_limits<u32>::max()) {
      throw backends::launch_error(
          fmt::format("split_degree={},ell_width={}: {} ELL rows and {} segments of rows need more than 32 bits",
                      numbers.split_degree, numbers.ell_width, input_.ell_rows.rows(), segment_count_));
    }
    launcher_.prepare(std::move(compiled), grid_bounds_of(numbers), mode);
  }

  [[nodiscard]] tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) override {
    std::size_t& capacity = capacity_[{layout_.subqueues, layout_.kind}];
    if (capacity == 0) capacity = first_capacity();
    const tuner::run_report report =
        run_with_room({.capacity = capacity,
                       .largest = largest_capacity(),
                       .reserve =
                           [this](std::size_t slots) {
                             queue_layout layout = layout_;
                             layout.capacity = slots;
                             input_.ell_rows.with_room([&] { queue_.reserve(layout); });
                             layout_ = layout;
                           },
                       .full =
                           [this](std::size_t slots) {
                             return fmt::format("{} of the L2 queue were full at {} slots", layout_.plural(), slots);
                           },
                       .run_once = [&](tuner::run_report& attempt) { return run_once(seeds, time_limit_ms, attempt); }},
                      time_limit_ms);
    if (report.result == db::outcome::ok) queue_.note_empty(layout_);
    return report;
  }

 private:
  /// Returns a first capacity. A vertex can be queued several times, but rarely are most of them queued at once.
  [[nodiscard]] std::size_t first_capacity() const {
    if (input_.limits.first != 0) return input_.limits.first;
    const std::size_t n = input_.graph.vertex_count();
    if (layout_.kind == subqueue_kind::heap)
      return std::bit_ceil(std::max<std::size_t>(4096, 8 * n / layout_.subqueues));
    return std::bit_ceil(std::max<std::size_t>(4096, layout_.subqueues == 1 ? 2 * n : n / 2));
  }

  /// A warp may read the block that it has reserved only when it has done the work of its L1. The simulator takes a
  /// wait as long as that for a livelock.
  [[nodiscard]] u64 full_wait_ns() const {
    return layout_.kind == subqueue_kind::blocks && !input_.device.info().modelled ? 2'000'000 : 200'000;
  }

  /// A block that a busy warp has reserved holds back writers in a queue of any size, so that more room does not help.
  [[nodiscard]] std::size_t largest_capacity() const {
    if (layout_.kind != subqueue_kind::blocks) return input_.limits.largest;
    return std::min(input_.limits.largest, std::max<std::size_t>(16 * first_capacity(), 1 << 20));
  }

  /// Makes the segments of split rows, which depend only on the graph and the degree.
  void split_rows(unsigned degree) {
    if (split_degree_ == degree) return;
    split_degree_ = 0;  // until the uploads have succeeded
    const problems::split_rows split = split_rows_of(input_.graph, degree);
    split_row_count_ = split.rows.size();
    segment_count_ = split.segments.size();
    split_rows_ = backends::uploaded(input_.device, split.rows, "the split rows");
    row_segments_ = backends::uploaded(input_.device, split.segments, "the segments of split rows");
    split_degree_ = degree;
  }

  run_status run_once(std::span<const graph::seed_vertex> seeds, double time_limit_ms, tuner::run_report& report) {
    search_arguments arguments{
        .offsets = input_.on_device.offsets.address(),
        .edges = input_.on_device.edges.address(),
        .ell_rows = input_.ell_rows.address(),
        .distances = input_.on_device.distances.as<u32>(),
        .control = static_cast<queue_control*>(launcher_.control()),
        .slots = queue_.slots(),
        .split_rows = split_rows_.as<split_row>(),
        .row_segments = row_segments_.as<row_segment>(),
        .counters = launcher_.counters(),
        .capacity_mask = static_cast<u32>(layout_.capacity - 1),
        .source = seeds.front().vertex,
        .vertex_count = static_cast<u32>(input_.graph.vertex_count()),
        .first_segment = static_cast<u32>(input_.ell_rows.rows()),
        .split_row_count = static_cast<u32>(split_row_count_),
        .buckets_per_key = buckets_per_key_,
        .l1_width = l1_width_,
        .near_far_start = near_far_start_,
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
        .full_wait_ns = full_wait_ns(),
        .seed_count = static_cast<u32>(seeds.size()),
        .seeds = {},
    };
    std::ranges::transform(seeds, arguments.seeds, [](const graph::seed_vertex& seed) {
      return search_seed{.vertex = seed.vertex, .distance = static_cast<u32>(seed.distance)};
    });
    // The last counter exists only for searches that change Δ.
    const std::span counter_list(reported);
    const double clearing_ms = layout_.kind == subqueue_kind::blocks ? queue_.clear_headers(layout_) : 0;
    const run_status status = launcher_.run(
        arguments, time_limit_ms, adapts_delta_ ? counter_list : counter_list.first(counter_list.size() - 1), report);
    report.milliseconds += clearing_ms;
    return status;
  }

  const search_input& input_;
  search_launcher launcher_;
  queue_storage queue_;
  unsigned split_degree_ = 0;
  std::size_t split_row_count_ = 0;
  std::size_t segment_count_ = 0;
  backends::device_memory split_rows_;
  backends::device_memory row_segments_;

  queue_layout layout_;
  bool adapts_delta_ = false;
  float buckets_per_key_ = 1;
  u32 l1_width_ = 0;
  u32 near_far_start_ = 0;
  std::map<std::pair<unsigned, subqueue_kind>, std::size_t> capacity_;  // slots per subqueue, by number and kind
};

}  // namespace

grid_bounds grid_bounds_of(const search_configuration& numbers) {
  // A search needs a worker's block and the manager's.
  return {.threads = numbers.threads,
          .shared_bytes = numbers.shared_bytes(),
          .per_multiprocessor = numbers.blocks_per_multiprocessor,
          .least = 2,
          .most = std::numeric_limits<unsigned>::max()};
}

void require_mlmq_grid(const tuner::configuration& chosen, const backends::device_info& device) {
  require_possible_grid(device, grid_bounds_of(search_configuration(chosen)));
}

std::unique_ptr<solver> make_mlmq_solver(const search_input& input) { return std::make_unique<mlmq_solver>(input); }

}  // namespace mlmq::problems
