// SPDX-License-Identifier: Apache-2.0
// The workload of a group on its device, ready for turns of configurations and of peers.
#pragma once

#include <memory>

#include "compare/context.hpp"
#include "compare/stage.hpp"
#include "db/records.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

class group_runner {
 public:
  /// Brings the workload to the device. @param common, on, where must outlive this
  /// @throws backends::out_of_device_memory
  group_runner(const context& common, stage& on, const group& where);

  /// Whether a configuration can be launched here. @throws backends::compile_error
  [[nodiscard]] bool can_launch(const tuner::configuration& chosen);

  /// @param chosen no peer @throws tuner::device_lost
  [[nodiscard]] db::trial_result measure(const tuner::configuration& chosen, tuner::instrumentation mode,
                                         const tuner::measurement_settings& settings);

  /// One process of a peer. @param samples times wanted
  [[nodiscard]] db::trial_result run_peer(const tuner::configuration& chosen, std::uint64_t samples);

 private:
  const context& common_;
  stage& stage_;
  const group& where_;
  std::unique_ptr<tuner::problem_instance> instance_;
  std::unique_ptr<peer_session> peers_;  // null where there are none
};

}  // namespace mlmq::compare
