// SPDX-License-Identifier: Apache-2.0
#include "db/finished_trials.hpp"

#include <utility>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {
namespace {

std::vector<finished_trial> read_trials(SQLite::Database& database, text_pool& texts) {
  std::vector<finished_trial> trials;
  SQLite::Statement row(
      database,
      "SELECT t.id, t.workload, t.configuration, t.device, t.query, t.measurement, t.outcome, t.message, t.median_ms, "
      "coalesce(t.spread, 0), coalesce(s.samples, 0), coalesce(k.counters, 0), t.times_modelled, "
      "coalesce(t.compile_ms, 0), "
      "coalesce(t.upload_ms, 0), coalesce(t.measure_ms, 0), coalesce(t.check_ms, 0), t.finished_at, "
      "coalesce(t.environment, '{}'), coalesce(t.program_version, ''), coalesce(t.driver, ''), "
      "coalesce(v.compiler, ''), coalesce(h.name, ''), t.kernel_source_hash, t.id IN (SELECT id FROM latest) "
      "FROM current_trial t LEFT JOIN kernel_variant v ON v.id = t.kernel_variant LEFT JOIN host h ON h.id = t.host "
      "LEFT JOIN (SELECT trial, count(*) AS samples FROM sample GROUP BY trial) s ON s.trial = t.id "
      "LEFT JOIN (SELECT trial, count(*) AS counters FROM counter GROUP BY trial) k ON k.trial = t.id "
      "WHERE t.state = 'done' ORDER BY t.finished_at, t.id");
  const auto shared = [&](std::string_view& text) { return pooled_text{texts, text}; };
  while (row.executeStep()) {
    finished_trial& trial = trials.emplace_back();
    read_all(row, trial.id, trial.workload, trial.configuration, trial.device, shared(trial.query),
             shared(trial.measurement), trial.result, shared(trial.message), trial.median_ms, trial.spread,
             trial.samples, trial.counters, trial.times_modelled, trial.compile_ms, trial.upload_ms, trial.measure_ms,
             trial.check_ms, shared(trial.finished_at), shared(trial.environment_json), shared(trial.program_version),
             shared(trial.driver), shared(trial.compiler), shared(trial.host), shared(trial.kernel_source_hash),
             trial.latest);
  }
  return trials;
}

std::map<std::int64_t, device_record> read_devices(SQLite::Database& database) {
  std::map<std::int64_t, device_record> devices;
  SQLite::Statement row(database,
                        "SELECT id, name, kind, modelled, architecture, memory_bytes, multiprocessors, description "
                        "FROM device");
  while (row.executeStep()) {
    std::int64_t id = 0;
    device_record device;
    read_all(row, id, device.name, device.kind, device.modelled, device.architecture, device.memory_bytes,
             device.multiprocessors, device.description_json);
    devices.emplace(id, std::move(device));
  }
  return devices;
}

std::map<std::int64_t, workload_record> read_workloads(SQLite::Database& database) {
  std::map<std::int64_t, workload_record> workloads;
  SQLite::Statement row(database,
                        "SELECT id, hash, kind, name, class, origin, bytes, family, description FROM workload");
  while (row.executeStep()) {
    std::int64_t id = 0;
    workload_record workload;
    read_all(row, id, workload.hash, workload.kind, workload.name, workload.workload_class, workload.origin,
             workload.bytes, workload.family, workload.description_json);
    workloads.emplace(id, std::move(workload));
  }
  SQLite::Statement feature(database, "SELECT workload, name, value FROM workload_feature ORDER BY workload, name");
  while (feature.executeStep()) {
    std::int64_t id = 0;
    std::pair<std::string, double> entry;
    read_all(feature, id, entry.first, entry.second);
    workloads.at(id).features.push_back(std::move(entry));
  }
  return workloads;
}

std::map<std::int64_t, configuration_record> read_configurations(SQLite::Database& database) {
  std::map<std::int64_t, configuration_record> configurations;
  SQLite::Statement row(database, "SELECT id, problem, parameters, label FROM configuration");
  while (row.executeStep()) {
    std::int64_t id = 0;
    configuration_record configuration;
    read_all(row, id, configuration.problem, configuration.parameters_json, configuration.label);
    configurations.emplace(id, std::move(configuration));
  }
  return configurations;
}

std::vector<experiment_summary> read_experiments(SQLite::Database& database) {
  std::vector<experiment_summary> experiments;
  SQLite::Statement row(
      database,
      "SELECT e.id, e.hash, e.name, e.space_text, e.settings, e.created, e.used, count(t.id), "
      "coalesce(sum(t.state = 'done'), 0) FROM experiment e "
      "LEFT JOIN experiment_trial x ON x.experiment = e.id LEFT JOIN current_trial t ON t.id = x.trial "
      "GROUP BY e.id ORDER BY e.created, e.id");
  while (row.executeStep()) {
    experiment_summary& summary = experiments.emplace_back();
    read_all(row, summary.experiment.id, summary.experiment.hash, summary.experiment.name,
             summary.experiment.space_text, summary.experiment.settings_json, summary.experiment.created,
             summary.experiment.used, summary.trials, summary.done);
  }
  return experiments;
}

std::vector<worker_session> read_worker_sessions(SQLite::Database& database) {
  std::vector<worker_session> sessions;
  SQLite::Statement row(database,
                        "SELECT e.name, d.name, h.name, s.worker, s.started_at, s.seen_at, s.trials, s.wall_ms, "
                        "s.measure_ms, s.compile_ms, s.prepare_ms, s.record_ms, s.load_ms, s.upload_ms, s.check_ms, "
                        "s.idle_ms FROM session s JOIN experiment e ON e.id = s.experiment "
                        "JOIN device d ON d.id = s.device JOIN host h ON h.id = s.host ORDER BY s.started_at, s.id");
  while (row.executeStep()) {
    worker_session& session = sessions.emplace_back();
    read_all(row, session.experiment, session.device, session.host, session.worker, session.started_at, session.seen_at,
             session.trials, session.times.wall, session.times.measure, session.times.compile, session.times.prepare,
             session.times.record, session.times.load, session.times.upload, session.times.check, session.times.idle);
  }
  return sessions;
}

}  // namespace

whole_record read_whole_record(const store& source) {
  connection& opened = source.access();
  const hidden_trials other_code = count_hidden_trials(source);
  return opened.read([&] {
    SQLite::Database& database = opened.database();
    whole_record record;
    record.other_code = other_code;
    record.trials = read_trials(database, record.texts);
    record.devices = read_devices(database);
    record.workloads = read_workloads(database);
    record.configurations = read_configurations(database);
    record.experiments = read_experiments(database);
    record.sessions = read_worker_sessions(database);
    SQLite::Statement row(database, "SELECT count(*) FROM current_trial WHERE state <> 'done'");
    row.executeStep();
    read_all(row, record.unfinished);
    return record;
  });
}

}  // namespace mlmq::db
