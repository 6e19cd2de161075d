// SPDX-License-Identifier: Apache-2.0
// The workload of a group, loaded on its device, and runs of configurations and peers on it.
#pragma once

#include <memory>

#include "db/records.hpp"
#include "problems/compare/context.hpp"
#include "problems/compare/device_session.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

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

}  // namespace mlmq::compare
