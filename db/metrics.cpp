// SPDX-License-Identifier: Apache-2.0
#include "db/metrics.hpp"

#include <utility>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {

std::vector<metric_source> read_metric_sources(const store& source, std::int64_t experiment,
                                               std::optional<std::int64_t> trial) {
  connection& opened = source.access();
  return opened.read([&] {
    SQLite::Database& database = opened.database();
    auto row = prepare(database,
                       "SELECT t.id, t.workload, c.parameters, t.median_ms, t.configuration, t.query, t.device, "
                       "t.kernel_source_hash FROM experiment_trial e JOIN trial t ON t.id = e.trial "
                       "JOIN configuration c ON c.id = t.configuration "
                       "WHERE e.experiment = ?1 AND (?2 IS NULL OR t.id = ?2) AND t.measurement = 'time' AND "
                       "t.outcome = 'ok' ORDER BY t.id",
                       experiment, trial);
    SQLite::Statement counter(database,
                              "SELECT k.name, k.value FROM trial t JOIN counter k ON k.trial = t.id "
                              "WHERE t.configuration = ?1 AND t.workload = ?2 AND t.query = ?3 AND t.device = ?4 AND "
                              "t.kernel_source_hash = ?5 AND t.measurement <> 'timeline' AND "
                              "t.outcome = 'ok' ORDER BY t.measurement DESC");  // times first: counts replace theirs
    SQLite::Statement function(database,
                               "SELECT max(registers), max(local_bytes), max(shared_bytes), min(occupancy) FROM "
                               "kernel_function WHERE trial = ?1");
    std::vector<metric_source> sources;
    while (row.executeStep()) {
      metric_source& entry = sources.emplace_back();
      std::int64_t configuration = 0;
      std::int64_t device = 0;
      std::string query;
      std::string code;
      read_all(row, entry.trial, entry.workload, entry.parameters_json, entry.median_ms, configuration, query, device,
               code);
      bind_all(counter, configuration, entry.workload, query, device, code);
      std::string name;
      double value = 0;
      while (counter.executeStep()) {
        read_all(counter, name, value);
        entry.values.insert_or_assign(name, value);
      }
      bind_all(function, entry.trial);
      if (!function.executeStep()) continue;
      for (int i = 0; i < 4; ++i) {
        if (!function.isColumnNull(i)) {
          entry.values.insert_or_assign(resource_names[i], function.getColumn(i).getDouble());
        }
      }
    }
    return sources;
  });
}

void replace_metrics(store& target, std::int64_t experiment, std::span<const trial_metric> metrics,
                     std::optional<std::int64_t> trial) {
  connection& opened = target.access();
  opened.write([&] {
    SQLite::Database& database = opened.database();
    prepare(database,
            "DELETE FROM metric WHERE trial IN (SELECT trial FROM experiment_trial WHERE experiment = ?1 AND "
            "(?2 IS NULL OR trial = ?2))",
            experiment, trial)
        .exec();
    auto insert = prepare(database, "INSERT INTO metric (trial, name, value) VALUES (?1, ?2, ?3)");
    for (const trial_metric& metric : metrics) {
      bind_all(insert, metric.trial, metric.name, metric.value);
      insert.exec();
    }
  });
}

}  // namespace mlmq::db
