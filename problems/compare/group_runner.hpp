// SPDX-License-Identifier: Apache-2.0
// Runs of configurations and peers on the workload of a group: single ones, in interleaved rounds, and counting ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "db/records.hpp"
#include "problems/compare/context.hpp"
#include "problems/compare/device_session.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

/// The workload of a group, loaded on its device.
class group_runner {
 public:
  /// Loads the workload on the device. @param common, session, group  must outlive this
  /// @throws backends::out_of_device_memory
  group_runner(const context& common, device_session& session, const group& group);

  /// Returns whether the device can launch a configuration. @throws backends::compile_error
  [[nodiscard]] bool can_launch(const tuner::configuration& configuration);

  /// @param configuration  must not be a peer's @throws tuner::device_lost
  [[nodiscard]] db::trial_result measure(const tuner::configuration& configuration, tuner::instrumentation mode,
                                         const tuner::measurement_settings& settings);

  /// Runs one process of a peer. @param samples  number of times to measure
  [[nodiscard]] db::trial_result run_peer(const tuner::configuration& configuration, std::uint64_t samples);

 private:
  const context& common_;
  device_session& session_;
  const group& group_;
  std::unique_ptr<tuner::problem_instance> instance_;
  std::unique_ptr<peer_session> peers_;  // null if there are no peers
};

/// Counts work, in separate runs because counting takes time: runs the planned and unfinished counting trials until the
/// caller stops the comparison. @throws tuner::device_lost
void count_work(const context& common, group_runner& runner, const std::vector<db::planned_trial>& planned);

/// Returns the counted work by configuration row, as the problem defines work; configurations without a count are
/// absent.
[[nodiscard]] std::map<std::int64_t, double> counted_work(const context& common,
                                                          const std::vector<db::planned_trial>& planned);

/// Measures the contestants of a group in interleaved rounds. Each contestant runs once per round, in an order shuffled
/// for every round, so that drift (clocks, temperature, other users) affects all alike.
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
