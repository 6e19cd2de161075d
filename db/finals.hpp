// SPDX-License-Identifier: Apache-2.0
// Finals: the fastest configurations of a workload and query measured once more in turns, so that the winner is not
// merely the luckiest. Their samples are kept apart from those of the trials.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// One final to run.
struct pending_final {
  std::int64_t id = 0;
  std::int64_t workload = 0;
  std::string query;
  std::string workload_name;
  std::string workload_hash;
  std::vector<pending_trial> finalists;  ///< the fastest first; state and attempt are those of their trials
};

/// One finalist's times, one for each round.
struct finalist_result {
  std::int64_t trial = 0;
  std::vector<double> samples_ms;
};

struct final_key {
  std::int64_t workload = 0;
  std::string query;
  std::int64_t device = 0;
};

/// Adds the missing ones. Returns how many are new.
std::size_t plan_finals(store& into, std::int64_t experiment, std::span<const final_key> keys);

/// Takes a final whose trials (of the experiment, on its workload, query and device) are all done.
/// @param only_workload nothing of other workloads; absent: any
/// @param count how many of the fastest take part. One without two right answers is marked done and passed over
[[nodiscard]] std::optional<pending_final> claim_final(store& from, std::int64_t experiment, std::int64_t device,
                                                       const std::string& worker, std::size_t count,
                                                       std::optional<std::int64_t> only_workload = {});

/// Marks the final done. Those without samples (they failed this time) get no place; `message` says so.
/// @return false when it was done already
bool finish_final(store& into, std::int64_t final_id, std::span<const finalist_result> results,
                  const std::string& message);

/// How many of the experiment's finals are not done.
[[nodiscard]] std::size_t unfinished_finals(const store& from, std::int64_t experiment);

}  // namespace mlmq::db
