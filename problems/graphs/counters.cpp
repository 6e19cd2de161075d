// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/counters.hpp"

#include <array>

namespace mlmq::problems {
namespace {

constexpr std::array<tuner::named_meaning, counter_count + 2> meanings{{
    {"pops", "elements that workers took from queues"},
    {"stale_pops", "of these, outdated by a shorter distance"},
    {"resplits", "of these, sent back because their bucket is not open yet"},
    {"relaxations", "edges examined"},
    {"updates", "edges that lowered a distance"},
    {"distance_atomics", "atomic operations on distances"},
    {"row_segments", "segments of split rows given to L2"},
    {"ell_overflow", "ELL overflow rows written as elements"},
    {"l0_writes", "elements written to L0"},
    {"l0_reads", "elements read from L0"},
    {"l1_writes", "elements written to L1"},
    {"l1_reads", "elements read from L1"},
    {"l1_spills", "elements moved from L1 to L2 by a full queue or a periodic flush"},
    {"l2_writes", "elements written to L2"},
    {"l2_reads", "elements read from L2"},
    {"l2_claims", "batches handed to workers"},
    {"queue_atomics", "atomic operations on heads, tails and slots of L2"},
    {"polls", "polls of L2 by the blocks' dispatchers"},
    {"supersteps", "supersteps of bulk-synchronous solvers"},
    {"bucket_switches", "how often ADDS advanced to the next buckets"},
    {"delta_changes", "how often Δ was changed"},
    {mean_open_counter, "open buckets of ADDS, mean over the rounds of its manager"},
    {open_changes_counter, "how often ADDS changed the number of open buckets"},
}};

}  // namespace

std::span<const tuner::named_meaning> counter_meanings() { return meanings; }

const char* name_of(counter work_counter) { return meanings.at(static_cast<std::size_t>(work_counter)).name.data(); }

void report_counters(backends::backend& device, const backends::device_memory& counters,
                     std::span<const counter> reported, tuner::run_report& report) {
  std::array<u64, counter_count> sums{};
  device.download(sums.data(), counters, sizeof sums);
  for (const counter work_counter : reported) {
    report.counters.emplace_back(name_of(work_counter),
                                 static_cast<double>(sums.at(static_cast<std::size_t>(work_counter))));
  }
}

}  // namespace mlmq::problems
