// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time_limit.hpp"
#include "phold/parallel_heap_abi.cuh"
#include "problems/phold/phold.hpp"
#include "problems/phold/run_launcher.hpp"

namespace mlmq::phold {
namespace {

constexpr u32 least_node = 32;

/// Executes the least events of all, a node of them at a time, like the kernel with MLMQ_PHOLD_ALL_OF_ROOT.
trace execute_nodes(const model_settings& settings, std::uint64_t end, std::uint32_t node) {
  const model m = model_of(settings);
  std::vector<u64> events(settings.population());
  std::vector<u32> next_index(events.size(), 0);
  using timed_slot = std::pair<u64, u32>;
  std::priority_queue<timed_slot, std::vector<timed_slot>, std::greater<>> heap;
  for (u32 slot = 0; slot < events.size(); ++slot) {
    events[slot] = initial_event(initial_draw(m, slot));
    heap.emplace(time_of(events[slot]), slot);
  }
  trace executed{.finished = true};
  while (heap.top().first < end) {
    std::vector<timed_slot> removed;
    for (; removed.size() < node && !heap.empty(); heap.pop()) removed.push_back(heap.top());
    for (const auto& [time, slot] : removed) {
      if (time < end) {
        const event_draw drawn = draw(m, slot, next_index[slot]++);
        ++executed.events;
        executed.hash += hash_of(events[slot], drawn);
        events[slot] = created_event(m, events[slot], drawn);
      }
      heap.emplace(time_of(events[slot]), slot);
    }
  }
  return executed;
}

class parallel_heap_solver final : public solver {
 public:
  explicit parallel_heap_solver(const solver_input& input)
      : input_(input),
        launcher_(input.device),
        state_(input.device.allocate(sizeof(parallel_heap_state), "the heap's state")),
        earliest_(input.device.allocate(input.settings.entities * sizeof(u64), "the earliest events of entities")) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const std::uint64_t population = input_.settings.population();
    if (population >= max_heap_events) {
      throw backends::launch_error(fmt::format("one heap has room for {} events", max_heap_events - 1));
    }
    const tuner::parameter_values values(phold_declarations(), chosen);
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    per_multiprocessor_ = values.whole("blocks_per_multiprocessor");
    executes_all_ = values.text("root_events") == "all";
    // A node for more events than there are would only be sorted more slowly.
    const u32 enough = std::max(least_node, std::bit_ceil(static_cast<u32>(population)));
    node_ = std::min<u32>(values.whole("node_events"), enough);
    // All nodes but the root and the last one are full.
    capacity_nodes_ = static_cast<u32>(population / node_ + 3);
    nodes_ = {};
    work_ = {};
    nodes_ = input_.device.allocate(parallel_heap_elements(node_, capacity_nodes_) * sizeof(u64), "the heap");
    work_ = input_.device.allocate(parallel_heap_work(node_) * sizeof(u64), "the heap's work");
    events_ = input_.device.allocate(population * sizeof(u64), "events");
    targets_ = input_.device.allocate(population * sizeof(u32), "targets of events");
    next_index_ = input_.device.allocate((executes_all_ ? population : input_.settings.entities) * sizeof(u32),
                                         "counts of executed events");
  }

  [[nodiscard]] tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) override {
    if (end > latest_heap_time) {
      throw backends::launch_error(
          fmt::format("one heap has room for {} units of time", latest_heap_time >> tick_bits));
    }
    return run_with_room(
        [&](tuner::run_report& report) { return run_once(end, time_limit_ms, report, executed); }, [] { return false; },
        [&] { return fmt::format("a node of {} events had only events of one time", node_); }, time_limit_ms);
  }

  [[nodiscard]] std::optional<trace> expected(std::uint64_t end) const override {
    if (!executes_all_) return std::nullopt;
    return execute_nodes(input_.settings, end, node_);
  }

 private:
  run_status run_once(std::uint64_t end, double time_limit_ms, tuner::run_report& report, trace& executed) {
    backends::backend& device = input_.device;
    const unsigned blocks = resident_grid(device, *kernel_, parallel_heap_shared_bytes, per_multiprocessor_);
    const parallel_heap_arguments arguments{.model = model_of(input_.settings),
                                            .control = launcher_.control(),
                                            .sums = launcher_.sums(),
                                            .heap = {.nodes = nodes_.as<u64>(),
                                                     .work = work_.as<u64>(),
                                                     .state = state_.as<parallel_heap_state>(),
                                                     .capacity_nodes = capacity_nodes_,
                                                     .node = node_},
                                            .events = events_.as<u64>(),
                                            .targets = targets_.as<u32>(),
                                            .earliest = earliest_.as<u64>(),
                                            .next_index = next_index_.as<u32>(),
                                            .end = end,
                                            .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
                                            .initial_events = static_cast<u32>(input_.settings.population())};
    return launcher_.run(
        [&] {
          device.fill(nodes_, 0, nodes_.bytes(), 0xFF);
          device.fill(state_, 0, state_.bytes(), 0);
          device.fill(earliest_, 0, earliest_.bytes(), 0xFF);
          device.fill(next_index_, 0, next_index_.bytes(), 0);
          device.launch(*kernel_, {.grid_blocks = blocks,
                                   .shared_bytes = parallel_heap_shared_bytes,
                                   .arguments = &arguments,
                                   .argument_bytes = sizeof arguments,
                                   .together = true});
        },
        time_limit_ms, counts_, report, executed);
  }

  const solver_input& input_;
  run_launcher launcher_;
  backends::device_memory state_;
  backends::device_memory earliest_;
  backends::device_memory nodes_;
  backends::device_memory work_;
  backends::device_memory events_;
  backends::device_memory targets_;
  backends::device_memory next_index_;
  std::shared_ptr<const backends::kernel> kernel_;
  bool counts_ = false;
  bool executes_all_ = false;
  unsigned per_multiprocessor_ = 0;
  u32 node_ = 0;
  u32 capacity_nodes_ = 0;
};

}  // namespace

std::unique_ptr<solver> make_parallel_heap_solver(const solver_input& input) {
  return std::make_unique<parallel_heap_solver>(input);
}

}  // namespace mlmq::phold
