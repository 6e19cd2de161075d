// SPDX-License-Identifier: Apache-2.0
#include "db/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mlmq::db {
namespace {

// Times of day are ISO 8601 in UTC. `hash` columns are content hashes (db/records.hpp); the integer
// ids are private to one file. Durations are in milliseconds.
//
// `crashes` and `kills` count the workers that a trial has cost so far; a recorded result keeps them. A session is the
// life of one worker process, with a breakdown of its wall time. A final measures the fastest configurations of one
// workload and query once more with interleaved runs; it belongs to one experiment. Metrics are computed from other
// values of a trial (tuner/metrics.hpp).
constexpr std::string_view tables = R"sql(
CREATE TABLE device (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind <> ''),
  modelled INTEGER NOT NULL CHECK (modelled IN (0, 1)),
  architecture TEXT NOT NULL,
  memory_bytes INTEGER NOT NULL CHECK (memory_bytes >= 0),
  multiprocessors INTEGER NOT NULL CHECK (multiprocessors >= 0),
  description TEXT NOT NULL CHECK (json_valid(description))
) STRICT;

CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL CHECK (json_valid(description))
) STRICT;

CREATE TABLE workload (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE CHECK (hash <> ''),
  kind TEXT NOT NULL CHECK (kind <> ''),
  name TEXT NOT NULL,
  class TEXT NOT NULL,
  family TEXT NOT NULL,
  origin TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  description TEXT NOT NULL CHECK (json_valid(description))
) STRICT;

CREATE TABLE workload_feature (
  workload INTEGER NOT NULL REFERENCES workload ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (workload, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE configuration (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  problem TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK (json_type(parameters) = 'object'),
  label TEXT NOT NULL
) STRICT;

CREATE TABLE kernel_variant (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  problem TEXT NOT NULL,
  defines TEXT NOT NULL CHECK (json_type(defines) = 'object'),
  source_hash TEXT NOT NULL,
  compiler TEXT NOT NULL,
  architecture TEXT NOT NULL,
  compile_ms REAL NOT NULL CHECK (compile_ms >= 0),
  from_cache INTEGER NOT NULL CHECK (from_cache IN (0, 1)),
  registers INTEGER CHECK (registers >= 0),
  shared_bytes INTEGER CHECK (shared_bytes >= 0)
) STRICT;

CREATE TABLE experiment (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  space_text TEXT NOT NULL,
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  created TEXT NOT NULL,
  used TEXT NOT NULL
) STRICT;
CREATE INDEX experiment_by_name ON experiment (name, used);

CREATE TABLE trial (
  id INTEGER PRIMARY KEY,
  workload INTEGER NOT NULL REFERENCES workload,
  query TEXT NOT NULL,
  configuration INTEGER NOT NULL REFERENCES configuration,
  device INTEGER NOT NULL REFERENCES device,
  kernel_source_hash TEXT NOT NULL,
  measurement TEXT NOT NULL CHECK (measurement IN ('time', 'counters', 'timeline', 'hardware', 'energy')),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done')),
  outcome TEXT CHECK (outcome IN ('ok', 'compile_error', 'launch_error', 'timeout', 'wrong_answer',
                                  'overflow', 'crashed', 'constraint')),
  message TEXT NOT NULL DEFAULT '',
  worker TEXT,
  attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  crashes INTEGER NOT NULL DEFAULT 0 CHECK (crashes >= 0),
  kills INTEGER NOT NULL DEFAULT 0 CHECK (kills >= 0),
  claimed_at TEXT,
  finished_at TEXT,
  kernel_variant INTEGER REFERENCES kernel_variant,
  median_ms REAL CHECK (median_ms >= 0),
  spread REAL CHECK (spread >= 0),
  times_modelled INTEGER NOT NULL DEFAULT 0 CHECK (times_modelled IN (0, 1)),
  host INTEGER REFERENCES host,
  program_version TEXT,
  driver TEXT,
  seed TEXT,
  environment TEXT CHECK (environment IS NULL OR json_valid(environment)),
  compile_ms REAL CHECK (compile_ms >= 0),
  upload_ms REAL CHECK (upload_ms >= 0),
  measure_ms REAL CHECK (measure_ms >= 0),
  check_ms REAL CHECK (check_ms >= 0),
  UNIQUE (configuration, workload, query, device, kernel_source_hash, measurement),
  CHECK ((state = 'done') = (outcome IS NOT NULL)),
  CHECK ((state = 'done') = (finished_at IS NOT NULL)),
  CHECK (state <> 'running' OR (worker IS NOT NULL AND claimed_at IS NOT NULL)),
  CHECK (median_ms IS NULL OR outcome = 'ok'),
  CHECK (outcome IS NULL OR outcome <> 'ok' OR measurement <> 'time' OR median_ms IS NOT NULL)
) STRICT;
-- The order in which trials are claimed: a worker keeps its workload loaded as long as it can.
CREATE INDEX trial_pending ON trial (device, workload, query, configuration) WHERE state = 'pending';
CREATE INDEX trial_running ON trial (worker) WHERE state = 'running';
CREATE INDEX trial_best ON trial (device, workload, query, median_ms) WHERE outcome = 'ok' AND measurement = 'time';

CREATE TABLE experiment_trial (
  experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  PRIMARY KEY (experiment, trial)
) STRICT, WITHOUT ROWID;
CREATE INDEX experiment_trial_by_trial ON experiment_trial (trial);

CREATE TABLE sample (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  milliseconds REAL NOT NULL CHECK (milliseconds >= 0),
  PRIMARY KEY (trial, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE timeline (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  time_ms REAL NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (trial, name, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
  device INTEGER NOT NULL REFERENCES device,
  host INTEGER NOT NULL REFERENCES host,
  worker TEXT NOT NULL UNIQUE,
  selector TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  trials INTEGER NOT NULL DEFAULT 0 CHECK (trials >= 0),
  wall_ms REAL NOT NULL DEFAULT 0 CHECK (wall_ms >= 0),
  measure_ms REAL NOT NULL DEFAULT 0 CHECK (measure_ms >= 0),
  compile_ms REAL NOT NULL DEFAULT 0 CHECK (compile_ms >= 0),
  load_ms REAL NOT NULL DEFAULT 0 CHECK (load_ms >= 0),
  upload_ms REAL NOT NULL DEFAULT 0 CHECK (upload_ms >= 0),
  check_ms REAL NOT NULL DEFAULT 0 CHECK (check_ms >= 0),
  idle_ms REAL NOT NULL DEFAULT 0 CHECK (idle_ms >= 0),
  prepare_ms REAL NOT NULL DEFAULT 0 CHECK (prepare_ms >= 0),
  record_ms REAL NOT NULL DEFAULT 0 CHECK (record_ms >= 0)
) STRICT;
CREATE INDEX session_by_experiment ON session (experiment, device);

CREATE TABLE final (
  id INTEGER PRIMARY KEY,
  experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
  workload INTEGER NOT NULL REFERENCES workload,
  query TEXT NOT NULL,
  device INTEGER NOT NULL REFERENCES device,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done')),
  message TEXT NOT NULL DEFAULT '',
  worker TEXT,
  attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  crashes INTEGER NOT NULL DEFAULT 0 CHECK (crashes >= 0),
  claimed_at TEXT,
  finished_at TEXT,
  UNIQUE (experiment, workload, query, device),
  CHECK ((state = 'done') = (finished_at IS NOT NULL)),
  CHECK (state <> 'running' OR (worker IS NOT NULL AND claimed_at IS NOT NULL))
) STRICT;
CREATE INDEX final_running ON final (worker) WHERE state = 'running';

CREATE TABLE finalist (
  final INTEGER NOT NULL REFERENCES final ON DELETE CASCADE,
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  place INTEGER NOT NULL CHECK (place >= 1),
  median_ms REAL NOT NULL CHECK (median_ms >= 0),
  spread REAL NOT NULL CHECK (spread >= 0),
  PRIMARY KEY (final, trial)
) STRICT, WITHOUT ROWID;

CREATE TABLE final_sample (
  final INTEGER NOT NULL,
  trial INTEGER NOT NULL,
  round INTEGER NOT NULL CHECK (round >= 0),
  milliseconds REAL NOT NULL CHECK (milliseconds >= 0),
  PRIMARY KEY (final, trial, round),
  FOREIGN KEY (final, trial) REFERENCES finalist ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX finalist_by_trial ON finalist (trial);

CREATE TABLE kernel_function (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL,
  registers INTEGER CHECK (registers >= 0),
  local_bytes INTEGER CHECK (local_bytes >= 0),
  shared_bytes INTEGER NOT NULL CHECK (shared_bytes >= 0),
  occupancy REAL NOT NULL CHECK (occupancy BETWEEN 0 AND 1),
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;
)sql";

/// Tables that older files of this schema version lack, with their columns. A file without them has nothing to say in
/// them, so opening it adds them, and the version stays.
///
/// Code counts as other code, in all its variants if `variant` is "", else in one, which compiled to the same
/// instructions: trials of that variant have been moved to the other code. A variant is the hash of a kernel_variant.
struct added_table {
  const char* name;
  const char* columns;
};
constexpr std::array<added_table, 2> added_tables{
    {{"equal_code",
      "code_hash TEXT NOT NULL, variant TEXT NOT NULL, counts_as TEXT NOT NULL CHECK (counts_as <> code_hash), "
      "PRIMARY KEY (code_hash, variant)"},
     {"machine_code", "variant TEXT PRIMARY KEY, instructions TEXT NOT NULL CHECK (instructions <> '')"}}};

// Code is superseded on a device when a configuration has finished trials of this code and of code that finished a
// trial later. The hash of trials of an interleaved comparison identifies the comparison, not a version of the code.
constexpr std::string_view views = R"sql(
CREATE VIEW superseded_code AS
WITH several AS (
  SELECT configuration, device FROM trial GROUP BY configuration, device
  HAVING min(kernel_source_hash) <> max(kernel_source_hash)
), version AS (
  SELECT t.configuration, t.device, t.kernel_source_hash, max(t.finished_at) AS finished_at, max(t.id) AS id
  FROM several s JOIN trial t ON t.configuration = s.configuration AND t.device = s.device
  WHERE t.state = 'done' AND t.id NOT IN
        (SELECT x.trial FROM experiment e JOIN experiment_trial x ON x.experiment = e.id
         WHERE json_extract(e.settings, '$.interleaved'))
  GROUP BY t.configuration, t.device, t.kernel_source_hash
), code AS (
  SELECT device, kernel_source_hash, max(finished_at) AS finished_at, max(id) AS id
  FROM version GROUP BY device, kernel_source_hash
)
SELECT DISTINCT o.device, o.kernel_source_hash
FROM version o
JOIN version n ON n.configuration = o.configuration AND n.device = o.device
JOIN code oc ON oc.device = o.device AND oc.kernel_source_hash = o.kernel_source_hash
JOIN code nc ON nc.device = n.device AND nc.kernel_source_hash = n.kernel_source_hash
WHERE (nc.finished_at, nc.id) > (oc.finished_at, oc.id);

CREATE VIEW current_trial AS
SELECT * FROM trial
WHERE state <> 'done' OR (device, kernel_source_hash) NOT IN (SELECT device, kernel_source_hash FROM superseded_code);

CREATE VIEW latest AS
SELECT id, workload, query, configuration, device, kernel_source_hash, measurement, outcome, message, attempt,
       finished_at, kernel_variant, median_ms, spread, times_modelled
FROM (SELECT *, row_number() OVER (PARTITION BY configuration, workload, query, device, measurement
                                   ORDER BY finished_at DESC, id DESC) AS recency
      FROM current_trial WHERE state = 'done')
WHERE recency = 1;

CREATE VIEW result AS
SELECT t.id AS trial, c.problem, w.kind AS workload_kind, w.name AS workload, w.class, t.query,
       d.name AS device, d.kind AS device_kind, c.label AS configuration, c.parameters, t.measurement,
       t.outcome, t.message, t.median_ms, t.spread,
       (SELECT count(*) FROM sample s WHERE s.trial = t.id) AS samples,
       t.times_modelled,
       (SELECT json_group_object(k.name, k.value) FROM counter k WHERE k.trial = t.id) AS counters,
       (SELECT json_group_object(m.name, m.value) FROM metric m WHERE m.trial = t.id) AS metrics,
       coalesce(v.registers, (SELECT max(f.registers) FROM kernel_function f WHERE f.trial = t.id)) AS registers,
       (SELECT max(f.local_bytes) FROM kernel_function f WHERE f.trial = t.id) AS local_bytes,
       coalesce(v.shared_bytes, (SELECT max(f.shared_bytes) FROM kernel_function f WHERE f.trial = t.id))
         AS shared_bytes,
       (SELECT min(f.occupancy) FROM kernel_function f WHERE f.trial = t.id) AS occupancy,
       t.attempt, t.compile_ms, t.upload_ms, t.measure_ms, t.check_ms,
       t.program_version, t.kernel_source_hash, v.compiler, t.driver, t.seed, t.environment,
       h.name AS host, t.worker, t.claimed_at, t.finished_at,
       w.hash AS workload_hash, c.hash AS configuration_hash, d.hash AS device_hash
FROM current_trial t
JOIN workload w ON w.id = t.workload
JOIN configuration c ON c.id = t.configuration
JOIN device d ON d.id = t.device
LEFT JOIN kernel_variant v ON v.id = t.kernel_variant
LEFT JOIN host h ON h.id = t.host
WHERE t.state = 'done';

-- Simulated and real devices are different devices, so modelled times are never compared with measured ones.
-- A trial has a row for each first objective of its experiments (`time` if there is none), with the costs of
-- db/objective.hpp.
CREATE VIEW relative AS
SELECT trial, problem, workload, class, query, device, device_kind, configuration, parameters, median_ms, spread,
       best_ms, objective, direction, CASE WHEN direction = 'maximize' THEN 1 / cost ELSE cost END AS value,
       CASE WHEN cost = best_cost THEN 1.0 ELSE best_cost / cost END AS relative_performance,
       times_modelled, workload_hash, configuration_hash, device_hash
FROM (SELECT *, min(median_ms) OVER same_input AS best_ms, min(cost) OVER same_input AS best_cost
FROM (SELECT t.id AS trial, c.problem, w.name AS workload, w.class, t.query, d.name AS device,
             d.kind AS device_kind, c.label AS configuration, c.parameters, t.median_ms, t.spread,
             coalesce(o.name, 'time') AS objective, coalesce(o.direction, 'minimize') AS direction,
             CASE coalesce(o.name, 'time') WHEN 'time'
               THEN CASE o.direction WHEN 'maximize' THEN 1 / nullif(t.median_ms, 0) ELSE t.median_ms END
               ELSE (SELECT CASE o.direction WHEN 'maximize' THEN 1 / nullif(max(m.value, 0), 0)
                                             ELSE CASE WHEN m.value >= 0 THEN m.value END END
                     FROM metric m WHERE m.trial = t.id AND m.name = o.name) END AS cost,
             t.times_modelled, w.hash AS workload_hash, c.hash AS configuration_hash, d.hash AS device_hash
      FROM latest t
      LEFT JOIN (SELECT DISTINCT l.trial, coalesce(json_extract(e.settings, '$.objectives[0].name'), 'time') AS name,
                        coalesce(json_extract(e.settings, '$.objectives[0].direction'), 'minimize') AS direction
                 FROM experiment e JOIN experiment_trial l ON l.experiment = e.id) o ON o.trial = t.id
      JOIN workload w ON w.id = t.workload
      JOIN configuration c ON c.id = t.configuration
      JOIN device d ON d.id = t.device
      WHERE t.measurement = 'time' AND t.outcome = 'ok')
WINDOW same_input AS (PARTITION BY problem, workload_hash, query, device_hash, objective, direction));

CREATE VIEW work_count AS
SELECT t.id AS trial, c.problem, w.name AS workload, w.class, t.query, d.name AS device, d.kind AS device_kind,
       c.label AS configuration, c.parameters, k.name AS counter, k.value,
       w.hash AS workload_hash, c.hash AS configuration_hash, d.hash AS device_hash
FROM latest t
JOIN counter k ON k.trial = t.id
JOIN workload w ON w.id = t.workload
JOIN configuration c ON c.id = t.configuration
JOIN device d ON d.id = t.device
WHERE t.outcome = 'ok' AND t.measurement = 'counters';

CREATE VIEW final_result AS
SELECT f.id AS final, e.name AS experiment, c.problem, w.name AS workload, w.class, f.query, d.name AS device,
       l.place, c.label AS configuration, c.parameters, l.median_ms, l.spread,
       (SELECT count(*) FROM final_sample s WHERE s.final = f.id AND s.trial = l.trial) AS rounds,
       t.median_ms AS first_median_ms, l.trial, w.hash AS workload_hash, c.hash AS configuration_hash,
       d.hash AS device_hash
FROM final f
JOIN finalist l ON l.final = f.id
JOIN current_trial t ON t.id = l.trial
JOIN experiment e ON e.id = f.experiment
JOIN workload w ON w.id = f.workload
JOIN configuration c ON c.id = t.configuration
JOIN device d ON d.id = f.device
WHERE f.state = 'done';
)sql";

constexpr std::string_view create_view = "CREATE VIEW ";

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; (i = views.find(create_view, i)) != std::string_view::npos;) {
    i += create_view.size();
    names.emplace_back(views.substr(i, views.find(' ', i) - i));
  }
  return names;
}

void drop_views(SQLite::Database& database, std::string_view schema) {
  for (const std::string& name : view_names()) database.exec(fmt::format("DROP VIEW IF EXISTS {}.{}", schema, name));
}

int user_version(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }

struct schema_entry {
  std::string type;
  std::string definition;  ///< definition of a view; empty for a table
};

/// Returns the tables and views by name.
std::map<std::string, schema_entry> read_schema(SQLite::Database& database) {
  std::map<std::string, schema_entry> entries;
  SQLite::Statement row(database, "SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view')");
  while (row.executeStep()) {
    const std::string type = row.getColumn(1).getString();
    entries[row.getColumn(0).getString()] = {.type = type,
                                             .definition = type == "view" ? row.getColumn(2).getString() : ""};
  }
  return entries;
}

}  // namespace

void add_tables(SQLite::Database& database, table_place place) {
  for (const auto& [name, columns] : added_tables) {
    if (database.tableExists(name)) continue;
    // Another process may have added it meanwhile.
    database.exec(fmt::format("CREATE {} TABLE IF NOT EXISTS {} ({}) STRICT, WITHOUT ROWID",
                              place == table_place::session ? "TEMP" : "", name, columns));
  }
}

void apply_equal_code(SQLite::Database& database) {
  database.exec(
      "UPDATE OR IGNORE trial SET kernel_source_hash = e.counts_as FROM equal_code e "
      "WHERE e.code_hash = trial.kernel_source_hash AND e.variant = ''");
}

void create_session_views(SQLite::Database& database, std::string_view trials) {
  drop_views(database, "temp");
  std::string session_views(views);
  for (std::size_t i = 0; (i = session_views.find(create_view, i)) != std::string::npos; i += create_view.size()) {
    session_views.replace(i, create_view.size(), "CREATE TEMP VIEW ");
  }
  database.exec(session_views);
  if (!trials.empty()) {
    database.exec(fmt::format("DROP VIEW temp.current_trial; CREATE TEMP VIEW current_trial AS {}", trials));
  }
}

void require_schema_version(int version, const std::filesystem::path& file) {
  if (version == schema_version) return;
  throw input_error(
      fmt::format("{}: the database has schema version {}, but this program reads version {}; use the program that "
                  "wrote it, or measure again into a new file",
                  file.string(), version, schema_version));
}

void require_own_schema(SQLite::Database& database, const std::filesystem::path& file) {
  SQLite::Database model(":memory:", SQLite::OPEN_READWRITE);
  create_schema(model);
  const std::map<std::string, schema_entry> entries = read_schema(database);
  for (const auto& [name, expected] : read_schema(model)) {
    const auto entry = entries.find(name);
    const bool is_missing = entry == entries.end();
    if (is_missing && std::ranges::find(added_tables, name, &added_table::name) != added_tables.end()) continue;
    if (!is_missing && entry->second.type == expected.type && entry->second.definition == expected.definition) continue;
    throw input_error(fmt::format(
        "{}: the {} {} is {}; this database was changed by another program; use a copy from before the change",
        file.string(), expected.type, name, is_missing ? "missing" : "different from that of this program"));
  }
}

void create_schema(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Read under the lock: another process may have created the tables meanwhile.
  if (user_version(database) != 0) return;
  database.exec(std::string(tables));
  database.exec(std::string(views));
  add_tables(database, table_place::file);
  database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, schema_version));
  transaction.commit();
}

}  // namespace mlmq::db
