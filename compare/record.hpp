// SPDX-License-Identifier: Apache-2.0
// A comparison in the database: its experiment, the identity of its trials, and how one is finished.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/contestants.hpp"
#include "compare/options.hpp"
#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::compare {

/// Measurements of trials, as the database has them.
inline constexpr const char* timed = "time";
inline constexpr const char* counted = "counters";

/// One workload, query and device: what takes turns.
struct group {
  const tuner::workload& loaded;
  std::int64_t workload = 0;  ///< row
  std::int64_t device = 0;    ///< row
  tuner::query asked;
};

class record {
 public:
  /// Who takes part is part of the experiment's identity, so that a peer that was built later is not measured apart from
  /// the others. @param of, who, store must outlive this
  record(const tuner::problem& of, const comparison_options& options, const contestants& who, db::store& store);

  [[nodiscard]] db::store& store() const noexcept { return store_; }

  /// A candidate's trial, or one that counts work: as a sweep has it.
  [[nodiscard]] db::trial_key key(const group& where, const tuner::configuration& chosen, const char* measurement);
  /// Measured in turns with certain others: no other experiment may take the trial for one of its own.
  [[nodiscard]] db::trial_key key_in_turns(const group& where, const tuner::configuration& chosen);

  /// Makes these the trials of the group.
  void plan(const std::vector<db::trial_key>& trials);
  /// Empty before plan().
  [[nodiscard]] std::vector<db::planned_trial> planned(const group& where) const;
  /// A candidate that no sweep has: a peer, or what the selector chooses. @return its trial
  [[nodiscard]] std::int64_t plan_candidate(const db::trial_key& wanted);

  [[nodiscard]] tuner::configuration configuration_of(const db::planned_trial& trial) const;
  /// Nothing when it has none.
  [[nodiscard]] std::optional<double> median(std::int64_t trial) const;
  /// Of a candidate, with the present code.
  [[nodiscard]] std::optional<double> median(const group& where, const tuner::configuration& chosen);

  /// Whether this process may measure the trial: nobody else does, and it is not finished.
  [[nodiscard]] bool claim(std::int64_t trial);
  /// Ends a claimed trial.
  void finish(std::int64_t trial, db::trial_result result);
  /// Ends a claimed trial with what `measure` finds, or with what lost the device. @throws what `measure` throws
  void finish_with(std::int64_t trial, const std::function<db::trial_result()>& measure);
  /// What is claimed is for whoever continues.
  void release();
  /// Does the work; when it throws, what is claimed is released. @throws what `work` throws
  void guarded(const std::function<void()>& work);

 private:
  [[nodiscard]] db::trial_key key(const group& where, const tuner::configuration& chosen, std::string hash,
                                  const char* measurement);

  const tuner::problem& problem_;
  const contestants& who_;
  db::store& store_;
  std::string name_;
  std::int64_t host_ = 0;
  std::int64_t experiment_ = 0;
  std::string experiment_hash_;
};

}  // namespace mlmq::compare
