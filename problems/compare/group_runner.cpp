// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/group_runner.hpp"

#include "tuner/measurement.hpp"
#include "tuner/peer_configuration.hpp"

namespace mlmq::compare {

group_runner::group_runner(const context& common, device_session& session, const group& group)
    : common_(common),
      session_(session),
      group_(group),
      instance_(common.problem.load(session.device(), group.workload)) {
  if (!session.peers().empty()) peers_ = common.options.peers->open(group.workload, group.query, session.info());
}

bool group_runner::can_launch(const tuner::configuration& configuration) {
  try {
    instance_->prepare(configuration,
                       session_.variants().get(instance_->variant(configuration, tuner::instrumentation::none)),
                       tuner::instrumentation::none);
    return true;
  } catch (const backends::launch_error&) {
    return false;
  }
}

db::trial_result group_runner::measure(const tuner::configuration& configuration, tuner::instrumentation mode,
                                       const tuner::measurement_settings& settings) {
  return tuner::measure_trial(session_.device(), *instance_, session_.variants(), common_.problem.name(), configuration,
                              group_.query, mode, settings);
}

db::trial_result group_runner::run_peer(const tuner::configuration& configuration, std::uint64_t samples) {
  return peers_->run(common_.contestants.peer_of(configuration)->name, tuner::peer_parameters(configuration), samples);
}

}  // namespace mlmq::compare
