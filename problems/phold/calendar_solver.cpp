// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "base/time_limit.hpp"
#include "phold/calendar_abi.cuh"
#include "problems/phold/bucket_clock.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/run_launcher.hpp"

namespace mlmq::phold {
namespace {

constexpr std::uint32_t most_parts = 4096;

/// Returns a capacity for a random number of events with this mean that is hardly ever exceeded, even among millions.
std::uint32_t room_for(double mean) {
  constexpr double deviations = 7;
  constexpr double at_least = 12;
  const double room = mean + deviations * std::sqrt(mean) + at_least;
  return (static_cast<std::uint32_t>(room) + 3) / 4 * 4;
}

/// Sizes that follow from the parameters, the model and the end.
struct calendar_shape {
  bucket_clock clock;
  std::uint32_t buckets;
  std::uint32_t capacity;       ///< events per bucket
  std::uint32_t list_capacity;  ///< events per list beyond the ring
};

class calendar_solver final : public solver {
 public:
  explicit calendar_solver(const solver_input& input) : input_(input), launcher_(input.device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const tuner::parameter_values values(phold_declarations(), chosen);
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    groups_ = values.whole("threads") / values.whole("bucket_lanes");
    per_multiprocessor_ = values.whole("blocks_per_multiprocessor");
    bucket_events_ = values.whole("bucket_events");
    ring_ = values.whole("ring_buckets");
    fixed_capacity_ = values.whole("bucket_capacity");
    growth_ = 1;
    shaped_end_ = 0;
  }

  [[nodiscard]] tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) override {
    reserve(end);
    return run_with_room([&](tuner::run_report& report) { return run_once(end, time_limit_ms, report, executed); },
                         [&] {
                           if (fixed_capacity_ != 0 || shape_.capacity == max_bucket_capacity) return false;
                           growth_ *= 2;
                           shaped_end_ = 0;
                           reserve(end);
                           return true;
                         },
                         [&] {
                           return fmt::format("a bucket was full at {} events, or a list beyond the ring at {}",
                                              shape_.capacity, shape_.list_capacity);
                         },
                         time_limit_ms);
  }

 private:
  /// @throws backends::launch_error, backends::out_of_device_memory
  void reserve(std::uint64_t end) {
    if (shaped_end_ == end) return;
    shape_ = shape_for(end);
    const std::uint64_t entities = input_.settings.entities;
    const std::uint64_t slots = entities * shape_.buckets * shape_.capacity * sizeof(u64);
    const std::uint64_t lists = 2 * entities * shape_.list_capacity * sizeof(u64);
    const std::uint64_t counts = entities * (shape_.buckets + 2) * sizeof(u32);
    resize(slots_, slots, fmt::format("{} buckets of {} events for each entity", shape_.buckets, shape_.capacity));
    resize(lists_, lists, fmt::format("lists of {} events beyond them", shape_.list_capacity));
    resize(counts_memory_, counts, "counts of the buckets");
    resize(next_index_, entities * sizeof(u32), "counts of executed events");
    shaped_end_ = end;
  }

  void resize(backends::device_memory& memory, std::uint64_t bytes, const std::string& name) const {
    if (memory.bytes() >= bytes) return;
    memory = backends::device_memory();
    memory = input_.device.allocate(bytes, name);
    // Initialized, so that no kernel reads unwritten memory.
    input_.device.measure([&] { input_.device.fill(memory, 0, bytes, 0xFF); });
  }

  [[nodiscard]] calendar_shape shape_for(std::uint64_t end) const {
    const model_settings& settings = input_.settings;
    const model m = model_of(settings);
    std::uint32_t parts = 1;
    while (parts < most_parts && densest(settings, settings.lookahead / parts) > bucket_events_) parts *= 2;
    calendar_shape shape{};
    shape.clock = bucket_clock::make(m.lookahead, end, parts);
    if (shape.clock.factor == 0) {
      throw backends::launch_error(
          fmt::format("the run has too many windows for a calendar: its end is {:.3g} lookaheads away",
                      static_cast<double>(end) / static_cast<double>(m.lookahead)));
    }
    const double width = settings.lookahead / parts;
    const std::uint32_t needed =
        fixed_capacity_ != 0 ? (fixed_capacity_ + 3) / 4 * 4 : growth_ * room_for(densest(settings, width));
    if (needed > max_bucket_capacity && growth_ == 1) {
      throw backends::launch_error(fmt::format("a bucket of width {} needs room for {} events, expected at most {}",
                                               width, needed, max_bucket_capacity));
    }
    shape.capacity = std::min(needed, max_bucket_capacity);
    shape.list_capacity = growth_ * room_for(static_cast<double>(settings.events));
    const std::uint64_t bytes_of_bucket = settings.entities * (shape.capacity * sizeof(u64) + sizeof(u32));
    const std::uint64_t room = input_.device.info().memory_bytes / 4;
    const std::uint64_t total = std::uint64_t{shape.clock.windows(end)} * parts;
    const std::uint64_t most = std::min(room / bytes_of_bucket, std::bit_ceil(total));
    shape.buckets = ring_ != 0 ? std::max(std::bit_ceil(ring_), 2 * parts) : ring_buckets(settings, width, parts, most);
    return shape;
  }

  run_status run_once(std::uint64_t end, double time_limit_ms, tuner::run_report& report, trace& executed) {
    const std::uint32_t shared_bytes = calendar_shared_bytes(groups_, shape_.capacity);
    const unsigned resident = resident_grid(input_.device, *kernel_, shared_bytes, per_multiprocessor_);
    // At most one group per entity, because each block takes part in all barriers.
    const auto blocks =
        static_cast<unsigned>(std::min<std::uint64_t>(resident, (input_.settings.entities + groups_ - 1) / groups_));
    const calendar_arguments arguments{.model = model_of(input_.settings),
                                       .control = launcher_.control(),
                                       .sums = launcher_.sums(),
                                       .slots = slots_.as<u64>(),
                                       .lists = lists_.as<u64>(),
                                       .counts = counts_memory_.as<u32>(),
                                       .next_index = next_index_.as<u32>(),
                                       .end = end,
                                       .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
                                       .initial_events = static_cast<u32>(input_.settings.population()),
                                       .buckets = shape_.buckets,
                                       .capacity = shape_.capacity,
                                       .list_capacity = shape_.list_capacity,
                                       .buckets_per_window = shape_.clock.buckets_per_window,
                                       .windows = shape_.clock.windows(end),
                                       .time_shift = shape_.clock.time_shift,
                                       .bucket_factor = shape_.clock.factor};
    return launcher_.run(
        [&] {
          const std::size_t counts = input_.settings.entities * (shape_.buckets + std::size_t{2}) * sizeof(u32);
          input_.device.fill(counts_memory_, 0, counts, 0);
          input_.device.fill(next_index_, 0, next_index_.bytes(), 0);
          input_.device.launch(*kernel_, {.grid_blocks = blocks,
                                          .shared_bytes = shared_bytes,
                                          .arguments = &arguments,
                                          .argument_bytes = sizeof arguments});
        },
        time_limit_ms, counts_, report, executed);
  }

  const solver_input& input_;
  run_launcher launcher_;
  std::shared_ptr<const backends::kernel> kernel_;
  bool counts_ = false;
  unsigned groups_ = 1;  // groups per block
  unsigned per_multiprocessor_ = 0;
  unsigned bucket_events_ = 64;
  unsigned ring_ = 0;
  unsigned fixed_capacity_ = 0;
  std::uint32_t growth_ = 1;
  std::uint64_t shaped_end_ = 0;
  calendar_shape shape_{};
  backends::device_memory slots_;
  backends::device_memory lists_;
  backends::device_memory counts_memory_;
  backends::device_memory next_index_;
};

}  // namespace

std::unique_ptr<solver> make_calendar_solver(const solver_input& input) {
  return std::make_unique<calendar_solver>(input);
}

}  // namespace mlmq::phold
