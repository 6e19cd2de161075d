// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/time_limit.hpp"
#include "phold/one_block_abi.cuh"
#include "problems/phold/bucket_clock.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/run_launcher.hpp"

namespace mlmq::phold {
namespace {

constexpr std::uint32_t most_buckets = 16384;
constexpr int least_shift = 4;
/// Maximum number of buckets until the end, which the kernel counts in 32 bits.
constexpr std::uint64_t most_in_all = std::uint64_t{1} << 31;

std::uint64_t room_for(double mean) {
  constexpr double deviations = 7;
  constexpr double at_least = 32;
  return static_cast<std::uint64_t>(mean + deviations * std::sqrt(mean) + at_least);
}

/// Sizes that follow from the parameters and the model.
struct one_block_shape {
  std::uint32_t bucket_shift;
  std::uint32_t buckets;
  std::uint64_t capacity;
  std::uint32_t near_capacity;
};

class one_block_solver final : public solver {
 public:
  explicit one_block_solver(const solver_input& input)
      : input_(input),
        launcher_(input.device),
        next_index_(input.device.allocate(input.settings.entities * sizeof(u32), "counts of executed events")) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    near_events_ = tuner::parameter_values(phold_declarations(), chosen).whole("near_events");
    growth_ = 1;
    reserve();
  }

  [[nodiscard]] tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) override {
    if (end >> shape_.bucket_shift >= most_in_all) {
      throw backends::launch_error("the run has too many buckets for one block: increase near_events");
    }
    return run_with_room([&](tuner::run_report& report) { return run_once(end, time_limit_ms, report, executed); },
                         [&] {
                           growth_ *= 2;
                           reserve();
                           return kernel_->resident_blocks(shared_bytes()) > 0;
                         },
                         [&] {
                           return fmt::format("the open bucket was full at {} events, or another at {}",
                                              shape_.near_capacity, shape_.capacity);
                         },
                         time_limit_ms);
  }

 private:
  [[nodiscard]] one_block_shape make_shape() const {
    const model_settings& settings = input_.settings;
    const auto population = static_cast<double>(settings.population());
    one_block_shape shape{};
    // Width in which `near_events_` events would be executed without the lookahead.
    const double ticks = near_events_ / (population * settings.rate) * ticks_per_unit;
    shape.bucket_shift = static_cast<std::uint32_t>(std::max(least_shift, std::ilogb(std::max(1.0, ticks))));
    const double width = std::ldexp(1.0, static_cast<int>(shape.bucket_shift)) / ticks_per_unit;
    shape.buckets = ring_buckets(settings, width, 1, most_buckets);
    const double in_bucket = population * -std::expm1(-settings.rate * width);
    const double beyond = population * std::exp(-settings.rate * width * (shape.buckets - 1));
    shape.capacity = growth_ * room_for(in_bucket + beyond);
    shape.near_capacity =
        static_cast<std::uint32_t>((growth_ * room_for(population * settings.rate * width) + 31) / 32 * 32);
    return shape;
  }

  /// Number of entities whose counts of executed events are in shared memory: all if they fit, because every window
  /// waits for them; otherwise 0.
  [[nodiscard]] u32 shared_indices() const {
    const std::uint64_t without = one_block_shared_bytes(shape_.near_capacity, shape_.buckets, 0);
    const std::uint64_t with = without + input_.settings.entities * sizeof(u32);
    return with <= input_.device.info().shared_bytes_per_block ? static_cast<u32>(input_.settings.entities) : 0;
  }

  [[nodiscard]] std::size_t shared_bytes() const {
    return one_block_shared_bytes(shape_.near_capacity, shape_.buckets, shared_indices());
  }

  /// @throws backends::out_of_device_memory
  void reserve() {
    shape_ = make_shape();
    const std::uint64_t places = shape_.buckets * shape_.capacity;
    if (events_.bytes() < places * sizeof(u64)) {
      events_ = backends::device_memory();
      owners_ = backends::device_memory();
      events_ = input_.device.allocate(places * sizeof(u64),
                                       fmt::format("{} buckets of {} events", shape_.buckets, shape_.capacity));
      owners_ = input_.device.allocate(places * sizeof(u32), "the entities of events in buckets");
    }
  }

  run_status run_once(std::uint64_t end, double time_limit_ms, tuner::run_report& report, trace& executed) {
    if (kernel_->resident_blocks(shared_bytes()) == 0) {
      throw backends::launch_error(fmt::format("{} bytes of shared memory are more than a block on {} can have",
                                               shared_bytes(), input_.device.info().name));
    }
    const one_block_arguments arguments{.model = model_of(input_.settings),
                                        .control = launcher_.control(),
                                        .sums = launcher_.sums(),
                                        .events = events_.as<u64>(),
                                        .owners = owners_.as<u32>(),
                                        .next_index = next_index_.as<u32>(),
                                        .end = end,
                                        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
                                        .initial_events = static_cast<u32>(input_.settings.population()),
                                        .buckets = shape_.buckets,
                                        .capacity = static_cast<u32>(shape_.capacity),
                                        .near_capacity = shape_.near_capacity,
                                        .bucket_shift = shape_.bucket_shift,
                                        .shared_indices = shared_indices()};
    return launcher_.run(
        [&] {
          input_.device.fill(next_index_, 0, next_index_.bytes(), 0);
          input_.device.launch(*kernel_, {.grid_blocks = 1,
                                          .shared_bytes = shared_bytes(),
                                          .arguments = &arguments,
                                          .argument_bytes = sizeof arguments,
                                          .together = false});
        },
        time_limit_ms, counts_, report, executed);
  }

  const solver_input& input_;
  run_launcher launcher_;
  backends::device_memory next_index_;
  std::shared_ptr<const backends::kernel> kernel_;
  bool counts_ = false;
  double near_events_ = 1024;
  std::uint64_t growth_ = 1;
  one_block_shape shape_{};
  backends::device_memory events_;
  backends::device_memory owners_;
};

}  // namespace

std::unique_ptr<solver> make_one_block_solver(const solver_input& input) {
  return std::make_unique<one_block_solver>(input);
}

}  // namespace mlmq::phold
