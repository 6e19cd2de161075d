// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "db/format.hpp"
#include "db/query.hpp"
#include "db/status.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;

namespace {

const table example{{"name", "n", "x", "x"},
                    {{text_cell("Zürich"), count_cell(5), number_cell(0.5), {}},
                     {text_cell("a,\"b\"\nc"), count_cell(12345), {}, text_cell("")}}};

}  // namespace

TEST_CASE("tables align numbers to the right and count characters, not bytes") {
  CHECK(render(example, table_format::aligned) ==
        "name          n    x  x\n"
        "--------  -----  ---  -\n"
        "Zürich        5  0.5\n"
        "a,\"b\"\\nc  12345\n");
}

TEST_CASE("csv quotes cells only where necessary") {
  CHECK(render(example, table_format::csv) ==
        "name,n,x,x\r\n"
        "Zürich,5,0.5,\r\n"
        "\"a,\"\"b\"\"\nc\",12345,,\"\"\r\n");
}

TEST_CASE("csv has no formulas, and tables no terminal escapes") {
  const table rows{{"name", "n"},
                   {{text_cell("=cmd()"), number_cell(-1)},
                    {text_cell("+a,b"), count_cell(2)},
                    {text_cell("@x"), {}},
                    {text_cell("-2.5"), {}},
                    {text_cell("-"), {}},
                    {text_cell("a=b\x1b[2J"), {}}}};
  CHECK(render(rows, table_format::csv) ==
        "name,n\r\n'=cmd(),-1\r\n\"'+a,b\",2\r\n'@x,\r\n-2.5,\r\n-,\r\na=b\x1b[2J,\r\n");
  const std::string aligned = render(rows, table_format::aligned);
  CHECK(aligned.find('\x1b') == std::string::npos);
  CHECK_THAT(aligned, Contains("a=b\\x1b[2J"));
}

TEST_CASE("json keeps types and tells repeated columns apart") {
  const auto parsed = nlohmann::json::parse(render(example, table_format::json));
  REQUIRE(parsed.size() == 2);
  CHECK(parsed[0] == nlohmann::json{{"name", "Zürich"}, {"n", 5}, {"x", 0.5}, {"x_2", nullptr}});
  CHECK(parsed[1]["name"] == "a,\"b\"\nc");
  CHECK(parsed[1]["x_2"] == "");
  CHECK(nlohmann::json::parse(render(table{{"a"}, {}}, table_format::json)).empty());
  const table odd{{"a"}, {{{cell_kind::real, "inf"}}, {text_cell("\xff")}}};
  CHECK(nlohmann::json::parse(render(odd, table_format::json))[0]["a"].is_null());
}

TEST_CASE("formats are named") {
  CHECK(table_format_from("csv") == table_format::csv);
  CHECK_THROWS_WITH(table_format_from("jsn"), Contains("did you mean 'json'"));
}

TEST_CASE("queries give typed cells") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  {
    store into = store::open(file, open_mode::read_write_create);
    make_sweep(into, 2);
  }
  const table rows =
      run_query(file, "-- a comment\nSELECT 1 AS a, 2.5 AS b, 'x' AS c, NULL AS d, x'00ff' AS e ; -- the end\n");
  CHECK(rows.columns == std::vector<std::string>{"a", "b", "c", "d", "e"});
  CHECK(rows.rows ==
        std::vector<std::vector<cell>>{{count_cell(1), number_cell(2.5), text_cell("x"), {}, text_cell("00ff")}});
  CHECK(run_query(file, "SELECT count(*) FROM trial").rows[0][0].text == "2");
  CHECK(run_query(file,
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5) SELECT "
                  "sum(i) FROM n")
            .rows[0][0]
            .text == "15");
  CHECK(run_query(file, "PRAGMA table_info(trial)").rows.size() > 10);
}

TEST_CASE("queries cannot change anything") {
  const temporary_folder folder;
  const auto file = folder / "sweep.db";
  store into = store::open(file, open_mode::read_write_create);
  make_sweep(into, 2);
  for (const char* sql :
       {"DELETE FROM trial", "UPDATE trial SET query = 1", "INSERT INTO host VALUES (1, 'a', 'b', '{}')",
        "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "DROP VIEW result", "PRAGMA user_version = 9",
        "PRAGMA journal_mode = DELETE", "PRAGMA foreign_keys = OFF", "ATTACH 'other.db' AS other", "BEGIN", "VACUUM",
        "VACUUM INTO 'copy.db'", "SELECT load_extension('x')",
        "WITH old AS (SELECT id FROM trial) DELETE FROM trial WHERE id IN old"}) {
    INFO(sql);
    // Also through a store that may write.
    CHECK_THROWS_AS(run_query(into, sql), input_error);
    CHECK_THROWS_AS(run_query(file, sql), input_error);
  }
  CHECK_THROWS_WITH(run_query(into, "DELETE FROM trial"), Contains("only SELECT is allowed"));
  CHECK_THROWS_WITH(run_query(into, "SELECT 1; DELETE FROM trial"), Contains("change"));
  CHECK_THROWS_WITH(run_query(into, "SELECT 1; SELECT 2"), Contains("one at a time"));
  CHECK_THROWS_WITH(run_query(into, " -- nothing"), Contains("empty"));
  CHECK_THROWS_WITH(run_query(into, "SELEC 1"), Contains("does not accept") && Contains("syntax error"));
  CHECK_THROWS_WITH(run_query(into, "SELECT * FROM resul"), Contains("did you mean 'result'?"));
  CHECK_THROWS_WITH(run_query(into, "SELECT * FROM zzzzzzzzz"), Contains("(known: ") && Contains("relative, result, "));
  CHECK(run_query(into, "SELECT count(*) FROM trial").rows[0][0].text == "2");
  CHECK(into.plan(1, {}) == 0);  // the store itself may write again
}

TEST_CASE("counters of timed runs are shown as rates") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_sweep(into, 3);
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, ok_result({4}));
  CHECK(read_status(into).best.at(0).rate_unit.empty());
  CHECK_THAT(render(read_status(into)), !Contains("rate"));
  trial_result faster = ok_result({2, 2});
  faster.counters = {{"events", 1000}};
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, faster);
  trial_result slower = ok_result({3});
  slower.counters = {{"events", 7000}};
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, slower);
  const status report = read_status(into);
  REQUIRE(report.best.size() == 1);
  CHECK(report.best[0].rate_unit == "events/s");
  CHECK(report.best[0].rate == Approx(500'000));
  CHECK_THAT(render(report), Contains("5e+05 events/s"));
}

TEST_CASE("status counts, names failures and shows the best") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  CHECK_THAT(render(read_status(into)), Contains("no experiments yet"));
  const sweep planned = make_sweep(into, 6);
  into.put_experiment("unused", "", "{}");
  for (const double time : {4.0, 2.0, 3.0}) {
    into.finish(into.claim(planned.experiment, planned.device, "w")->id, ok_result({time, time}));
  }
  into.finish(into.claim(planned.experiment, planned.device, "w")->id,
              failed_result(outcome::compile_error, "too much shared memory"));
  REQUIRE(into.claim(planned.experiment, planned.device, this_worker()));

  const status report = read_status(into);
  REQUIRE(report.experiments.size() == 2);
  const experiment_status& state = report.experiments[0];
  CHECK(state.counts.total == 6);
  CHECK(state.counts.done == 4);
  CHECK(state.counts.running == 1);
  CHECK(state.counts.pending == 1);
  CHECK(state.seconds_left.has_value());
  REQUIRE(state.counts.devices.size() == 1);
  CHECK(state.counts.devices[0].ok == 3);
  CHECK(state.counts.devices[0].compile_s == Approx(0.12));
  REQUIRE(report.best.size() == 1);
  CHECK(report.best[0].label == "bucket 1");
  CHECK(report.best[0].median_ms == 2);
  CHECK(report.best[0].candidates == 3);
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].message == "too much shared memory");
  REQUIRE(report.running.size() == 1);
  CHECK(report.running[0].state == liveness::alive);

  const std::string text = render(report);
  CHECK_THAT(text, Contains("experiment sweep: 4 of 6 trials done, 1 running, 1 pending"));
  CHECK_THAT(text, Contains("outcomes: ok 3, compile_error 1"));
  CHECK_THAT(text, Contains("too much shared memory"));
  CHECK_THAT(text, Contains("bucket 1"));
  CHECK(read_status(into, planned.experiment).experiments.size() == 1);
}
