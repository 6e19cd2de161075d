// SPDX-License-Identifier: Apache-2.0
#include "db/merge.hpp"

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "base/error.hpp"
#include "db/finals.hpp"
#include "db/metrics.hpp"
#include "db/sessions.hpp"
#include "tests/db/dump.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;
using paths = std::vector<std::filesystem::path>;

namespace {

store open(const std::filesystem::path& file) { return store::open(file, open_mode::read_write_create); }

/// Returns a result in which every optional part is present.
trial_result full_result(store& into, double milliseconds) {
  trial_result result = ok_result({milliseconds, 2 * milliseconds, 3 * milliseconds});
  result.counters = {{"pops", 10 * milliseconds}, {"pushes", 7}};
  result.timeline = {{"busy", 0, 1}, {"busy", 1, 2}, {"length", 0, 5}};
  result.variant = variant_record{"sssp", R"({"WB": "8"})", "query", "nvrtc 12", "sm_90", 50, false, 32, 1024};
  result.functions = {{.name = "f", .registers = 32, .local_bytes = 8, .shared_bytes = 64, .occupancy = 0.5}};
  result.host = into.put_host({.name = "node", .description_json = R"({"cores": 8})"});
  result.seed = 3;
  result.environment_json = R"({"clock_mhz": 1980})";
  return result;
}

/// Makes a database that has finished trials for one of `parts` parts of ten trials; the other trials were never
/// planned.
void make_part(const std::filesystem::path& file, std::size_t part, std::size_t parts, int count = 10) {
  store into = open(file);
  sweep planned = make_sweep(into, 0);
  for (int i = 0; i < count; ++i) {
    if (static_cast<std::size_t>(i) % parts != part) continue;
    const trial_key key{
        planned.workload, into.put_configuration(sample_configuration(i)), planned.device, "source=7", "k", "time"};
    into.plan(planned.experiment, std::array{key});
    into.finish(into.claim_trial(*into.find_trial(key), "w:1:1")->id,
                i % 4 == 3 ? failed_result(outcome::timeout, "too long") : full_result(into, 1 + i));
  }
  std::vector<trial_metric> metrics;
  for (const metric_source& trial : read_metric_sources(into, planned.experiment)) {
    metrics.push_back({trial.trial, "pops/ms", trial.values.at("pops") / trial.median_ms});
  }
  replace_metrics(into, planned.experiment, metrics);
}

/// Makes a database whose only trial is finished with these samples.
void make_one(const std::filesystem::path& file, std::vector<double> samples, const std::string& program = "0.1.0") {
  store into = open(file);
  const sweep planned = make_sweep(into, 1);
  trial_result result = ok_result(std::move(samples));
  result.program_version = program;
  into.finish(into.claim(planned.experiment, planned.device, "w:1:1")->id, result);
}

void set_finished(const std::filesystem::path& file, const std::string& timestamp) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  SQLite::Statement update(database, "UPDATE trial SET finished_at = ?1");
  update.bind(1, timestamp);
  update.exec();
}

double median_of(const std::filesystem::path& file) {
  return store::open(file, open_mode::read_only).training().rows.at(0).median_ms.value();
}

}  // namespace

TEST_CASE("one database merged into none is the same database") {
  const temporary_folder folder;
  make_part(folder / "a.db", 0, 1);
  const merge_report report = merge_databases(folder / "out.db", paths{folder / "a.db"});
  CHECK(report.added == 10);
  CHECK(dump(folder / "out.db") == dump(folder / "a.db"));
  // Checks that the dump covers every optional part of a result.
  const auto rows = dump(folder / "a.db");
  for (const char* table :
       {"sample", "counter", "timeline", "kernel_function", "metric", "kernel_variant", "host", "workload_feature"}) {
    CHECK(std::any_of(rows.begin(), rows.end(), [&](const std::string& row) { return row.starts_with(table); }));
  }
}

TEST_CASE("a merge knows every column of the schema") {
  // A new column or table must be added to db/merge.cpp, and to the rows that make_part() writes. Sessions and finals
  // are left out of a merge, as db/merge.hpp says.
  const temporary_folder folder;
  open(folder / "a.db");
  SQLite::Database database((folder / "a.db").string(), SQLite::OPEN_READONLY);
  SQLite::Statement row(database,
                        "SELECT t.name, count(*) FROM sqlite_schema t JOIN pragma_table_info(t.name) WHERE t.type = "
                        "'table' GROUP BY t.name ORDER BY t.name");
  std::string columns;
  while (row.executeStep()) {
    columns += fmt::format("{} {} ", row.getColumn(0).getString(), row.getColumn(1).getInt());
  }
  CHECK(columns ==
        "configuration 5 counter 3 device 9 equal_code 3 experiment 7 experiment_trial 2 final 12 final_sample 4 "
        "finalist 5 host 4 kernel_function 6 kernel_variant 11 machine_code 2 metric 3 sample 3 session 18 timeline 5 "
        "trial 29 workload 9 workload_feature 3 ");
}

TEST_CASE("the order of a merge does not matter, and merging twice changes nothing") {
  const temporary_folder folder;
  for (std::size_t part = 0; part < 3; ++part) make_part(folder / fmt::format("{}.db", part), part, 3);
  paths order = {folder / "0.db", folder / "1.db", folder / "2.db"};
  std::set<std::multiset<std::string>> results;
  int number = 0;
  do {
    const auto out = folder / fmt::format("out{}.db", number++);
    const merge_report report = merge_databases(out, order);
    CHECK(report.files == 3);
    CHECK(report.added == 10);
    results.insert(dump(out));
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(number == 6);
  // Merges in several steps, then again.
  const auto out = folder / "steps.db";
  for (const std::size_t i : {2u, 0u, 1u}) merge_databases(out, std::span(order).subspan(i, 1));
  results.insert(dump(out));
  const merge_report again = merge_databases(out, order);
  CHECK(again.already_present == 10);
  CHECK(again.added + again.finished + again.replaced == 0);
  results.insert(dump(out));
  REQUIRE(results.size() == 1);
  CHECK(store::open(out, open_mode::read_only).experiment_progress(1).outcomes ==
        std::map<outcome, std::size_t>{{outcome::ok, 8}, {outcome::timeout, 2}});
}

TEST_CASE("costs of trials are merged with them, but not sessions and finals") {
  const temporary_folder folder;
  const auto make = [&](const char* name, int deaths) {
    store into = open(folder / name);
    const sweep planned = make_sweep(into, 1);
    worker_death death;
    death.message = "killed by signal 11";
    death.most_crashes = 3;
    for (int i = 0; i < deaths; ++i) {
      REQUIRE(into.claim(planned.experiment, planned.device, "w:1:1"));
      (void)into.charge("w:1:1", death);
    }
    const std::int64_t host = into.put_host({.name = "node"});
    (void)start_session(into, planned.experiment, planned.device, host, std::string("w:1:1"), "cuda:0");
    CHECK(plan_finals(into, planned.experiment, std::array{final_key{planned.workload, "source=7", planned.device}}) ==
          1);
  };
  make("once.db", 1);
  make("twice.db", 2);
  make("recorded.db", 3);
  const auto single = [&](const char* name, const char* sql) {
    SQLite::Database database((folder / name).string(), SQLite::OPEN_READONLY);
    return database.execAndGet(sql).getInt();
  };
  const auto content = [&](const char* name) { return dump(folder / name, {"created", "used"}); };
  merge_databases(folder / "a.db", paths{folder / "once.db", folder / "twice.db"});
  merge_databases(folder / "b.db", paths{folder / "twice.db", folder / "once.db"});
  CHECK(content("a.db") == content("twice.db"));
  CHECK(content("b.db") == content("twice.db"));
  CHECK(single("a.db", "SELECT crashes FROM trial WHERE state = 'pending'") == 2);
  merge_databases(folder / "a.db", paths{folder / "recorded.db"});
  CHECK(content("a.db") == content("recorded.db"));
  CHECK(single("a.db", "SELECT crashes FROM trial WHERE outcome = 'crashed'") == 3);
  CHECK(single("recorded.db", "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM final)") == 2);
  CHECK(single("a.db", "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM final)") == 0);
}

TEST_CASE("a finished trial takes the place of a pending one, in either order") {
  const temporary_folder folder;
  {
    store into = open(folder / "planned.db");
    const sweep planned = make_sweep(into, 2);
    // A worker of another machine may still be running the trial.
    (void)into.claim(planned.experiment, planned.device, "elsewhere:1:1");
  }
  make_one(folder / "done.db", {5, 6, 7});
  const auto done_last = folder / "done-last.db";
  const auto done_first = folder / "done-first.db";
  merge_databases(done_last, paths{folder / "planned.db"});
  CHECK(store::open(done_last, open_mode::read_only).experiment_progress(1).running == 0);
  CHECK(merge_databases(done_last, paths{folder / "done.db"}).finished == 1);
  merge_databases(done_first, paths{folder / "done.db", folder / "planned.db"});
  CHECK(dump(done_first) == dump(done_last));
  CHECK(store::open(done_last, open_mode::read_only).experiment_progress(1).pending == 1);
  CHECK(median_of(done_last) == 6);
}

TEST_CASE("equal results of one trial become one, with the provenance of the earlier") {
  const temporary_folder folder;
  make_one(folder / "a.db", {1, 2, 3}, "version a");
  make_one(folder / "b.db", {1, 2 + 1e-12, 3}, "version b");
  set_finished(folder / "a.db", "2025-01-02T00:00:00.000Z");
  set_finished(folder / "b.db", "2025-01-01T00:00:00.000Z");
  merge_databases(folder / "ab.db", paths{folder / "a.db", folder / "b.db"});
  merge_databases(folder / "ba.db", paths{folder / "b.db", folder / "a.db"});
  CHECK(dump(folder / "ab.db") == dump(folder / "ba.db"));
  SQLite::Database out((folder / "ab.db").string(), SQLite::OPEN_READONLY);
  CHECK(out.execAndGet("SELECT program_version FROM trial").getString() == "version b");
}

TEST_CASE("different results of one trial are refused unless a rule decides") {
  const temporary_folder folder;
  const auto a = folder / "a.db";
  const auto b = folder / "b.db";
  make_one(a, {1, 2, 3});
  make_one(b, {4, 5, 6});
  set_finished(a, "2025-01-01T00:00:00.000Z");
  set_finished(b, "2025-01-02T00:00:00.000Z");
  const auto out = folder / "out.db";
  merge_databases(out, paths{a});
  const auto before = dump(out);
  CHECK_THROWS_WITH(merge_databases(out, paths{b}), Contains(out.string()) && Contains(b.string()) &&
                                                        Contains("bucket 0 on road-ny, source=7") && Contains("2 ms") &&
                                                        Contains("5 ms") && Contains("--duplicates earliest"));
  CHECK(dump(out) == before);
  CHECK(duplicate_rule_from("earliest") == duplicate_rule::earliest);
  CHECK_THROWS_WITH(duplicate_rule_from("late"), Contains("known: refuse, earliest, latest"));
  for (const auto& [rule, median] :
       {std::pair(duplicate_rule::earliest, 2.0), std::pair(duplicate_rule::latest, 5.0)}) {
    for (const paths& order : {paths{a, b}, paths{b, a}}) {
      const auto chosen = folder / fmt::format("{}-{}.db", median, order[0].filename().string());
      merge_databases(chosen, order, rule);
      merge_databases(chosen, order, rule);
      CHECK(median_of(chosen) == median);
    }
  }
}

TEST_CASE("contradictory databases are refused, and the merge is rolled back") {
  const temporary_folder folder;
  make_part(folder / "good.db", 1, 2);
  make_part(folder / "out.db", 0, 2);
  const auto before = dump(folder / "out.db");
  const auto check_refused = [&](const char* change, const std::string& message) {
    const auto bad = folder / "bad.db";
    std::filesystem::remove(bad);
    make_part(bad, 0, 2);
    SQLite::Database(bad.string(), SQLite::OPEN_READWRITE).exec(change);
    // The good database is read first; its rows must be rolled back.
    CHECK_THROWS_WITH(merge_databases(folder / "out.db", paths{folder / "good.db", bad}),
                      Contains(message) && Contains(bad.string()) && Contains((folder / "out.db").string()));
    CHECK(dump(folder / "out.db") == before);
    CHECK_THROWS_AS(merge_databases(folder / "new.db", paths{folder / "good.db", bad, folder / "out.db"}), input_error);
    CHECK_FALSE(std::filesystem::exists(folder / "new.db"));
  };
  check_refused("UPDATE configuration SET parameters = '{}' WHERE id = 1", "the configuration");
  check_refused("UPDATE workload SET kind = 'grid'", "the workload hash-of-road-ny is not the same");
  check_refused("UPDATE workload_feature SET value = 3 WHERE name = 'max_degree'", "max_degree");
  check_refused("UPDATE sample SET milliseconds = 9 WHERE trial = 1 AND ordinal = 0", "contradict");
  check_refused("UPDATE experiment SET space_text = 'other'", "the experiment");
  check_refused("PRAGMA user_version = 99", "schema version 99");
  check_refused("PRAGMA user_version = 0", "schema version 0");
  check_refused("PRAGMA application_id = 7", "another program");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "")) {
    CHECK(entry.path().string().find(".merging.") == std::string::npos);
  }
}

TEST_CASE("files that cannot be merged are named") {
  const temporary_folder folder;
  make_part(folder / "a.db", 0, 1);
  CHECK_THROWS_WITH(merge_databases(folder / "a.db", paths{folder / "a.db"}), Contains("it is the output itself"));
  CHECK_THROWS_WITH(merge_databases(folder / "out.db", paths{folder / "a.db", folder / "none.db"}),
                    Contains("none.db") && Contains("out.db") && Contains("no such database"));
  std::ofstream(folder / "text.db") << std::string(5000, 'x');
  CHECK_THROWS_WITH(merge_databases(folder / "out.db", paths{folder / "text.db"}),
                    Contains("text.db") && Contains("out.db") && Contains("not an SQLite database"));
  CHECK_THROWS_WITH(merge_databases(folder / "text.db", paths{folder / "a.db"}), Contains("not an SQLite database"));
  CHECK_FALSE(std::filesystem::exists(folder / "out.db"));
}

TEST_CASE("a merge that is killed leaves the output as it was") {
  const temporary_folder folder;
  make_part(folder / "out.db", 0, 2);
  make_part(folder / "more.db", 1, 2, 2000);
  const auto before = dump(folder / "out.db");
  std::multiset<std::string> after;
  {
    std::filesystem::copy(folder / "out.db", folder / "copy.db");
    merge_databases(folder / "copy.db", paths{folder / "more.db"});
    after = dump(folder / "copy.db");
  }
  REQUIRE(before != after);
  int interrupted = 0;
  for (const int microseconds : {500, 2000, 5000, 10000, 20000, 30000}) {
    for (const char* name : {"out.db", "new.db"}) {
      const pid_t child = start_child([&] { merge_databases(folder / name, paths{folder / "more.db"}); });
      ::usleep(static_cast<useconds_t>(microseconds));
      ::kill(child, SIGKILL);
      if (WIFSIGNALED(wait_for(child))) ++interrupted;
    }
    const auto now = dump(folder / "out.db");
    CHECK((now == before || now == after));
    if (std::filesystem::exists(folder / "new.db")) CHECK(dump(folder / "new.db") == dump(folder / "more.db"));
  }
  CHECK(interrupted > 0);
  merge_databases(folder / "out.db", paths{folder / "more.db"});
  CHECK(dump(folder / "out.db") == after);
}
