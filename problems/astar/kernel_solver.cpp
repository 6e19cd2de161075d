// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/kernel_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "astar/astar_abi.cuh"
#include "base/time_limit.hpp"
#include "problems/astar/jump_table.hpp"
#include "problems/astar/parameters.hpp"
#include "problems/growing_memory.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::astar {
namespace {

constexpr std::size_t alignment = 16;
constexpr auto count_words = static_cast<std::size_t>(astar_count::words);
constexpr auto largest_open = static_cast<std::size_t>(astar_count::largest_open);
constexpr std::array<const char*, count_words> count_names{
    "expansions", "stale",        "inserted",        "comparisons",
    "batches",    "largest_open", "open_at_batches", "open_at_insertions"};

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Returns the size of an item in a ring of buckets: a cell, for jump point search with a direction of four bits.
unsigned item_bytes_of(const grid& map, bool jumps) { return map.numbers() <= (jumps ? 4096U : 65536U) ? 2 : 4; }

/// Returns the first stamp; stamps of jump point search have 24 bits.
constexpr u32 first_stamp_of(bool jumps) { return (jumps ? u32{1} << 24 : std::numeric_limits<u32>::max()) - 2; }

class warp_solver final : public solver {
 public:
  warp_solver(backends::backend& device, const grid& map)
      : device_(device),
        map_(map),
        moves_(backends::uploaded(device, map.all_moves(), "the legal steps of the map")),
        control_(device.allocate(sizeof(astar_control), "control words")),
        counts_(device),
        bucket_room_(std::bit_ceil(std::max<std::size_t>(64, 2 * (map.width() + map.height())))) {}
  warp_solver(const warp_solver&) = delete;
  warp_solver& operator=(const warp_solver&) = delete;
  /// Stops the watchdog, which writes to the object's memory.
  ~warp_solver() override { device_.set_watchdog({}); }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const kernel_numbers numbers(chosen);
    const std::size_t table = numbers.table_in_shared ? aligned(map_.numbers() * sizeof(u32)) : 0;
    shared_bytes_ = (numbers.moves_in_shared ? aligned(map_.numbers()) : 0) + numbers.warps() * table +
                    numbers.open_bytes(item_bytes_of(map_, numbers.jumps));
    const backends::device_info& info = device_.info();
    if (shared_bytes_ > info.shared_bytes_per_block) {
      throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory, but {} has {}", shared_bytes_,
                                               info.name, info.shared_bytes_per_block));
    }
    most_blocks_ = compiled->resident_blocks(shared_bytes_);
    if (numbers.blocks > 0) most_blocks_ = std::min(most_blocks_, numbers.blocks * info.multiprocessors);
    if (most_blocks_ == 0) {
      throw backends::launch_error(
          fmt::format("a block of {} threads with {} bytes of shared memory does not fit on {}", numbers.threads,
                      shared_bytes_, info.name));
    }
    if (numbers.jumps && jumps_.bytes() == 0)
      jumps_ = backends::uploaded(device_, jump_table_of(map_), "the jump table");
    if (numbers.jumps != numbers_.jumps) next_stamp_ = 0;  // the format of the tables changes
    numbers_ = numbers;
    if (!numbers.has_ring) queue_room_ = std::max<std::size_t>(queue_room_, numbers.queue.capacity);
    kernel_ = std::move(compiled);
    mode_ = mode;
  }

  void upload_searches(const search_list& list) override {
    static_assert(sizeof(cell_pair) == sizeof(astar_pair));
    concurrency_ = numbers_.concurrency_for(list.concurrent);
    if (concurrency_ % numbers_.warps() != 0 || concurrency_ > std::size_t{most_blocks_} * numbers_.warps()) {
      throw backends::launch_error(
          fmt::format("{} searches at a time: blocks of {} threads have {} each, and {} holds {} blocks", concurrency_,
                      numbers_.threads, numbers_.warps(), device_.info().name, most_blocks_));
    }
    searches_ = list.pairs.size();
    pairs_.reserve(device_, list.pairs.size_bytes(), "starts and goals");
    device_.upload(pairs_.memory(), list.pairs.data(), list.pairs.size_bytes());
    lengths_.reserve(device_, searches_ * sizeof(u32), "lengths");
    begins_.reserve(device_, searches_ * sizeof(u64), "places of paths");
  }

  [[nodiscard]] tuner::run_report run(double time_limit_ms) override {
    for (;;) {
      tuner::run_report report;
      const auto status = run_once(report, time_limit_ms);
      switch (status) {
        case astar_status::finished:
          return report;
        case astar_status::open_full:
          if (grow_open(report)) continue;
          return report;
        case astar_status::paths_full:
          path_room_ *= 4;
          continue;
        case astar_status::length_full:
          report.result = db::outcome::overflow;
          report.message = "a path is longer than 53166 straight steps, so its length does not fit in 32 bits";
          return report;
        case astar_status::out_of_time:
          break;
      }
      problems::report_timeout(report, time_limit_ms);
      return report;
    }
  }

  [[nodiscard]] search_answers answers() override {
    search_answers result{.lengths = std::vector<std::uint32_t>(searches_),
                          .path_begins = {},
                          .paths = {},
                          .has_paths = numbers_.paths,
                          .shortest = numbers_.exact};
    device_.download(result.lengths.data(), lengths_.memory(), searches_ * sizeof(u32));
    if (!numbers_.paths) return result;
    result.path_begins.resize(searches_);
    device_.download(result.path_begins.data(), begins_.memory(), searches_ * sizeof(u64));
    result.paths.resize(path_steps_);
    device_.download(result.paths.data(), paths_.memory(), path_steps_);
    return result;
  }

 private:
  /// A bucket never holds more than all cells, each reached by a few paths.
  [[nodiscard]] std::size_t largest_room() const { return std::size_t{8} * map_.numbers(); }

  /// Enlarges the buckets. @return false if that is impossible, which is recorded in the report
  bool grow_open(tuner::run_report& report) {
    std::size_t& capacity = room();
    const std::size_t old_capacity = capacity;
    report.result = db::outcome::overflow;
    report.message = fmt::format("{} was full at {} items",
                                 numbers_.has_ring ? "a bucket of an open list" : "an open list", old_capacity);
    if (old_capacity >= largest_room()) return false;
    capacity = 4 * old_capacity;
    if (blocks_that_fit() == 0) {
      report.message += fmt::format(" and {} do not fit", capacity);
      capacity = old_capacity;
      return false;
    }
    return true;
  }

  /// Capacity of a bucket, or of a small queue, in global memory, as this map is known to need.
  [[nodiscard]] std::size_t& room() { return numbers_.has_ring ? bucket_room_ : queue_room_; }

  [[nodiscard]] std::size_t far_bytes() const {
    return numbers_.has_ring
               ? aligned(std::size_t{numbers_.buckets} * bucket_room_ * item_bytes_of(map_, numbers_.jumps))
               : 0;
  }
  /// Global memory of the small queue of one warp.
  [[nodiscard]] std::size_t queue_bytes() const {
    if (numbers_.has_ring) return 0;
    const small_queue_shape shape = numbers_.queue.shape(static_cast<unsigned>(queue_room_), sizeof(u64));
    return shape.places * sizeof(u64) + shape.state_words * sizeof(u32);
  }
  [[nodiscard]] std::size_t table_bytes() const { return numbers_.table_in_shared ? 0 : map_.numbers() * sizeof(u64); }

  /// Number of blocks: limited by the searches, the blocks that the device holds, and half of its memory.
  [[nodiscard]] unsigned blocks_that_fit() const {
    const std::size_t bytes = numbers_.warps() * (far_bytes() + queue_bytes() + table_bytes());
    const std::size_t fit = device_.info().memory_bytes / 2 / bytes;
    const std::size_t together = concurrency_ == 0 ? searches_ : std::min<std::size_t>(searches_, concurrency_);
    const std::size_t needed = (together + numbers_.warps() - 1) / numbers_.warps();
    if (concurrency_ != 0 && needed > fit) return 0;
    return static_cast<unsigned>(std::min({fit, needed, std::size_t{most_blocks_}}));
  }

  /// Returns stamps below all those in the tables, one per search.
  u32 next_stamps() {
    if (next_stamp_ <= searches_) {
      device_.measure([&] { device_.fill(tables_.memory(), 0, tables_.memory().bytes(), 0xFF); });
      next_stamp_ = first_stamp_of(numbers_.jumps);
    }
    const u32 first = next_stamp_;
    next_stamp_ -= static_cast<u32>(searches_);
    return first;
  }

  astar_status run_once(tuner::run_report& report, double time_limit_ms) {
    const unsigned blocks = blocks_that_fit();
    if (blocks == 0) {
      throw backends::out_of_device_memory(
          concurrency_ == 0 ? std::string("tables and open lists of one block do not fit")
                            : fmt::format("tables and open lists of {} searches do not fit", concurrency_));
    }
    const std::size_t warps = std::size_t{blocks} * numbers_.warps();
    if (numbers_.has_ring) far_.reserve(device_, warps * far_bytes(), "open lists");
    const small_queue_storage<u64> queues = numbers_.has_ring ? small_queue_storage<u64>{} : queues_for(warps);
    if (tables_.reserve(device_, warps * table_bytes(), "tables of cells")) next_stamp_ = 0;
    if (numbers_.paths) {
      path_room_ = std::max(path_room_, searches_ * (map_.width() + map_.height()));
      paths_.reserve(device_, path_room_, "paths");
    }
    if (logs()) log_.reserve(device_, log_words() * sizeof(u64), "the log of expansions");
    const astar_arguments arguments{
        .jumps = jumps_.as<const short>(),
        .moves = moves_.as<const u8>(),
        .pairs = pairs_.as<const astar_pair>(),
        .lengths = lengths_.as<u32>(),
        .path_begins = begins_.as<u64>(),
        .paths = paths_.as<u8>(),
        .path_room = path_room_,
        .tables = tables_.as<u64>(),
        .queues = queues,
        .far = far_.as<u8>(),
        .far_bytes = far_bytes(),
        .control = control_.as<astar_control>(),
        .counters = logs() ? log_.as<u64>() : counts_.memory().as<u64>(),
        .limit_ns = time_limit_ns_from_ms(time_limit_ms),
        .searches = static_cast<u32>(searches_),
        .cells = map_.numbers(),
        .column_bits = map_.column_bits(),
        .first_stamp = numbers_.table_in_shared ? 0 : next_stamps(),
        .far_capacity = static_cast<u32>(bucket_room_),
        .ring_bytes = static_cast<u32>(numbers_.ring_bytes(item_bytes_of(map_, numbers_.jumps)))};
    device_.set_watchdog(
        problems::watchdog_for(time_limit_ms, [this] { device_.poke(control_, offsetof(astar_control, abort), 1); }));
    report.milliseconds = device_.measure([&] {
      device_.fill(control_, 0, control_.bytes(), 0);
      device_.fill(lengths_.memory(), 0, searches_ * sizeof(u32), 0xFE);  // so that a missing answer is a wrong one
      if (logs()) device_.fill(log_.memory(), 0, sizeof(u64), 0);
      if (counts()) counts_.reset();
      device_.launch(*kernel_, {.grid_blocks = blocks,
                                .shared_bytes = shared_bytes_,
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments,
                                .together = false});
    });
    return read_results(report);
  }

  [[nodiscard]] bool counts() const { return mode_ == tuner::instrumentation::counters; }
  [[nodiscard]] bool logs() const { return mode_ == tuner::instrumentation::timeline; }

  /// A search of the paper expands a cell at most once.
  [[nodiscard]] std::size_t log_words() const { return 1 + 2 * searches_ * map_.numbers(); }

  /// Returns the cells that each search expanded, in this order: "search N" with N from 0.
  std::vector<db::timeline_point> read_log() {
    std::vector<u64> words(log_words());
    device_.download(words.data(), log_.memory(), words.size() * sizeof(u64));
    std::vector<cell_pair> pairs(searches_);
    device_.download(pairs.data(), pairs_.memory(), searches_ * sizeof(cell_pair));
    std::map<u64, std::vector<std::pair<u64, u32>>> expanded;  // time and cell, by goal
    u64 begin = std::numeric_limits<u64>::max();
    for (std::size_t i = 0; i < words[0]; ++i) {
      const u64 entry = words[1 + 2 * i];
      expanded[entry >> 32].emplace_back(words[2 + 2 * i], static_cast<u32>(entry));
      begin = std::min(begin, words[2 + 2 * i]);
    }
    std::vector<db::timeline_point> points;
    for (std::size_t search = 0; search < searches_; ++search) {
      for (const auto& [time, cell] : expanded[pairs[search].goal]) {
        points.push_back({.name = fmt::format("search {}", search),
                          .time_ms = static_cast<double>(time - begin) / 1e6,
                          .value = static_cast<double>(map_.row(cell) * map_.width() + map_.column(cell))});
      }
    }
    return points;
  }

  /// Makes empty queues, whose content is not kept between runs.
  small_queue_storage<u64> queues_for(std::size_t warps) {
    const small_queue_shape shape = numbers_.queue.shape(static_cast<unsigned>(queue_room_), sizeof(u64));
    const auto count = static_cast<u32>(warps);
    elements_.reserve(device_, small_queue_elements(shape, count) * sizeof(u64), "open lists");
    state_.reserve(device_, small_queue_state_words(shape, count) * sizeof(u32), "state of open lists");
    device_.measure([&] { device_.fill(state_.memory(), 0, state_.memory().bytes(), 0); });
    return {.elements = elements_.as<u64>(),
            .state = state_.as<u32>(),
            .queues = count,
            .capacity = static_cast<u32>(queue_room_),
            .places = shape.places};
  }

  astar_status read_results(tuner::run_report& report) {
    astar_control control{};
    device_.download(&control, control_, sizeof control);
    path_steps_ = control.path_steps;
    if (logs()) report.timeline = read_log();
    if (counts()) counts_.add_to(report);
    return static_cast<astar_status>(control.status);
  }

  backends::backend& device_;
  const grid& map_;
  backends::device_memory moves_;
  backends::device_memory jumps_;
  backends::device_memory control_;
  work_counts counts_;
  problems::growing_memory pairs_;
  problems::growing_memory lengths_;
  problems::growing_memory begins_;
  problems::growing_memory paths_;
  problems::growing_memory tables_;
  problems::growing_memory far_;
  problems::growing_memory elements_;
  problems::growing_memory state_;
  std::size_t bucket_room_;     // capacity of a bucket in global memory that this map is known to need
  std::size_t queue_room_ = 0;  // capacity of a small queue that this map is known to need
  std::size_t path_room_ = 0;
  std::size_t path_steps_ = 0;
  std::size_t searches_ = 0;
  std::size_t concurrency_ = 0;  // searches at a time; 0: as many as the blocks hold
  u32 next_stamp_ = 0;
  kernel_numbers numbers_{tuner::configuration()};
  std::shared_ptr<const backends::kernel> kernel_;
  std::size_t shared_bytes_ = 0;
  unsigned most_blocks_ = 0;
  tuner::instrumentation mode_ = tuner::instrumentation::none;
  problems::growing_memory log_;
};

}  // namespace

work_counts::work_counts(backends::backend& device)
    : device_(device), memory_(device.allocate(count_words * sizeof(u64), "counters")) {}

void work_counts::reset() const {
  device_.fill(memory_, 0, memory_.bytes(), 0);
  device_.fill(memory_, largest_open * sizeof(u64), sizeof(u64), 0xFF);  // minimum of the complement
}

void work_counts::add_to(tuner::run_report& report) const {
  std::array<u64, count_words> words{};
  device_.download(words.data(), memory_, sizeof words);
  words[largest_open] = ~words[largest_open];
  for (std::size_t i = 0; i < count_words; ++i)
    report.counters.emplace_back(count_names[i], static_cast<double>(words[i]));
}

backends::kernel_source warp_variant(const grid& map, const tuner::configuration& chosen, tuner::instrumentation mode) {
  const kernel_numbers numbers(chosen);
  const bool records_timeline = mode == tuner::instrumentation::timeline;
  if (records_timeline && (numbers.exact || numbers.jumps)) {
    throw backends::launch_error("only searches with mode=paper record a timeline");
  }
  backends::kernel_source source{.file = warp_kernel_file,
                                 .entry = "astar",
                                 .block_threads = numbers.threads,
                                 .defines = numbers.macros,
                                 .folder = {}};
  source.defines.emplace("MLMQ_COUNTERS", std::to_string(mode == tuner::instrumentation::counters ? 1 : 0));
  // Only defined for timelines, so that the other variants keep their identity.
  if (records_timeline) source.defines.emplace("MLMQ_TIMELINE", "1");
  source.defines.emplace("MLMQ_CORNERS_CUT", std::to_string(map.corners() == corner_rule::cut ? 1 : 0));
  source.defines.emplace("MLMQ_ITEM_BYTES", std::to_string(item_bytes_of(map, numbers.jumps)));
  return source;
}

std::unique_ptr<solver> make_warp_solver(backends::backend& device, const grid& map) {
  return std::make_unique<warp_solver>(device, map);
}

}  // namespace mlmq::astar
