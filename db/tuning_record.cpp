// SPDX-License-Identifier: Apache-2.0
#include "db/tuning_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {
namespace {

/// The trial that carries the compile time of a kernel variant: the one that was measured first.
struct compiled_variant {
  std::size_t configuration = 0;
  std::string finished_at;
  double compile_ms = 0;
};

void count_each_variant_once(std::vector<tuned_configuration>& configurations,
                             const std::map<std::int64_t, compiled_variant>& variants) {
  for (const auto& [id, variant] : variants) configurations[variant.configuration].compile_ms = variant.compile_ms;
}

// Only the numbers of trials are sorted, so that little is kept. SQLite keeps the order of a subquery with a limit.
constexpr const char* newest_trials =
    "WITH chosen AS MATERIALIZED (SELECT id FROM (SELECT t.id, c.problem, w.name AS workload_name, "
    "w.hash AS workload_hash, t.query, d.hash AS device_hash, c.hash AS configuration_hash, "
    "row_number() OVER (PARTITION BY t.configuration, t.workload, t.query, t.device "
    "ORDER BY t.finished_at DESC, t.id DESC) AS recency "
    "FROM current_trial t JOIN configuration c ON c.id = t.configuration JOIN workload w ON w.id = t.workload "
    "JOIN device d ON d.id = t.device WHERE {1} AND t.measurement = 'time') WHERE recency = 1 "
    "ORDER BY problem, workload_name, workload_hash, query, device_hash, configuration_hash LIMIT -1) "
    "SELECT t.id, t.workload, t.device, t.query, c.problem, w.name, w.hash, w.bytes, d.name, d.description, "
    "c.parameters, c.label, t.outcome, t.message, t.median_ms, t.spread, coalesce(t.compile_ms, 0), "
    "coalesce(t.upload_ms, 0), coalesce(t.measure_ms, 0), coalesce(t.check_ms, 0), t.finished_at, t.configuration, "
    "t.kernel_variant, v.compile_ms, {0} "
    "FROM chosen CROSS JOIN trial t ON t.id = chosen.id JOIN configuration c ON c.id = t.configuration "
    "JOIN workload w ON w.id = t.workload JOIN device d ON d.id = t.device "
    "LEFT JOIN kernel_variant v ON v.id = t.kernel_variant";

// Counters come from a separate run, because counting affects the time.
constexpr const char* newest_counters =
    "SELECT k.name, k.value FROM counter k WHERE k.trial = (SELECT id FROM current_trial WHERE configuration = ?1 AND "
    "workload = ?2 AND query = ?3 AND device = ?4 AND measurement = 'counters' AND outcome = 'ok' "
    "ORDER BY finished_at DESC, id DESC LIMIT 1)";

}  // namespace

std::size_t tuning_record::without_samples() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(configurations, [](const auto& tuned) { return tuned.samples_dropped > 0; }));
}

bool tuning_record::has_result() const {
  return std::ranges::any_of(configurations, [](const auto& tuned) { return tuned.result == outcome::ok; });
}

void visit_tuning_records(const store& source, const trial_filter& filter,
                          const std::function<void(tuning_record&&)>& visit) {
  connection& opened = source.access();
  const std::vector<objective> objectives =
      filter.experiment ? objectives_of(opened, *filter.experiment) : std::vector{objective{}};
  opened.read([&] {
    SQLite::Database& database = opened.database();
    auto row = prepare(database, fmt::format(newest_trials, samples_dropped_by_compact, finished_and_selected),
                       filter.experiment, filter.device, filter.workload, filter.query, filter.problem);
    SQLite::Statement sample(database, "SELECT milliseconds FROM sample WHERE trial = ?1 ORDER BY ordinal");
    SQLite::Statement counter(database, newest_counters);
    SQLite::Statement metric(database, "SELECT name, value FROM metric WHERE trial = ?1");
    tuning_record record;
    std::map<std::int64_t, compiled_variant> variants;
    std::tuple<std::string, std::int64_t, std::string, std::int64_t> current;
    const auto visit_record = [&] {
      if (record.configurations.empty()) return;
      count_each_variant_once(record.configurations, variants);
      visit(std::move(record));
      variants.clear();
    };
    while (row.executeStep()) {
      std::int64_t trial = 0;
      std::int64_t workload = 0;
      std::int64_t configuration = 0;
      std::optional<std::int64_t> variant;
      std::optional<double> variant_ms;
      tuning_record head;
      std::string device_description;
      std::string parameters;
      tuned_configuration tuned;
      read_all(row, trial, workload, head.device_id, head.query, head.problem, head.workload, head.workload_hash,
               head.workload_bytes, head.device, device_description, parameters, tuned.label, tuned.result,
               tuned.message, tuned.median_ms, tuned.spread, tuned.compile_ms, tuned.upload_ms, tuned.measure_ms,
               tuned.check_ms, tuned.finished_at, configuration, variant, variant_ms, tuned.samples_dropped);
      tuned.parameters = nlohmann::json::parse(parameters);
      bind_all(sample, trial);
      while (sample.executeStep()) tuned.samples_ms.push_back(sample.getColumn(0).getDouble());
      bind_all(counter, configuration, workload, head.query, head.device_id);
      while (counter.executeStep()) tuned.counters[counter.getColumn(0).getString()] = counter.getColumn(1).getDouble();
      bind_all(metric, trial);
      while (metric.executeStep()) tuned.metrics[metric.getColumn(0).getString()] = metric.getColumn(1).getDouble();
      const std::tuple key(head.problem, workload, head.query, head.device_id);
      if (record.configurations.empty() || key != current) {
        visit_record();
        current = key;
        record = std::move(head);
        record.device_description = nlohmann::json::parse(device_description);
        record.objectives = objectives;
      }
      std::vector<tuned_configuration>& configurations = record.configurations;
      if (variant) {
        tuned.compile_ms = 0;
        compiled_variant& compiled =
            variants.try_emplace(*variant, compiled_variant{configurations.size(), tuned.finished_at, *variant_ms})
                .first->second;
        if (tuned.finished_at < compiled.finished_at)
          compiled = {configurations.size(), tuned.finished_at, *variant_ms};
      }
      // Python before 3.11 does not parse the Z.
      if (tuned.finished_at.ends_with('Z')) tuned.finished_at.replace(tuned.finished_at.size() - 1, 1, "+00:00");
      configurations.push_back(std::move(tuned));
    }
    visit_record();
    return true;
  });
}

}  // namespace mlmq::db
