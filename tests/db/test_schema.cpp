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
    CHECK_THROWS_WITH(into.put_device(device), Contains("CHECK constraint failed"));
    trial_key key;
    key.graph = 99;
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
  CHECK_THROWS(raw.exec("UPDATE trial SET source = 'text'"));
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

TEST_CASE("a version 1 file of this program opens with all later steps applied") {
  const temporary_folder folder;
  const auto file = folder / "v1.db";
  {
    SQLite::Database raw = open_raw(file);
    migrate(raw, file, schema_steps().first(1));
    raw.exec(
        "INSERT INTO configuration (hash, problem, parameters, label) VALUES ('h', 'sssp', '{}', "
        "'kept')");
    raw.exec(
        "INSERT INTO device (id, hash, name, kind, architecture, memory_bytes, multiprocessors, description) "
        "VALUES (7, 'd', 'kept too', 'cuda', 'sm_90', 5, 132, '{}')");
    raw.exec(
        "INSERT INTO graph (id, hash, name, class, path, vertices, edges, weight_type) "
        "VALUES (3, 'g', 'g', 'road', '', 1, 0, 'uint32')");
    raw.exec(
        "INSERT INTO trial (graph, configuration, device, source, measurement, seed, kernel_source_hash) "
        "VALUES (3, 1, 7, 0, 'time', 1, 'k')");
  }
  store opened = store::open(file, open_mode::read_write_create);
  CHECK(opened.configuration(1).label == "kept");
  device_record processors = sample_device();
  processors.kind = "cpu";
  CHECK_NOTHROW(opened.put_device(processors));
  SQLite::Database raw = open_raw(file);
  raw.exec("PRAGMA foreign_keys = ON");
  CHECK(raw.execAndGet("SELECT d.name FROM trial t JOIN device d ON d.id = t.device").getString() == "kept too");
  CHECK_THROWS_WITH(raw.exec("DELETE FROM device WHERE id = 7"), Contains("FOREIGN KEY"));
  CHECK_NOTHROW(raw.exec("SELECT * FROM result"));  // views still find the table
  CHECK(number(raw, "SELECT crashes + kills FROM trial") == 0);
  CHECK_NOTHROW(raw.exec("SELECT * FROM final_result"));
}

TEST_CASE("a version 2 file keeps its finished trials with their samples, and can be continued") {
  const temporary_folder folder;
  const auto file = folder / "v2.db";
  {
    SQLite::Database raw = open_raw(file);
    migrate(raw, file, schema_steps().first(2));
    raw.exec(
        "INSERT INTO configuration (hash, problem, parameters, label) VALUES ('h', 'sssp', '{}', 'kept');"
        "INSERT INTO device (id, hash, name, kind, architecture, memory_bytes, multiprocessors, description) "
        "VALUES (1, 'd', 'd', 'cuda', 'sm_90', 5, 132, '{}');"
        "INSERT INTO graph (id, hash, name, class, path, vertices, edges, weight_type) "
        "VALUES (1, 'g', 'g', 'road', '', 1, 0, 'uint32');"
        "INSERT INTO experiment (id, hash, name, space_text, settings, created, used) "
        "VALUES (1, 'e', 'sweep', 'text', '{}', 'x', 'x');"
        "INSERT INTO trial (id, graph, configuration, device, source, measurement, kernel_source_hash, state, outcome, "
        "median_ms, finished_at, attempt) VALUES (1, 1, 1, 1, 0, 'time', 'k', 'done', 'ok', 2.5, 'x', 1);"
        "INSERT INTO trial (id, graph, configuration, device, source, measurement, kernel_source_hash) "
        "VALUES (2, 1, 1, 1, 7, 'time', 'k');"
        "INSERT INTO experiment_trial VALUES (1, 1), (1, 2); INSERT INTO sample VALUES (1, 0, 2.5)");
  }
  store opened = store::open(file, open_mode::read_write_create);
  CHECK(opened.samples(1) == std::vector<double>{2.5});
  CHECK(opened.best_time("sssp", 1, 1, 0) == 2.5);
  const auto claimed = opened.claim(1, 1, "host:1:1");
  REQUIRE(claimed);
  CHECK(claimed->id == 2);
  CHECK(claimed->crashes == 0);
  CHECK(opened.experiment_text(1) == "text");
}

TEST_CASE("graphs of a version 3 file are their own families, and those of their variants with floats") {
  const temporary_folder folder;
  const auto file = folder / "v3.db";
  {
    SQLite::Database raw = open_raw(file);
    migrate(raw, file, schema_steps().first(3));
    raw.exec(
        "INSERT INTO graph (id, hash, name, class, path, vertices, edges, weight_type) VALUES "
        "(1, 'g', 'road8', 'road', '', 1, 0, 'uint32'), (2, 'f', 'road8-float', 'road', '', 1, 0, 'float32')");
  }
  store opened = store::open(file, open_mode::read_write_create);
  CHECK(opened.graph(1).family == "road8");
  CHECK(opened.graph(2).family == "road8");
  // Recorded again, a graph has the family that it is given.
  graph_record again = opened.graph(2);
  again.family = "roads";
  CHECK(opened.put_graph(again) == 2);
  CHECK(opened.graph(2).family == "roads");
}

TEST_CASE("an older file keeps what it holds, and loses the table of models") {
  const temporary_folder folder;
  const auto file = folder / "v4.db";
  const auto version = [&] {
    SQLite::Database raw = open_raw(file);
    return number(raw, "PRAGMA user_version");
  };
  {
    SQLite::Database raw = open_raw(file);
    migrate(raw, file, schema_steps().first(4));
    raw.exec(
        "INSERT INTO experiment (id, hash, name, space_text, settings, created, used) "
        "VALUES (1, 'e', 'sweep', 'text', '{}', 'x', 'x')");
  }
  CHECK_THROWS_WITH(store::open(file, open_mode::read_only), Contains("older schema version 4"));
  CHECK(version() == 4);
  CHECK(store::open(file, open_mode::read_write_create).experiment_text(1) == "text");
  CHECK(version() == static_cast<int>(schema_steps().size()));
  CHECK(store::open(file, open_mode::read_only).experiment_text(1) == "text");
  SQLite::Database raw = open_raw(file);
  CHECK(number(raw, "SELECT count(*) FROM sqlite_schema WHERE name = 'model'") == 0);
}

TEST_CASE("what readers need decides which versions are read without an upgrade") {
  constexpr migration_step last{"tidy", "DROP INDEX thing_by_size", false};
  CHECK(oldest_readable_version({}) == 0);
  CHECK(oldest_readable_version(std::array{first, second}) == 2);
  CHECK(oldest_readable_version(std::array{first, second, last, last}) == 2);
  CHECK(oldest_readable_version(std::array{first, last, second}) == 3);

  const temporary_folder folder;
  const auto file = folder / "v2.db";
  {
    SQLite::Database raw = open_raw(file);
    migrate(raw, file, schema_steps().first(2));
  }
  CHECK_THROWS_WITH(store::open(file, open_mode::read_only), Contains("older schema version 2"));
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

TEST_CASE("what is not our database is refused and left alone") {
  const temporary_folder folder;
  SECTION("a text file") {
    const auto file = folder / "notes.txt";
    std::ofstream(file) << std::string(5000, 'x');
    CHECK_THROWS_AS(store::open(file, open_mode::read_write_create), input_error);
    CHECK_THROWS_WITH(store::open(file, open_mode::read_only), Contains("is not an SQLite database"));
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
