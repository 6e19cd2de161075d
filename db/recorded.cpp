// SPDX-License-Identifier: Apache-2.0
#include "db/recorded.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {

std::vector<std::int64_t> finished_trials(const store& source, std::optional<std::int64_t> experiment) {
  connection& opened = source.access();
  return opened.read([&] {
    auto row = prepare(opened.database(),
                       "SELECT DISTINCT t.id FROM current_trial t JOIN experiment_trial e ON e.trial = t.id "
                       "WHERE t.state = 'done' AND (?1 IS NULL OR e.experiment = ?1) ORDER BY t.id",
                       experiment);
    std::vector<std::int64_t> ids;
    while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
    return ids;
  });
}

recorded_trial read_recorded(const store& source, std::int64_t trial) {
  connection& opened = source.access();
  return opened.read([&] {
    auto row = prepare(opened.database(),
                       "SELECT t.id, min(e.experiment), t.workload, t.device, t.configuration, t.query, "
                       "t.kernel_source_hash, t.measurement, t.outcome, t.message, t.median_ms, t.times_modelled "
                       "FROM trial t JOIN experiment_trial e ON e.trial = t.id WHERE t.id = ?1 AND t.state = 'done' "
                       "GROUP BY t.id",
                       trial);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no finished trial {}", trial));
    recorded_trial result;
    read_all(row, result.id, result.experiment, result.workload, result.device, result.configuration, result.query,
             result.kernel_source_hash, result.measurement, result.result, result.message, result.median_ms,
             result.times_modelled);
    return result;
  });
}

std::vector<std::string> selectors_of(const store& source, std::int64_t device) {
  connection& opened = source.access();
  return opened.read([&] {
    auto row =
        prepare(opened.database(), "SELECT DISTINCT selector FROM session WHERE device = ?1 ORDER BY selector", device);
    std::vector<std::string> selectors;
    while (row.executeStep()) selectors.push_back(row.getColumn(0).getString());
    return selectors;
  });
}

std::string settings_of(const store& source, std::int64_t experiment) {
  for (const experiment_row& row : source.experiments()) {
    if (row.id == experiment) return row.settings_json;
  }
  throw std::invalid_argument(fmt::format("there is no experiment {}", experiment));
}

}  // namespace mlmq::db
