// SPDX-License-Identifier: Apache-2.0
// Results of trials.
#include "db/results.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "db/connection.hpp"
#include "db/rows.hpp"
#include "db/statistics.hpp"

namespace mlmq::db {
namespace {

std::int64_t upsert_variant(SQLite::Database& database, const variant_record& variant) {
  const std::string hash = variant.hash();
  // Prefer the time of a real compilation to that of a later load from the cache.
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
  if (!variant.instructions.empty()) {
    prepare(database, "INSERT INTO machine_code (variant, instructions) VALUES (?1, ?2) ON CONFLICT DO NOTHING", hash,
            variant.instructions)
        .exec();
  }
  return require_id(database, "kernel_variant", hash);
}

/// Selects the rows of kernel_variant whose instructions, and whatever else decides what they do, are those of ?1.
constexpr std::string_view equal_variants =
    "SELECT v.id FROM kernel_variant given JOIN machine_code g ON g.variant = given.hash "
    "JOIN kernel_variant v ON (v.problem, v.defines, v.compiler, v.architecture) = "
    "(given.problem, given.defines, given.compiler, given.architecture) "
    "JOIN machine_code m ON m.variant = v.hash AND m.instructions = g.instructions WHERE given.id = ?1";

/// Gives a trial the result of an equal one, and the other results of that trial's code and variant to its code.
void take_over(SQLite::Database& database, std::int64_t trial, std::int64_t equal, std::int64_t variant) {
  prepare(database,
          "UPDATE trial SET message = 'not measured: the instructions are those of code ' || e.kernel_source_hash || "
          "', whose times these are', median_ms = e.median_ms, spread = e.spread, "
          "times_modelled = e.times_modelled, host = e.host, program_version = e.program_version, driver = e.driver, "
          "seed = e.seed, environment = e.environment FROM trial e WHERE trial.id = ?1 AND e.id = ?2",
          trial, equal)
      .exec();
  for (const auto& [table, columns] :
       {std::pair{"sample", "ordinal, milliseconds"}, std::pair{"counter", "name, value"}}) {
    prepare(database,
            fmt::format("INSERT INTO {0} (trial, {1}) SELECT ?1, {1} FROM {0} WHERE trial = ?2", table, columns), trial,
            equal)
        .exec();
  }
  // A trial that this code has already keeps its own result.
  prepare(database,
          fmt::format("UPDATE OR IGNORE trial SET kernel_source_hash = n.kernel_source_hash FROM trial n, trial e "
                      "WHERE n.id = ?2 AND e.id = ?3 AND trial.state = 'done' AND trial.device = e.device AND "
                      "trial.kernel_source_hash = e.kernel_source_hash AND trial.kernel_variant IN ({})",
                      equal_variants),
          variant, trial, equal)
      .exec();
  prepare(database,
          "INSERT INTO equal_code (code_hash, variant, counts_as) SELECT e.kernel_source_hash, v.hash, "
          "n.kernel_source_hash FROM trial n, trial e JOIN kernel_variant v ON v.id = e.kernel_variant "
          "WHERE n.id = ?1 AND e.id = ?2 ON CONFLICT DO UPDATE SET counts_as = excluded.counts_as",
          trial, equal)
      .exec();
}

void require_times(std::int64_t trial, std::span<const double> times) {
  for (const double time : times) {
    if (!(std::isfinite(time) && time >= 0)) {
      throw std::invalid_argument(fmt::format("trial {}: {} ms is not a valid time", trial, time));
    }
  }
}

void require_finite(std::int64_t trial, const std::string& name, double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("trial {}: {} is not finite", trial, name));
  }
}

}  // namespace

bool trial_results::finish(std::int64_t trial, const trial_result& result) {
  require_times(trial, result.samples_ms);
  require_times(trial, std::array{result.compile_ms, result.upload_ms, result.measure_ms, result.check_ms});
  for (const auto& [name, value] : result.counters) require_finite(trial, name, value);
  for (const timeline_point& point : result.timeline) {
    require_finite(trial, point.name, point.time_ms);
    require_finite(trial, point.name, point.value);
  }
  const std::string environment = canonical_json(result.environment_json, "the environment of a trial");
  // Only right answers have a time, so that readers of medians need not check the outcome.
  std::optional<double> middle;
  std::optional<double> spread;
  if (result.taken_over) {
    middle = result.taken_over->median_ms;
  } else if (result.result == outcome::ok && !result.samples_ms.empty()) {
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
    auto function = prepare(database,
                            "INSERT INTO kernel_function (trial, name, registers, local_bytes, shared_bytes, "
                            "occupancy) "
                            "VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    for (const function_record& entry : result.functions) {
      bind_all(function, trial, entry.name, entry.registers, entry.local_bytes, entry.shared_bytes, entry.occupancy);
      function.exec();
    }
    if (result.taken_over) take_over(database, trial, result.taken_over->id, variant.value());
    return true;
  });
}

std::optional<equal_trial> trial_results::find_equal(std::int64_t trial, const variant_record& variant) const {
  if (variant.instructions.empty()) return std::nullopt;
  return connection_->read([&] {
    // The times of interleaved comparisons do not compare with others.
    auto row = prepare(
        connection_->database(),
        "SELECT e.id, e.median_ms FROM trial t JOIN trial e ON (e.configuration, e.workload, e.query, e.device, "
        "e.measurement) = (t.configuration, t.workload, t.query, t.device, t.measurement) AND e.id <> t.id "
        "JOIN kernel_variant v ON v.id = e.kernel_variant JOIN machine_code m ON m.variant = v.hash "
        "WHERE t.id = ?1 AND e.outcome = 'ok' AND e.measurement = 'time' AND v.problem = ?2 AND v.defines = ?3 AND "
        "v.compiler = ?4 AND v.architecture = ?5 AND m.instructions = ?6 AND NOT EXISTS (SELECT 1 FROM "
        "experiment_trial x JOIN experiment p ON p.id = x.experiment WHERE x.trial = e.id AND "
        "json_extract(p.settings, '$.interleaved')) ORDER BY e.finished_at DESC, e.id DESC LIMIT 1",
        trial, variant.problem, canonical_json(variant.defines_json, "the defines of a variant"), variant.compiler,
        variant.architecture, variant.instructions);
    std::optional<equal_trial> equal;
    if (row.executeStep()) read_all(row, equal.emplace().id, equal->median_ms);
    return equal;
  });
}

std::optional<double> trial_results::best_time(const std::string& problem, std::int64_t device, std::int64_t workload,
                                               const std::string& query) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT t.median_ms FROM trial t CROSS JOIN configuration c ON c.id = t.configuration "
                       "WHERE t.device = ?1 AND t.workload = ?2 AND t.query = ?3 AND t.outcome = 'ok' AND "
                       "t.measurement = 'time' AND c.problem = ?4 ORDER BY t.median_ms LIMIT 1",
                       device, workload, query, problem);
    std::optional<double> best;
    if (row.executeStep()) best = row.getColumn(0).getDouble();
    return best;
  });
}

std::optional<trial_summary> trial_results::summary(std::int64_t trial) const {
  return connection_->read([&] {
    auto row =
        prepare(connection_->database(),
                "SELECT outcome, message, median_ms, spread, (coalesce(compile_ms, 0) + coalesce(upload_ms, 0) + "
                "coalesce(measure_ms, 0) + coalesce(check_ms, 0)) / 1000.0 FROM trial WHERE id = ?1 AND state = "
                "'done'",
                trial);
    std::optional<trial_summary> result;
    if (row.executeStep()) {
      trial_summary& summary = result.emplace();
      read_all(row, summary.result, summary.message, summary.median_ms, summary.spread, summary.seconds);
    }
    return result;
  });
}

std::vector<double> trial_results::samples(std::int64_t trial) const {
  return connection_->read([&] {
    auto row =
        prepare(connection_->database(), "SELECT milliseconds FROM sample WHERE trial = ?1 ORDER BY ordinal", trial);
    std::vector<double> values;
    while (row.executeStep()) values.push_back(row.getColumn(0).getDouble());
    return values;
  });
}

std::map<std::string, double> trial_results::counters(std::int64_t trial) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT name, value FROM counter WHERE trial = ?1", trial);
    std::map<std::string, double> values;
    while (row.executeStep()) values[row.getColumn(0).getString()] = row.getColumn(1).getDouble();
    return values;
  });
}

}  // namespace mlmq::db
