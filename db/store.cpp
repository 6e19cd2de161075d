// SPDX-License-Identifier: Apache-2.0
#include "db/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "db/connection.hpp"
#include "db/statistics.hpp"
#include "db/worker.hpp"

namespace mlmq::db {
namespace {

constexpr const char* now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

/// The id of the row with this hash. The first statement is only a read: workers put the same few
/// rows over and over.
std::int64_t require_id(SQLite::Database& database, const char* table, const std::string& hash) {
  auto select = prepare(database, fmt::format("SELECT id FROM {} WHERE hash = ?1", table), hash);
  if (!select.executeStep()) throw std::logic_error(fmt::format("no {} {}", table, hash));
  return select.getColumn(0).getInt64();
}

std::int64_t upsert_configuration(SQLite::Database& database, const configuration_record& configuration) {
  const std::string hash = configuration.hash();
  prepare(database,
          "INSERT INTO configuration (hash, problem, parameters, label) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT (hash) DO UPDATE SET label = excluded.label WHERE label <> excluded.label",
          hash, configuration.problem,
          canonical_json(configuration.parameters_json, "the parameters of a configuration"), configuration.label)
      .exec();
  return require_id(database, "configuration", hash);
}

std::int64_t upsert_variant(SQLite::Database& database, const variant_record& variant) {
  const std::string hash = variant.hash();
  // The time of a real compilation is worth more than that of a later load from the cache.
  prepare(database,
          "INSERT INTO kernel_variant (hash, problem, defines, source_hash, compiler, "
          "architecture, compile_ms, "
          "from_cache, registers, shared_bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
          "ON CONFLICT (hash) DO UPDATE SET "
          "compile_ms = CASE WHEN excluded.from_cache < from_cache THEN excluded.compile_ms ELSE "
          "compile_ms END, "
          "from_cache = min(from_cache, excluded.from_cache), "
          "registers = coalesce(excluded.registers, registers), "
          "shared_bytes = coalesce(excluded.shared_bytes, shared_bytes)",
          hash, variant.problem, canonical_json(variant.defines_json, "the defines of a variant"), variant.source_hash,
          variant.compiler, variant.architecture, variant.compile_ms, variant.from_cache, variant.registers,
          variant.shared_bytes)
      .exec();
  return require_id(database, "kernel_variant", hash);
}

constexpr const char* pending_columns =
    "SELECT t.id, t.graph, t.configuration, t.device, t.source, t.attempt, t.crashes, c.problem, "
    "c.parameters, c.label, "
    "t.kernel_source_hash, t.measurement, g.hash, g.name, g.path ";

pending_trial read_pending(SQLite::Statement& row) {
  pending_trial trial;
  int column = 0;
  trial.id = row.getColumn(column++).getInt64();
  trial.graph = row.getColumn(column++).getInt64();
  trial.configuration = row.getColumn(column++).getInt64();
  trial.device = row.getColumn(column++).getInt64();
  trial.source = static_cast<std::uint64_t>(row.getColumn(column++).getInt64());
  trial.attempt = row.getColumn(column++).getInt();
  trial.crashes = row.getColumn(column++).getInt();
  trial.problem = row.getColumn(column++).getString();
  trial.parameters_json = row.getColumn(column++).getString();
  trial.label = row.getColumn(column++).getString();
  trial.kernel_source_hash = row.getColumn(column++).getString();
  trial.measurement = row.getColumn(column++).getString();
  trial.graph_hash = row.getColumn(column++).getString();
  trial.graph_name = row.getColumn(column++).getString();
  trial.graph_path = row.getColumn(column++).getString();
  return trial;
}

/// CROSS JOIN fixes the order of the loops: walking the index of pending trials already yields the
/// order wanted, so the first match is the answer and nothing is sorted.
std::vector<pending_trial> next_pending(SQLite::Database& database, std::int64_t experiment, std::int64_t device,
                                        std::size_t limit, const claim_options& options) {
  const auto select = [&](const char* which, std::size_t count) {
    auto row =
        prepare(database,
                fmt::format("{} FROM trial t CROSS JOIN experiment_trial e ON e.experiment = ?1 AND e.trial = t.id "
                            "CROSS JOIN configuration c ON c.id = t.configuration CROSS JOIN graph g ON g.id = "
                            "t.graph "
                            "WHERE t.state = 'pending' AND t.device = ?2 {} AND (?4 IS NULL OR t.measurement = ?4) "
                            "ORDER BY t.graph, t.source, t.configuration, t.id LIMIT ?5",
                            pending_columns, which),
                experiment, device, options.preferred_graph, options.measurement, static_cast<std::uint64_t>(count));
    std::vector<pending_trial> trials;
    while (row.executeStep()) trials.push_back(read_pending(row));
    return trials;
  };
  if (!options.preferred_graph) return select("", limit);
  std::vector<pending_trial> trials = select("AND t.graph = ?3", limit);
  if (trials.size() < limit && !options.only_preferred) {
    auto others = select("AND t.graph <> ?3", limit - trials.size());
    std::move(others.begin(), others.end(), std::back_inserter(trials));
  }
  return trials;
}

/// The graph with pending trials on which the fewest workers are, the first of several.
std::optional<std::int64_t> quietest_graph(SQLite::Database& database, std::int64_t experiment, std::int64_t device,
                                           const claim_options& options) {
  auto row =
      prepare(database,
              "SELECT t.graph FROM trial t CROSS JOIN experiment_trial e ON e.experiment = ?1 AND e.trial = t.id "
              "WHERE t.state = 'pending' AND t.device = ?2 AND (?3 IS NULL OR t.measurement = ?3) "
              "GROUP BY t.graph ORDER BY "
              "(SELECT count(*) FROM trial r WHERE r.state = 'running' AND r.device = ?2 AND r.graph = t.graph), "
              "t.graph LIMIT 1",
              experiment, device, options.measurement);
  if (!row.executeStep()) return std::nullopt;
  return row.getColumn(0).getInt64();
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

void require_times(std::int64_t trial, std::span<const double> times) {
  for (const double time : times) {
    if (!(std::isfinite(time) && time >= 0)) {
      throw std::invalid_argument(fmt::format("trial {}: {} is not a time in ms", trial, time));
    }
  }
}

void require_finite(std::int64_t trial, const std::string& name, double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("trial {}: {} is not finite", trial, name));
  }
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

/// A final that keeps killing workers ends without result: the trials themselves have theirs.
std::size_t charge_finals(SQLite::Database& database, const std::string& worker, const worker_death& death) {
  const int again =
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
  return static_cast<std::size_t>(again);
}

experiment_row read_experiment(SQLite::Statement& row) {
  return {row.getColumn(0).getInt64(),  row.getColumn(1).getString(), row.getColumn(2).getString(),
          row.getColumn(3).getString(), row.getColumn(4).getString(), row.getColumn(5).getString(),
          row.getColumn(6).getString()};
}

constexpr const char* experiment_columns =
    "SELECT id, hash, name, space_text, settings, created, used FROM experiment ";

graph_record read_graph(SQLite::Database& database, std::int64_t id) {
  auto row = prepare(
      database, "SELECT hash, name, class, path, weight_type, vertices, edges, family FROM graph WHERE id = ?1", id);
  if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no graph {}", id));
  graph_record graph;
  graph.hash = row.getColumn(0).getString();
  graph.name = row.getColumn(1).getString();
  graph.graph_class = row.getColumn(2).getString();
  graph.path = row.getColumn(3).getString();
  graph.weight_type = row.getColumn(4).getString();
  graph.vertices = static_cast<std::uint64_t>(row.getColumn(5).getInt64());
  graph.edges = static_cast<std::uint64_t>(row.getColumn(6).getInt64());
  graph.family = row.getColumn(7).getString();
  auto feature = prepare(database, "SELECT name, value FROM graph_feature WHERE graph = ?1 ORDER BY name", id);
  while (feature.executeStep()) {
    graph.features.emplace_back(feature.getColumn(0).getString(), feature.getColumn(1).getDouble());
  }
  return graph;
}

std::optional<double> optional_double(SQLite::Statement& row, int column) {
  if (row.isColumnNull(column)) return std::nullopt;
  return row.getColumn(column).getDouble();
}

}  // namespace

store store::open(const std::filesystem::path& file, open_mode mode, std::chrono::milliseconds busy_timeout) {
  return store(std::make_unique<connection>(file, mode, busy_timeout));
}

store::store(std::unique_ptr<connection> opened) : connection_(std::move(opened)) {}
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;
store::~store() = default;

const std::filesystem::path& store::file() const { return connection_->file(); }

std::int64_t store::put_device(const device_record& device) {
  auto& database = connection_->database();
  const std::string hash = device.hash();
  return connection_->write([&] {
    prepare(database,
            "INSERT INTO device (hash, name, kind, architecture, memory_bytes, multiprocessors, "
            "description) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (hash) DO UPDATE SET description = "
            "excluded.description WHERE description <> excluded.description",
            hash, device.name, device.kind, device.architecture, device.memory_bytes, device.multiprocessors,
            canonical_json(device.description_json, "the description of a device"))
        .exec();
    return require_id(database, "device", hash);
  });
}

std::int64_t store::put_host(const host_record& host) {
  auto& database = connection_->database();
  const std::string hash = host.hash();
  return connection_->write([&] {
    prepare(database,
            "INSERT INTO host (hash, name, description) VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO "
            "NOTHING",
            hash, host.name, canonical_json(host.description_json, "the description of a host"))
        .exec();
    return require_id(database, "host", hash);
  });
}

std::int64_t store::put_graph(const graph_record& graph) {
  auto& database = connection_->database();
  for (const auto& [name, value] : graph.features) {
    if (!std::isfinite(value)) {
      throw std::invalid_argument(fmt::format("graph {}: feature {} is not finite", graph.name, name));
    }
  }
  return connection_->write([&] {
    prepare(database,
            "INSERT INTO graph (hash, name, class, path, vertices, edges, weight_type, family) VALUES (?1, ?2, ?3, ?4, "
            "?5, ?6, ?7, ?8) ON CONFLICT (hash) DO UPDATE SET name = excluded.name, class = excluded.class, path = "
            "excluded.path, family = excluded.family WHERE name <> excluded.name OR class <> excluded.class OR path <> "
            "excluded.path OR family <> excluded.family",
            graph.hash, graph.name, graph.graph_class, graph.path, graph.vertices, graph.edges, graph.weight_type,
            graph.family)
        .exec();
    const std::int64_t id = require_id(database, "graph", graph.hash);
    auto insert = prepare(database,
                          "INSERT INTO graph_feature (graph, name, value) VALUES (?1, ?2, ?3) ON "
                          "CONFLICT (graph, name) "
                          "DO UPDATE SET value = excluded.value WHERE value <> excluded.value");
    for (const auto& [name, value] : graph.features) {
      bind_all(insert, id, name, value);
      insert.exec();
    }
    return id;
  });
}

std::int64_t store::put_configuration(const configuration_record& configuration) {
  return connection_->write([&] { return upsert_configuration(connection_->database(), configuration); });
}

std::vector<std::int64_t> store::put_configurations(std::span<const configuration_record> configurations) {
  return connection_->write([&] {
    std::vector<std::int64_t> ids;
    ids.reserve(configurations.size());
    for (const configuration_record& configuration : configurations) {
      ids.push_back(upsert_configuration(connection_->database(), configuration));
    }
    return ids;
  });
}

std::int64_t store::put_experiment(const std::string& name, const std::string& space_text,
                                   const std::string& settings_json) {
  auto& database = connection_->database();
  const std::string settings = canonical_json(settings_json, "the settings of an experiment");
  const std::string hash = content_hash().add("experiment").add(name).add(space_text).add(settings).hex();
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

std::int64_t store::put_model(const model_record& model) {
  auto& database = connection_->database();
  const std::string hash = model.hash();
  return connection_->write([&] {
    prepare(database,
            fmt::format("INSERT INTO model (hash, created, algorithm, json, training) VALUES (?1, "
                        "{}, ?2, ?3, ?4) "
                        "ON CONFLICT (hash) DO UPDATE SET created = excluded.created, training = "
                        "excluded.training",
                        now),
            hash, model.algorithm, model.json,
            canonical_json(model.training_json, "the training description of a model"))
        .exec();
    return require_id(database, "model", hash);
  });
}

std::size_t store::plan(std::int64_t experiment, std::span<const trial_key> keys) {
  auto& database = connection_->database();
  return connection_->write([&] {
    auto insert = prepare(database,
                          "INSERT INTO trial (configuration, graph, source, device, kernel_source_hash, measurement) "
                          "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING");
    auto link = prepare(database,
                        "INSERT INTO experiment_trial (experiment, trial) SELECT ?7, id FROM trial WHERE "
                        "configuration = ?1 AND graph = ?2 AND source = ?3 AND device = ?4 AND "
                        "kernel_source_hash = ?5 "
                        "AND measurement = ?6 ON CONFLICT DO NOTHING");
    std::size_t added = 0;
    for (const trial_key& key : keys) {
      bind_all(insert, key.configuration, key.graph, key.source, key.device, key.kernel_source_hash, key.measurement);
      added += static_cast<std::size_t>(insert.exec());
      bind_all(link, key.configuration, key.graph, key.source, key.device, key.kernel_source_hash, key.measurement,
               experiment);
      link.exec();
    }
    return added;
  });
}

std::optional<pending_trial> store::claim(std::int64_t experiment, std::int64_t device, const std::string& worker,
                                          const claim_options& options) {
  auto& database = connection_->database();
  return connection_->write([&]() -> std::optional<pending_trial> {
    auto trials = next_pending(database, experiment, device, 1, options);
    if (trials.empty()) return std::nullopt;
    if (options.spread_over_graphs && trials.front().graph != options.preferred_graph) {
      claim_options quietest = options;
      quietest.preferred_graph = quietest_graph(database, experiment, device, options);
      trials = next_pending(database, experiment, device, 1, quietest);
    }
    mark_running(database, trials.front(), worker);
    return std::move(trials.front());
  });
}

std::optional<pending_trial> store::claim_trial(std::int64_t trial, const std::string& worker) {
  auto& database = connection_->database();
  return connection_->write([&]() -> std::optional<pending_trial> {
    auto row = prepare(database,
                       fmt::format("{} FROM trial t JOIN configuration c ON c.id = t.configuration JOIN graph g ON "
                                   "g.id = t.graph WHERE t.id = ?1 AND t.state = 'pending'",
                                   pending_columns),
                       trial);
    if (!row.executeStep()) return std::nullopt;
    pending_trial claimed = read_pending(row);
    row.reset();
    mark_running(database, claimed, worker);
    return claimed;
  });
}

std::vector<pending_trial> store::upcoming(std::int64_t experiment, std::int64_t device, std::size_t limit,
                                           const claim_options& options) const {
  return connection_->read([&] { return next_pending(connection_->database(), experiment, device, limit, options); });
}

bool store::finish(std::int64_t trial, const trial_result& result) {
  require_times(trial, result.samples_ms);
  require_times(trial, std::array{result.compile_ms, result.upload_ms, result.measure_ms, result.check_ms});
  for (const auto& [name, value] : result.counters) require_finite(trial, name, value);
  for (const timeline_point& point : result.timeline) {
    require_finite(trial, point.name, point.time_ms);
    require_finite(trial, point.name, point.value);
  }
  const std::string environment = canonical_json(result.environment_json, "the environment of a trial");
  // Only a right answer has a time: whoever reads the medians must not have to remember to look at
  // the outcome.
  std::optional<double> middle;
  std::optional<double> spread;
  if (result.result == outcome::ok && !result.samples_ms.empty()) {
    middle = median(result.samples_ms);
    spread = relative_spread(result.samples_ms);
  }
  auto& database = connection_->database();
  return connection_->write([&] {
    auto before = prepare(database, "SELECT state, measurement FROM trial WHERE id = ?1", trial);
    if (!before.executeStep()) throw std::invalid_argument(fmt::format("there is no trial {}", trial));
    if (before.getColumn(0).getString() == "done") return false;
    if (result.result == outcome::ok && !middle && before.getColumn(1).getString() == "time") {
      throw std::invalid_argument(fmt::format("trial {} is ok but has no samples", trial));
    }
    before.reset();
    std::optional<std::int64_t> variant;
    if (result.variant) variant = upsert_variant(database, *result.variant);
    prepare(database,
            fmt::format("UPDATE trial SET state = 'done', outcome = ?2, message = ?3, finished_at "
                        "= {}, kernel_variant = ?4, "
                        "median_ms = ?5, spread = ?6, times_modelled = ?7, host = ?8, "
                        "program_version = ?9, driver = ?10, "
                        "seed = ?11, environment = ?12, compile_ms = ?13, upload_ms = ?14, "
                        "measure_ms = ?15, check_ms = ?16 "
                        "WHERE id = ?1",
                        now),
            trial, to_string(result.result), result.message, variant, middle, spread, result.times_modelled,
            result.host, result.program_version, result.driver, std::to_string(result.seed), environment,
            result.compile_ms, result.upload_ms, result.measure_ms, result.check_ms)
        .exec();
    auto sample = prepare(database, "INSERT INTO sample (trial, ordinal, milliseconds) VALUES (?1, ?2, ?3)");
    for (std::size_t i = 0; i < result.samples_ms.size(); ++i) {
      bind_all(sample, trial, static_cast<std::uint64_t>(i), result.samples_ms[i]);
      sample.exec();
    }
    auto counter = prepare(database, "INSERT OR REPLACE INTO counter (trial, name, value) VALUES (?1, ?2, ?3)");
    for (const auto& [name, value] : result.counters) {
      bind_all(counter, trial, name, value);
      counter.exec();
    }
    auto point =
        prepare(database, "INSERT INTO timeline (trial, name, ordinal, time_ms, value) VALUES (?1, ?2, ?3, ?4, ?5)");
    std::map<std::string, std::int64_t> ordinals;
    for (const timeline_point& entry : result.timeline) {
      bind_all(point, trial, entry.name, ordinals[entry.name]++, entry.time_ms, entry.value);
      point.exec();
    }
    return true;
  });
}

std::size_t store::release_abandoned(const abandoned_policy& policy) {
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

charge_result store::charge(const std::string& worker, const worker_death& death) {
  auto& database = connection_->database();
  return connection_->write([&] {
    charge_result charged;
    struct cost {
      std::int64_t trial;
      int crashes;
      int kills;
    };
    std::vector<cost> costs;
    auto row = prepare(database,
                       "SELECT id, crashes, kills, (julianday('now') - julianday(claimed_at)) * 86400 >= ?2 FROM trial "
                       "WHERE state = 'running' AND worker = ?1",
                       worker, death.kill_counts_after_s);
    while (row.executeStep()) {
      const bool counts = row.getColumn(3).getInt() != 0;
      costs.push_back({row.getColumn(0).getInt64(), row.getColumn(1).getInt() + (death.from_outside ? 0 : 1),
                       row.getColumn(2).getInt() + (death.from_outside && counts ? 1 : 0)});
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

std::optional<double> store::best_time(const std::string& problem, std::int64_t device, std::int64_t graph,
                                       std::uint64_t source) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT t.median_ms FROM trial t CROSS JOIN configuration c ON c.id = t.configuration "
                       "WHERE t.device = ?1 AND t.graph = ?2 AND t.source = ?3 AND t.outcome = 'ok' AND "
                       "t.measurement = 'time' AND c.problem = ?4 ORDER BY t.median_ms LIMIT 1",
                       device, graph, source, problem);
    std::optional<double> best;
    if (row.executeStep()) best = row.getColumn(0).getDouble();
    return best;
  });
}

bool store::was_finished_by(std::int64_t trial, const std::string& worker) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT 1 FROM trial WHERE id = ?1 AND state = 'done' AND worker = ?2",
                       trial, worker);
    return row.executeStep();
  });
}

std::size_t store::release_worker(const std::string& worker, int give_up_after) {
  return connection_->write([&] { return release(connection_->database(), worker, std::nullopt, give_up_after); });
}

std::size_t store::retry(std::int64_t experiment, std::span<const outcome> outcomes) {
  auto& database = connection_->database();
  return connection_->write([&] {
    std::vector<std::int64_t> trials;
    for (const outcome value : std::set<outcome>(outcomes.begin(), outcomes.end())) {
      auto row = prepare(database,
                         "SELECT t.id FROM experiment_trial e JOIN trial t ON t.id = e.trial "
                         "WHERE e.experiment = ?1 AND t.outcome = ?2",
                         experiment, to_string(value));
      while (row.executeStep()) trials.push_back(row.getColumn(0).getInt64());
    }
    for (const std::int64_t trial : trials) {
      for (const char* table : {"sample", "counter", "timeline"}) {
        prepare(database, fmt::format("DELETE FROM {} WHERE trial = ?1", table), trial).exec();
      }
      prepare(database,
              "UPDATE trial SET state = 'pending', outcome = NULL, message = '', worker = NULL, "
              "attempt = 0, crashes = 0, kills = 0, "
              "claimed_at = NULL, finished_at = NULL, kernel_variant = NULL, median_ms = NULL, spread "
              "= NULL, "
              "times_modelled = 0, host = NULL, program_version = NULL, driver = NULL, seed = NULL, "
              "environment = NULL, "
              "compile_ms = NULL, upload_ms = NULL, measure_ms = NULL, check_ms = NULL WHERE id = ?1",
              trial)
          .exec();
    }
    return trials.size();
  });
}

progress store::experiment_progress(std::int64_t experiment) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT t.state, t.outcome, count(*) FROM experiment_trial e JOIN trial t "
                       "ON t.id = e.trial "
                       "WHERE e.experiment = ?1 GROUP BY t.state, t.outcome",
                       experiment);
    progress counts;
    while (row.executeStep()) {
      const std::string state = row.getColumn(0).getString();
      const auto count = static_cast<std::size_t>(row.getColumn(2).getInt64());
      counts.total += count;
      if (state == "pending") counts.pending += count;
      if (state == "running") counts.running += count;
      if (state == "done") {
        counts.done += count;
        counts.outcomes[outcome_from(row.getColumn(1).getString())] += count;
      }
    }
    return counts;
  });
}

std::vector<experiment_row> store::experiments() const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), std::string(experiment_columns) + "ORDER BY id");
    std::vector<experiment_row> rows;
    while (row.executeStep()) rows.push_back(read_experiment(row));
    return rows;
  });
}

std::string store::experiment_text(std::int64_t id) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT space_text FROM experiment WHERE id = ?1", id);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no experiment {}", id));
    return row.getColumn(0).getString();
  });
}

experiment_row store::find_experiment(const std::string& name) const {
  auto found = connection_->read([&] {
    auto row = prepare(connection_->database(),
                       std::string(experiment_columns) + "WHERE name = ?1 ORDER BY used DESC, id DESC LIMIT 1", name);
    std::optional<experiment_row> experiment;
    if (row.executeStep()) experiment = read_experiment(row);
    return experiment;
  });
  if (found) return *found;
  std::set<std::string> distinct;
  for (const experiment_row& row : experiments()) distinct.insert(row.name);
  const std::vector<std::string> names(distinct.begin(), distinct.end());
  throw input_error(
      fmt::format("{}: there is no experiment '{}'{}{}", file().string(), name, did_you_mean(name, names),
                  names.empty() ? "; the database has none" : fmt::format(" (it has: {})", fmt::join(names, ", "))));
}

device_record store::device(std::int64_t id) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT name, kind, architecture, memory_bytes, multiprocessors, "
                       "description FROM device WHERE "
                       "id = ?1",
                       id);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no device {}", id));
    device_record device;
    device.name = row.getColumn(0).getString();
    device.kind = row.getColumn(1).getString();
    device.architecture = row.getColumn(2).getString();
    device.memory_bytes = static_cast<std::uint64_t>(row.getColumn(3).getInt64());
    device.multiprocessors = row.getColumn(4).getInt();
    device.description_json = row.getColumn(5).getString();
    return device;
  });
}

graph_record store::graph(std::int64_t id) const {
  return connection_->read([&] { return read_graph(connection_->database(), id); });
}

configuration_record store::configuration(std::int64_t id) const {
  return connection_->read([&] {
    auto row =
        prepare(connection_->database(), "SELECT problem, parameters, label FROM configuration WHERE id = ?1", id);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no configuration {}", id));
    return configuration_record{row.getColumn(0).getString(), row.getColumn(1).getString(),
                                row.getColumn(2).getString()};
  });
}

std::optional<std::int64_t> store::find_trial(const trial_key& key) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT id FROM trial WHERE configuration = ?1 AND graph = ?2 AND source = "
                       "?3 AND device = ?4 "
                       "AND kernel_source_hash = ?5 AND measurement = ?6",
                       key.configuration, key.graph, key.source, key.device, key.kernel_source_hash, key.measurement);
    std::optional<std::int64_t> id;
    if (row.executeStep()) id = row.getColumn(0).getInt64();
    return id;
  });
}

std::vector<planned_trial> store::planned_trials(std::int64_t experiment, std::int64_t graph, std::uint64_t source,
                                                 std::int64_t device) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT t.id, t.configuration, t.measurement, t.state = 'done' FROM experiment_trial e "
                       "JOIN trial t ON t.id = e.trial WHERE e.experiment = ?1 AND t.graph = ?2 AND t.source = ?3 "
                       "AND t.device = ?4 ORDER BY t.id",
                       experiment, graph, source, device);
    std::vector<planned_trial> trials;
    while (row.executeStep()) {
      trials.push_back({.id = row.getColumn(0).getInt64(),
                        .configuration = row.getColumn(1).getInt64(),
                        .measurement = row.getColumn(2).getString(),
                        .done = row.getColumn(3).getInt() != 0});
    }
    return trials;
  });
}

std::optional<trial_summary> store::summary(std::int64_t trial) const {
  return connection_->read([&] {
    auto row =
        prepare(connection_->database(),
                "SELECT outcome, message, median_ms, spread, (coalesce(compile_ms, 0) + coalesce(upload_ms, 0) + "
                "coalesce(measure_ms, 0) + coalesce(check_ms, 0)) / 1000.0 FROM trial WHERE id = ?1 AND state = "
                "'done'",
                trial);
    std::optional<trial_summary> result;
    if (row.executeStep()) {
      result = trial_summary{outcome_from(row.getColumn(0).getString()), row.getColumn(1).getString(),
                             optional_double(row, 2), optional_double(row, 3), row.getColumn(4).getDouble()};
    }
    return result;
  });
}

std::vector<double> store::samples(std::int64_t trial) const {
  return connection_->read([&] {
    auto row =
        prepare(connection_->database(), "SELECT milliseconds FROM sample WHERE trial = ?1 ORDER BY ordinal", trial);
    std::vector<double> values;
    while (row.executeStep()) values.push_back(row.getColumn(0).getDouble());
    return values;
  });
}

std::map<std::string, double> store::counters(std::int64_t trial) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT name, value FROM counter WHERE trial = ?1", trial);
    std::map<std::string, double> values;
    while (row.executeStep()) values[row.getColumn(0).getString()] = row.getColumn(1).getDouble();
    return values;
  });
}

training_data store::training(const trial_filter& filter) const {
  auto& database = connection_->database();
  return connection_->read([&] {
    // The newest of the selected trials, and the best of those, both inside the selection: an
    // experiment on an older kernel can still be trained from.
    auto row = prepare(database,
                       "SELECT trial, graph, configuration, device, source, problem, graph_hash, "
                       "configuration_hash, device_hash, "
                       "parameters, label, outcome, times_modelled, median_ms, "
                       "min(median_ms) OVER (PARTITION BY problem, graph, source, device) "
                       "FROM (SELECT t.id AS trial, t.graph, t.configuration, t.device, t.source, c.problem, "
                       "g.hash AS graph_hash, "
                       "c.hash AS configuration_hash, d.hash AS device_hash, c.parameters, c.label, t.outcome, "
                       "t.times_modelled, "
                       "t.median_ms, row_number() OVER (PARTITION BY t.configuration, t.graph, t.source, t.device "
                       "ORDER BY "
                       "t.finished_at DESC, t.id DESC) AS recency "
                       "FROM trial t JOIN configuration c ON c.id = t.configuration JOIN graph g ON g.id = "
                       "t.graph "
                       "JOIN device d ON d.id = t.device WHERE t.state = 'done' AND t.measurement = 'time' "
                       "AND (?1 IS NULL OR t.id IN (SELECT trial FROM experiment_trial WHERE experiment = ?1)) "
                       "AND (?2 IS NULL OR t.device = ?2) AND (?3 IS NULL OR t.graph = ?3) AND (?4 IS NULL OR "
                       "t.source = ?4) "
                       "AND (?5 IS NULL OR c.problem = ?5)) WHERE recency = 1 "
                       "ORDER BY problem, graph_hash, source, device_hash, configuration_hash",
                       filter.experiment, filter.device, filter.graph, filter.source, filter.problem);
    training_data data;
    while (row.executeStep()) {
      training_row entry;
      int column = 0;
      entry.trial = row.getColumn(column++).getInt64();
      entry.graph = row.getColumn(column++).getInt64();
      entry.configuration = row.getColumn(column++).getInt64();
      entry.device = row.getColumn(column++).getInt64();
      entry.source = static_cast<std::uint64_t>(row.getColumn(column++).getInt64());
      entry.problem = row.getColumn(column++).getString();
      entry.graph_hash = row.getColumn(column++).getString();
      entry.configuration_hash = row.getColumn(column++).getString();
      entry.device_hash = row.getColumn(column++).getString();
      entry.parameters_json = row.getColumn(column++).getString();
      entry.label = row.getColumn(column++).getString();
      entry.result = outcome_from(row.getColumn(column++).getString());
      entry.times_modelled = row.getColumn(column++).getInt() != 0;
      entry.median_ms = optional_double(row, column++);
      if (entry.median_ms) {
        const double best = row.getColumn(column).getDouble();
        entry.relative = *entry.median_ms == best ? 1.0 : best / *entry.median_ms;
      }
      if (!data.graphs.contains(entry.graph)) {
        data.graphs.emplace(entry.graph, read_graph(database, entry.graph));
      }
      data.rows.push_back(std::move(entry));
    }
    return data;
  });
}

model_record store::model(const std::string& hash) const {
  auto found = connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT algorithm, json, training FROM model WHERE hash = ?1", hash);
    std::optional<model_record> result;
    if (row.executeStep()) {
      result = model_record{row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString()};
    }
    return result;
  });
  if (!found) throw input_error(fmt::format("{}: there is no model {}", file().string(), hash));
  return *found;
}

std::optional<model_record> store::newest_model(const std::optional<std::string>& algorithm) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT algorithm, json, training FROM model WHERE ?1 IS NULL OR algorithm = ?1 "
                       "ORDER BY created DESC, id DESC LIMIT 1",
                       algorithm);
    std::optional<model_record> result;
    if (row.executeStep()) {
      result = model_record{row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString()};
    }
    return result;
  });
}

}  // namespace mlmq::db
