// SPDX-License-Identifier: Apache-2.0
#include "compare/work.hpp"

#include "tuner/peer_configuration.hpp"

namespace mlmq::compare {

void count_work(const context& common, group_runner& runner, const std::vector<db::planned_trial>& planned) {
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != counted || trial.done) continue;
    if (common.asked_by.wants_stop()) return;
    if (!common.recorded.claim(trial.id)) continue;
    common.recorded.finish_with(trial.id, [&] {
      return runner.measure(common.recorded.configuration_of(trial), tuner::instrumentation::counters,
                            common.options.configurations.measurement);
    });
  }
}

std::map<std::int64_t, double> counted_work(const context& common, const std::vector<db::planned_trial>& planned) {
  const std::string counter = common.problem.work().counter;
  std::map<std::int64_t, double> work;
  for (const db::planned_trial& trial : planned) {
    const bool by_peer = trial.done && tuner::peer_name(common.recorded.configuration_of(trial)).has_value();
    if (trial.measurement != counted && !by_peer) continue;
    const auto counters = common.recorded.store().counters(trial.id);
    if (const auto found = counters.find(counter); found != counters.end()) work[trial.configuration] = found->second;
  }
  return work;
}

}  // namespace mlmq::compare
