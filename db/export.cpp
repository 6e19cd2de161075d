// SPDX-License-Identifier: Apache-2.0
#include "db/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/connection.hpp"
#include "db/exchange_formats.hpp"
#include "db/format.hpp"
#include "db/query.hpp"

namespace mlmq::db {
namespace {

using nlohmann::json;

SQLite::Statement prepare_selection(SQLite::Database& database, const std::string& sql, const trial_filter& filter) {
  return prepare(database, sql, filter.experiment, filter.device, filter.workload, filter.query, filter.problem);
}

[[noreturn]] void throw_nothing_selected(const store& source) {
  throw input_error(fmt::format("{}: no finished trial matches the selection; run the sweep first, or select more",
                                source.file().string()));
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
  const auto column = std::find(rows.columns.begin(), rows.columns.end(), name);
  const auto index = column - rows.columns.begin();
  std::vector<json> objects;
  std::set<std::string> keys;
  for (auto& row : rows.rows) {
    objects.push_back(json::parse(row[static_cast<std::size_t>(index)].text));
    for (const auto& [key, value] : objects.back().items()) keys.insert(key);
    row.erase(row.begin() + index);
  }
  rows.columns.erase(column);
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

exported_file export_csv(const store& source, const trial_filter& filter) {
  connection& opened = source.access();
  table rows = opened.read([&] {
    auto statement = prepare_selection(
        opened.database(),
        fmt::format("SELECT r.*, CASE WHEN {0} > 0 THEN NULL ELSE (SELECT "
                    "json_group_array(milliseconds) FROM (SELECT milliseconds FROM sample WHERE "
                    "trial = r.trial ORDER BY ordinal)) END AS samples_ms, {0} AS samples_dropped "
                    "FROM result r "
                    "JOIN current_trial t ON t.id = r.trial JOIN configuration c ON c.id = t.configuration "
                    "WHERE {1} "
                    "ORDER BY r.problem, r.workload, r.workload_hash, r.query, r.device, "
                    "r.configuration_hash, r.trial",
                    samples_dropped_by_compact, finished_and_selected),
        filter);
    return fetch_all(statement);
  });
  if (rows.rows.empty()) throw_nothing_selected(source);
  const auto without =
      std::ranges::count_if(rows.rows, [](const std::vector<cell>& row) { return row.back().text != "0"; });
  spread_objects(rows, "parameters", "parameter.");
  spread_objects(rows, "counters", "counter.");
  spread_objects(rows, "metrics", "metric.");
  return {.name = "results.csv",
          .content = render(rows, table_format::csv),
          .trials = rows.rows.size(),
          .without_samples = static_cast<std::size_t>(without)};
}

/// Returns a file name without ending that is safe on every file system and not in `used`.
std::string file_stem(const tuning_record& record, std::set<std::string>& used) {
  std::string stem = fmt::format("{}_{}_{}_{}", record.problem, record.workload, record.query, record.device);
  for (char& character : stem) {
    const bool plain = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
                       (character >= '0' && character <= '9') || character == '-' || character == '.';
    if (!plain) character = '_';
  }
  std::string free = stem;
  for (int i = 2; !used.insert(free).second; ++i) free = fmt::format("{}_{}", stem, i);
  return free;
}

exported_file file_of(const tuning_record& record, std::string name, std::string content) {
  return {.name = std::move(name),
          .content = std::move(content),
          .trials = record.configurations.size(),
          .without_samples = record.without_samples()};
}

void export_cache(const tuning_record& record, const std::string& stem, export_result& result) {
  // Kernel Tuner's readers fail on a file without any time.
  if (!record.has_result()) {
    result.without_result.push_back(fmt::format("{} {} {}", record.workload, record.query, record.device));
    return;
  }
  const parameter_table parameters = tabulate_parameters(record.configurations);
  result.files.push_back(file_of(record, stem + ".json", kernel_tuner_cache(record, parameters)));
  if (!searched_by_number(record, parameters)) return;
  exported_file number_table;
  number_table.name = stem + ".configurations.csv";
  number_table.content = render(configuration_table(record, parameters), table_format::csv);
  result.files.push_back(std::move(number_table));
}

exported_file export_nvbench(const std::vector<tuning_record>& records) {
  exported_file file{.name = "results.nvbench.json", .content = nvbench_results(records)};
  for (const tuning_record& record : records) {
    file.trials += record.configurations.size();
    file.without_samples += record.without_samples();
  }
  return file;
}

}  // namespace

export_format export_format_from(std::string_view name) {
  if (name == "csv") return export_format::csv;
  if (name == "kernel-tuner-cache") return export_format::kernel_tuner_cache;
  if (name == "t4") return export_format::t4;
  if (name == "nvbench") return export_format::nvbench;
  const std::vector<std::string> names{"csv", "kernel-tuner-cache", "t4", "nvbench"};
  throw input_error(
      fmt::format("unknown export format '{}'{} (known: {})", name, did_you_mean(name, names), fmt::join(names, ", ")));
}

export_result export_results(const store& source, const trial_filter& filter, export_format format) {
  export_result result;
  if (format == export_format::csv) {
    result.files.push_back(export_csv(source, filter));
    return result;
  }
  const std::vector<tuning_record> records = read_tuning_records(source, filter);
  if (records.empty()) throw_nothing_selected(source);
  if (format == export_format::nvbench) {
    result.files.push_back(export_nvbench(records));
    return result;
  }
  std::set<std::string> used;
  for (const tuning_record& record : records) {
    const std::string stem = file_stem(record, used);
    if (format == export_format::kernel_tuner_cache) {
      export_cache(record, stem, result);
    } else {
      result.files.push_back(
          file_of(record, stem + ".t4.json", t4_results(record, tabulate_parameters(record.configurations))));
    }
  }
  if (result.files.empty()) {
    throw input_error(
        fmt::format("{}: no configuration has a time on any of the {} inputs, but Kernel Tuner cannot read "
                    "a file without times; export the trials as csv or t4",
                    source.file().string(), records.size()));
  }
  return result;
}

std::string export_single(const store& source, const trial_filter& filter, export_format format) {
  std::vector<exported_file> files = export_results(source, filter, format).files;
  if (files.size() == 1) return std::move(files.front().content);
  throw input_error(
      fmt::format("{}: in this format, the selection needs {} files ({}, {}, …), one per problem, workload, query and "
                  "device; select one of them, or export to a folder",
                  source.file().string(), files.size(), files[0].name, files[1].name));
}

}  // namespace mlmq::db
