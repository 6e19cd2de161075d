// SPDX-License-Identifier: Apache-2.0
#include "db/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

/// A column of JSON objects, which becomes one column per key.
class object_column {
 public:
  /// @param keys_sql  selects the keys that occur
  object_column(SQLite::Database& database, std::string name, const std::string& prefix, const std::string& keys_sql,
                const trial_filter& filter)
      : name_(std::move(name)) {
    auto row = prepare_selection(database, keys_sql, filter);
    while (row.executeStep()) {
      keys_.push_back(row.getColumn(0).getString());
      names_.push_back(prefix + keys_.back());
    }
  }

  /// Returns the cells of an object. They are cached, because few objects differ.
  const std::vector<cell>& cells(const std::string& object) {
    constexpr std::size_t most_cached = 4096;
    if (cells_of_.size() > most_cached) cells_of_.clear();
    const auto [entry, is_new] = cells_of_.try_emplace(object);
    if (is_new) {
      const json parsed = json::parse(object);
      for (const std::string& key : keys_)
        entry->second.push_back(parsed.contains(key) ? cell_from(parsed[key]) : cell{});
    }
    return entry->second;
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::string name_;
  std::vector<std::string> keys_;
  std::vector<std::string> names_;
  std::map<std::string, std::vector<cell>> cells_of_;
};

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

export_summary export_csv(const store& source, const trial_filter& filter, const export_writer& write) {
  const std::string file = "results.csv";
  connection& opened = source.access();
  return opened.read([&] {
    SQLite::Database& database = opened.database();
    const std::string selected = fmt::format(
        "FROM current_trial t JOIN configuration c ON c.id = t.configuration {{}} WHERE {}", finished_and_selected);
    const auto names_in = [&](const char* values) {
      return fmt::format("SELECT DISTINCT k.name {} ORDER BY 1",
                         fmt::format(fmt::runtime(selected), fmt::format("JOIN {} k ON k.trial = t.id", values)));
    };
    std::vector<object_column> objects;
    objects.emplace_back(database, "parameters", "parameter.",
                         fmt::format("SELECT DISTINCT j.key FROM configuration s, json_each(s.parameters) j "
                                     "WHERE s.id IN (SELECT t.configuration {}) ORDER BY 1",
                                     fmt::format(fmt::runtime(selected), "")),
                         filter);
    objects.emplace_back(database, "counters", "counter.", names_in("counter"), filter);
    objects.emplace_back(database, "metrics", "metric.", names_in("metric"), filter);
    // Only the numbers of trials are sorted, so that little is kept. SQLite keeps the order of a subquery with a limit.
    auto row = prepare_selection(
        database,
        fmt::format("WITH chosen AS MATERIALIZED (SELECT t.id {1} ORDER BY c.problem, w.name, w.hash, t.query, d.name, "
                    "c.hash, t.id LIMIT -1) "
                    "SELECT r.*, CASE WHEN {0} > 0 THEN NULL ELSE (SELECT "
                    "json_group_array(milliseconds) FROM (SELECT milliseconds FROM sample WHERE "
                    "trial = r.trial ORDER BY ordinal)) END AS samples_ms, {0} AS samples_dropped "
                    "FROM chosen CROSS JOIN result r ON r.trial = chosen.id JOIN trial t ON t.id = r.trial",
                    samples_dropped_by_compact,
                    fmt::format(fmt::runtime(selected),
                                "JOIN workload w ON w.id = t.workload JOIN device d ON d.id = t.device")),
        filter);
    std::vector<std::string> columns;
    std::vector<object_column*> spread;  // by column of the statement; null: the column stays
    for (int i = 0; i < row.getColumnCount(); ++i) {
      const auto object = std::ranges::find(objects, row.getColumnName(i), &object_column::name);
      spread.push_back(object == objects.end() ? nullptr : &*object);
      if (object == objects.end()) {
        columns.emplace_back(row.getColumnName(i));
      } else {
        columns.insert(columns.end(), object->names().begin(), object->names().end());
      }
    }
    export_summary counts;
    while (row.executeStep()) {
      if (counts.trials++ == 0) write(file, csv_header(columns));
      const std::vector<cell> values = fetch_row(row);
      std::vector<cell> line;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (spread[i] == nullptr) {
          line.push_back(values[i]);
        } else {
          const std::vector<cell>& cells = spread[i]->cells(values[i].text);
          line.insert(line.end(), cells.begin(), cells.end());
        }
      }
      if (values.back().text != "0") ++counts.without_samples;
      write(file, csv_line(line));
    }
    return counts;
  });
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

export_summary export_results(const store& source, const trial_filter& filter, export_format format,
                              const export_writer& write) {
  if (format == export_format::csv) {
    export_summary summary = export_csv(source, filter, write);
    if (summary.trials == 0) throw_nothing_selected(source);
    return summary;
  }
  export_summary summary;
  std::size_t records = 0;
  std::set<std::string> used;
  nvbench_writer nvbench([&](std::string_view piece) { write("results.nvbench.json", piece); });
  visit_tuning_records(source, filter, [&](tuning_record&& record) {
    ++records;
    const std::size_t trials = record.configurations.size();
    const std::size_t without_samples = record.without_samples();
    const std::string stem = file_stem(record, used);
    if (format == export_format::nvbench) {
      nvbench.add(std::move(record));
    } else if (format == export_format::kernel_tuner_cache) {
      if (!record.has_result()) {
        // Kernel Tuner's readers fail on a file without any time.
        summary.without_result.push_back(fmt::format("{} {} {}", record.workload, record.query, record.device));
        return;
      }
      const parameter_table parameters = tabulate_parameters(record.configurations);
      write(stem + ".json", kernel_tuner_cache(record, parameters));
      if (searched_by_number(record, parameters)) {
        write(stem + ".configurations.csv", render(configuration_table(record, parameters), table_format::csv));
      }
    } else {
      write(stem + ".t4.json", t4_results(record, tabulate_parameters(record.configurations)));
    }
    summary.trials += trials;
    summary.without_samples += without_samples;
  });
  if (records == 0) throw_nothing_selected(source);
  if (format == export_format::nvbench) nvbench.finish();
  if (summary.without_result.size() == records) {
    throw input_error(
        fmt::format("{}: no configuration has a time on any of the {} inputs, but Kernel Tuner cannot read "
                    "a file without times; export the trials as csv or t4",
                    source.file().string(), records));
  }
  return summary;
}

}  // namespace mlmq::db
