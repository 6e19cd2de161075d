// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/search_launcher.hpp"

#include <fmt/format.h>
#include "problems/time_limit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "timeline_abi.cuh"

namespace mlmq::problems {
namespace {

/// 1.024 µs, the resolution of the clock of some GPUs.
constexpr unsigned shortest_interval_shift = 10;
constexpr std::size_t timeline_header_words = sizeof(timeline_header) / sizeof(u32);

/// Words with one bit per warp of the device.
u32 warp_words_of(const backends::device_info& device) {
  return (device.multiprocessors * device.warp_slots + 31) / 32;
}

std::size_t timeline_bytes(u32 warp_words) {
  return parallelism_word(warp_words) * sizeof(u32) + sizeof(parallelism_record);
}

/// The record of a run, see timeline_abi.cuh.
class recorded_timeline {
 public:
  /// @param words all words from the header on
  recorded_timeline(std::vector<u32> words, u32 warp_words) : words_(std::move(words)), width_(warp_words) {
    std::memcpy(&parallelism_, words_.data() + parallelism_word(warp_words), sizeof parallelism_);
  }

  [[nodiscard]] bool ends_in_last_interval() const { return active_warps(timeline_intervals - 1) > 0; }

  [[nodiscard]] std::vector<db::timeline_point> points(unsigned interval_shift) const {
    std::size_t used = timeline_intervals;
    while (used > 0 && active_warps(used - 1) == 0) --used;
    std::vector<db::timeline_point> timeline;
    const double length_ms = std::ldexp(1e-6, static_cast<int>(interval_shift));
    const auto& vertex_ns = parallelism_.vertex_ns;
    const bool has_parallelism = std::any_of(std::begin(vertex_ns), std::end(vertex_ns), std::identity());
    for (std::size_t i = 0; i < used; ++i) {
      const double time_ms = static_cast<double>(i) * length_ms;
      timeline.push_back({.name = "vertices", .time_ms = time_ms, .value = vertices(i)});
      timeline.push_back({.name = "active_warps", .time_ms = time_ms, .value = active_warps(i)});
      if (has_parallelism) {
        timeline.push_back({.name = "parallelism",
                            .time_ms = time_ms,
                            .value = std::ldexp(static_cast<double>(vertex_ns[i]), -static_cast<int>(interval_shift))});
      }
    }
    return timeline;
  }

 private:
  [[nodiscard]] std::span<const u32> row(std::size_t index) const {
    return std::span(words_).subspan(timeline_header_words + index * width_, width_);
  }
  [[nodiscard]] double vertices(std::size_t interval) const {
    const auto counts = row(interval);
    return std::accumulate(counts.begin(), counts.end(), 0.0);
  }
  [[nodiscard]] double active_warps(std::size_t interval) const {
    const auto bits = row(timeline_intervals + interval);
    return std::accumulate(bits.begin(), bits.end(), 0.0,
                           [](double sum, u32 word) { return sum + std::popcount(word); });
  }

  std::vector<u32> words_;
  std::size_t width_;  // words per interval in each table
  parallelism_record parallelism_;
};

/// Completes the report of a run that did not finish.
/// @param overflow describes the full queue and its capacity
tuner::run_report failed_report(tuner::run_report report, run_status status, double time_limit_ms,
                                const std::string& overflow) {
  switch (status) {
    case run_status::queue_full:
      report.result = db::outcome::overflow;
      report.message = overflow;
      break;
    case run_status::timed_out:
    case run_status::aborted:
      report_timeout(report, time_limit_ms);
      break;
    default:
      report.result = db::outcome::launch_error;
      report.message = "the kernel ended without a status";
  }
  return report;
}

}  // namespace

search_launcher::search_launcher(const search_input& input, std::size_t control_bytes, std::size_t abort_offset,
                                 reset_policy policy)
    : input_(input),
      reset_policy_(policy),
      control_bytes_(control_bytes),
      abort_offset_(abort_offset),
      control_(input.device.allocate((policy.spare_control ? 2 : 1) * control_bytes, "control words")),
      counters_(input.device.allocate(counter_count * sizeof(u64), "work counters")) {}

void search_launcher::prepare(std::shared_ptr<const backends::kernel> compiled, const grid_bounds& bounds,
                              tuner::instrumentation mode) {
  grid_blocks_ = resident_grid(input_, *compiled, bounds);
  shared_bytes_ = bounds.shared_bytes;
  kernel_ = std::move(compiled);
  mode_ = mode;
}

u64* search_launcher::counters() {
  if (mode_ == tuner::instrumentation::counters) return counters_.as<u64>();
  if (mode_ == tuner::instrumentation::none) return nullptr;
  if (timeline_.bytes() == 0) {
    timeline_ = input_.device.allocate(timeline_bytes(warp_words_of(input_.device.info())), "the timeline");
  }
  return timeline_.as<u64>();
}

void search_launcher::launch_steps(const backends::launch_spec& spec, u32& step, double time_limit_ms) {
  const auto start = std::chrono::steady_clock::now();
  const backends::device_memory words = backends::device_memory::borrowed(control(), sizeof(u32));
  for (u32 status = 0; status == static_cast<u32>(run_status::running); ++step) {
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    // The simulator checks modelled time itself, at each launch.
    if (!input_.device.info().modelled && passed.count() > time_limit_ms) return;
    input_.device.launch(*kernel_, spec);
    input_.device.download(&status, words, sizeof status);
  }
}

double search_launcher::launch(const backends::launch_spec& spec, u32* step, double time_limit_ms,
                               unsigned interval_shift, std::span<const backends::host_copy> copies) {
  backends::backend& device = input_.device;
  const backends::device_memory& distances = input_.on_device.distances;
  if (mode_ == tuner::instrumentation::timeline) {
    const timeline_header header{
        .origin_ns = 0, .interval_shift = interval_shift, .warp_words = warp_words_of(device.info())};
    device.measure([&] { device.fill(timeline_, 0, timeline_.bytes(), 0); });
    device.upload(timeline_, &header, sizeof header);
  }
  return device.measure_and_download(
      [&] {
        if (reset_policy_.distances) device.fill(distances, 0, distances.bytes(), 0xFF);
        if (!std::exchange(is_reset_, false)) device.fill(control_, 0, control_.bytes(), 0);
        if (mode_ == tuner::instrumentation::counters) device.fill(counters_, 0, counters_.bytes(), 0);
        if (step == nullptr) {
          device.launch(*kernel_, spec);
        } else {
          *step = 0;
          launch_steps(spec, *step, time_limit_ms);
        }
        if (input_.next.queue_work) input_.next.queue_work();
      },
      copies);
}

run_status search_launcher::run(const backends::launch_spec& spec, double time_limit_ms,
                                std::span<const counter> reported, tuner::run_report& report, u32* step) {
  backends::backend& device = input_.device;
  device.set_watchdog(watchdog_for(
      time_limit_ms, [this] { input_.device.poke(control_, active_set_ * control_bytes_ + abort_offset_, 1); }));
  u32 status = 0;
  const backends::device_memory words_now = backends::device_memory::borrowed(control(), sizeof status);
  std::array<backends::host_copy, 2> copies{
      {{.source = &words_now, .destination = &status, .bytes = sizeof status}, {}}};
  std::size_t copy_count = 1;
  if (const std::span<std::byte> destination = input_.next.destination; !destination.empty()) {
    copies[copy_count++] = {.source = input_.next.answer != nullptr ? input_.next.answer : &input_.on_device.distances,
                            .destination = destination.data(),
                            .bytes = destination.size()};
  }
  const auto launch_with = [&](unsigned interval_shift) {
    report.milliseconds = launch(spec, step, time_limit_ms, interval_shift, std::span(copies).first(copy_count));
  };
  const auto download_timeline = [&] {
    std::vector<u32> words(timeline_.bytes() / sizeof(u32));
    device.download(words.data(), timeline_, timeline_.bytes());
    return recorded_timeline(std::move(words), warp_words_of(device.info()));
  };
  launch_with(shortest_interval_shift);
  input_.next.is_queued = true;
  input_.next.is_copied = !input_.next.destination.empty();
  if (mode_ == tuner::instrumentation::timeline) {
    unsigned shift = shortest_interval_shift;
    recorded_timeline recorded = download_timeline();
    while (status == static_cast<u32>(run_status::finished) && recorded.ends_in_last_interval()) {
      shift += 2;
      launch_with(shift);
      recorded = download_timeline();
    }
    report.timeline = recorded.points(shift);
  }
  if (mode_ == tuner::instrumentation::counters) report_counters(device, counters_, reported, report);
  // A time limit between two launches leaves the kernel's status as it is.
  const auto ended = step != nullptr && status == static_cast<u32>(run_status::running)
                         ? run_status::timed_out
                         : static_cast<run_status>(status);
  if (reset_policy_.spare_control && ended == run_status::finished) {
    active_set_ = 1 - active_set_;
    is_reset_ = true;
  }
  return ended;
}

tuner::run_report run_in_room(const std::string& full, const std::function<run_status(tuner::run_report&)>& run_once,
                              double time_limit_ms) {
  tuner::run_report report;
  const run_status status = run_once(report);
  return status == run_status::finished ? report : failed_report(std::move(report), status, time_limit_ms, full);
}

tuner::run_report run_with_room(const growing_queue& queue, double time_limit_ms) {
  queue.reserve(queue.capacity);
  for (;;) {
    tuner::run_report report;
    const run_status status = queue.run_once(report);
    if (status == run_status::finished) return report;
    report = failed_report(std::move(report), status, time_limit_ms, queue.full(queue.capacity));
    if (status != run_status::queue_full || queue.capacity >= queue.largest) return report;
    const std::size_t larger = std::min(4 * queue.capacity, queue.largest);
    try {
      queue.reserve(larger);
    } catch (const backends::out_of_device_memory& error) {
      report.message += fmt::format(" and {} do not fit: {}", larger, error.what());
      return report;
    }
    queue.capacity = larger;
  }
}

}  // namespace mlmq::problems
