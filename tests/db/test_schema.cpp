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

SQLite::Database open_raw(const std::filesystem::path& file) {
  return SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
}

int number(SQLite::Database& database, const std::string& sql) { return database.execAndGet(sql).getInt(); }

}  // namespace

TEST_CASE("a new database has the schema version of the program, and folders are made for it") {
  const temporary_folder folder;
  const auto file = folder / "a/b/sweep.db";
  { const store created = store::open(file, open_mode::read_write_create); }
  SQLite::Database raw = open_raw(file);
  CHECK(number(raw, "PRAGMA user_version") == schema_version);
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

TEST_CASE("a database of another schema version is refused, naming both versions, and left alone") {
  const temporary_folder folder;
  const auto file = folder / "other.db";
  { const store created = store::open(file, open_mode::read_write_create); }
  const int version = GENERATE(-1, 0, 3, schema_version + 1);
  open_raw(file).exec(fmt::format("PRAGMA user_version = {}", version));
  for (const open_mode mode : {open_mode::read_only, open_mode::read_write_create}) {
    CHECK_THROWS_AS(store::open(file, mode), input_error);
    CHECK_THROWS_WITH(store::open(file, mode), Contains("other.db") &&
                                                   Contains(fmt::format("has schema version {},", version)) &&
                                                   Contains(fmt::format("reads version {};", schema_version)));
  }
  SQLite::Database raw = open_raw(file);
  CHECK(number(raw, "PRAGMA user_version") == version);
}

TEST_CASE("a database with another view is refused") {
  const temporary_folder folder;
  const auto file = folder / "changed.db";
  { const store created = store::open(file, open_mode::read_write_create); }
  open_raw(file).exec("DROP VIEW latest; CREATE VIEW latest AS SELECT * FROM trial");
  CHECK_THROWS_WITH(store::open(file, open_mode::read_only),
                    Contains("the view latest is different from that of this program"));
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
