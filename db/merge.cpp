// SPDX-License-Identifier: Apache-2.0
#include "db/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/connection.hpp"
#include "db/schema.hpp"

namespace mlmq::db {
namespace {

namespace fs = std::filesystem;

/// A value of SQLite. Ordering rows of these values makes a merge independent of the order of its inputs.
using field = std::variant<std::monostate, std::int64_t, double, std::string>;
using fields = std::vector<field>;

field read_field(const SQLite::Column& column) {
  if (column.isNull()) return {};
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

fields read_fields(SQLite::Statement& row) {
  fields values;
  for (int i = 0; i < row.getColumnCount(); ++i) values.push_back(read_field(row.getColumn(i)));
  return values;
}

void bind_field(SQLite::Statement& statement, int index, const field& value) {
  std::visit(
      [&](const auto& content) {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>) {
          statement.bind(index);
        } else {
          bind_value(statement, index, content);
        }
      },
      value);
}

void run(SQLite::Statement& statement, const fields& values) {
  statement.reset();
  int index = 0;
  for (const field& value : values) bind_field(statement, ++index, value);
  statement.exec();
}

std::string marks(std::size_t count) {
  std::vector<std::string> markers;
  for (std::size_t i = 1; i <= count; ++i) markers.push_back(fmt::format("?{}", i));
  return fmt::format("{}", fmt::join(markers, ", "));
}

struct updated_column {
  const char* name;
  const char* rule;  ///< in SQL; commutative and idempotent, so that the order of the inputs does not matter
};

/// A table whose rows have a content hash.
struct hashed_table {
  const char* name;
  std::vector<const char*> columns;        ///< columns other than id and hash
  std::vector<const char*> identity;       ///< expressions that are equal for equal hashes
  std::vector<updated_column> up_to_date;  ///< columns that may differ, with the rules that combine them
};

/// Display texts (names, paths, labels) may differ between machines: the alphabetically later one stays, so that a
/// non-empty text replaces an empty one.
const std::vector<hashed_table>& hashed_tables() {
  static const std::vector<hashed_table> tables = {
      {"device",
       {"name", "kind", "modelled", "architecture", "memory_bytes", "multiprocessors", "description"},
       {"kind", "name", "modelled", "architecture", "multiprocessors", "(memory_bytes + 536870912) / 1073741824",
        "CASE WHEN modelled THEN description END"},
       {{"memory_bytes", "max(memory_bytes, excluded.memory_bytes)"},
        {"description", "max(description, excluded.description)"}}},
      {"host", {"name", "description"}, {"name", "description"}, {}},
      {"workload",
       {"kind", "name", "class", "family", "origin", "bytes", "description"},
       {"kind"},
       {{"name", "max(name, excluded.name)"},
        {"class", "max(class, excluded.class)"},
        {"origin", "max(origin, excluded.origin)"},
        {"family", "max(family, excluded.family)"},
        {"bytes", "max(bytes, excluded.bytes)"},
        {"description", "max(description, excluded.description)"}}},
      {"configuration",
       {"problem", "parameters", "label"},
       {"problem", "parameters"},
       {{"label", "max(label, excluded.label)"}}},
      // Prefer the time of a real compilation to that of a later load from the cache.
      {"kernel_variant",
       {"problem", "defines", "source_hash", "compiler", "architecture", "compile_ms", "from_cache", "registers",
        "shared_bytes"},
       {"problem", "defines", "source_hash", "compiler", "architecture"},
       {{"compile_ms",
         "CASE WHEN (excluded.from_cache, excluded.compile_ms) < (from_cache, compile_ms) THEN "
         "excluded.compile_ms ELSE compile_ms END"},
        {"from_cache", "min(from_cache, excluded.from_cache)"},
        {"registers", "coalesce(max(registers, excluded.registers), registers, excluded.registers)"},
        {"shared_bytes", "coalesce(max(shared_bytes, excluded.shared_bytes), shared_bytes, excluded.shared_bytes)"}}},
      {"experiment",
       {"name", "space_text", "settings", "created", "used"},
       {"name", "space_text", "settings"},
       {{"created", "min(created, excluded.created)"}, {"used", "max(used, excluded.used)"}}},
  };
  return tables;
}

/// A detail table of trials, ordered by its primary key.
struct detail_table {
  const char* name;
  const char* columns;  ///< columns other than the trial, in the order of the key
  std::size_t count;
};
constexpr std::array<detail_table, 5> detail_tables{
    {{"sample", "ordinal, milliseconds", 2},
     {"counter", "name, value", 2},
     {"timeline", "name, ordinal, time_ms, value", 4},
     {"kernel_function", "name, registers, local_bytes, shared_bytes, occupancy", 5},
     {"metric", "name, value", 2}}};
/// The first tables are what a trial measured; the others follow from its kernel and from formulas.
constexpr std::size_t measured_tables = 3;

/// Columns of a result, without the references to a variant and a host, which come last.
constexpr const char* result_columns =
    "finished_at, outcome, times_modelled, median_ms, spread, message, worker, attempt, claimed_at, program_version, "
    "driver, seed, environment, compile_ms, upload_ms, measure_ms, check_ms, crashes, kills, kernel_variant, host";
constexpr std::size_t result_count = 21;

/// Returns whether two numbers are equal, except for rounding differences from another order of summation or another
/// compiler.
bool nearly_equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// Returns whether two spreads are equal, except for digits that a record as text (db/text_record.hpp) leaves out.
bool is_equal_spread(const field& a, const field& b) {
  constexpr double rounding = 1e-3;
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  return x != nullptr && y != nullptr ? std::abs(*x - *y) <= rounding * std::max(*x, *y) : a == b;
}

struct trial_content {
  bool done = false;
  std::array<std::int64_t, 3> costs{};  ///< attempts, crashes, kills
  fields result;                        ///< result_columns, with hashes for references; only if done
  std::array<std::vector<fields>, detail_tables.size()> details;

  [[nodiscard]] const field& outcome() const { return result[1]; }
  /// Returns whether both results are equal. The last digits of modelled times depend on earlier runs.
  [[nodiscard]] bool agrees_with(const trial_content& other) const {
    const auto equal = [](const field& a, const field& b) {
      const auto* x = std::get_if<double>(&a);
      const auto* y = std::get_if<double>(&b);
      return x != nullptr && y != nullptr ? nearly_equal(*x, *y) : a == b;
    };
    const auto equal_rows = [&](const fields& a, const fields& b) { return std::ranges::equal(a, b, equal); };
    const auto equal_details = [&](const auto& a, const auto& b) { return std::ranges::equal(a, b, equal_rows); };
    if (outcome() != other.outcome() || result[2] != other.result[2]) return false;
    if (is_compact() || other.is_compact()) {
      constexpr std::size_t counters = 1;
      // Ignore samples and timelines, which a failure may have too.
      return equal(result[3], other.result[3]) && is_equal_spread(result[4], other.result[4]) &&
             equal_details(details[counters], other.details[counters]);
    }
    return std::ranges::equal(std::span(details).first(measured_tables),
                              std::span(other.details).first(measured_tables), equal_details);
  }
  /// Returns whether the result is compact: db/compact.hpp leaves nothing else in the environment.
  [[nodiscard]] bool is_compact() const {
    const auto* environment = std::get_if<std::string>(&result[12]);
    return environment != nullptr && environment->starts_with(R"({"samples":)");
  }
  /// Orders by finish time, then by the first difference.
  [[nodiscard]] bool is_before(const trial_content& other) const {
    return std::tie(result, details) < std::tie(other.result, other.details);
  }
};

/// Reads trials of one database with reusable statements.
class content_reader {
 public:
  explicit content_reader(SQLite::Database& database)
      : row_(database,
             "SELECT t.state = 'done', t.attempt, t.crashes, t.kills, t.finished_at, t.outcome, t.times_modelled, "
             "t.median_ms, t.spread, "
             "t.message, t.worker, t.attempt, t.claimed_at, t.program_version, t.driver, t.seed, t.environment, "
             "t.compile_ms, t.upload_ms, t.measure_ms, t.check_ms, t.crashes, t.kills, v.hash, h.hash FROM trial t "
             "LEFT JOIN "
             "kernel_variant v ON v.id = t.kernel_variant LEFT JOIN host h ON h.id = t.host WHERE t.id = ?1") {
    for (const detail_table& table : detail_tables) {
      details_.emplace_back(
          database, fmt::format("SELECT {0} FROM {1} WHERE trial = ?1 ORDER BY {0}", table.columns, table.name));
    }
  }

  trial_content read(std::int64_t trial) {
    bind_all(row_, trial);
    row_.executeStep();
    trial_content content;
    content.done = row_.getColumn(0).getInt() != 0;
    for (int i = 0; i < 3; ++i) content.costs[static_cast<std::size_t>(i)] = row_.getColumn(i + 1).getInt64();
    if (content.done) {
      content.result = read_fields(row_);
      content.result.erase(content.result.begin(), content.result.begin() + 4);
      for (std::size_t i = 0; i < detail_tables.size(); ++i) {
        bind_all(details_[i], trial);
        while (details_[i].executeStep()) content.details[i].push_back(read_fields(details_[i]));
        details_[i].reset();
      }
    }
    row_.reset();
    return content;
  }

 private:
  SQLite::Statement row_;
  std::vector<SQLite::Statement> details_;
};

/// Writes results of trials.
class content_writer {
 public:
  explicit content_writer(SQLite::Database& database)
      : update_(database, fmt::format("UPDATE trial SET state = 'done', ({}) = ({}) WHERE id = ?{}", result_columns,
                                      marks(result_count), result_count + 1)) {
    for (const detail_table& table : detail_tables) {
      remove_.emplace_back(database, fmt::format("DELETE FROM {} WHERE trial = ?1", table.name));
      insert_.emplace_back(database, fmt::format("INSERT INTO {} ({}, trial) VALUES ({})", table.name, table.columns,
                                                 marks(table.count + 1)));
    }
  }

  /// @param result with ids for references
  void write(std::int64_t trial, fields result, const trial_content& content) {
    result.emplace_back(trial);
    run(update_, result);
    for (std::size_t i = 0; i < detail_tables.size(); ++i) {
      bind_all(remove_[i], trial);
      remove_[i].exec();
      for (fields detail : content.details[i]) {
        detail.emplace_back(trial);
        run(insert_[i], detail);
      }
    }
  }

 private:
  SQLite::Statement update_;
  std::vector<SQLite::Statement> remove_;
  std::vector<SQLite::Statement> insert_;
};

/// Merges one input into the output.
class merger {
 public:
  merger(connection& output, const fs::path& output_name, connection& input, duplicate_rule rule, merge_report& report)
      : output_name_(output_name),
        input_name_(input.file()),
        output_(output.database()),
        input_(input.database()),
        rule_(rule),
        report_(report) {}

  void run_all() {
    for (const hashed_table& table : hashed_tables()) merge_table(table);
    merge_features();
    merge_trials();
    merge_links();
    merge_code();
    ++report_.files;
  }

 private:
  [[noreturn]] void contradict(const std::string& conflict, const std::string& advice) const {
    throw input_error(fmt::format("{} and {} contradict each other: {}; {}; {} is unchanged", output_name_.string(),
                                  input_name_.string(), conflict, advice, output_name_.string()));
  }

  void merge_table(const hashed_table& table) {
    std::map<std::int64_t, std::int64_t>& ids = ids_[table.name];
    const std::string identity = fmt::format("{}", fmt::join(table.identity, ", "));
    const std::string columns = fmt::format("{}", fmt::join(table.columns, ", "));
    std::string update = "NOTHING";
    if (!table.up_to_date.empty()) {
      std::vector<std::string> rules;
      for (const updated_column& column : table.up_to_date) {
        rules.push_back(fmt::format("{} = {}", column.name, column.rule));
      }
      update = fmt::format("UPDATE SET {}", fmt::join(rules, ", "));
    }
    SQLite::Statement put(output_, fmt::format("INSERT INTO {} (hash, {}) VALUES ({}) ON CONFLICT (hash) DO {}",
                                               table.name, columns, marks(table.columns.size() + 1), update));
    SQLite::Statement existing(output_, fmt::format("SELECT {} FROM {} WHERE hash = ?1", identity, table.name));
    SQLite::Statement id_of(output_, fmt::format("SELECT id FROM {} WHERE hash = ?1", table.name));
    SQLite::Statement mine(input_, fmt::format("SELECT {} FROM {} WHERE id = ?1", identity, table.name));
    SQLite::Statement row(input_, fmt::format("SELECT id, hash, {} FROM {} ORDER BY hash", columns, table.name));
    while (row.executeStep()) {
      const std::int64_t id = row.getColumn(0).getInt64();
      const std::string hash = row.getColumn(1).getString();
      bind_all(existing, hash);
      bind_all(mine, id);
      mine.executeStep();
      if (existing.executeStep() && read_fields(existing) != read_fields(mine)) {
        contradict(fmt::format("the {} {} is not the same in both databases", table.name, hash),
                   "one of them was changed by hand or by another program");
      }
      existing.reset();
      fields values = read_fields(row);
      values.erase(values.begin());
      run(put, values);
      bind_all(id_of, hash);
      id_of.executeStep();
      ids[id] = id_of.getColumn(0).getInt64();
      hashes_[table.name][hash] = ids[id];
    }
  }

  void merge_features() {
    SQLite::Statement existing(output_, "SELECT value FROM workload_feature WHERE workload = ?1 AND name = ?2");
    SQLite::Statement put(
        output_,
        "INSERT INTO workload_feature (workload, name, value) VALUES (?1, ?2, ?3) ON CONFLICT (workload, name) "
        "DO UPDATE SET value = max(value, excluded.value)");
    SQLite::Statement row(
        input_,
        "SELECT f.workload, f.name, f.value, w.name FROM workload_feature f JOIN workload w ON w.id = f.workload");
    while (row.executeStep()) {
      const std::int64_t workload = ids_["workload"].at(row.getColumn(0).getInt64());
      const std::string name = row.getColumn(1).getString();
      const double value = row.getColumn(2).getDouble();
      bind_all(existing, workload, name);
      if (existing.executeStep()) {
        const double other = existing.getColumn(0).getDouble();
        if (!nearly_equal(other, value)) {
          contradict(fmt::format("the workload {} has {} = {} in one database and {} in the other",
                                 row.getColumn(3).getString(), name, other, value),
                     "update the features of both with 'mlmq db features'");
        }
      }
      existing.reset();
      bind_all(put, workload, name, value);
      put.exec();
    }
  }

  void merge_trials() {
    SQLite::Statement find(
        output_,
        "SELECT id FROM trial WHERE configuration = ?1 AND workload = ?2 AND query = ?3 AND device = "
        "?4 AND kernel_source_hash = ?5 AND measurement = ?6");
    SQLite::Statement add(output_,
                          "INSERT INTO trial (configuration, workload, query, device, kernel_source_hash, measurement, "
                          "attempt, crashes, kills) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    SQLite::Statement row(
        input_,
        "SELECT id, configuration, workload, query, device, kernel_source_hash, measurement FROM trial "
        "ORDER BY id");
    while (row.executeStep()) {
      fields key = read_fields(row);
      const auto trial = std::get<std::int64_t>(key.front());
      key.erase(key.begin());
      key[0] = ids_["configuration"].at(std::get<std::int64_t>(key[0]));
      key[1] = ids_["workload"].at(std::get<std::int64_t>(key[1]));
      key[3] = ids_["device"].at(std::get<std::int64_t>(key[3]));
      const trial_content theirs = theirs_.read(trial);
      find.reset();
      int index = 0;
      for (const field& value : key) bind_field(find, ++index, value);
      if (find.executeStep()) {
        const std::int64_t mine = find.getColumn(0).getInt64();
        find.reset();
        ids_["trial"][trial] = mine;
        merge_known(mine, theirs);
        continue;
      }
      for (const std::int64_t cost : theirs.costs) key.emplace_back(cost);
      run(add, key);
      const std::int64_t mine = output_.getLastInsertRowid();
      ids_["trial"][trial] = mine;
      if (theirs.done) write(mine, theirs);
      ++report_.added;
    }
  }

  void merge_known(std::int64_t trial, const trial_content& theirs) {
    const trial_content ours = ours_.read(trial);
    if (!theirs.done) {
      if (!ours.done) {
        prepare(output_,
                "UPDATE trial SET attempt = max(attempt, ?2), crashes = max(crashes, ?3), kills = max(kills, ?4) WHERE "
                "id = ?1",
                trial, theirs.costs[0], theirs.costs[1], theirs.costs[2])
            .exec();
      }
      ++report_.already_present;
      return;
    }
    if (!ours.done) {
      write(trial, theirs);
      ++report_.finished;
      return;
    }
    const bool agree = ours.agrees_with(theirs);
    if (!agree && rule_ == duplicate_rule::refuse) refuse_duplicate(trial, ours, theirs);
    const bool earlier_wins = agree || rule_ == duplicate_rule::earliest;
    if (agree && ours.is_compact() != theirs.is_compact()) {
      // The whole record contains everything in the compact one.
      if (ours.is_compact()) write(trial, theirs);
      ++(ours.is_compact() ? report_.replaced : report_.already_present);
      return;
    }
    if (earlier_wins ? theirs.is_before(ours) : ours.is_before(theirs)) {
      write(trial, theirs);
      ++report_.replaced;
    } else {
      ++report_.already_present;
    }
  }

  [[noreturn]] void refuse_duplicate(std::int64_t trial, const trial_content& ours, const trial_content& theirs) {
    auto row =
        prepare(output_,
                "SELECT w.name, t.query, c.label, t.measurement, d.name FROM trial t JOIN workload w ON w.id = "
                "t.workload JOIN configuration c ON c.id = t.configuration JOIN device d ON d.id = t.device WHERE "
                "t.id = ?1",
                trial);
    row.executeStep();
    const auto describe = [](const trial_content& content) {
      std::string text = std::get<std::string>(content.outcome());
      if (const auto* median = std::get_if<double>(&content.result[3])) text += fmt::format(" {:.6g} ms", *median);
      return text + " at " + std::get<std::string>(content.result[0]);
    };
    contradict(
        fmt::format("{} of {} on {}, {}, on {} is {} in one database and {} in the other", row.getColumn(3).getString(),
                    row.getColumn(2).getString(), row.getColumn(0).getString(), row.getColumn(1).getString(),
                    row.getColumn(4).getString(), describe(ours), describe(theirs)),
        "choose which of two results to keep with --duplicates earliest or --duplicates latest");
  }

  [[nodiscard]] field reference(const char* table, const field& hash) const {
    if (std::holds_alternative<std::monostate>(hash)) return {};
    return hashes_.at(table).at(std::get<std::string>(hash));
  }

  void write(std::int64_t trial, const trial_content& content) {
    fields values = content.result;
    values[result_count - 2] = reference("kernel_variant", values[result_count - 2]);
    values[result_count - 1] = reference("host", values[result_count - 1]);
    writer_.write(trial, std::move(values), content);
  }

  void merge_links() {
    SQLite::Statement link(output_,
                           "INSERT INTO experiment_trial (experiment, trial) VALUES (?1, ?2) ON CONFLICT DO NOTHING");
    SQLite::Statement row(input_, "SELECT experiment, trial FROM experiment_trial");
    while (row.executeStep()) {
      bind_all(link, ids_["experiment"].at(row.getColumn(0).getInt64()), ids_["trial"].at(row.getColumn(1).getInt64()));
      link.exec();
    }
  }

  /// Merges the tables on equal code. If two inputs differ, the alphabetically later value stays, as of display texts.
  void merge_code() {
    for (const auto& [table, key, value] :
         {std::array{"equal_code", "code_hash, variant", "counts_as"}, {"machine_code", "variant", "instructions"}}) {
      SQLite::Statement row(input_, fmt::format("SELECT {}, {} FROM {}", key, value, table));
      const auto count = static_cast<std::size_t>(row.getColumnCount());
      SQLite::Statement put(output_, fmt::format("INSERT INTO {0} ({1}, {2}) VALUES ({3}) ON CONFLICT DO UPDATE SET "
                                                 "{2} = max({2}, excluded.{2})",
                                                 table, key, value, marks(count)));
      while (row.executeStep()) run(put, read_fields(row));
    }
  }

  fs::path output_name_;
  fs::path input_name_;
  SQLite::Database& output_;
  SQLite::Database& input_;
  content_reader theirs_{input_};
  content_reader ours_{output_};
  content_writer writer_{output_};
  duplicate_rule rule_;
  merge_report& report_;
  std::map<std::string, std::map<std::int64_t, std::int64_t>> ids_;    // by table: an input's id to the output's
  std::map<std::string, std::map<std::string, std::int64_t>> hashes_;  // by table: hash to the output's id
};

/// Opens an input. Error messages also name the output.
connection open_input(const fs::path& output, const fs::path& input) {
  try {
    std::error_code ignored;
    if (fs::equivalent(input, output, ignored)) throw input_error("it is the output itself; remove it from the inputs");
    return {input, open_mode::read_only, std::chrono::seconds(30)};
  } catch (const input_error& error) {
    throw input_error(fmt::format("cannot merge {} into {}: {}", input.string(), output.string(), error.what()));
  }
}

/// A database under another name until it is complete.
class unfinished_file {
 public:
  explicit unfinished_file(const fs::path& target)
      : target_(target), path_(fmt::format("{}.merging.{}", target.string(), ::getpid())) {
    remove_all();
  }
  ~unfinished_file() { remove_all(); }
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  void complete() {
    std::error_code error;
    fs::rename(path_, target_, error);
    if (error) {
      throw work_error(
          fmt::format("{}: cannot rename the merged database to this name: {}", target_.string(), error.message()));
    }
  }

 private:
  void remove_all() noexcept {
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending, ignored);
  }

  fs::path target_;
  fs::path path_;
};

merge_report merge_into(const fs::path& file, const fs::path& output_name, std::span<const fs::path> inputs,
                        duplicate_rule rule) {
  connection output(file, open_mode::read_write_create, std::chrono::seconds(30));
  return output.write([&] {
    merge_report report;
    for (const fs::path& name : inputs) {
      connection input = open_input(output_name, name);
      input.read([&] {
        merger(output, output_name, input, rule, report).run_all();
        return true;
      });
    }
    apply_equal_code(output.database());
    return report;
  });
}

}  // namespace

duplicate_rule duplicate_rule_from(std::string_view name) {
  if (name == "refuse") return duplicate_rule::refuse;
  if (name == "earliest") return duplicate_rule::earliest;
  if (name == "latest") return duplicate_rule::latest;
  throw input_error(fmt::format("unknown rule for duplicates '{}'{} (known: refuse, earliest, latest)", name,
                                did_you_mean(name, std::vector<std::string>{"refuse", "earliest", "latest"})));
}

merge_report merge_databases(const fs::path& output, std::span<const fs::path> inputs, duplicate_rule rule) {
  // Check the inputs before writing anything: each must be readable. Also check the version of the output, because
  // opening it for writing would upgrade its rows.
  for (const fs::path& input : inputs) (void)open_input(output, input);
  if (output.extension() == ".gz") {
    throw input_error(fmt::format(
        "{}: databases can only be merged into an uncompressed file; 'mlmq db compact' writes compressed ones",
        output.string()));
  }
  std::error_code ignored;
  if (fs::exists(output, ignored)) {
    try {
      (void)connection(output, open_mode::read_only, std::chrono::seconds(30));
    } catch (const input_error& error) {
      throw input_error(fmt::format("cannot merge {} into {}: {}", inputs.empty() ? "" : inputs.front().string(),
                                    output.string(), error.what()));
    }
    return merge_into(output, output, inputs, rule);
  }
  unfinished_file fresh(output);
  const merge_report report = merge_into(fresh.path(), output, inputs, rule);
  fresh.complete();
  return report;
}

}  // namespace mlmq::db
