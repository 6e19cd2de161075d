// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/rows.hpp"

#include <algorithm>
#include <map>

#include "problems/compare/peer.hpp"
#include "problems/compare/work.hpp"

namespace mlmq::compare {
namespace {

/// Returns the number of parameter sets that a contestant's configuration was chosen from.
std::size_t sets_of(const context& common, const device_session& session, const tuner::configuration& configuration) {
  if (const peer* const program = common.contestants.peer_of(configuration)) return program->parameter_sets.size();
  if (common.contestants.is_ours(configuration)) return 1;
  return std::max<std::size_t>(1, session.candidates_of(common.contestants.name_of(configuration)).size());
}

contestant_result row_of(const context& common, const device_session& session, const group& group,
                         const db::planned_trial& trial) {
  const tuner::configuration configuration = common.record.configuration_of(trial);
  const db::trial_summary summary = common.record.store().summary(trial.id).value();
  contestant_result row;
  row.workload = group.workload.record.name;
  row.workload_class = group.workload.record.workload_class;
  row.query = group.query.text();
  row.device = session.info().name;
  row.modelled = session.info().modelled;
  row.contestant = common.contestants.name_of(configuration);
  row.sets = sets_of(common, session, configuration);
  row.configuration = common.contestants.shown_label(configuration);
  row.outcome = summary.result;
  row.message = summary.message;
  row.samples = common.record.store().samples(trial.id).size();
  if (common.contestants.peer_of(configuration) != nullptr) {
    const auto counters = common.record.store().counters(trial.id);
    if (const auto match = counters.find(preparation_counter); match != counters.end())
      row.preparation_ms = match->second;
  }
  row.median_ms = summary.median_ms;
  row.spread = summary.spread;
  return row;
}

}  // namespace

std::vector<contestant_result> rows_of(const context& common, const device_session& session, const group& group,
                                       const std::vector<db::planned_trial>& planned) {
  const std::map<std::int64_t, double> work = counted_work(common, planned);
  const double size = group.workload.record.feature(common.problem.work().feature).value_or(0);
  std::vector<contestant_result> rows;
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != time_measurement || !trial.done) continue;
    contestant_result row = row_of(common, session, group, trial);
    if (const auto match = work.find(trial.configuration); match != work.end() && size > 0) {
      row.work = match->second / size;
    }
    rows.push_back(std::move(row));
  }
  // If the selector has a choice, it was planned first.
  name_ours(rows, session.has_selector());
  return rows;
}

}  // namespace mlmq::compare
