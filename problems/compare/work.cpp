// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/work.hpp"

#include "tuner/peer_configuration.hpp"

namespace mlmq::compare {

void count_work(const context& common, group_runner& runner, const std::vector<db::planned_trial>& planned) {
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != counter_measurement || trial.done) continue;
    if (common.caller.wants_stop()) return;
    if (!common.record.claim(trial.id)) continue;
    common.record.finish_with(trial.id, [&] {
      return runner.measure(common.record.configuration_of(trial), tuner::instrumentation::counters,
                            common.options.configurations.measurement);
    });
  }
}

std::map<std::int64_t, double> counted_work(const context& common, const std::vector<db::planned_trial>& planned) {
  const std::string counter = common.problem.work().counter;
  std::map<std::int64_t, double> work;
  for (const db::planned_trial& trial : planned) {
    const bool by_peer = trial.done && tuner::peer_name(common.record.configuration_of(trial)).has_value();
    if (trial.measurement != counter_measurement && !by_peer) continue;
    const auto counters = common.record.store().counters(trial.id);
    if (const auto match = counters.find(counter); match != counters.end()) work[trial.configuration] = match->second;
  }
  return work;
}

}  // namespace mlmq::compare
