// SPDX-License-Identifier: Apache-2.0
// Measures the contestants of a group in interleaved rounds. Each contestant runs once per round, in an order shuffled
// for every round, so that drift (clocks, temperature, other users) affects all alike.
#pragma once

#include <cstdint>
#include <vector>

#include "db/records.hpp"
#include "problems/compare/context.hpp"
#include "problems/compare/device_session.hpp"
#include "problems/compare/group_runner.hpp"

namespace mlmq::compare {

class round_runner {
 public:
  /// Claims the unfinished trials. @param common, session, group, runner  must outlive this
  round_runner(const context& common, const device_session& session, const group& group, group_runner& runner,
               const std::vector<db::planned_trial>& planned);

  /// Runs the rounds and records the samples. If the caller stops the comparison, releases the trials for another
  /// process.
  /// @throws tuner::device_lost  after recording the trial that lost the device
  void run();

 private:
  struct entry {
    std::int64_t trial = 0;
    tuner::configuration configuration;
    const peer* program = nullptr;  // null: a configuration of the problem itself
    db::trial_result result = {};   // accumulated over all turns
    bool has_failed = false;        // takes no more turns
  };

  void run_turn(entry& current, std::uint64_t round);
  [[nodiscard]] db::trial_result measure(entry& current, std::uint64_t round);
  [[nodiscard]] std::uint64_t samples_of_turn(const peer& program, std::uint64_t round) const;

  const context& common_;
  const device_session& session_;
  const group& group_;
  group_runner& runner_;
  std::vector<entry> entries_;
};

}  // namespace mlmq::compare
