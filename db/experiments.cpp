// SPDX-License-Identifier: Apache-2.0
// Experiments, their planned trials, and their progress.
#include "db/experiments.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {
namespace {

experiment_row read_experiment(SQLite::Statement& row) {
  experiment_row experiment;
  read_all(row, experiment.id, experiment.hash, experiment.name, experiment.space_text, experiment.settings_json,
           experiment.created, experiment.used);
  return experiment;
}

constexpr const char* experiment_columns =
    "SELECT id, hash, name, space_text, settings, created, used FROM experiment ";

}  // namespace

std::int64_t experiment_plans::put_experiment(const std::string& name, const std::string& space_text,
                                              const std::string& settings_json) {
  auto& database = connection_->database();
  const std::string settings = canonical_json(settings_json, "the settings of an experiment");
  const std::string hash = experiment_hash(name, space_text, settings);
  return connection_->write([&] {
    prepare(database,
            fmt::format("INSERT INTO experiment (hash, name, space_text, settings, created, used) "
                        "VALUES (?1, ?2, ?3, "
                        "?4, {0}, {0}) ON CONFLICT (hash) DO UPDATE SET used = excluded.used",
                        now),
            hash, name, space_text, settings)
        .exec();
    return require_id(database, "experiment", hash);
  });
}

std::size_t experiment_plans::plan(std::int64_t experiment, std::span<const trial_key> keys) {
  auto& database = connection_->database();
  return connection_->write([&] {
    auto insert = prepare(database,
                          "INSERT INTO trial (configuration, workload, query, device, kernel_source_hash, measurement) "
                          "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING");
    auto link = prepare(database,
                        "INSERT INTO experiment_trial (experiment, trial) SELECT ?7, id FROM trial WHERE "
                        "configuration = ?1 AND workload = ?2 AND query = ?3 AND device = ?4 AND "
                        "kernel_source_hash = ?5 "
                        "AND measurement = ?6 ON CONFLICT DO NOTHING");
    std::size_t added = 0;
    for (const trial_key& key : keys) {
      bind_all(insert, key.configuration, key.workload, key.query, key.device, key.kernel_source_hash, key.measurement);
      added += static_cast<std::size_t>(insert.exec());
      bind_all(link, key.configuration, key.workload, key.query, key.device, key.kernel_source_hash, key.measurement,
               experiment);
      link.exec();
    }
    return added;
  });
}

progress experiment_plans::experiment_progress(std::int64_t experiment) const {
  return connection_->read([&] {
    // Added up here, because SQLite sorts all trials to group them.
    auto row = prepare(connection_->database(),
                       "SELECT t.device, t.state, t.outcome, t.compile_ms / 1000, t.upload_ms / 1000, "
                       "t.measure_ms / 1000, t.check_ms / 1000 "
                       "FROM experiment_trial e CROSS JOIN current_trial t ON t.id = e.trial WHERE e.experiment = ?1",
                       experiment);
    progress counts;
    std::map<std::int64_t, device_progress> devices;
    while (row.executeStep()) {
      std::int64_t id = 0;
      std::string state;
      std::optional<outcome> result;
      device_progress trial;
      read_all(row, id, state, result, trial.compile_s, trial.upload_s, trial.measure_s, trial.check_s);
      device_progress& device = devices[id];
      ++counts.total;
      ++device.total;
      if (state == "pending") ++counts.pending;
      if (state == "running") ++counts.running;
      if (state == "done") {
        ++counts.done;
        ++counts.outcomes[*result];
        ++device.done;
        if (result == outcome::ok) ++device.ok;
      }
      device.compile_s += trial.compile_s;
      device.upload_s += trial.upload_s;
      device.measure_s += trial.measure_s;
      device.check_s += trial.check_s;
    }
    auto named = prepare(connection_->database(), "SELECT id, name, kind FROM device ORDER BY name, id");
    while (named.executeStep()) {
      const auto device = devices.find(named.getColumn(0).getInt64());
      if (device == devices.end()) continue;
      device->second.name = named.getColumn(1).getString();
      device->second.kind = named.getColumn(2).getString();
      counts.devices.push_back(std::move(device->second));
    }
    return counts;
  });
}

std::vector<experiment_row> experiment_plans::experiments() const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), std::string(experiment_columns) + "ORDER BY id");
    std::vector<experiment_row> rows;
    while (row.executeStep()) rows.push_back(read_experiment(row));
    return rows;
  });
}

std::string experiment_plans::experiment_text(std::int64_t id) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT space_text FROM experiment WHERE id = ?1", id);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no experiment {}", id));
    return row.getColumn(0).getString();
  });
}

experiment_row experiment_plans::find_experiment(const std::string& name) const {
  auto newest = connection_->read([&] {
    auto row = prepare(connection_->database(),
                       std::string(experiment_columns) + "WHERE name = ?1 ORDER BY used DESC, id DESC LIMIT 1", name);
    std::optional<experiment_row> experiment;
    if (row.executeStep()) experiment = read_experiment(row);
    return experiment;
  });
  if (newest) return *newest;
  std::set<std::string> distinct;
  for (const experiment_row& row : experiments()) distinct.insert(row.name);
  const std::vector<std::string> names(distinct.begin(), distinct.end());
  throw input_error(fmt::format(
      "{}: no experiment '{}'{}{}", connection_->file().string(), name, did_you_mean(name, names),
      names.empty() ? "; the database has no experiments" : fmt::format(" (known: {})", fmt::join(names, ", "))));
}

std::string experiment_plans::recorded_code(const std::string& code_hash) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT counts_as FROM equal_code WHERE code_hash = ?1 AND variant = ''", code_hash);
    return row.executeStep() ? row.getColumn(0).getString() : code_hash;
  });
}

std::optional<std::int64_t> experiment_plans::find_trial(const trial_key& key) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT id FROM trial WHERE configuration = ?1 AND workload = ?2 AND query = "
                       "?3 AND device = ?4 "
                       "AND kernel_source_hash = ?5 AND measurement = ?6",
                       key.configuration, key.workload, key.query, key.device, key.kernel_source_hash, key.measurement);
    std::optional<std::int64_t> id;
    if (row.executeStep()) id = row.getColumn(0).getInt64();
    return id;
  });
}

std::vector<planned_trial> experiment_plans::planned_trials(std::int64_t experiment, std::int64_t workload,
                                                            const std::string& query, std::int64_t device) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT t.id, t.configuration, t.measurement, t.state = 'done' FROM experiment_trial e "
                       "JOIN trial t ON t.id = e.trial WHERE e.experiment = ?1 AND t.workload = ?2 AND t.query = ?3 "
                       "AND t.device = ?4 ORDER BY t.id",
                       experiment, workload, query, device);
    std::vector<planned_trial> trials;
    while (row.executeStep()) {
      planned_trial& trial = trials.emplace_back();
      read_all(row, trial.id, trial.configuration, trial.measurement, trial.done);
    }
    return trials;
  });
}

}  // namespace mlmq::db
