// SPDX-License-Identifier: Apache-2.0
// Assigns trials to workers, and takes them back from workers that died.
#include "db/claims.hpp"

#include <fmt/format.h>

#include <iterator>

#include "db/connection.hpp"
#include "db/rows.hpp"
#include "db/worker.hpp"

namespace mlmq::db {
namespace {

constexpr const char* pending_columns =
    "SELECT t.id, t.workload, t.configuration, t.device, t.query, t.attempt, t.crashes, c.problem, "
    "c.parameters, c.label, "
    "t.kernel_source_hash, t.measurement, w.hash, w.name, w.origin ";

pending_trial read_pending(SQLite::Statement& row) {
  pending_trial trial;
  read_all(row, trial.id, trial.workload, trial.configuration, trial.device, trial.query, trial.attempt, trial.crashes,
           trial.problem, trial.parameters_json, trial.label, trial.kernel_source_hash, trial.measurement,
           trial.workload_hash, trial.workload_name, trial.workload_origin);
  return trial;
}

/// CROSS JOIN fixes the order of the loops: walking the index of pending trials already gives the required order, so
/// the first match is the answer and nothing is sorted.
std::vector<pending_trial> next_pending(SQLite::Database& database, std::int64_t experiment, std::int64_t device,
                                        std::size_t limit, const claim_options& options) {
  const auto select = [&](const char* condition, std::size_t count) {
    auto row =
        prepare(database,
                fmt::format("{} FROM trial t CROSS JOIN experiment_trial e ON e.experiment = ?1 AND e.trial = t.id "
                            "CROSS JOIN configuration c ON c.id = t.configuration CROSS JOIN workload w ON w.id = "
                            "t.workload "
                            "WHERE t.state = 'pending' AND t.device = ?2 {} AND (?4 IS NULL OR t.measurement = ?4) "
                            "ORDER BY t.workload, t.query, t.configuration, t.id LIMIT ?5",
                            pending_columns, condition),
                experiment, device, options.preferred_workload, options.measurement, static_cast<std::uint64_t>(count));
    std::vector<pending_trial> trials;
    while (row.executeStep()) trials.push_back(read_pending(row));
    return trials;
  };
  if (!options.preferred_workload) return select("", limit);
  std::vector<pending_trial> trials = select("AND t.workload = ?3", limit);
  if (trials.size() < limit && !options.only_preferred) {
    auto others = select("AND t.workload <> ?3", limit - trials.size());
    std::move(others.begin(), others.end(), std::back_inserter(trials));
  }
  return trials;
}

/// Steps from workload to workload through the index of pending trials, since there may be a million trials.
std::vector<waiting_workload> quietest_workloads(SQLite::Database& database, std::int64_t experiment,
                                                 std::int64_t device, const claim_options& options) {
  auto row = prepare(
      database,
      "WITH RECURSIVE waiting(workload) AS ("
      "SELECT min(workload) FROM trial WHERE state = 'pending' AND device = ?2 UNION ALL "
      "SELECT (SELECT min(t.workload) FROM trial t WHERE t.state = 'pending' AND t.device = ?2 AND t.workload > "
      "waiting.workload) FROM waiting WHERE waiting.workload IS NOT NULL) "
      "SELECT workload, (SELECT count(*) FROM trial r WHERE r.state = 'running' AND r.device = ?2 AND r.workload = "
      "waiting.workload) AS workers FROM waiting WHERE EXISTS ("
      "SELECT 1 FROM trial t CROSS JOIN experiment_trial e ON e.experiment = ?1 AND e.trial = t.id WHERE t.state = "
      "'pending' AND t.device = ?2 AND t.workload = waiting.workload AND (?3 IS NULL OR t.measurement = ?3)) "
      "ORDER BY workers, (SELECT bytes FROM workload w WHERE w.id = waiting.workload) DESC, workload",
      experiment, device, options.measurement);
  std::vector<waiting_workload> workloads;
  while (row.executeStep()) {
    workloads.push_back(
        {.workload = row.getColumn(0).getInt64(), .workers = static_cast<std::size_t>(row.getColumn(1).getInt64())});
  }
  return workloads;
}

/// Marks a trial that is known to be pending under the write lock.
void mark_running(SQLite::Database& database, pending_trial& trial, const std::string& worker) {
  prepare(database,
          fmt::format("UPDATE trial SET state = 'running', worker = ?2, attempt = attempt + 1, claimed_at = {} "
                      "WHERE id = ?1",
                      now),
          trial.id, worker)
      .exec();
  ++trial.attempt;
}

/// Frees the running trials of one worker, or ends those that keep killing their workers.
std::size_t release(SQLite::Database& database, const std::string& worker, std::optional<std::int64_t> stale_seconds,
                    int give_up_after) {
  const std::string condition =
      "state = 'running' AND worker = ?1 AND (?2 IS NULL OR claimed_at < "
      "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', "
      "-?2 || ' seconds'))";
  int changed = 0;
  if (give_up_after > 0) {
    changed += prepare(database,
                       fmt::format("UPDATE trial SET state = 'done', outcome = 'crashed', finished_at = {}, message = "
                                   "'its worker died in each of ' || attempt || ' attempts' "
                                   "WHERE {} AND attempt >= ?3",
                                   now, condition),
                       worker, stale_seconds, give_up_after)
                   .exec();
  }
  changed +=
      prepare(database, "UPDATE trial SET state = 'pending', worker = NULL, claimed_at = NULL WHERE " + condition,
              worker, stale_seconds)
          .exec();
  changed +=
      prepare(database, "UPDATE final SET state = 'pending', worker = NULL, claimed_at = NULL WHERE " + condition,
              worker, stale_seconds)
          .exec();
  return static_cast<std::size_t>(changed);
}

/// Charges the finals of a dead worker. A final that keeps killing workers ends without a result.
std::size_t charge_finals(SQLite::Database& database, const std::string& worker, const worker_death& death) {
  const int requeued =
      prepare(database,
              "UPDATE final SET state = 'pending', worker = NULL, claimed_at = NULL, crashes = crashes + ?2 "
              "WHERE state = 'running' AND worker = ?1 AND crashes + ?2 < ?3",
              worker, death.from_outside ? 0 : 1, death.most_crashes)
          .exec();
  prepare(database,
          fmt::format("UPDATE final SET state = 'done', finished_at = {}, crashes = crashes + 1, message = ?2 "
                      "WHERE state = 'running' AND worker = ?1",
                      now),
          worker, death.message)
      .exec();
  return static_cast<std::size_t>(requeued);
}

}  // namespace

std::optional<pending_trial> trial_claims::claim(std::int64_t experiment, std::int64_t device,
                                                 const std::string& worker, const claim_options& options) {
  auto& database = connection_->database();
  return connection_->write([&]() -> std::optional<pending_trial> {
    auto trials = next_pending(database, experiment, device, 1, options);
    if (trials.empty()) return std::nullopt;
    if (options.spread_over_workloads && trials.front().workload != options.preferred_workload) {
      claim_options quietest = options;
      quietest.preferred_workload = quietest_workloads(database, experiment, device, options).at(0).workload;
      trials = next_pending(database, experiment, device, 1, quietest);
    }
    mark_running(database, trials.front(), worker);
    return std::move(trials.front());
  });
}

std::optional<pending_trial> trial_claims::claim_trial(std::int64_t trial, const std::string& worker) {
  auto& database = connection_->database();
  return connection_->write([&]() -> std::optional<pending_trial> {
    auto row = prepare(database,
                       fmt::format("{} FROM trial t JOIN configuration c ON c.id = t.configuration JOIN workload w ON "
                                   "w.id = t.workload WHERE t.id = ?1 AND t.state = 'pending'",
                                   pending_columns),
                       trial);
    if (!row.executeStep()) return std::nullopt;
    pending_trial claimed = read_pending(row);
    row.reset();
    mark_running(database, claimed, worker);
    return claimed;
  });
}

std::vector<pending_trial> trial_claims::upcoming(std::int64_t experiment, std::int64_t device, std::size_t limit,
                                                  const claim_options& options) const {
  return connection_->read([&] { return next_pending(connection_->database(), experiment, device, limit, options); });
}

std::vector<waiting_workload> trial_claims::waiting_workloads(std::int64_t experiment, std::int64_t device,
                                                              const claim_options& options) const {
  return connection_->read([&] { return quietest_workloads(connection_->database(), experiment, device, options); });
}

std::vector<std::int64_t> trial_claims::unfinished_workloads(std::int64_t experiment, std::int64_t device) const {
  return connection_->read([&] {
    std::vector<std::int64_t> workloads;
    for (const waiting_workload& waiting : quietest_workloads(connection_->database(), experiment, device, {})) {
      workloads.push_back(waiting.workload);
    }
    auto row = prepare(connection_->database(), "SELECT DISTINCT workload FROM trial WHERE state = 'running'");
    while (row.executeStep()) workloads.push_back(row.getColumn(0).getInt64());
    return workloads;
  });
}

bool trial_claims::was_finished_by(std::int64_t trial, const std::string& worker) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT 1 FROM trial WHERE id = ?1 AND state = 'done' AND worker = ?2",
                       trial, worker);
    return row.executeStep();
  });
}

std::size_t trial_claims::release_abandoned(const abandoned_policy& policy) {
  auto& database = connection_->database();
  std::optional<std::int64_t> stale_seconds;
  if (policy.stale_after) stale_seconds = policy.stale_after->count();
  return connection_->write([&] {
    std::vector<std::string> workers;
    auto row = prepare(
        database,
        "SELECT worker FROM trial WHERE state = 'running' UNION SELECT worker FROM final WHERE state = 'running'");
    while (row.executeStep()) workers.push_back(row.getColumn(0).getString());
    std::size_t released = 0;
    for (const std::string& worker : workers) {
      const liveness state = worker_liveness(worker);
      if (state == liveness::dead) {
        released += release(database, worker, std::nullopt, policy.give_up_after);
      } else if (state == liveness::unknown && stale_seconds) {
        released += release(database, worker, stale_seconds, policy.give_up_after);
      }
    }
    return released;
  });
}

std::size_t trial_claims::release_worker(const std::string& worker, int give_up_after) {
  return connection_->write([&] { return release(connection_->database(), worker, std::nullopt, give_up_after); });
}

charge_result trial_claims::charge(const std::string& worker, const worker_death& death) {
  auto& database = connection_->database();
  return connection_->write([&] {
    charge_result charged;
    struct cost {
      std::int64_t trial = 0;
      int crashes = 0;
      int kills = 0;
    };
    std::vector<cost> costs;
    auto row = prepare(database,
                       "SELECT id, crashes, kills, (julianday('now') - julianday(claimed_at)) * 86400 >= ?2 FROM trial "
                       "WHERE state = 'running' AND worker = ?1",
                       worker, death.kill_counts_after_s);
    while (row.executeStep()) {
      cost& so_far = costs.emplace_back();
      bool counts = false;
      read_all(row, so_far.trial, so_far.crashes, so_far.kills, counts);
      if (!death.from_outside) ++so_far.crashes;
      if (death.from_outside && counts) ++so_far.kills;
    }
    row.reset();
    for (const auto& [trial, crashes, kills] : costs) {
      if (crashes < death.most_crashes && kills < death.most_kills) {
        prepare(database,
                "UPDATE trial SET state = 'pending', worker = NULL, claimed_at = NULL, crashes = ?2, kills = ?3 "
                "WHERE id = ?1",
                trial, crashes, kills)
            .exec();
        ++charged.again;
      } else {
        prepare(database,
                fmt::format("UPDATE trial SET state = 'done', outcome = ?2, message = ?3, finished_at = {}, "
                            "crashes = ?4, kills = ?5, host = ?6, program_version = ?7, driver = ?8 WHERE id = ?1",
                            now),
                trial, to_string(death.result), death.message, crashes, kills, death.host, death.program_version,
                death.driver)
            .exec();
        ++charged.recorded;
      }
    }
    charged.again += charge_finals(database, worker, death);
    return charged;
  });
}

}  // namespace mlmq::db
