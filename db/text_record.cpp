// SPDX-License-Identifier: Apache-2.0
#include "db/text_record.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/hash.hpp"
#include "base/json_reason.hpp"
#include "base/text.hpp"
#include "db/connection.hpp"
#include "db/schema.hpp"

namespace mlmq::db {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view first_line = "mlmq trials 1";
/// Tables whose rows are lines of their own, in the order of the text, and the columns that identify a row. Workloads
/// follow, with their trials.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> described_tables{
    {{"device", "hash"},
     {"host", "hash"},
     {"experiment", "hash"},
     {"configuration", "hash"},
     {"kernel_variant", "hash"},
     {"equal_code", "code_hash, variant"},
     {"machine_code", "variant"}}};
constexpr std::size_t shortest_key = 6;

// Numbers of up to nine digits are those of a float, which is what GPUs measure: 0.081248 is the double that is equal
// to the float nearest to 0.081248. Other doubles have more digits.
constexpr std::size_t float_digits = 9;

std::size_t digits_in(std::string_view number) {
  return static_cast<std::size_t>(std::ranges::count_if(number.substr(0, number.find('e')),
                                                        [](char letter) { return letter >= '0' && letter <= '9'; }));
}

std::string number_text(double number) {
  const auto single = static_cast<float>(number);
  if (static_cast<double>(single) == number) {
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), single).ptr};
  }
  std::string text = shortest_decimal(number);
  return digits_in(text) > float_digits ? text : fmt::format("{:#.17g}", number);
}

template <typename Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> parsed_time(std::string_view text) {
  if (digits_in(text) > float_digits) return parsed<double>(text);
  return parsed<float>(text);
}

/// Returns the columns of a row by name, without the id and without NULL.
json row_object(SQLite::Statement& row) {
  json object = json::object();
  for (int i = 0; i < row.getColumnCount(); ++i) {
    const SQLite::Column column = row.getColumn(i);
    const std::string name = column.getName();
    if (name == "id" || column.isNull()) continue;
    if (column.isInteger()) {
      object[name] = column.getInt64();
    } else if (column.isFloat()) {
      object[name] = column.getDouble();
    } else {
      object[name] = column.getString();
    }
  }
  return object;
}

struct written_trial {
  std::string values;  ///< median and spread, or the outcome
  std::string details;
  std::int64_t samples = 0;
  bool is_ok = false;
};

/// Trials that differ only in workload, query and result.
struct series {
  std::string key;
  std::string finished_at;                         ///< of the newest trial
  std::map<std::int64_t, std::size_t> of_samples;  ///< successful trials by number of samples

  /// Returns the number of samples that most successful trials have.
  [[nodiscard]] std::int64_t usual_samples() const {
    const auto most = std::ranges::max_element(of_samples, {}, [](const auto& entry) { return entry.second; });
    return most == of_samples.end() ? 0 : most->first;
  }
};

std::string cell_text(const written_trial& written, std::int64_t usual_samples) {
  std::string text = written.values;
  if (written.samples != (written.is_ok ? usual_samples : 0)) text += fmt::format(" *{}", written.samples);
  return text + written.details;
}

class writer {
 public:
  explicit writer(SQLite::Database& database) : database_(database) {}

  std::string text() {
    text_ = fmt::format("{}\n", first_line);
    for (const auto& [table, identity] : described_tables) describe(table, identity);
    read_trials();
    write_series();
    write_workloads();
    return std::move(text_);
  }

 private:
  void describe(std::string_view table, std::string_view identity) {
    SQLite::Statement row(database_, fmt::format("SELECT * FROM {} ORDER BY {}", table, identity));
    while (row.executeStep()) text_ += fmt::format("{} {}\n", table, row_object(row).dump());
  }

  /// Reads the counters of all trials, which are few in records of times.
  std::map<std::int64_t, json> read_counters() {
    std::map<std::int64_t, json> counters;
    SQLite::Statement row(database_, "SELECT trial, name, value FROM counter");
    while (row.executeStep()) {
      counters[row.getColumn(0).getInt64()][row.getColumn(1).getString()] = row.getColumn(2).getDouble();
    }
    return counters;
  }

  void read_trials() {
    const std::map<std::int64_t, json> counters = read_counters();
    SQLite::Statement series_row(
        database_,
        "SELECT c.hash AS configuration, d.hash AS device, v.hash AS kernel_variant, h.hash AS host, "
        "t.kernel_source_hash, t.measurement, t.times_modelled, t.program_version, t.driver, t.seed, "
        "(SELECT group_concat(hash, ' ') FROM (SELECT e.hash FROM experiment_trial x JOIN experiment e ON e.id = "
        "x.experiment WHERE x.trial = t.id ORDER BY e.hash)) AS experiments FROM trial t "
        "JOIN configuration c ON c.id = t.configuration JOIN device d ON d.id = t.device "
        "LEFT JOIN kernel_variant v ON v.id = t.kernel_variant LEFT JOIN host h ON h.id = t.host WHERE t.id = ?1");
    SQLite::Statement row(database_,
                          "SELECT id, workload, query, outcome, message, median_ms, spread, finished_at, "
                          "coalesce(json_extract(environment, '$.samples'), 0) FROM trial WHERE state = 'done'");
    while (row.executeStep()) {
      const std::int64_t trial = row.getColumn(0).getInt64();
      bind_all(series_row, trial);
      series_row.executeStep();
      const std::string identity = row_object(series_row).dump();
      series_row.reset();
      written_trial read{.values = {}, .details = {}, .samples = row.getColumn(8).getInt64(), .is_ok = false};
      const std::string outcome = row.getColumn(3).getString();
      read.is_ok = outcome == "ok";
      if (row.getColumn(5).isNull()) {
        read.values = outcome;
      } else {
        const SQLite::Column spread = row.getColumn(6);
        read.values = number_text(row.getColumn(5).getDouble()) + " " +
                      (spread.isNull() ? "-" : fmt::format("{:.4g}", spread.getDouble()));
      }
      if (const std::string message = row.getColumn(4).getString(); !message.empty()) {
        read.details = " " + json(message).dump();
      }
      if (const auto counted = counters.find(trial); counted != counters.end()) {
        read.details += (read.details.empty() ? " " : ",") + counted->second.dump();
      }
      series& group = series_[identity];
      group.finished_at = std::max(group.finished_at, row.getColumn(7).getString());
      if (read.is_ok) ++group.of_samples[read.samples];
      cells_[row.getColumn(1).getInt64()][identity][row.getColumn(2).getString()] = std::move(read);
    }
  }

  void write_series() {
    // Keys are the beginnings of hashes, because numbers would change with every new series.
    std::map<std::string, std::string> identity_of;
    for (const auto& [identity, group] : series_) identity_of[hash_text(identity)] = identity;
    std::size_t length = shortest_key;
    for (auto it = identity_of.begin(); it != identity_of.end(); ++it) {
      const auto next = std::next(it);
      while (next != identity_of.end() && it->first.compare(0, length, next->first, 0, length) == 0) ++length;
    }
    for (const auto& [hash, identity] : identity_of) {
      series& group = series_.at(identity);
      group.key = hash.substr(0, length);
      json object = json::parse(identity);
      object["finished_at"] = group.finished_at;
      object["samples"] = group.usual_samples();
      text_ += fmt::format("series {} {}\n", group.key, object.dump());
    }
  }

  void write_workloads() {
    SQLite::Statement feature(database_, "SELECT name, value FROM workload_feature WHERE workload = ?1");
    SQLite::Statement row(database_, "SELECT * FROM workload ORDER BY name, hash");
    while (row.executeStep()) {
      const std::int64_t id = row.getColumn("id").getInt64();
      json object = row_object(row);
      bind_all(feature, id);
      json& features = object["features"] = json::object();
      while (feature.executeStep()) features[feature.getColumn(0).getString()] = feature.getColumn(1).getDouble();
      std::map<std::string, std::map<std::string, written_trial>>& of_series = cells_[id];
      std::map<std::string, std::size_t> queries;
      for (const auto& [identity, of_query] : of_series) {
        for (const auto& [query, written] : of_query) queries.emplace(query, 0);
      }
      json& names = object["queries"] = json::array();
      for (const auto& [query, unused] : queries) names.push_back(query);
      text_ += fmt::format("workload {}\n", object.dump());
      std::map<std::string, std::string> lines;
      for (const auto& [identity, of_query] : of_series) {
        const series& group = series_.at(identity);
        std::string& line = lines[group.key];
        for (const auto& [query, unused] : queries) {
          line += '\t';
          if (const auto trial = of_query.find(query); trial != of_query.end())
            line += cell_text(trial->second, group.usual_samples());
        }
      }
      for (const auto& [key, line] : lines) text_ += fmt::format("{}{}\n", key, line);
    }
  }

  SQLite::Database& database_;
  std::string text_;
  std::map<std::string, series> series_;  ///< by identity
  std::map<std::int64_t, std::map<std::string, std::map<std::string, written_trial>>>
      cells_;  ///< workload, series, query
};

/// Removes and returns the text before the first `separator`, or all of it.
std::string_view next_piece(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}

class reader {
 public:
  explicit reader(SQLite::Database& database)
      : database_(database),
        put_trial_(database,
                   "INSERT INTO trial (workload, query, configuration, device, kernel_source_hash, measurement, state, "
                   "outcome, message, attempt, finished_at, kernel_variant, median_ms, spread, times_modelled, host, "
                   "program_version, driver, seed, environment) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'done', ?7, ?8, 1, ?9, "
                   "?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)"),
        put_counter_(database, "INSERT INTO counter (trial, name, value) VALUES (?1, ?2, ?3)"),
        put_link_(database, "INSERT INTO experiment_trial (experiment, trial) VALUES (?1, ?2)"),
        put_feature_(database, "INSERT INTO workload_feature (workload, name, value) VALUES (?1, ?2, ?3)") {}

  void read_line(std::string_view line) {
    const std::size_t end = line.find_first_of(" \t");
    const std::string word(line.substr(0, end));
    if (end == std::string_view::npos) throw input_error("expected a row of a table, a series or trials");
    std::string_view rest = line.substr(end + 1);
    if (line[end] == '\t') {
      read_trials(word, rest);
    } else if (word == "workload") {
      read_workload(json::parse(rest));
    } else if (word == "series") {
      const std::string key(next_piece(rest, ' '));
      if (!series_.emplace(key, as_series(json::parse(rest))).second)
        throw input_error(fmt::format("the series {} is repeated", key));
    } else if (std::ranges::any_of(described_tables, [&](const auto& table) { return table.first == word; })) {
      put_row(word, json::parse(rest));
    } else {
      throw input_error(fmt::format("unknown kind of line '{}'", word));
    }
  }

 private:
  struct known_series {
    std::int64_t configuration = 0;
    std::int64_t device = 0;
    std::optional<std::int64_t> variant;
    std::optional<std::int64_t> host;
    std::vector<std::int64_t> experiments;
    std::string source_hash;
    std::string measurement;
    bool times_modelled = false;
    std::optional<std::string> program_version;
    std::optional<std::string> driver;
    std::optional<std::string> seed;
    std::string finished_at;
    std::int64_t samples = 0;
  };

  std::int64_t put_row(const std::string& table, const json& object) {
    auto [entry, is_new] = columns_.try_emplace(table);
    std::vector<std::string>& columns = entry->second;
    if (is_new) {
      SQLite::Statement row(database_,
                            fmt::format("SELECT name FROM pragma_table_info('{}') WHERE name <> 'id'", table));
      while (row.executeStep()) columns.push_back(row.getColumn(0).getString());
    }
    for (const auto& [name, value] : object.items()) {
      if (std::ranges::find(columns, name) == columns.end())
        throw input_error(fmt::format("the table {} has no column {}", table, name));
    }
    std::vector<std::string> marks(columns.size(), "?");
    SQLite::Statement put(database_, fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "),
                                                 fmt::join(marks, ", ")));
    int index = 0;
    for (const std::string& column : columns) {
      ++index;
      const auto value = object.find(column);
      if (value == object.end()) {
        put.bind(index);
      } else if (value->is_string()) {
        put.bind(index, value->get<std::string>());
      } else if (value->is_number_integer()) {
        put.bind(index, value->get<std::int64_t>());
      } else {
        put.bind(index, value->get<double>());
      }
    }
    put.exec();
    const std::int64_t id = database_.getLastInsertRowid();
    if (object.contains("hash")) ids_[table][object.at("hash").get<std::string>()] = id;
    return id;
  }

  std::int64_t id_of(const std::string& table, const std::string& hash) const {
    const auto ids = ids_.find(table);
    if (ids != ids_.end()) {
      if (const auto id = ids->second.find(hash); id != ids->second.end()) return id->second;
    }
    throw input_error(fmt::format("no {} has the hash {}", table, hash));
  }

  known_series as_series(const json& object) const {
    const auto optional_text = [&](const char* name) {
      return object.contains(name) ? std::optional(object.at(name).get<std::string>()) : std::nullopt;
    };
    const auto optional_id = [&](const char* table) {
      const auto hash = optional_text(table);
      return hash ? std::optional(id_of(table, *hash)) : std::nullopt;
    };
    known_series result;
    result.configuration = id_of("configuration", object.at("configuration").get<std::string>());
    result.device = id_of("device", object.at("device").get<std::string>());
    result.variant = optional_id("kernel_variant");
    result.host = optional_id("host");
    for (const std::string& hash : split(optional_text("experiments").value_or(""), ' ')) {
      if (!hash.empty()) result.experiments.push_back(id_of("experiment", hash));
    }
    result.source_hash = object.at("kernel_source_hash").get<std::string>();
    result.measurement = object.at("measurement").get<std::string>();
    result.times_modelled = object.at("times_modelled").get<int>() != 0;
    result.program_version = optional_text("program_version");
    result.driver = optional_text("driver");
    result.seed = optional_text("seed");
    result.finished_at = object.at("finished_at").get<std::string>();
    result.samples = object.at("samples").get<std::int64_t>();
    return result;
  }

  void read_workload(json object) {
    const json features = object.at("features");
    queries_ = object.at("queries").get<std::vector<std::string>>();
    object.erase("features");
    object.erase("queries");
    workload_ = put_row("workload", object);
    for (const auto& [name, value] : features.items()) {
      bind_all(put_feature_, workload_, name, value.get<double>());
      put_feature_.exec();
    }
  }

  void read_trials(const std::string& key, std::string_view cells) {
    const auto shared = series_.find(key);
    if (shared == series_.end()) throw input_error(fmt::format("there is no series {}", key));
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      if (const std::string_view text = next_piece(cells, '\t'); !text.empty())
        read_trial(shared->second, queries_[i], text);
    }
    if (!cells.empty()) throw input_error(fmt::format("more trials than the {} queries", queries_.size()));
  }

  void read_trial(const known_series& shared, const std::string& query, std::string_view text) {
    const std::string_view whole = text;
    const std::string_view first = next_piece(text, ' ');
    std::optional<double> median = parsed_time(first);
    std::optional<double> spread;
    if (median) {
      const std::string_view written = next_piece(text, ' ');
      spread = parsed<double>(written);
      if (!spread && written != "-") throw input_error(fmt::format("'{}' has no spread", whole));
    }
    const std::string outcome(median ? "ok" : first);
    std::int64_t samples = outcome == "ok" ? shared.samples : 0;
    if (text.starts_with('*')) {
      const std::optional<std::int64_t> written = parsed<std::int64_t>(next_piece(text, ' ').substr(1));
      if (!written) throw input_error(fmt::format("'{}' has no number of samples", whole));
      samples = *written;
    }
    std::string message;
    json counters = json::object();
    if (!text.empty()) {
      for (const json& detail : json::parse(fmt::format("[{}]", text))) {
        if (detail.is_string()) {
          message = detail.get<std::string>();
        } else {
          counters = detail;
        }
      }
    }
    bind_all(put_trial_, workload_, query, shared.configuration, shared.device, shared.source_hash, shared.measurement,
             outcome, message, shared.finished_at, shared.variant, median, spread, shared.times_modelled, shared.host,
             shared.program_version, shared.driver, shared.seed, fmt::format(R"({{"samples":{}}})", samples));
    put_trial_.exec();
    const std::int64_t trial = database_.getLastInsertRowid();
    for (const std::int64_t experiment : shared.experiments) {
      bind_all(put_link_, experiment, trial);
      put_link_.exec();
    }
    for (const auto& [name, value] : counters.items()) {
      bind_all(put_counter_, trial, name, value.get<double>());
      put_counter_.exec();
    }
  }

  SQLite::Database& database_;
  SQLite::Statement put_trial_;
  SQLite::Statement put_counter_;
  SQLite::Statement put_link_;
  SQLite::Statement put_feature_;
  std::map<std::string, std::vector<std::string>> columns_;         ///< by table
  std::map<std::string, std::map<std::string, std::int64_t>> ids_;  ///< by table and hash
  std::map<std::string, known_series> series_;                      ///< by key
  std::vector<std::string> queries_;                                ///< of the workload that was read last
  std::int64_t workload_ = 0;
};

}  // namespace

bool is_text_record(const fs::path& file) { return file.extension() == ".trials"; }

void write_text_record(SQLite::Database& database, const fs::path& file) {
  const std::string text = writer(database).text();
  file_writer output(file);
  output.write(text);
  output.commit();
}

void read_text_record(const fs::path& file, SQLite::Database& database) {
  const loaded_bytes loaded = load_bytes(file);
  std::string_view text(reinterpret_cast<const char*>(loaded.bytes.data()), loaded.bytes.size());
  if (next_piece(text, '\n') != first_line)
    throw input_error(fmt::format("{}:1: not a record as text, which begins with '{}'", file.string(), first_line));
  SQLite::Transaction transaction(database);
  reader lines(database);
  for (std::size_t number = 2; !text.empty(); ++number) {
    try {
      lines.read_line(next_piece(text, '\n'));
    } catch (const json::exception& error) {
      throw input_error(fmt::format("{}:{}: {}", file.string(), number, json_reason(error)));
    } catch (const SQLite::Exception& error) {
      throw input_error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    } catch (const input_error& error) {
      throw input_error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
  }
  apply_equal_code(database);
  transaction.commit();
}

}  // namespace mlmq::db
