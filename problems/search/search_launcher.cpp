// SPDX-License-Identifier: Apache-2.0
#include "problems/search/search_launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mlmq::problems {
namespace {

/// In the order of mlmq::counter.
constexpr std::array<const char*, counter_count> counter_names = {
    "pops",      "stale_pops",    "resplits",  "relaxations", "updates",         "distance_atomics", "row_parts",
    "l0_writes", "l0_reads",      "l1_writes", "l1_reads",    "l1_spills",       "l2_writes",        "l2_reads",
    "l2_claims", "queue_atomics", "polls",     "supersteps",  "bucket_switches", "delta_changes"};

/// `report`, of a run that did not finish.
/// @param overflow what was full and how large it was
tuner::run_report failed_report(tuner::run_report report, run_status status, double time_limit_ms,
                                const std::string& overflow) {
  switch (status) {
    case run_status::queue_full:
      report.result = db::outcome::overflow;
      report.message = overflow;
      break;
    case run_status::timed_out:
    case run_status::aborted:
      report.result = db::outcome::timeout;
      report.message = fmt::format("not finished after {:.4g} ms", time_limit_ms);
      break;
    default:
      report.result = db::outcome::launch_error;
      report.message = "the kernel ended without a status";
  }
  return report;
}

}  // namespace

const char* name_of(counter which) { return counter_names.at(static_cast<std::size_t>(which)); }

search_launcher::search_launcher(const search_input& input, std::size_t control_bytes, std::size_t abort_offset)
    : input_(input),
      abort_offset_(abort_offset),
      control_(input.device.allocate(control_bytes, "control words")),
      counters_(input.device.allocate(counter_count * sizeof(u64), "work counters")) {}

run_status search_launcher::run(const backends::kernel& compiled, const backends::launch_spec& spec,
                                double time_limit_ms, tuner::instrumentation what, std::span<const counter> reported,
                                tuner::run_report& report) {
  backends::backend& device = input_.device;
  const backends::device_memory& distances = input_.on_device.distances;
  const bool counting = what == tuner::instrumentation::counters;
  device.set_watchdog({.limit_ms = 2 * time_limit_ms + 1000, .grace_ms = 2000, .fire = [this] {
                         input_.device.poke(control_, abort_offset_, 1);
                       }});
  report.milliseconds = device.measure([&] {
    device.fill(distances, 0, distances.bytes(), 0xFF);
    device.fill(control_, 0, control_.bytes(), 0);
    if (counting) device.fill(counters_, 0, counters_.bytes(), 0);
    device.launch(compiled, spec);
  });
  u32 status = 0;
  device.download(&status, control_, sizeof status);
  if (counting) {
    std::array<u64, counter_count> sums{};
    device.download(sums.data(), counters_, sizeof sums);
    for (const counter which : reported) {
      report.counters.emplace_back(name_of(which), static_cast<double>(sums.at(static_cast<std::size_t>(which))));
    }
  }
  return static_cast<run_status>(status);
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
