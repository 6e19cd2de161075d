// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "base/time_limit.hpp"
#include "phold/queues_abi.cuh"
#include "problems/phold/phold.hpp"
#include "problems/phold/run_launcher.hpp"
#include "problems/small_queues/small_queues.hpp"

namespace mlmq::phold {
namespace {

constexpr std::uint64_t largest_capacity = std::uint64_t{1} << 26;
/// Number of launches that are queued before the host checks whether the end is reached.
constexpr unsigned launches_together = 32;

class queue_solver final : public solver {
 public:
  explicit queue_solver(const solver_input& input)
      : input_(input),
        launcher_(input.device),
        next_index_(input.device.allocate(input.settings.entities * sizeof(u32), "counts of executed events")) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const tuner::parameter_values values(phold_declarations(), chosen);
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    choice_.emplace(values);
    threads_ = choice_->lanes > simt::warp_size ? choice_->lanes : values.whole("threads");
    per_multiprocessor_ = values.whole("blocks_per_multiprocessor");
    one_launch_ = values.text("launches") == "one";
    capacity_ = std::max<std::uint64_t>(choice_->capacity, first_capacity());
    // Another queue type needs other memory.
    queues_.reset();
    for (inbox_memory& inbox : inboxes_) inbox = {};
    reserve();
  }

  [[nodiscard]] tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) override {
    return run_with_room([&](tuner::run_report& report) { return run_once(end, time_limit_ms, report, executed); },
                         [&] {
                           if (capacity_ >= largest_capacity) return false;
                           capacity_ *= 2;
                           reserve();
                           return true;
                         },
                         [&] { return fmt::format("a queue or an inbox was full at {} events", capacity_); },
                         time_limit_ms);
  }

 private:
  struct inbox_memory {
    backends::device_memory elements;
    backends::device_memory counts;
  };

  /// Returns a first capacity, which the longest queue hardly ever exceeds.
  [[nodiscard]] std::uint64_t first_capacity() const {
    constexpr double deviations = 7;
    constexpr double at_least = 16;
    const auto mean = static_cast<double>(input_.settings.events);
    return std::bit_ceil(static_cast<std::uint64_t>(mean + deviations * std::sqrt(mean) + at_least));
  }

  /// @throws backends::out_of_device_memory
  void reserve() {
    const auto entities = static_cast<std::uint32_t>(input_.settings.entities);
    const auto capacity = static_cast<std::uint32_t>(capacity_);
    queues_.reset();
    queues_.emplace(input_.device, *choice_, entities, capacity);
    for (inbox_memory& inbox : inboxes_) {
      inbox = {};
      inbox.elements = input_.device.allocate(inbox_elements(capacity, entities) * sizeof(u64), "inboxes");
      inbox.counts = input_.device.allocate(entities * sizeof(u32), "counts of the inboxes");
    }
  }

  [[nodiscard]] inbox_storage<u64> view(const inbox_memory& inbox) const {
    return {.elements = inbox.elements.as<u64>(),
            .counts = inbox.counts.as<u32>(),
            .queues = static_cast<u32>(input_.settings.entities),
            .capacity = static_cast<u32>(capacity_)};
  }

  run_status run_once(std::uint64_t end, double time_limit_ms, tuner::run_report& report, trace& executed) {
    const std::size_t shared_bytes = queues_own_bytes + choice_->shared_bytes(threads_);
    const unsigned resident = resident_grid(input_.device, *kernel_, shared_bytes, per_multiprocessor_);
    // At most one group per entity, because each block takes part in all barriers.
    const auto blocks = static_cast<unsigned>(
        std::min<std::uint64_t>(resident, (input_.settings.entities + groups_of_warp() - 1) / groups_of_warp()));
    queues_arguments arguments{.model = model_of(input_.settings),
                               .control = launcher_.control(),
                               .sums = launcher_.sums(),
                               .queues = queues_->view(),
                               .inboxes = {view(inboxes_[0]), view(inboxes_[1])},
                               .next_index = next_index_.as<u32>(),
                               .end = end,
                               .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
                               .initial_events = static_cast<u32>(input_.settings.population()),
                               .step = 0};
    const backends::launch_spec spec{.grid_blocks = blocks,
                                     .shared_bytes = shared_bytes,
                                     .arguments = &arguments,
                                     .argument_bytes = sizeof arguments,
                                     .together = one_launch_};
    bool in_time = true;
    const run_status ended = launcher_.run(
        [&] {
          queues_->clear(input_.device);
          for (const inbox_memory& inbox : inboxes_) input_.device.fill(inbox.counts, 0, inbox.counts.bytes(), 0);
          input_.device.fill(next_index_, 0, next_index_.bytes(), 0);
          if (one_launch_) {
            input_.device.launch(*kernel_, spec);
          } else {
            in_time = launch_windows(spec, arguments, time_limit_ms);
          }
        },
        time_limit_ms, counts_, report, executed);
    return in_time ? ended : run_status::timed_out;
  }

  /// Launches windows until the end. @return false if the time limit was exceeded
  bool launch_windows(const backends::launch_spec& spec, queues_arguments& arguments, double time_limit_ms) {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      for (unsigned i = 0; i < launches_together; ++i, ++arguments.step) input_.device.launch(*kernel_, spec);
      if (launcher_.status() != run_status::running) return true;
      const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
      // The simulator checks modelled time itself, at each launch.
      if (!input_.device.info().modelled && passed.count() > time_limit_ms) return false;
    }
  }

  [[nodiscard]] unsigned groups_of_warp() const {
    return choice_->lanes > simt::warp_size ? 1 : simt::warp_size / choice_->lanes;
  }

  const solver_input& input_;
  run_launcher launcher_;
  backends::device_memory next_index_;
  std::shared_ptr<const backends::kernel> kernel_;
  bool counts_ = false;
  std::optional<problems::small_queue_choice> choice_;
  unsigned threads_ = 256;
  unsigned per_multiprocessor_ = 0;
  bool one_launch_ = true;
  std::uint64_t capacity_ = 0;
  std::optional<problems::small_queue_memory<u64>> queues_;
  std::array<inbox_memory, 2> inboxes_;
};

}  // namespace

std::unique_ptr<solver> make_queue_solver(const solver_input& input) { return std::make_unique<queue_solver>(input); }

}  // namespace mlmq::phold
