// SPDX-License-Identifier: Apache-2.0
#include "db/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/connection.hpp"
#include "db/format.hpp"
#include "db/query.hpp"

namespace mlmq::db {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* selected =
    "t.state = 'done' AND (?1 IS NULL OR t.id IN (SELECT trial FROM experiment_trial WHERE "
    "experiment = ?1)) "
    "AND (?2 IS NULL OR t.device = ?2) AND (?3 IS NULL OR t.workload = ?3) AND (?4 IS NULL OR "
    "t.query = ?4) "
    "AND (?5 IS NULL OR c.problem = ?5)";

/// How many samples of the trial `t` a compact record has dropped.
constexpr const char* samples_dropped =
    "(CASE WHEN EXISTS (SELECT 1 FROM sample s WHERE s.trial = t.id) THEN 0 ELSE "
    "coalesce(json_extract(t.environment, '$.samples'), 0) END)";

SQLite::Statement prepare_selection(SQLite::Database& database, const std::string& sql, const trial_filter& filter) {
  return prepare(database, sql, filter.experiment, filter.device, filter.workload, filter.query, filter.problem);
}

[[noreturn]] void throw_nothing_selected(const store& from) {
  throw input_error(fmt::format(
      "{}: there is no finished trial to export; run the sweep first, or select less narrowly", from.file().string()));
}

cell cell_from(const json& value) {
  if (value.is_null()) return {};
  if (value.is_number_integer()) return {cell_kind::integer, value.dump()};
  if (value.is_number()) return number_cell(value.get<double>());
  if (value.is_string()) return text_cell(value.get<std::string>());
  return text_cell(value.dump());
}

// --- csv ---

/// Replaces the column `name`, which holds JSON objects, by one column per key that occurs, named
/// prefix + key.
void spread_objects(table& rows, const std::string& name, const std::string& prefix) {
  const auto found = std::find(rows.columns.begin(), rows.columns.end(), name);
  const auto index = found - rows.columns.begin();
  std::vector<json> objects;
  std::set<std::string> keys;
  for (auto& row : rows.rows) {
    objects.push_back(json::parse(row[static_cast<std::size_t>(index)].text));
    for (const auto& [key, value] : objects.back().items()) keys.insert(key);
    row.erase(row.begin() + index);
  }
  rows.columns.erase(found);
  std::vector<std::string> names;
  for (const std::string& key : keys) names.push_back(prefix + key);
  rows.columns.insert(rows.columns.begin() + index, names.begin(), names.end());
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    std::vector<cell> cells;
    for (const std::string& key : keys) {
      cells.push_back(objects[r].contains(key) ? cell_from(objects[r][key]) : cell{});
    }
    rows.rows[r].insert(rows.rows[r].begin() + index, cells.begin(), cells.end());
  }
}

exported_file export_csv(const store& from, const trial_filter& filter) {
  connection& opened = from.access();
  table rows = opened.read([&] {
    auto statement =
        prepare_selection(opened.database(),
                          fmt::format("SELECT r.*, CASE WHEN {0} > 0 THEN NULL ELSE (SELECT "
                                      "json_group_array(milliseconds) FROM (SELECT milliseconds FROM sample WHERE "
                                      "trial = r.trial ORDER BY ordinal)) END AS samples_ms, {0} AS samples_dropped "
                                      "FROM result r "
                                      "JOIN trial t ON t.id = r.trial JOIN configuration c ON c.id = t.configuration "
                                      "WHERE {1} "
                                      "ORDER BY r.problem, r.workload, r.workload_hash, r.query, r.device, "
                                      "r.configuration_hash, r.trial",
                                      samples_dropped, selected),
                          filter);
    return fetch_all(statement);
  });
  if (rows.rows.empty()) throw_nothing_selected(from);
  const auto without =
      std::ranges::count_if(rows.rows, [](const std::vector<cell>& row) { return row.back().text != "0"; });
  spread_objects(rows, "parameters", "parameter.");
  spread_objects(rows, "counters", "counter.");
  return {.name = "results.csv",
          .content = render(rows, table_format::csv),
          .trials = rows.rows.size(),
          .without_samples = static_cast<std::size_t>(without)};
}

// --- what the formats of the auto-tuners share ---

struct tuned_configuration {
  json parameters;
  outcome result = outcome::ok;
  std::string message;
  std::optional<double> median_ms;
  std::optional<double> spread;
  double compile_ms = 0;
  double upload_ms = 0;
  double measure_ms = 0;
  double check_ms = 0;
  std::string finished_at;
  std::vector<double> samples_ms;
  std::int64_t samples_dropped = 0;  ///< by a compact record: then there are none
  std::map<std::string, double> counters;
};

/// One kernel, input and device.
struct tuning_run {
  std::string problem;
  std::string workload;
  std::string query;
  std::string device;
  std::string device_description;
  std::vector<tuned_configuration> configurations;

  [[nodiscard]] std::string input() const { return fmt::format("{}:{}", workload, query); }
};

std::vector<tuning_run> read_runs(const store& from, const trial_filter& filter) {
  connection& opened = from.access();
  return opened.read([&] {
    SQLite::Database& database = opened.database();
    auto row = prepare_selection(
        database,
        fmt::format("SELECT * FROM (SELECT t.id, t.workload, t.device, t.query, c.problem, w.name, d.name, "
                    "d.description, "
                    "c.parameters, t.outcome, t.message, t.median_ms, t.spread, coalesce(t.compile_ms, 0), "
                    "coalesce(t.upload_ms, 0), coalesce(t.measure_ms, 0), coalesce(t.check_ms, 0), "
                    "t.finished_at, "
                    "t.configuration, row_number() OVER (PARTITION BY t.configuration, t.workload, t.query, "
                    "t.device ORDER BY "
                    "t.finished_at DESC, t.id DESC) AS recency, w.hash AS workload_hash, c.hash AS "
                    "configuration_hash, d.hash AS "
                    "device_hash, {} AS samples_dropped FROM trial t JOIN configuration c ON c.id = t.configuration "
                    "JOIN workload w "
                    "ON w.id = t.workload "
                    "JOIN device d ON d.id = t.device WHERE {} AND t.measurement = 'time') WHERE recency = "
                    "1 "
                    "ORDER BY problem, workload_hash, query, device_hash, configuration_hash",
                    samples_dropped, selected),
        filter);
    SQLite::Statement sample(database, "SELECT milliseconds FROM sample WHERE trial = ?1 ORDER BY ordinal");
    // Counters come from a run of their own: counting changes the time.
    SQLite::Statement counter(database,
                              "SELECT k.name, k.value FROM counter k WHERE k.trial = (SELECT id "
                              "FROM trial WHERE configuration = ?1 AND "
                              "workload = ?2 AND query = ?3 AND device = ?4 AND measurement = "
                              "'counters' AND outcome = 'ok' "
                              "ORDER BY finished_at DESC, id DESC LIMIT 1)");
    std::vector<tuning_run> runs;
    std::tuple<std::string, std::int64_t, std::string, std::int64_t> current;
    while (row.executeStep()) {
      const std::int64_t trial = row.getColumn(0).getInt64();
      const std::int64_t workload = row.getColumn(1).getInt64();
      const std::int64_t device = row.getColumn(2).getInt64();
      const std::string query = row.getColumn(3).getString();
      const std::tuple key(row.getColumn(4).getString(), workload, query, device);
      if (runs.empty() || key != current) {
        current = key;
        tuning_run run;
        run.problem = row.getColumn(4).getString();
        run.workload = row.getColumn(5).getString();
        run.query = query;
        run.device = row.getColumn(6).getString();
        run.device_description = row.getColumn(7).getString();
        runs.push_back(std::move(run));
      }
      tuned_configuration tuned;
      tuned.parameters = json::parse(row.getColumn(8).getString());
      tuned.result = outcome_from(row.getColumn(9).getString());
      tuned.message = row.getColumn(10).getString();
      if (!row.isColumnNull(11)) tuned.median_ms = row.getColumn(11).getDouble();
      if (!row.isColumnNull(12)) tuned.spread = row.getColumn(12).getDouble();
      tuned.compile_ms = row.getColumn(13).getDouble();
      tuned.upload_ms = row.getColumn(14).getDouble();
      tuned.measure_ms = row.getColumn(15).getDouble();
      tuned.check_ms = row.getColumn(16).getDouble();
      // Python before 3.11 does not read the Z.
      tuned.finished_at = row.getColumn(17).getString();
      if (tuned.finished_at.ends_with('Z')) {
        tuned.finished_at.replace(tuned.finished_at.size() - 1, 1, "+00:00");
      }
      tuned.samples_dropped = row.getColumn("samples_dropped").getInt64();
      bind_all(sample, trial);
      while (sample.executeStep()) tuned.samples_ms.push_back(sample.getColumn(0).getDouble());
      bind_all(counter, row.getColumn(18).getInt64(), workload, query, device);
      while (counter.executeStep()) {
        tuned.counters[counter.getColumn(0).getString()] = counter.getColumn(1).getDouble();
      }
      runs.back().configurations.push_back(std::move(tuned));
    }
    return runs;
  });
}

std::vector<std::string> parameter_names(const tuning_run& run) {
  std::set<std::string> names;
  for (const tuned_configuration& tuned : run.configurations) {
    for (const auto& [name, value] : tuned.parameters.items()) names.insert(name);
  }
  return {names.begin(), names.end()};
}

json parameter_value(const tuned_configuration& tuned, const std::string& name) {
  return tuned.parameters.contains(name) ? tuned.parameters[name] : json();
}

/// The names that Kernel Tuner gives to failures; it knows only these three.
const char* kernel_tuner_error(outcome result) {
  switch (result) {
    case outcome::compile_error:
      return "CompilationFailedConfig";
    case outcome::constraint:
      return "InvalidConfig";
    default:
      return "RuntimeFailedConfig";
  }
}

// --- Kernel Tuner ---

/// str(number) of Python, which builds the keys of the cache: shortest digits, exponent from 1e16
/// and below 1e-4.
std::string python_number(double number) {
  std::array<char, 32> buffer{};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific);
  const std::string text(buffer.data(), scientific.ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  if (exponent < -4 || exponent >= 16) return text;
  const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  std::string digits(buffer.data(), fixed.ptr);
  return digits.find('.') == std::string::npos ? digits + ".0" : digits;
}

std::string python_text(const json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return python_number(value.get<double>());
  return value.dump();
}

std::string kernel_tuner_file(const tuning_run& run) {
  const std::vector<std::string> names = parameter_names(run);
  ordered_json values = ordered_json::object();
  for (const std::string& name : names) {
    std::set<json> distinct;
    for (const tuned_configuration& tuned : run.configurations) distinct.insert(parameter_value(tuned, name));
    values[name] = ordered_json::array();
    for (const json& value : distinct) values[name].push_back(ordered_json(value));
  }
  ordered_json head;
  head["schema_version"] = "1.1.0";
  head["device_name"] = run.device;
  head["kernel_name"] = run.problem;
  head["problem_size"] = run.input();
  head["tune_params_keys"] = names;
  head["tune_params"] = values;
  head["objective"] = "time";
  std::string output = head.dump();
  output.back() = ',';
  output += "\n\"cache\": {";
  bool first = true;
  for (const tuned_configuration& tuned : run.configurations) {
    std::string key;
    ordered_json entry;
    for (const std::string& name : names) {
      const json value = parameter_value(tuned, name);
      if (&name != names.data()) key += ',';
      key += python_text(value);
      entry[name] = value;
    }
    if (tuned.result == outcome::ok) {
      entry["time"] = *tuned.median_ms;
    } else {
      // Old versions look for the error in the objective, new ones in __error__.
      entry["time"] = kernel_tuner_error(tuned.result);
      entry["__error__"] = kernel_tuner_error(tuned.result);
    }
    entry["times"] = tuned.samples_ms;
    entry["compile_time"] = tuned.compile_ms;
    entry["verification_time"] = tuned.check_ms;
    entry["benchmark_time"] = tuned.measure_ms;
    entry["strategy_time"] = 0.0;
    entry["framework_time"] = tuned.upload_ms;
    entry["timestamp"] = tuned.finished_at;
    if (tuned.spread) entry["spread"] = *tuned.spread;
    if (tuned.samples_dropped > 0) entry["samples_dropped"] = tuned.samples_dropped;
    if (tuned.result != outcome::ok) {
      entry["outcome"] = to_string(tuned.result);
      entry["message"] = tuned.message;
    }
    for (const auto& [name, value] : tuned.counters) {
      entry[entry.contains(name) ? "counter_" + name : name] = value;
    }
    output += fmt::format("{}\n{}: {}", first ? "" : ",", json(key).dump(), entry.dump());
    first = false;
  }
  // Kernel Tuner takes a file for complete only when it ends exactly so.
  return output + "}\n}";
}

// --- T4 ---

const char* t4_invalidity(outcome result) {
  switch (result) {
    case outcome::ok:
      return "correct";
    case outcome::compile_error:
      return "compile";
    case outcome::timeout:
      return "timeout";
    case outcome::wrong_answer:
      return "correctness";
    case outcome::constraint:
      return "constraints";
    case outcome::launch_error:
    case outcome::overflow:
    case outcome::crashed:
      return "runtime";
  }
  return "runtime";
}

std::string t4_file(const tuning_run& run) {
  const std::vector<std::string> names = parameter_names(run);
  ordered_json results = ordered_json::array();
  for (const tuned_configuration& tuned : run.configurations) {
    ordered_json entry;
    entry["timestamp"] = tuned.finished_at;
    entry["configuration"] = ordered_json::object();
    for (const std::string& name : names) entry["configuration"][name] = parameter_value(tuned, name);
    entry["objectives"] = {"time"};
    // The schema's text says compilation_time, but its writers and readers use compilation.
    entry["times"] = {{"compilation", tuned.compile_ms}, {"benchmark", tuned.measure_ms},
                      {"framework", tuned.upload_ms},    {"search_algorithm", 0.0},
                      {"validation", tuned.check_ms},    {"runtimes", tuned.samples_ms}};
    entry["invalidity"] = t4_invalidity(tuned.result);
    entry["correctness"] = tuned.result == outcome::ok ? 1 : 0;
    ordered_json measurements = ordered_json::array();
    const auto add = [&](const std::string& name, const ordered_json& value, const char* unit) {
      measurements.push_back({{"name", name}, {"value", value}, {"unit", unit}});
    };
    if (tuned.median_ms) {
      add("time", *tuned.median_ms, "ms");
    } else {
      add("time", kernel_tuner_error(tuned.result), "ms");
    }
    if (tuned.spread) add("spread", *tuned.spread, "");
    if (tuned.samples_dropped > 0) add("samples_dropped", tuned.samples_dropped, "");
    for (const auto& [name, value] : tuned.counters) add(name, value, "");
    if (!tuned.message.empty()) add("message", tuned.message, "");
    entry["measurements"] = std::move(measurements);
    results.push_back(std::move(entry));
  }
  ordered_json output;
  output["schema_version"] = "1.0.0";
  output["metadata"] = {{"timeunit", "milliseconds"},
                        {"device_name", run.device},
                        {"device", json::parse(run.device_description)},
                        {"kernel_name", run.problem},
                        {"problem_size", run.input()}};
  output["results"] = std::move(results);
  return output.dump(1) + "\n";
}

std::string file_name(const tuning_run& run, std::string_view ending, std::set<std::string>& used) {
  std::string stem = fmt::format("{}_{}_{}_{}", run.problem, run.workload, run.query, run.device);
  for (char& character : stem) {
    const bool plain = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
                       (character >= '0' && character <= '9') || character == '-' || character == '.';
    if (!plain) character = '_';
  }
  std::string name = fmt::format("{}{}", stem, ending);
  for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}_{}{}", stem, i, ending);
  return name;
}

}  // namespace

export_format export_format_from(std::string_view name) {
  if (name == "csv") return export_format::csv;
  if (name == "kernel-tuner-cache") return export_format::kernel_tuner_cache;
  if (name == "t4") return export_format::t4;
  const std::vector<std::string> names{"csv", "kernel-tuner-cache", "t4"};
  throw input_error(
      fmt::format("unknown export format '{}'{} (known: {})", name, did_you_mean(name, names), fmt::join(names, ", ")));
}

std::vector<exported_file> export_results(const store& from, const trial_filter& filter, export_format format) {
  if (format == export_format::csv) return {export_csv(from, filter)};
  const std::vector<tuning_run> runs = read_runs(from, filter);
  if (runs.empty()) throw_nothing_selected(from);
  std::vector<exported_file> files;
  std::set<std::string> used;
  for (const tuning_run& run : runs) {
    exported_file& file = files.emplace_back();
    const bool is_t4 = format == export_format::t4;
    file.name = file_name(run, is_t4 ? ".t4.json" : ".json", used);
    file.content = is_t4 ? t4_file(run) : kernel_tuner_file(run);
    file.trials = run.configurations.size();
    file.without_samples = static_cast<std::size_t>(
        std::ranges::count_if(run.configurations, [](const auto& tuned) { return tuned.samples_dropped > 0; }));
  }
  return files;
}

std::string export_single(const store& from, const trial_filter& filter, export_format format) {
  std::vector<exported_file> files = export_results(from, filter, format);
  if (files.size() == 1) return std::move(files.front().content);
  throw input_error(
      fmt::format("{}: the selection makes {} files in this format ({}, {}, …), one per problem, "
                  "workload, query and "
                  "device; select one, or export to a folder",
                  from.file().string(), files.size(), files[0].name, files[1].name));
}

}  // namespace mlmq::db
