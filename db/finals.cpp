// SPDX-License-Identifier: Apache-2.0
#include "db/finals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/connection.hpp"
#include "db/rows.hpp"
#include "db/statistics.hpp"

namespace mlmq::db {
namespace {

void mark_done(SQLite::Database& database, std::int64_t id, const std::string& message) {
  prepare(database, fmt::format("UPDATE final SET state = 'done', finished_at = {}, message = ?2 WHERE id = ?1", now),
          id, message)
      .exec();
}

/// Returns a pending final whose trials are all done.
std::optional<pending_final> next_final(SQLite::Database& database, std::int64_t experiment, std::int64_t device,
                                        std::optional<std::int64_t> only_workload) {
  auto row =
      prepare(database,
              "SELECT f.id, f.workload, f.query, w.name, w.hash FROM final f JOIN workload w ON w.id = f.workload "
              "WHERE f.experiment = ?1 AND f.device = ?2 AND f.state = 'pending' AND (?3 IS NULL OR f.workload = ?3) "
              // One condition per state, because each state has its own index.
              "AND NOT EXISTS (SELECT 1 FROM trial t JOIN experiment_trial e ON e.experiment = ?1 AND "
              "e.trial = t.id WHERE t.state = 'pending' AND t.device = ?2 AND t.workload = f.workload AND "
              "t.query = f.query) "
              "AND NOT EXISTS (SELECT 1 FROM trial t JOIN experiment_trial e ON e.experiment = ?1 AND "
              "e.trial = t.id WHERE t.state = 'running' AND t.device = ?2 AND t.workload = f.workload AND "
              "t.query = f.query) "
              "ORDER BY f.workload, f.query LIMIT 1",
              experiment, device, only_workload);
  if (!row.executeStep()) return std::nullopt;
  pending_final next;
  read_all(row, next.id, next.workload, next.query, next.workload_name, next.workload_hash);
  return next;
}

std::vector<pending_trial> fastest(SQLite::Database& database, std::int64_t experiment, std::int64_t device,
                                   const pending_final& pending, std::size_t count) {
  auto row = prepare(
      database,
      "SELECT t.id, t.configuration, c.problem, c.parameters, c.label, t.kernel_source_hash FROM current_trial t "
      "JOIN experiment_trial e ON e.experiment = ?1 AND e.trial = t.id "
      "JOIN configuration c ON c.id = t.configuration "
      "WHERE t.device = ?2 AND t.workload = ?3 AND t.query = ?4 AND t.outcome = 'ok' AND "
      "t.measurement = 'time' ORDER BY t.median_ms, t.id LIMIT ?5",
      experiment, device, pending.workload, pending.query, static_cast<std::uint64_t>(count));
  std::vector<pending_trial> trials;
  while (row.executeStep()) {
    pending_trial& trial = trials.emplace_back();
    read_all(row, trial.id, trial.configuration, trial.problem, trial.parameters_json, trial.label,
             trial.kernel_source_hash);
    trial.measurement = "time";
    trial.workload = pending.workload;
    trial.device = device;
    trial.query = pending.query;
    trial.workload_name = pending.workload_name;
    trial.workload_hash = pending.workload_hash;
  }
  return trials;
}

}  // namespace

std::size_t plan_finals(store& into, std::int64_t experiment, std::span<const final_key> keys) {
  connection& opened = into.access();
  return opened.write([&] {
    auto insert = prepare(opened.database(),
                          "INSERT INTO final (experiment, workload, query, device) VALUES (?1, ?2, ?3, ?4) "
                          "ON CONFLICT DO NOTHING");
    std::size_t added = 0;
    for (const final_key& key : keys) {
      bind_all(insert, experiment, key.workload, key.query, key.device);
      added += static_cast<std::size_t>(insert.exec());
    }
    return added;
  });
}

std::optional<pending_final> claim_final(store& source, std::int64_t experiment, std::int64_t device,
                                         const std::string& worker, std::size_t count,
                                         std::optional<std::int64_t> only_workload) {
  connection& opened = source.access();
  SQLite::Database& database = opened.database();
  return opened.write([&]() -> std::optional<pending_final> {
    while (auto claimed = next_final(database, experiment, device, only_workload)) {
      claimed->finalists = fastest(database, experiment, device, *claimed, count);
      if (claimed->finalists.size() < 2) {
        mark_done(database, claimed->id, "fewer than two configurations with right answers");
        continue;
      }
      prepare(database,
              fmt::format("UPDATE final SET state = 'running', worker = ?2, attempt = attempt + 1, claimed_at = {} "
                          "WHERE id = ?1",
                          now),
              claimed->id, worker)
          .exec();
      return claimed;
    }
    return std::nullopt;
  });
}

bool finish_final(store& into, std::int64_t final_id, std::span<const finalist_result> results,
                  const std::string& message) {
  std::vector<const finalist_result*> ranking;
  for (const finalist_result& result : results) {
    if (!result.samples_ms.empty()) ranking.push_back(&result);
  }
  std::stable_sort(ranking.begin(), ranking.end(), [](const finalist_result* a, const finalist_result* b) {
    return median(a->samples_ms) < median(b->samples_ms);
  });
  connection& opened = into.access();
  SQLite::Database& database = opened.database();
  return opened.write([&] {
    auto state = prepare(database, "SELECT 1 FROM final WHERE id = ?1 AND state <> 'done'", final_id);
    if (!state.executeStep()) return false;
    state.reset();
    auto finalist =
        prepare(database, "INSERT INTO finalist (final, trial, place, median_ms, spread) VALUES (?1, ?2, ?3, ?4, ?5)");
    auto sample =
        prepare(database, "INSERT INTO final_sample (final, trial, round, milliseconds) VALUES (?1, ?2, ?3, ?4)");
    int place = 0;
    for (const finalist_result* result : ranking) {
      bind_all(finalist, final_id, result->trial, ++place, median(result->samples_ms),
               relative_spread(result->samples_ms));
      finalist.exec();
      for (std::size_t round = 0; round < result->samples_ms.size(); ++round) {
        bind_all(sample, final_id, result->trial, static_cast<std::uint64_t>(round), result->samples_ms[round]);
        sample.exec();
      }
    }
    mark_done(database, final_id, message);
    return true;
  });
}

std::size_t unfinished_finals(const store& source, std::int64_t experiment) {
  connection& opened = source.access();
  return opened.read([&] {
    auto row =
        prepare(opened.database(), "SELECT count(*) FROM final WHERE experiment = ?1 AND state <> 'done'", experiment);
    row.executeStep();
    return static_cast<std::size_t>(row.getColumn(0).getInt64());
  });
}

}  // namespace mlmq::db
