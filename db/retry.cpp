// SPDX-License-Identifier: Apache-2.0
#include "db/retry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {

std::vector<failed_trial> failed_trials(const store& source, std::int64_t experiment,
                                        std::span<const outcome> outcomes) {
  connection& opened = source.access();
  return opened.read([&] {
    auto row = prepare(opened.database(),
                       "SELECT t.id, t.workload, t.device, t.query, t.outcome, w.hash, c.hash, c.parameters, "
                       "t.kernel_source_hash FROM experiment_trial e JOIN trial t ON t.id = e.trial "
                       "JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration "
                       "WHERE e.experiment = ?1 AND t.state = 'done' AND t.outcome <> 'ok' ORDER BY t.id",
                       experiment);
    std::vector<failed_trial> trials;
    while (row.executeStep()) {
      failed_trial trial;
      read_all(row, trial.id, trial.workload, trial.device, trial.query, trial.result, trial.workload_hash,
               trial.configuration_hash, trial.parameters_json, trial.kernel_source_hash);
      if (std::find(outcomes.begin(), outcomes.end(), trial.result) != outcomes.end())
        trials.push_back(std::move(trial));
    }
    return trials;
  });
}

std::size_t retry(store& in, std::int64_t experiment, std::span<const std::int64_t> trials) {
  connection& opened = in.access();
  return opened.write([&] {
    SQLite::Database& database = opened.database();
    auto forget = prepare(database,
                          "UPDATE trial SET state = 'pending', outcome = NULL, message = '', worker = NULL, "
                          "crashes = 0, kills = 0, claimed_at = NULL, finished_at = NULL, kernel_variant = NULL, "
                          "median_ms = NULL, spread = NULL, times_modelled = 0, host = NULL, program_version = NULL, "
                          "driver = NULL, seed = NULL, environment = NULL, compile_ms = NULL, upload_ms = NULL, "
                          "measure_ms = NULL, check_ms = NULL "
                          "WHERE id = ?1 AND state = 'done' AND outcome <> 'ok'");
    std::size_t requeued = 0;
    for (const std::int64_t trial : trials) {
      bind_all(forget, trial);
      if (forget.exec() == 0) continue;
      ++requeued;
      for (const char* table : {"sample", "counter", "timeline", "kernel_function", "metric"}) {
        prepare(database, fmt::format("DELETE FROM {} WHERE trial = ?1", table), trial).exec();
      }
      const char* const their_finals =
          "(SELECT f.id FROM final f JOIN trial t ON t.id = ?2 AND t.workload = f.workload AND t.query = f.query AND "
          "t.device = f.device WHERE f.experiment = ?1 AND f.state = 'done')";
      prepare(database, fmt::format("DELETE FROM finalist WHERE final IN {}", their_finals), experiment, trial).exec();
      prepare(database,
              fmt::format("UPDATE final SET state = 'pending', message = '', worker = NULL, crashes = 0, claimed_at = "
                          "NULL, finished_at = NULL WHERE id IN {}",
                          their_finals),
              experiment, trial)
          .exec();
    }
    return requeued;
  });
}

}  // namespace mlmq::db
