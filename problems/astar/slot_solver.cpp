// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "astar/slots_abi.cuh"
#include "base/time_limit.hpp"
#include "problems/astar/kernel_solver.hpp"
#include "problems/astar/parameters.hpp"
#include "problems/growing_memory.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::astar {
namespace {

/// Number of steps that are queued before the host checks whether all searches have finished.
constexpr unsigned steps_together = 32;

/// Searches whose state is in memory: their tables, and the cells that they have taken and opened.
class slot_solver : public solver {
 public:
  slot_solver(backends::backend& device, const grid& map)
      : device_(device),
        map_(map),
        moves_(backends::uploaded(device, map.all_moves(), "the legal steps of the map")),
        control_(device.allocate(sizeof(astar_slots_control), "control words")),
        counts_(device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    numbers_.emplace(chosen);
    kernel_ = std::move(compiled);
    counts_work_ = mode == tuner::instrumentation::counters;
    shared_bytes_ = shared_bytes();
    resident_blocks_ = kernel_->resident_blocks(shared_bytes_);
    if (resident_blocks_ == 0) {
      throw backends::launch_error(
          fmt::format("a block of {} threads with {} bytes of shared memory does not fit on {}", numbers_->threads,
                      shared_bytes_, device_.info().name));
    }
  }

  void upload_searches(const search_list& list) override {
    if (list.with_paths) throw backends::launch_error("this solver finds lengths only, not paths");
    concurrency_ = numbers_->concurrency_for(list.concurrent);
    searches_ = list.pairs.size();
    pairs_.reserve(device_, list.pairs.size_bytes(), "starts and goals");
    device_.upload(pairs_.memory(), list.pairs.data(), list.pairs.size_bytes());
    lengths_.reserve(device_, searches_ * sizeof(u32), "lengths");
  }

  [[nodiscard]] tuner::run_report run(double time_limit_ms) override {
    for (;;) {
      tuner::run_report report;
      switch (run_once(report, time_limit_ms)) {
        case astar_status::finished:
          return report;
        case astar_status::open_full:
          report.result = db::outcome::overflow;
          report.message = "an open list was full";
          if (!grow()) return report;
          break;
        case astar_status::length_full:
          report.result = db::outcome::overflow;
          report.message = "a path has more than 16383 straight or diagonal steps, for which a cell's word has no room";
          return report;
        default:
          problems::report_timeout(report, time_limit_ms);
          return report;
      }
    }
  }

  [[nodiscard]] search_answers answers() override {
    search_answers result{.lengths = std::vector<std::uint32_t>(searches_),
                          .path_begins = {},
                          .paths = {},
                          .has_paths = false,
                          .shortest = false};
    device_.download(result.lengths.data(), lengths_.memory(), searches_ * sizeof(u32));
    return result;
  }

 protected:
  [[nodiscard]] virtual std::size_t shared_bytes() const = 0;
  /// Returns the bytes of the open list of a search.
  [[nodiscard]] virtual std::size_t open_bytes() const = 0;
  /// Makes empty open lists.
  virtual void reserve_open(u32 slots) = 0;
  /// Runs all searches. Called while the device measures. @return how they ended
  virtual astar_slots_control search(astar_slots_arguments& arguments) = 0;
  /// Enlarges the open lists. @return false if that is impossible
  virtual bool grow() = 0;

  [[nodiscard]] std::size_t searches() const { return searches_; }
  [[nodiscard]] const kernel_numbers& numbers() const { return *numbers_; }
  [[nodiscard]] const grid& map() const { return map_; }
  [[nodiscard]] unsigned resident_blocks() const { return resident_blocks_; }
  [[nodiscard]] std::size_t opened_at_once() const { return std::size_t{8} * numbers_->cells; }
  [[nodiscard]] backends::backend& device() const { return device_; }

  [[nodiscard]] astar_slots_control read_control() const {
    astar_slots_control words{};
    device_.download(&words, control_, sizeof words);
    return words;
  }

  template <class Arguments>
  void launch(const Arguments& arguments, unsigned blocks, bool together) const {
    device_.launch(*kernel_, {.grid_blocks = blocks,
                              .shared_bytes = shared_bytes_,
                              .arguments = &arguments,
                              .argument_bytes = sizeof arguments,
                              .together = together});
  }

 private:
  /// Returns the number of searches at a time: that of the query or the configuration, else as many as half of the
  /// memory holds.
  /// @throws backends::out_of_device_memory
  [[nodiscard]] u32 slots() const {
    const std::size_t bytes = map_.numbers() * sizeof(u64) + open_bytes() + sizeof(astar_slot) +
                              numbers_->cells * sizeof(u32) + opened_at_once() * sizeof(u64);
    const std::size_t requested = concurrency_ == 0 ? searches_ : std::min(searches_, concurrency_);
    const std::size_t fit = device_.info().memory_bytes / (concurrency_ == 0 ? 2 : 1) / bytes;
    if (fit == 0 || (concurrency_ != 0 && fit < requested)) {
      throw backends::out_of_device_memory(
          fmt::format("tables and open lists of {} searches do not fit", std::max<std::size_t>(1, concurrency_)));
    }
    return static_cast<u32>(std::min(fit, requested));
  }

  astar_status run_once(tuner::run_report& report, double time_limit_ms) {
    const u32 places = slots();
    reserve_open(places);
    tables_.reserve(device_, std::size_t{places} * map_.numbers() * sizeof(u64), "tables of cells");
    states_.reserve(device_, places * sizeof(astar_slot), "states of searches");
    taken_.reserve(device_, std::size_t{places} * numbers_->cells * sizeof(u32), "cells to expand");
    opened_.reserve(device_, places * opened_at_once() * sizeof(u64), "opened cells");
    astar_slots_arguments arguments{.moves = moves_.as<const u8>(),
                                    .pairs = pairs_.as<const astar_pair>(),
                                    .lengths = lengths_.as<u32>(),
                                    .tables = tables_.as<u64>(),
                                    .queues = {},
                                    .slot_states = states_.as<astar_slot>(),
                                    .taken_cells = taken_.as<u32>(),
                                    .opened_items = opened_.as<u64>(),
                                    .control = control_.as<astar_slots_control>(),
                                    .counters = counts_.memory().as<u64>(),
                                    .limit_ns = time_limit_ns_from_ms(time_limit_ms),
                                    .searches = static_cast<u32>(searches_),
                                    .slots = places,
                                    .cells = map_.numbers(),
                                    .column_bits = map_.column_bits(),
                                    .phase = astar_phase::queues,
                                    .first_launch = 1};
    astar_slots_control end{};
    report.milliseconds = device_.measure([&] {
      device_.fill(control_, 0, control_.bytes(), 0);
      device_.fill(lengths_.memory(), 0, searches_ * sizeof(u32), 0xFE);  // so that a missing answer is a wrong one
      device_.fill(states_.memory(), 0, places * sizeof(astar_slot), 0xFF);
      if (counts_work_) counts_.reset();
      end = search(arguments);
    });
    if (counts_work_) counts_.add_to(report);
    if (end.finished_by_all >= places && end.end_ns > end.begin_ns) {
      report.counters.emplace_back("finished_by_all", static_cast<double>(end.finished_by_all));
      report.counters.emplace_back("ms_of_all", static_cast<double>(end.end_ns - end.begin_ns) / 1e6);
    }
    return static_cast<astar_status>(end.status);
  }

  backends::backend& device_;
  const grid& map_;
  backends::device_memory moves_;
  backends::device_memory control_;
  work_counts counts_;
  problems::growing_memory pairs_;
  problems::growing_memory lengths_;
  problems::growing_memory tables_;
  problems::growing_memory states_;
  problems::growing_memory taken_;
  problems::growing_memory opened_;
  std::size_t searches_ = 0;
  std::size_t concurrency_ = 0;  // searches at a time; 0: as many as fit
  std::optional<kernel_numbers> numbers_;
  std::shared_ptr<const backends::kernel> kernel_;
  std::size_t shared_bytes_ = 0;
  unsigned resident_blocks_ = 0;
  bool counts_work_ = false;
};

/// A small queue for each search, and a launch for each phase of a step.
class phases final : public slot_solver {
 public:
  using slot_solver::slot_solver;

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    slot_solver::prepare(chosen, std::move(compiled), mode);
    queue_room_ = std::max<std::size_t>(queue_room_, numbers().queue.capacity);
    queues_.reset();  // another queue has another shape
  }

 private:
  [[nodiscard]] std::size_t shared_bytes() const override {
    // The phase of the queues and that of expansions use the same bytes.
    return std::max(std::size_t{numbers().queue.shared_bytes(numbers().threads)},
                    std::size_t{numbers().warps()} * sizeof(u32));
  }
  [[nodiscard]] std::size_t open_bytes() const override {
    const small_queue_shape shape = numbers().queue.shape(static_cast<unsigned>(queue_room_), sizeof(u64));
    return shape.places * sizeof(u64) + shape.state_words * sizeof(u32);
  }
  void reserve_open(u32 slots) override {
    if (!queues_ || queues_->view().queues != slots)
      queues_.emplace(device(), numbers().queue, slots, static_cast<std::uint32_t>(queue_room_));
  }
  bool grow() override {
    if (queue_room_ >= std::size_t{8} * map().numbers()) return false;
    queue_room_ *= 4;
    queues_.reset();
    return true;
  }

  astar_slots_control search(astar_slots_arguments& arguments) override {
    queues_->clear(device());
    arguments.queues = queues_->view();
    for (;;) {
      for (unsigned i = 0; i < steps_together; ++i) {
        launch_phase(arguments, astar_phase::queues, numbers().queue.lanes);
        launch_phase(arguments, astar_phase::expansions, opened_at_once());
      }
      const astar_slots_control now = read_control();
      if (now.status != 0 || now.finished == searches()) return now;
    }
  }

  void launch_phase(astar_slots_arguments& arguments, astar_phase phase, std::size_t threads_of_slot) const {
    const std::size_t needed = (arguments.slots * threads_of_slot + numbers().threads - 1) / numbers().threads;
    arguments.phase = phase;
    launch(arguments, static_cast<unsigned>(std::min<std::size_t>(needed, resident_blocks())), false);
    arguments.first_launch = 0;
  }

  std::optional<problems::small_queue_memory<u64>> queues_;
  std::size_t queue_room_ = 0;  // capacity of an open list that this map is known to need
};

/// One parallel heap for all searches, and one launch.
class one_heap final : public slot_solver {
 public:
  one_heap(backends::backend& device, const grid& map)
      : slot_solver(device, map),
        heap_control_(device.allocate(sizeof(astar_heap_control), "control words of the heap")),
        heap_state_(device.allocate(sizeof(parallel_heap_state), "the heap's state")) {}
  one_heap(const one_heap&) = delete;
  one_heap& operator=(const one_heap&) = delete;
  /// Stops the watchdog, which writes to the object's memory.
  ~one_heap() override { device().set_watchdog({}); }

  void upload_searches(const search_list& list) override {
    if (list.pairs.size() >= std::size_t{1} << heap_search_bits || map().numbers() > u32{1} << heap_cell_bits) {
      throw backends::launch_error(fmt::format("a parallel heap has room for {} searches on maps of {} cells",
                                               (std::size_t{1} << heap_search_bits) - 1, u32{1} << heap_cell_bits));
    }
    slot_solver::upload_searches(list);
    slot_of_search_.reserve(device(), searches() * sizeof(u32), "slots of searches");
  }

 private:
  [[nodiscard]] std::size_t shared_bytes() const override { return heap_shared_bytes; }
  [[nodiscard]] std::size_t open_bytes() const override { return (room_ + 1) * sizeof(u64); }
  void reserve_open(u32 slots) override {
    const u32 node = numbers().node_items;
    capacity_nodes_ = static_cast<u32>((room_ * slots + node - 1) / node + 3);
    nodes_.reserve(device(), parallel_heap_elements(node, capacity_nodes_) * sizeof(u64), "the heap");
    work_.reserve(device(), parallel_heap_work(node) * sizeof(u64), "the heap's work");
    first_of_slot_.reserve(device(), slots * sizeof(u64), "first cells of searches");
  }
  bool grow() override {
    if (room_ >= std::size_t{8} * map().numbers()) return false;
    room_ *= 4;
    return true;
  }

  astar_slots_control search(astar_slots_arguments& arguments) override {
    device().fill(nodes_.memory(), 0, nodes_.memory().bytes(), 0xFF);
    device().fill(heap_state_, 0, heap_state_.bytes(), 0);
    device().fill(heap_control_, 0, heap_control_.bytes(), 0);
    device().fill(slot_of_search_.memory(), 0, slot_of_search_.memory().bytes(), 0xFF);
    device().fill(first_of_slot_.memory(), 0, first_of_slot_.memory().bytes(), 0xFF);
    device().set_watchdog(problems::watchdog_for(static_cast<double>(arguments.limit_ns) / 1e6, [this] {
      device().poke(heap_control_, offsetof(astar_heap_control, host_abort), 1);
    }));
    const astar_heap_arguments heap_arguments{.searches = arguments,
                                              .heap = {.nodes = nodes_.as<u64>(),
                                                       .work = work_.as<u64>(),
                                                       .state = heap_state_.as<parallel_heap_state>(),
                                                       .capacity_nodes = capacity_nodes_,
                                                       .node = numbers().node_items},
                                              .heap_control = heap_control_.as<astar_heap_control>(),
                                              .slot_of_search = slot_of_search_.as<u32>(),
                                              .first_of_slot = first_of_slot_.as<u64>()};
    launch(heap_arguments, resident_blocks(), true);
    astar_slots_control end = read_control();
    if (end.status == 0 && end.finished != searches()) end.status = static_cast<u32>(astar_status::out_of_time);
    return end;
  }

  backends::device_memory heap_control_;
  backends::device_memory heap_state_;
  problems::growing_memory nodes_;
  problems::growing_memory work_;
  problems::growing_memory slot_of_search_;
  problems::growing_memory first_of_slot_;
  std::size_t room_ = 256;  // open cells of a search that this map is known to need, in the mean
  u32 capacity_nodes_ = 0;
};

}  // namespace

backends::kernel_source slot_variant(const grid& map, const tuner::configuration& chosen, tuner::instrumentation mode) {
  if (mode == tuner::instrumentation::timeline)
    throw backends::launch_error("only searches with solver=warp and mode=paper record a timeline");
  const kernel_numbers numbers(chosen);
  const bool has_heap = solver_of(chosen) == heap_solver;
  backends::kernel_source source{.file = has_heap ? heap_kernel_file : phases_kernel_file,
                                 .entry = has_heap ? "astar_parallel_heap" : "astar_phases",
                                 .block_threads = numbers.threads,
                                 .defines = numbers.macros,
                                 .folder = {}};
  source.defines.emplace("MLMQ_COUNTERS", std::to_string(mode == tuner::instrumentation::counters ? 1 : 0));
  source.defines.emplace("MLMQ_CORNERS_CUT", std::to_string(map.corners() == corner_rule::cut ? 1 : 0));
  return source;
}

std::unique_ptr<solver> make_phases_solver(backends::backend& device, const grid& map) {
  return std::make_unique<phases>(device, map);
}

std::unique_ptr<solver> make_heap_solver(backends::backend& device, const grid& map) {
  return std::make_unique<one_heap>(device, map);
}

}  // namespace mlmq::astar
