// SPDX-License-Identifier: Apache-2.0
#include "compare/rows.hpp"

#include <algorithm>
#include <map>

#include "compare/work.hpp"

namespace mlmq::compare {
namespace {

/// Of how many parameter sets a contestant's is the best.
std::size_t sets_of(const context& common, const stage& on, const tuner::configuration& chosen) {
  if (const peer* const program = common.who.peer_of(chosen)) return program->parameter_sets.size();
  if (common.who.is_ours(chosen)) return 1;
  return std::max<std::size_t>(1, on.candidates_of(common.who.name_of(chosen)).size());
}

contestant_result row_of(const context& common, const stage& on, const group& where, const db::planned_trial& trial) {
  const tuner::configuration chosen = common.recorded.configuration_of(trial);
  const db::trial_summary summary = common.recorded.store().summary(trial.id).value();
  contestant_result row;
  row.workload = where.loaded.record.name;
  row.workload_class = where.loaded.record.workload_class;
  row.query = where.asked.text();
  row.device = on.info().name;
  row.modelled = on.info().modelled;
  row.contestant = common.who.name_of(chosen);
  row.sets = sets_of(common, on, chosen);
  row.configuration = common.who.shown_label(chosen);
  row.outcome = summary.result;
  row.message = summary.message;
  row.samples = common.recorded.store().samples(trial.id).size();
  row.median_ms = summary.median_ms;
  row.spread = summary.spread;
  return row;
}

}  // namespace

std::vector<contestant_result> rows_of(const context& common, const stage& on, const group& where,
                                       const std::vector<db::planned_trial>& planned) {
  const std::map<std::int64_t, double> work = counted_work(common, planned);
  const double size = where.loaded.record.feature(common.problem.work().feature).value_or(0);
  std::vector<contestant_result> rows;
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != timed || !trial.done) continue;
    contestant_result row = row_of(common, on, where, trial);
    if (const auto found = work.find(trial.configuration); found != work.end() && size > 0) {
      row.work = found->second / size;
    }
    rows.push_back(std::move(row));
  }
  // Where the selector chooses, its choice was planned first.
  name_ours(rows, on.has_selector());
  return rows;
}

}  // namespace mlmq::compare
