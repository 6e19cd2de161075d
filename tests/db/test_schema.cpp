// SPDX-License-Identifier: Apache-2.0
#include "db/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "db/query.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;

namespace {

constexpr migration_step first{"create", "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT) STRICT;"};
constexpr migration_step second{"add size",
                                "ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 3;"
                                "CREATE INDEX thing_by_size ON thing (size);"};
constexpr migration_step broken{"fail half-way", "CREATE TABLE half (x); CREATE TABLE thing (y);"};
constexpr migration_step dangling{
    "drop what others refer to",
    "CREATE TABLE part (thing INTEGER NOT NULL REFERENCES thing); INSERT INTO part VALUES (99);"};

SQLite::Database open_raw(const std::filesystem::path& file) {
  return SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
}

int number(SQLite::Database& database, const std::string& sql) { return database.execAndGet(sql).getInt(); }

}  // namespace

TEST_CASE("a new database has the newest version, and folders are made for it") {
  const temporary_folder folder;
  const auto file = folder / "a/b/sweep.db";
  { const store created = store::open(file, open_mode::read_write_create); }
  SQLite::Database raw = open_raw(file);
  CHECK(number(raw, "PRAGMA user_version") == static_cast<int>(schema_steps().size()));
  CHECK(number(raw, "PRAGMA application_id") == application_id);
  CHECK(raw.execAndGet("PRAGMA journal_mode").getString() == "wal");
  CHECK(raw.execAndGet("PRAGMA integrity_check").getString() == "ok");
}

TEST_CASE("the database itself refuses states that make no sense") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  {
    store into = store::open(file, open_mode::read_write_create);
    make_sweep(into, 1);
    device_record device = sample_device();
    device.kind = "opencl";
    CHECK_NOTHROW(into.put_device(device));  // any backend name is accepted
    device.kind = "";
    CHECK_THROWS_WITH(into.put_device(device), Contains("CHECK constraint failed"));
    trial_key key;
    key.workload = 99;
    key.configuration = 1;
    key.device = 1;
    CHECK_THROWS_WITH(into.plan(1, std::array{key}), Contains("FOREIGN KEY"));
  }
  SQLite::Database raw = open_raw(file);
  for (const outcome value : all_outcomes) {
    CHECK_NOTHROW(
        raw.exec(fmt::format("UPDATE trial SET state = 'done', finished_at = 'x', median_ms = {}, outcome = '{}'",
                             value == outcome::ok ? "1" : "NULL", to_string(value))));
  }
  CHECK_THROWS(raw.exec("UPDATE trial SET outcome = 'fine'"));
  CHECK_THROWS(raw.exec("UPDATE trial SET outcome = NULL"));
  CHECK_THROWS(raw.exec("UPDATE trial SET state = 'pending'"));
  CHECK_THROWS(raw.exec("UPDATE trial SET median_ms = 5"));
  CHECK_THROWS(raw.exec("UPDATE trial SET query = NULL"));
}

TEST_CASE("an older schema is upgraded step by step and keeps its rows") {
  const temporary_folder folder;
  SQLite::Database raw = open_raw(folder / "old.db");
  migrate(raw, "old.db", std::array{first});
  CHECK(number(raw, "PRAGMA user_version") == 1);
  raw.exec("INSERT INTO thing (name) VALUES ('kept')");
  migrate(raw, "old.db", std::array{first, second});
  CHECK(number(raw, "PRAGMA user_version") == 2);
  CHECK(raw.execAndGet("SELECT name || size FROM thing").getString() == "kept3");
  migrate(raw, "old.db", std::array{first, second});
  CHECK(number(raw, "PRAGMA user_version") == 2);
  CHECK(number(raw, "PRAGMA foreign_keys") == 1);
}

namespace {

constexpr const char* former_text =
    "problem: sssp\nparameters: {bnum: [8, 32], open_buckets: {values: [4], when: bnum >= 8}}\n";

/// Makes a database of version 1, with views of that version and one finished trial per problem.
void make_version_1(const std::filesystem::path& file) {
  SQLite::Database raw = open_raw(file);
  migrate(raw, file, schema_steps().first(1));
  raw.exec("DROP VIEW superseded_code; DROP VIEW current_trial; DROP VIEW latest");
  raw.exec("CREATE VIEW latest AS SELECT * FROM trial WHERE state = 'done'");
  raw.exec("INSERT INTO device VALUES (1, 'd', 'Test GPU', 'cuda', 0, 'sm_90', 0, 0, '{}')");
  raw.exec("INSERT INTO workload VALUES (1, 'w', 'graph', 'road', 'road', 'road', '', 0, '{}')");
  int id = 0;
  for (const char* const problem : {"sssp", "bfs", "custom"}) {
    ++id;
    const configuration_record former{problem, R"({"bnum":32,"delta":8.0,"open_buckets":4})",
                                      "bnum=32,delta=8,open_buckets=4"};
    raw.exec(fmt::format("INSERT INTO configuration VALUES ({}, '{}', '{}', '{}', '{}')", id, former.hash(), problem,
                         former.parameters_json, former.label));
    raw.exec(fmt::format("INSERT INTO experiment VALUES ({0}, '{1}', 'e{0}', '{2}', '{{}}', 'x', 'x')", id,
                         experiment_hash(fmt::format("e{}", id), former_text, "{}"), former_text));
    raw.exec(
        fmt::format("INSERT INTO trial (id, workload, query, configuration, device, kernel_source_hash, measurement, "
                    "state, outcome, finished_at, median_ms) VALUES ({0}, 1, 'source=0', {0}, 1, 'k', 'time', "
                    "'done', 'ok', '2026-11-24T00:00:00Z', 1.5)",
                    id));
    raw.exec(fmt::format("INSERT INTO experiment_trial VALUES ({0}, {0})", id));
  }
}

}  // namespace

TEST_CASE("version 3 gives configurations and experiments the present names of renamed parameters") {
  const temporary_folder folder;
  const auto file = folder / "old.db";
  make_version_1(file);
  const bool for_writing = GENERATE(false, true);
  CAPTURE(for_writing);
  {
    store opened = store::open(file, for_writing ? open_mode::read_write_create : open_mode::read_only);
    const training_data data = opened.training();
    REQUIRE(data.rows.size() == 3);
    for (const training_row& row : data.rows) {
      CAPTURE(row.problem);
      const bool is_renamed = row.problem != "custom";
      const configuration_record expected{
          std::string(row.problem),
          is_renamed ? R"({"bmax":32,"bnum":4,"delta":8.0})" : R"({"bnum":32,"delta":8.0,"open_buckets":4})",
          is_renamed ? "bmax=32,bnum=4,delta=8" : "bnum=32,delta=8,open_buckets=4"};
      CHECK(row.parameters_json == expected.parameters_json);
      CHECK(row.label == expected.label);
      CHECK(row.configuration_hash == expected.hash());
      CHECK(row.median_ms == 1.5);
    }
    const experiment_row converted = opened.find_experiment("e1");
    CHECK(converted.space_text == "problem: sssp\nparameters: {bmax: [8, 32], bnum: {values: [4], when: bmax >= 8}}\n");
    CHECK(converted.hash == experiment_hash("e1", converted.space_text, "{}"));
    CHECK(opened.find_experiment("e3").space_text == former_text);
  }
  // Reading does not change the file.
  SQLite::Database raw = open_raw(file);
  CHECK(number(raw, "PRAGMA user_version") == (for_writing ? static_cast<int>(schema_steps().size()) : 1));
  CHECK(number(raw, "SELECT count(*) FROM configuration WHERE label LIKE '%open_buckets%'") == (for_writing ? 1 : 3));
}

TEST_CASE("version 5 accepts hardware counters and energy") {
  const temporary_folder folder;
  const auto file = folder / "old.db";
  make_version_1(file);
  constexpr const char* change = "UPDATE trial SET measurement = 'hardware' WHERE id = 1";
  {
    SQLite::Database raw = open_raw(file);
    // A connection that was open before the upgrade sees the change, too.
    SQLite::Database other = open_raw(file);
    CHECK_THROWS(other.exec(change));
    migrate(raw, file, schema_steps());
    CHECK_NOTHROW(other.exec(change));
  }
  SQLite::Database raw = open_raw(file);
  CHECK_NOTHROW(raw.exec("UPDATE trial SET measurement = 'energy' WHERE id = 2"));
  CHECK_THROWS(raw.exec("UPDATE trial SET measurement = 'joy' WHERE id = 3"));
  CHECK(raw.execAndGet("PRAGMA integrity_check").getString() == "ok");
}

TEST_CASE("an upgrade replaces the views of an older version") {
  const temporary_folder folder;
  make_version_1(folder / "old.db");
  const auto views_of = [&](const char* name) {
    { const store opened = store::open(folder / name, open_mode::read_write_create); }
    SQLite::Database raw = open_raw(folder / name);
    return raw
        .execAndGet("SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY name)")
        .getString();
  };
  CHECK(views_of("old.db") == views_of("new.db"));
  open_raw(folder / "new.db").exec("DROP VIEW latest; CREATE VIEW latest AS SELECT * FROM trial");
  CHECK_THROWS_WITH(views_of("new.db"), Contains("the view latest is different from that of this program"));
}

TEST_CASE("a failing upgrade leaves the older version as it was") {
  const temporary_folder folder;
  SQLite::Database raw = open_raw(folder / "old.db");
  CHECK_THROWS(migrate(raw, "old.db", std::array{first, broken, second}));
  CHECK(number(raw, "PRAGMA user_version") == 1);
  CHECK(number(raw, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0);
  CHECK_THROWS_WITH(migrate(raw, "old.db", std::array{first, dangling}), Contains("table part"));
  CHECK(number(raw, "PRAGMA user_version") == 1);
  CHECK(number(raw, "SELECT count(*) FROM sqlite_schema WHERE name = 'part'") == 0);
}

TEST_CASE("a database of the time before workloads and queries is refused in one line, and left alone") {
  const temporary_folder folder;
  const auto file = folder / "former.db";
  {
    SQLite::Database raw = open_raw(file);
    raw.exec("CREATE TABLE graph (id INTEGER PRIMARY KEY) STRICT;");
    raw.exec(fmt::format("PRAGMA application_id = {}", former_application_id));
    raw.exec("PRAGMA user_version = 6");
  }
  for (const open_mode mode : {open_mode::read_only, open_mode::read_write_create}) {
    CHECK_THROWS_AS(store::open(file, mode), input_error);
    CHECK_THROWS_WITH(store::open(file, mode), Contains("former.db") && Contains("older version of mlmq"));
  }
  SQLite::Database raw = open_raw(file);
  CHECK(number(raw, "PRAGMA user_version") == 6);
  CHECK(number(raw, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'") == 1);
}

TEST_CASE("required columns decide which versions are read without an upgrade") {
  constexpr migration_step last{"tidy", "DROP INDEX thing_by_size", false};
  CHECK(oldest_readable_version({}) == 0);
  CHECK(oldest_readable_version(std::array{first, second}) == 2);
  CHECK(oldest_readable_version(std::array{first, second, last, last}) == 2);
  CHECK(oldest_readable_version(std::array{first, last, second}) == 3);

  // A database of this program that is marked as one of an older version.
  const temporary_folder folder;
  const auto file = folder / "v0.db";
  { const store created = store::open(file, open_mode::read_write_create); }
  open_raw(file).exec("PRAGMA user_version = 0");
  CHECK_THROWS_WITH(store::open(file, open_mode::read_only), Contains("older schema version 0"));
}

TEST_CASE("a newer database is refused, naming both versions") {
  const temporary_folder folder;
  const auto file = folder / "new.db";
  { const store created = store::open(file, open_mode::read_write_create); }
  open_raw(file).exec("PRAGMA user_version = 41");
  for (const open_mode mode : {open_mode::read_only, open_mode::read_write_create}) {
    CHECK_THROWS_AS(store::open(file, mode), input_error);
    CHECK_THROWS_WITH(store::open(file, mode), Contains("new.db") && Contains("version 41") &&
                                                   Contains(fmt::format("up to {}", schema_steps().size())));
  }
}

TEST_CASE("foreign databases are refused and not changed") {
  const temporary_folder folder;
  SECTION("a text file") {
    const auto file = folder / "notes.txt";
    std::ofstream(file) << std::string(5000, 'x');
    CHECK_THROWS_AS(store::open(file, open_mode::read_write_create), input_error);
    CHECK_THROWS_WITH(store::open(file, open_mode::read_only), Contains("not an SQLite database"));
    CHECK(std::filesystem::file_size(file) == 5000);
  }
  SECTION("a database of another program") {
    const auto file = folder / "other.db";
    open_raw(file).exec("CREATE TABLE bookmarks (url TEXT)");
    CHECK_THROWS_AS(store::open(file, open_mode::read_write_create), input_error);
    CHECK_THROWS_WITH(store::open(file, open_mode::read_only), Contains("of another program"));
  }
  SECTION("a folder, an empty name, a missing or an empty file") {
    CHECK_THROWS_WITH(store::open(folder / ".", open_mode::read_write_create), Contains("is a folder"));
    CHECK_THROWS_WITH(store::open(folder / ".", open_mode::read_only), Contains("is a folder"));
    CHECK_THROWS_AS(store::open("", open_mode::read_write_create), input_error);
    CHECK_THROWS_WITH(store::open(folder / "none.db", open_mode::read_only), Contains("no such database"));
    CHECK_FALSE(std::filesystem::exists(folder / "none.db"));
    std::ofstream(folder / "empty.db").flush();
    CHECK_THROWS_WITH(store::open(folder / "empty.db", open_mode::read_only), Contains("is empty"));
    CHECK_NOTHROW(store::open(folder / "empty.db", open_mode::read_write_create));
  }
}

TEST_CASE("several processes may create the same database at once") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(start_child([&] {
      store into = store::open(file, open_mode::read_write_create);
      into.put_device(sample_device());
    }));
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  CHECK(run_query(file, "SELECT count(*) FROM device").rows[0][0].text == "1");
}
