// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "report/contents.hpp"
#include "report/device_history.hpp"
#include "report/encoding.hpp"
#include "report/loopback_server.hpp"
#include "report/page.hpp"
#include "report/progress.hpp"
#include "report/warnings.hpp"
#include "tests/db/fixture.hpp"

namespace mlmq::report {
namespace {

using db::test::temporary_folder;

/// A database to which a test adds trial by trial.
struct small_record {
  temporary_folder folder;
  std::filesystem::path file = folder.path() / "record.sqlite";
  db::store store = db::store::open(file, db::open_mode::read_write_create);
  std::int64_t device = store.put_device(db::test::sample_device());
  std::int64_t experiment = store.put_experiment("sweep", "space: text", R"({"repeats": 3})");

  static db::trial_result timed(std::vector<double> samples, const std::string& environment = "{}") {
    db::trial_result result = db::test::ok_result(std::move(samples));
    result.environment_json = environment;
    return result;
  }

  void add(const std::string& workload, int configuration, const db::trial_result& result,
           const std::string& kernel = "kernel-1", const std::string& measurement = "time") {
    add(db::test::sample_workload(workload), db::test::sample_configuration(configuration), result, kernel,
        measurement);
  }
  void add(const db::workload_record& workload, const db::configuration_record& configuration,
           const db::trial_result& result, const std::string& kernel = "kernel-1",
           const std::string& measurement = "time") {
    db::trial_key key;
    key.workload = store.put_workload(workload);
    key.configuration = store.put_configuration(configuration);
    key.device = device;
    key.query = "source=7";
    key.kernel_source_hash = kernel;
    key.measurement = measurement;
    store.plan(experiment, std::vector{key});
    const auto claimed = store.claim(experiment, device, "worker");
    REQUIRE(claimed);
    REQUIRE(store.finish(claimed->id, result));
  }
  [[nodiscard]] db::whole_record read(const std::string& code = "newest") const {
    return db::read_whole_record(db::store::open_record(file, code));
  }
};

db::trial_result stopped(const std::string& message = "not finished after 8 ms") {
  return db::test::failed_result(db::outcome::timeout, message);
}

std::vector<std::string> texts(const std::vector<remark>& remarks, severity level) {
  std::vector<std::string> selected;
  for (const remark& entry : remarks) {
    if (entry.level == level) selected.push_back(entry.text);
  }
  return selected;
}

contents_options without_selectors() {
  contents_options options;
  options.evaluates_selectors = false;
  return options;
}

TEST_CASE("only the head of a request tells for whom it is") {
  const auto status_of = [](const std::string& request) {
    const auto reply = reply_to(request, "0123", [](const web_request&) { return web_answer{.tag = {}, .body = "x"}; });
    return reply ? reply->substr(9, 3) : "";
  };
  CHECK(status_of("GET /0123/ HTTP/1.1\r\nHost: localhost\r\n\r\n") == "200");
  CHECK(status_of("GET /0123/ HTTP/1.1\r\n\r\nHost: localhost\r\n") == "404");
  CHECK(status_of("GET /0124/ HTTP/1.1\r\nHost: localhost\r\n\r\n") == "404");
  CHECK(status_of("GET /0123/ HTTP/1.1\r\nHost: localhost\r\n").empty());
}

TEST_CASE("a result set is a table of the newest trials of a problem on a device") {
  small_record record;
  record.add("road", 2, small_record::timed({4, 4, 4}));
  record.add("road", 1, small_record::timed({2, 2, 2}));
  record.add("mesh", 1, stopped());
  record.add("road", 1, small_record::timed({1, 1, 1}), "kernel-2");
  auto bfs = db::test::sample_configuration(1);
  bfs.problem = "bfs";
  record.add(db::test::sample_workload("road"), bfs, small_record::timed({9, 9, 9}));
  const db::whole_record whole = record.read("all");
  const auto sets = result_sets_of(whole);
  REQUIRE(sets.size() == 2);
  CHECK(sets[0].problem == "bfs");
  const result_set& sssp = sets[1];
  REQUIRE(sssp.rows.size() == 2);
  CHECK(sssp.workloads[sssp.rows[0].workload]->name == "mesh");
  CHECK(sssp.entry_count() == 3);
  CHECK(sssp.replaced == 1);
  CHECK(times_text(sssp.rows[0]) == "t8");
  CHECK(times_text(sssp.rows[1]) == "1,4");

  const db::whole_record newest = record.read();
  CHECK(result_sets_of(newest).back().entry_count() == 1);
  CHECK(newest.other_code.count == 4);
  CHECK_THAT(texts(remarks_on(newest), severity::note).front(),
             Catch::Contains("4 finished trials of other kernel code"));
}

TEST_CASE("counting trials alone make no result set") {
  small_record record;
  db::trial_result counted;
  counted.counters = {{"pops", 5}};
  record.add("road", 1, counted, "kernel-1", "counters");
  CHECK(result_sets_of(record.read()).empty());
  CHECK_THROWS_WITH(collect({record.file.string()}, without_selectors(), ""),
                    Catch::Contains("record.sqlite") && Catch::Contains("no finished timed trials"));
}

TEST_CASE("how long a stopped trial ran is read from its message") {
  const auto after = [](db::outcome kind, const std::string& message) {
    db::finished_trial trial;
    trial.result = kind;
    trial.message = message;
    return stopped_after(trial);
  };
  CHECK(after(db::outcome::timeout, "not finished after 14.24 ms (slowdown_limit: 4 times)") == 14.24);
  CHECK(std::isnan(after(db::outcome::timeout, "the worker was replaced")));
  CHECK(std::isnan(after(db::outcome::timeout, "not finished after a while")));
  CHECK(std::isnan(after(db::outcome::timeout, "not finished after 3 steps")));
  CHECK(std::isnan(after(db::outcome::crashed, "not finished after 3 ms")));
}

TEST_CASE("numbers are short") {
  CHECK(short_number(1.12428) == "1.124");
  CHECK(short_number(0) == "0");
  CHECK(short_number(-0.0) == "0");
  CHECK(short_number(123456) == "1.235e+05");
  CHECK(short_number(std::numeric_limits<double>::infinity()).empty());
  CHECK(rounded(123456).dump() == "123500");
  CHECK(rounded(0.000123456).dump() == "0.0001235");
  CHECK(rounded(std::nan("")).is_null());
}

TEST_CASE("rows have a mark for missing measurements, and a letter for each failure") {
  std::vector<db::finished_trial> trials(6);
  trials[0].median_ms = 2.5;
  trials[0].spread = 0.1;
  trials[0].samples = 2;  // too few for an interval
  trials[1].result = db::outcome::wrong_answer;
  trials[2].result = db::outcome::timeout;
  trials[3].median_ms = 0.5;
  trials[3].spread = 0.1;
  trials[3].samples = 4;
  trials[4].result = db::outcome::timeout;
  trials[4].message = "not finished after 60 ms";
  trials[5].median_ms = 3;
  trials[5].spread = 0.2;
  trials[5].environment_json = R"({"samples":16})";
  table_row row;
  row.entries = {{0, &trials[0]}, {1, &trials[1]}, {2, &trials[2]}, {6, &trials[3]}, {7, &trials[4]}, {9, &trials[5]}};
  CHECK(times_text(row) == "2.5,w,t,~3,0.5,t60,~1,3");
  // Half of the interval in tenths of a percent: 1.57 · 0.1 / √4 and 1.57 · 0.2 / √16 are both 0.0785.
  CHECK(intervals_text(row) == ",,,~3,79,,~1,79");
  CHECK(times_text(table_row{}).empty());
  std::set<char> letters;
  for (const db::outcome kind : db::all_outcomes) {
    if (kind != db::outcome::ok) letters.insert(letter_of(kind));
  }
  CHECK(letters.size() == db::all_outcomes.size() - 1);
}

TEST_CASE("of too many trials those of good configurations are kept") {
  small_record record;
  for (const std::string workload : {"a", "b", "c", "d"}) {
    for (int configuration = 0; configuration < 5; ++configuration)
      record.add(workload, configuration, small_record::timed({10.0 + configuration}));
  }
  record.add("e", 4, small_record::timed({1}));  // the slowest everywhere else, but the only one here
  const db::whole_record whole = record.read();
  result_set set = result_sets_of(whole).front();
  REQUIRE(set.entry_count() == 21);
  const auto before = progress_of(set);
  limit_entries(set, 9);
  CHECK(set.entry_count() == 9);
  CHECK(set.hidden_configurations == 3);
  REQUIRE(set.configurations.size() == 2);
  CHECK(set.configurations[0]->label == "bucket 0");
  CHECK(set.configurations[1]->label == "bucket 4");
  CHECK(times_text(set.rows[0]) == "10,14");
  CHECK(times_text(set.rows[4]) == "~1,1");
  CHECK(set.rows[0].left_out == 3);
  CHECK(progress_of(set).front().tried == before.front().tried);
  CHECK_FALSE(texts(remarks_on(set), severity::warning).empty());
}

TEST_CASE("progress has a step for each faster trial") {
  small_record record;
  record.add("road", 1, small_record::timed({4}));
  record.add("road", 2, stopped());
  record.add("road", 3, small_record::timed({5}));
  record.add("road", 4, small_record::timed({2}));
  const db::whole_record whole = record.read();
  const auto progress = progress_of(result_sets_of(whole).front());
  REQUIRE(progress.size() == 1);
  CHECK(progress[0].tried == 4);
  // A timed trial of the fixture takes 40 + 2 + 6 + 1 ms.
  CHECK(progress[0].seconds == Approx(3 * 0.049));
  CHECK(steps_text(progress[0]) == "1:0.049:4,4:0.147:2");
}

TEST_CASE("readings are put together in points of equally many trials") {
  small_record record;
  for (int i = 0; i < 6; ++i) {
    record.add("road", i,
               small_record::timed({1}, fmt::format(R"({{"sm_clock_mhz":{},"throttle_reasons":{}}})", 1000 + 100 * i,
                                                    i == 5 ? R"(["thermal"])" : "[]")));
  }
  record.add("road", 9, small_record::timed({1}));  // no reading
  const db::whole_record whole = record.read();
  const auto sets = result_sets_of(whole);
  const auto points = device_history(sets.front(), 2);
  REQUIRE(points.size() == 2);
  CHECK(points[0].trials == 3);
  REQUIRE(points[0].readings[0]);
  CHECK(points[0].readings[0]->least == 1000);
  CHECK(points[0].readings[0]->median == 1100);
  CHECK(points[0].readings[0]->most == 1200);
  CHECK_FALSE(points[0].readings[2]);
  CHECK(points[0].slowed.empty());
  CHECK(points[1].slowed.at("thermal") == 1);
  CHECK(device_history(sets.front(), 100).size() == 6);
}

TEST_CASE("remarks point out misleading results") {
  small_record record;
  record.add("road", 1, small_record::timed({1, 1, 1}));
  CHECK(remarks_on(result_sets_of(record.read()).front()).empty());
  CHECK(remarks_on(record.read()).empty());

  record.add("road", 2, db::test::failed_result(db::outcome::wrong_answer, "a distance is too long"));
  record.add("road", 3, db::test::failed_result(db::outcome::crashed, ""));
  record.add("road", 4, stopped());
  record.add("road", 5, small_record::timed({1, 2, 3}, R"({"throttle_reasons":["power_cap"]})"));
  record.add("mesh", 1, stopped(), "kernel-2");
  db::trial_key waiting;
  waiting.workload = record.store.put_workload(db::test::sample_workload("road"));
  waiting.configuration = record.store.put_configuration(db::test::sample_configuration(77));
  waiting.device = record.device;
  waiting.query = "source=7";
  record.store.plan(record.experiment, std::vector{waiting});
  const db::whole_record whole = record.read("all");
  const auto remarks = remarks_on(result_sets_of(whole).front());
  const auto errors = texts(remarks, severity::error);
  REQUIRE(errors.size() == 2);
  CHECK_THAT(errors[0], Catch::Contains("1 trial gave a wrong answer"));
  CHECK_THAT(errors[1], Catch::Contains("crash"));
  std::string warnings;
  for (const std::string& text : texts(remarks, severity::warning)) warnings += text + '\n';
  CHECK_THAT(warnings, Catch::Contains("No configuration solved 1 of 2 inputs") &&
                           Catch::Contains("spread by more than 10 %") && Catch::Contains("reduced clocks") &&
                           Catch::Contains("more than one version of the kernels"));
  CHECK_THAT(texts(remarks, severity::note).front(), Catch::Contains("2 trials (33.3 %) were stopped"));
  CHECK_THAT(texts(remarks_on(whole), severity::warning).front(), Catch::Contains("1 trial is not finished"));
}

TEST_CASE("contents have samples of the fastest first, counters, failures and outcomes") {
  small_record record;
  record.add("road", 1, small_record::timed({4, 5, 6}));
  record.add("road", 2, small_record::timed({1, 2, 3}));
  record.add("road", 3, stopped("not finished after 8 ms"));
  record.add("mesh", 3, stopped("not finished after 9.5 ms"));
  record.add("mesh", 1, small_record::timed({1, 1, 1}));
  db::trial_result counted;
  counted.counters = {{"pops", 12346}, {"spills", 2}};
  record.add("road", 2, counted, "kernel-1", "counters");
  contents_options options = without_selectors();
  options.most_samples = 6;
  const report_contents contents = collect({record.file.string()}, options, "2026-01-02T03:04:05Z");
  CHECK(contents.trials == 5);
  CHECK(contents.names == std::vector<std::string>{"record.sqlite"});
  const auto& set = contents.data.at("sets").at(0);
  CHECK(set.at("inputs").dump() == R"([[0,"source=7"],[1,"source=7"]])");
  CHECK(set.at("times").dump() == R"(["1,~1,t9.5","5,2,t8"])");
  CHECK(set.at("configurations").at("parameters").at("delta").dump() == "[1,2,3]");
  CHECK(set.at("samples").at("rows").dump() == R"([[0,0,"1,1,1"],[1,1,"1,2,3"]])");
  CHECK(set.at("samples").at("left_out") == 1);
  CHECK(set.at("counts").dump() == R"({"left_out":0,"names":["pops","spills"],"rows":[[1,1,12350,2]]})");
  // Messages that differ only in numbers count as one.
  REQUIRE(set.at("failures").size() == 1);
  CHECK(set.at("failures").at(0).at("count") == 2);
  const auto& database = contents.data.at("databases").at(0);
  CHECK(database.at("outcomes").at("time").dump() == R"({"ok":3,"timeout":2})");
  CHECK(contents.data.at("problems").at("sssp").at("parameters").size() > 10);
}

TEST_CASE("counted trials are left out evenly when there are many") {
  small_record record;
  for (int i = 0; i < 10; ++i) {
    record.add("road", i, small_record::timed({1}));
    db::trial_result counted;
    counted.counters = {{"pops", i}};
    record.add("road", i, counted, "kernel-1", "counters");
  }
  contents_options options = without_selectors();
  options.most_counts = 5;
  const auto contents = collect({record.file.string()}, options, "");
  const auto& counts = contents.data.at("sets").at(0).at("counts");
  CHECK(counts.at("rows").size() == 5);
  CHECK(counts.at("left_out") == 5);
}

TEST_CASE("files with the same name are distinguished by their folders") {
  small_record first;
  small_record second;
  first.add("road", 1, small_record::timed({1}));
  second.add("road", 1, small_record::timed({1}));
  const auto contents = collect({first.file.string(), second.file.string()}, without_selectors(), "");
  CHECK(contents.names == std::vector<std::string>{first.file.string(), second.file.string()});
}

TEST_CASE("an unreadable record is an input error that names the file") {
  temporary_folder folder;
  CHECK_THROWS_AS(collect({(folder.path() / "none.sqlite").string()}, {}, ""), input_error);
  write_file_atomically(folder.path() / "text.sqlite", "this is no database, however long its text may be\n");
  CHECK_THROWS_WITH(collect({(folder.path() / "text.sqlite").string()}, {}, ""), Catch::Contains("text.sqlite"));
}

TEST_CASE("selectors of the shipped record of simulations") {
  const auto contents = collect({MLMQ_TEST_RECORD}, {}, "");
  const auto& set = contents.data.at("sets").at(0);
  const auto& evaluation = set.at("selector");
  CHECK(evaluation.at("workloads").size() == 150);
  std::map<std::string, double> mean;
  for (const auto& evaluated_selector : evaluation.at("selectors")) {
    REQUIRE(evaluated_selector.at("relative").size() == 150);
    for (const auto& value : evaluated_selector.at("relative"))
      mean[evaluated_selector.at("name")] += value.get<double>() / 150;
  }
  // 'mlmq selector evaluate --method combined --repeats 1' prints the same values.
  CHECK(mean.at("learned here, cross-validated") == Approx(0.977).margin(0.01));
  CHECK(mean.at("best fixed, cross-validated") == Approx(0.598).margin(0.01));
  CHECK(mean.at("selector of the program") > 0.95);
  // The performance of each choice follows from the table of times.
  const auto& workload = evaluation.at("workloads").at(3);
  const auto& choice = evaluation.at("selectors").at(0).at("choices").at(3);
  REQUIRE(choice.is_number());
  CHECK(set.at("configurations").at("labels").size() > choice.get<std::size_t>());
  CHECK(workload.at(1).is_number());
}

TEST_CASE("a record without features has no selector to judge, and says so") {
  small_record record;
  auto workload = db::test::sample_workload("plain");
  workload.features.clear();
  record.add(workload, db::test::sample_configuration(1), small_record::timed({1}));
  const auto contents = collect({record.file.string()}, {}, "");
  CHECK_THAT(contents.data.at("sets").at(0).at("selector").at("nothing").get<std::string>(),
             Catch::Contains("features"));
}

TEST_CASE("a model that cannot be read is an error") {
  small_record record;
  record.add("road", 1, small_record::timed({1}));
  contents_options options;
  options.evaluation.model_file = (record.folder.path() / "none.json").string();
  CHECK_THROWS_AS(collect({record.file.string()}, options, ""), input_error);
}

TEST_CASE("no text of the data can end the script that it is in") {
  const std::string page = make_page({{"name", "</script><script>alert(1)</script>{{title}}"}, {"bad", "\xff"}},
                                     "a <b> & \"c\"", "charts();");
  CHECK(page.find("</script><script>alert") == std::string::npos);
  CHECK(page.find("\\u003c/script>\\u003cscript>alert(1)\\u003c/script>{{title}}") != std::string::npos);
  CHECK(page.find("<title>a &lt;b&gt; &amp; &quot;c&quot;</title>") != std::string::npos);
  CHECK(page.find("charts();") != std::string::npos);
  CHECK(page.find("{{style}}") == std::string::npos);
  CHECK(page.find("{{script}}") == std::string::npos);
}

TEST_CASE("another file is not taken for the chart library") {
  temporary_folder folder;
  const auto file = folder.path() / "echarts.min.js";
  CHECK_THROWS_AS(read_charts(file), input_error);
  write_file_atomically(file, "alert('something else')");
  CHECK_THROWS_WITH(read_charts(file), Catch::Contains("fetch-charts"));
  write_file_atomically(file, "!function(t,e){e((t=self).echarts={})}(this,function(){'</script>'})");
  CHECK_THROWS_WITH(read_charts(file), Catch::Contains("cannot be embedded in a page"));
  write_file_atomically(file, "!function(t,e){e((t=self).echarts={})}(this,function(){})");
  CHECK(read_charts(file).size() > 20);
}

}  // namespace
}  // namespace mlmq::report
