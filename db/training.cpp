// SPDX-License-Identifier: Apache-2.0
// Training data of a selector.
#include "db/results.hpp"

#include "db/connection.hpp"
#include "db/objective.hpp"
#include "db/rows.hpp"
#include "db/tuning_record.hpp"

namespace mlmq::db {

training_data trial_results::training(const trial_filter& filter) const {
  auto& database = connection_->database();
  const objective criterion = filter.experiment ? objectives_of(*connection_, *filter.experiment).front() : objective{};
  return connection_->read([&] {
    // Both the newest and the best trials are determined within the selection, so that an experiment with an older
    // kernel remains usable for training.
    auto row =
        prepare(database,
                "SELECT trial, workload, configuration, device, query, problem, workload_hash, "
                "configuration_hash, device_hash, "
                "parameters, label, outcome, times_modelled, median_ms, spread, samples, cost, "
                "min(cost) OVER (PARTITION BY problem, workload, query, device) "
                "FROM (SELECT t.id AS trial, t.workload, t.configuration, t.device, t.query, c.problem, "
                "w.hash AS workload_hash, "
                "c.hash AS configuration_hash, d.hash AS device_hash, c.parameters, c.label, t.outcome, "
                "t.times_modelled, "
                "t.median_ms, t.spread, " +
                    cost_sql(criterion) + " AS cost, " + std::string(sample_count) +
                    " AS samples, row_number() OVER (PARTITION BY t.configuration, t.workload, t.query, t.device "
                    "ORDER BY "
                    "t.finished_at DESC, t.id DESC) AS recency "
                    "FROM current_trial t JOIN configuration c ON c.id = t.configuration JOIN workload w ON w.id = "
                    "t.workload "
                    "JOIN device d ON d.id = t.device WHERE t.state = 'done' AND t.measurement = 'time' "
                    "AND (?1 IS NULL OR t.id IN (SELECT trial FROM experiment_trial WHERE experiment = ?1)) "
                    "AND (?2 IS NULL OR t.device = ?2) AND (?3 IS NULL OR t.workload = ?3) AND (?4 IS NULL OR "
                    "t.query = ?4) "
                    "AND (?5 IS NULL OR c.problem = ?5)) WHERE recency = 1 "
                    "ORDER BY problem, workload_hash, query, device_hash, configuration_hash",
                filter.experiment, filter.device, filter.workload, filter.query, filter.problem);
    training_data data;
    const auto shared = [&](std::string_view& text) { return pooled_text{data.texts, text}; };
    while (row.executeStep()) {
      training_row entry;
      double best = 0;
      read_all(row, entry.trial, entry.workload, entry.configuration, entry.device, shared(entry.query),
               shared(entry.problem), shared(entry.workload_hash), shared(entry.configuration_hash),
               shared(entry.device_hash), shared(entry.parameters_json), shared(entry.label), entry.result,
               entry.times_modelled, entry.median_ms, entry.spread, entry.samples, entry.cost, best);
      if (entry.cost) entry.relative = *entry.cost == best ? 1.0 : best / *entry.cost;
      if (!data.workloads.contains(entry.workload)) {
        data.workloads.emplace(entry.workload, read_workload(database, entry.workload));
      }
      data.rows.push_back(std::move(entry));
    }
    return data;
  });
}

}  // namespace mlmq::db
