// SPDX-License-Identifier: Apache-2.0
#include "compare/group_runner.hpp"

#include "tuner/measurement.hpp"
#include "tuner/peer_configuration.hpp"

namespace mlmq::compare {

group_runner::group_runner(const context& common, stage& on, const group& where)
    : common_(common), stage_(on), where_(where), instance_(common.problem.load(on.device(), where.loaded)) {
  if (!on.peers().empty()) peers_ = common.options.peers->open(where.loaded, where.asked, on.info());
}

bool group_runner::can_launch(const tuner::configuration& chosen) {
  try {
    instance_->prepare(chosen, stage_.variants().get(instance_->variant(chosen, tuner::instrumentation::none)),
                       tuner::instrumentation::none);
    return true;
  } catch (const backends::launch_error&) {
    return false;
  }
}

db::trial_result group_runner::measure(const tuner::configuration& chosen, tuner::instrumentation mode,
                                       const tuner::measurement_settings& settings) {
  return tuner::measure_trial(stage_.device(), *instance_, stage_.variants(), common_.problem.name(), chosen,
                              where_.asked, mode, settings);
}

db::trial_result group_runner::run_peer(const tuner::configuration& chosen, std::uint64_t samples) {
  return peers_->run(common_.who.peer_of(chosen)->name, tuner::peer_parameters(chosen), samples);
}

}  // namespace mlmq::compare
