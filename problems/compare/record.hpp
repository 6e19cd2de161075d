// SPDX-License-Identifier: Apache-2.0
// A comparison in the database: its experiment, the identity of its trials, and how one is finished.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "problems/compare/comparison.hpp"
#include "problems/compare/contestants.hpp"
#include "tuner/problem.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::compare {

/// Values of trial_key::measurement in the database.
inline constexpr const char* time_measurement = "time";
inline constexpr const char* counter_measurement = "counters";

/// One workload, query and device, whose contestants run in interleaved rounds.
struct group {
  const tuner::workload& workload;
  std::int64_t workload_row = 0;
  std::int64_t device_row = 0;
  tuner::query query;
};

class record {
 public:
  /// The contestants are part of the experiment's identity, so that a peer that is added later is measured together
  /// with the others, not alone.
  /// @param problem, contestants, store  must outlive this
  record(const tuner::problem& problem, const comparison_options& options, const contestants& contestants,
         db::store& store);

  [[nodiscard]] db::store& store() const noexcept { return store_; }

  /// Returns the key of a candidate's trial or of a trial that counts work; the same key as in a sweep.
  [[nodiscard]] db::trial_key key(const group& group, const tuner::configuration& configuration,
                                  const char* measurement);
  /// Returns the key of an interleaved measurement; no other experiment may reuse the trial.
  [[nodiscard]] db::trial_key interleaved_key(const group& group, const tuner::configuration& configuration);

  /// Plans trials of the group.
  void plan(const std::vector<db::trial_key>& trials);
  /// Returns the planned trials; empty before plan().
  [[nodiscard]] std::vector<db::planned_trial> planned(const group& group) const;
  /// Plans a candidate that no sweep contains: a peer, or the selector's choice. @return id of the trial
  [[nodiscard]] std::int64_t plan_candidate(const db::trial_key& trial_key);

  [[nodiscard]] tuner::configuration configuration_of(const db::planned_trial& trial) const;
  /// Returns the median time of a trial, or nothing if it has none.
  [[nodiscard]] std::optional<double> median(std::int64_t trial) const;
  /// Returns the median time of a candidate with the current code.
  [[nodiscard]] std::optional<double> median(const group& group, const tuner::configuration& configuration);

  /// Claims a trial for this process. @return false if it is finished or another process has claimed it
  [[nodiscard]] bool claim(std::int64_t trial);
  /// Finishes a claimed trial.
  void finish(std::int64_t trial, db::trial_result result);
  /// Finishes a claimed trial with the result of `measure`, or with the result that lost the device. @throws what
  /// `measure` throws
  void finish_with(std::int64_t trial, const std::function<db::trial_result()>& measure);
  /// Releases the claimed trials, so that another process can continue.
  void release();
  /// Runs `work` and releases the claimed trials if it throws. @throws what `work` throws
  void guarded(const std::function<void()>& work);

 private:
  [[nodiscard]] db::trial_key key(const group& group, const tuner::configuration& configuration, std::string hash,
                                  const char* measurement);

  const tuner::problem& problem_;
  const contestants& contestants_;
  db::store& store_;
  std::string name_;
  std::int64_t host_ = 0;
  std::int64_t experiment_ = 0;
  std::string experiment_hash_;
};

}  // namespace mlmq::compare
