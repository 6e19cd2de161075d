// SPDX-License-Identifier: Apache-2.0
// Finals measure the fastest configurations of a workload and query once more with interleaved runs, so that the winner
// is not merely the luckiest. Their samples are stored separately from those of the trials.
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
  std::vector<pending_trial> finalists;  ///< fastest first; state and attempt are those of their trials
};

/// The times of one finalist, one per round.
struct finalist_result {
  std::int64_t trial = 0;
  std::vector<double> samples_ms;
};

struct final_key {
  std::int64_t workload = 0;
  std::string query;
  std::int64_t device = 0;
};

/// Adds the missing finals. Returns the number of new ones.
std::size_t plan_finals(store& into, std::int64_t experiment, std::span<const final_key> keys);

/// Takes a final whose trials (of the experiment, on its workload, query and device) are all done. A final with fewer
/// than two right answers is marked done and skipped.
/// @param only_workload takes only finals of this workload; absent: any
/// @param count number of the fastest configurations that take part
[[nodiscard]] std::optional<pending_final> claim_final(store& source, std::int64_t experiment, std::int64_t device,
                                                       const std::string& worker, std::size_t count,
                                                       std::optional<std::int64_t> only_workload = {});

/// Marks the final done. Finalists without samples (they failed this time) get no place; `message` explains this.
/// @return false if the final was already done
bool finish_final(store& into, std::int64_t final_id, std::span<const finalist_result> results,
                  const std::string& message);

/// Returns the number of unfinished finals of the experiment.
[[nodiscard]] std::size_t unfinished_finals(const store& source, std::int64_t experiment);

}  // namespace mlmq::db
