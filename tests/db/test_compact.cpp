// SPDX-License-Identifier: Apache-2.0
#include "db/compact.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "db/connection.hpp"
#include "db/merge.hpp"
#include "db/query.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Writes five trials (two timed, one failed, one pending, one running) and every other kind of row that a record can
/// have.
void fill(const fs::path& file, double last_sample = 4) {
  store into = store::open(file, open_mode::read_write_create);
  const sweep planned = make_sweep(into, 5);
  const std::int64_t host = into.put_host({"node", "{}"});
  into.put_workload(sample_workload("never-measured"));
  for (int i = 0; i < 3; ++i) {
    const auto trial = into.claim(planned.experiment, planned.device, "worker-1");
    trial_result result = i == 2 ? failed_result(outcome::timeout, "too slow") : ok_result({1, 2, last_sample + i});
    result.host = host;
    result.environment_json = R"({"clock_mhz": 1980, "temperature": 40})";
    result.counters = {{"pops", 10.0 + i}};
    result.timeline = {{"busy", 0, 1}};
    result.measure_ms = 2.6;
    result.variant.emplace();
    result.variant->problem = "sssp";
    result.variant->source_hash = "kernel-1";
    result.variant->compiler = "nvrtc";
    REQUIRE(into.finish(trial->id, result));
  }
  REQUIRE(into.claim(planned.experiment, planned.device, "worker-2"));
}

std::vector<std::vector<cell>> query_rows(const fs::path& file, const std::string& sql) {
  return run_query(file, sql).rows;
}

std::string single_text(const fs::path& file, const std::string& sql) { return query_rows(file, sql).at(0).at(0).text; }

compact_report compact(const fs::path& output, std::vector<fs::path> inputs) {
  return compact_databases(output, inputs);
}

}  // namespace

TEST_CASE("a compact record keeps the results and the number of samples") {
  const temporary_folder folder;
  fill(folder / "whole.sqlite");
  const compact_report report = compact(folder / "compact.sqlite", {folder / "whole.sqlite"});
  CHECK(report.trials == 3);
  CHECK(report.samples == 6);
  CHECK(report.bytes == fs::file_size(folder / "compact.sqlite"));
  const std::string results_query =
      "SELECT problem, workload, class, workload_kind, query, device, configuration, parameters, measurement, outcome, "
      "message, median_ms, spread, counters, registers, round(compile_ms), round(measure_ms), program_version, "
      "kernel_source_hash, "
      "compiler, driver, seed, host, substr(finished_at, 1, 19), workload_hash, configuration_hash, device_hash FROM "
      "result ORDER BY "
      "configuration";
  CHECK(query_rows(folder / "compact.sqlite", results_query) == query_rows(folder / "whole.sqlite", results_query));
  CHECK(single_text(folder / "compact.sqlite", "SELECT max(length(finished_at)) FROM trial") == "20");
  CHECK(single_text(folder / "compact.sqlite", "SELECT DISTINCT measure_ms FROM trial") == "3");
  CHECK(single_text(folder / "whole.sqlite", "SELECT count(*) FROM trial") == "5");
  const auto environment =
      query_rows(folder / "compact.sqlite", "SELECT environment FROM result ORDER BY configuration");
  CHECK(environment[0][0].text == R"({"samples":3})");
  CHECK(environment[2][0].text == R"({"samples":0})");
  for (const char* table : {"sample", "timeline", "session", "final"}) {
    INFO(table);
    CHECK(single_text(folder / "compact.sqlite", std::string("SELECT count(*) FROM ") + table) == "0");
  }
  CHECK(single_text(folder / "compact.sqlite", "SELECT count(*) FROM trial") == "3");
  CHECK(single_text(folder / "compact.sqlite", "SELECT count(*) FROM workload WHERE origin LIKE '%/%'") == "0");
  CHECK(single_text(folder / "compact.sqlite", "SELECT count(*) FROM configuration") == "3");
  CHECK(single_text(folder / "compact.sqlite", "SELECT count(*) FROM workload") == "1");
  CHECK(single_text(folder / "compact.sqlite", "SELECT space_text FROM experiment") == "space: text");
  CHECK(single_text(folder / "compact.sqlite", "SELECT count(*) FROM result WHERE worker IS NOT NULL") == "0");
}

TEST_CASE("a compact record keeps timelines on request") {
  const temporary_folder folder;
  fill(folder / "whole.sqlite");
  const fs::path whole = folder / "whole.sqlite";
  compact_databases(folder / "compact.sqlite", {&whole, 1}, kept_timelines::all);
  const std::string points = "SELECT name, ordinal, time_ms, value FROM timeline ORDER BY trial, name, ordinal";
  CHECK_FALSE(query_rows(whole, points).empty());
  CHECK(query_rows(folder / "compact.sqlite", points) == query_rows(whole, points));
}

TEST_CASE("a selector learns the same from a compact record") {
  const temporary_folder folder;
  fill(folder / "whole.sqlite");
  compact(folder / "compact.sqlite", {folder / "whole.sqlite"});
  const training_data whole = store::open(folder / "whole.sqlite", open_mode::read_only).training();
  const training_data small = store::open(folder / "compact.sqlite", open_mode::read_only).training();
  REQUIRE(small.rows.size() == whole.rows.size());
  for (std::size_t i = 0; i < small.rows.size(); ++i) {
    CHECK(small.rows[i].median_ms == whole.rows[i].median_ms);
    CHECK(small.rows[i].result == whole.rows[i].result);
    CHECK(small.rows[i].configuration_hash == whole.rows[i].configuration_hash);
    CHECK(small.workloads.at(small.rows[i].workload).features == whole.workloads.at(whole.rows[i].workload).features);
  }
}

TEST_CASE("a compact record is one file, also where nothing can be written") {
  const temporary_folder folder;
  fill(folder / "whole.sqlite");
  fs::create_directory(folder / "shipped");
  compact(folder / "shipped/compact.sqlite", {folder / "whole.sqlite"});
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / "shipped")) ++files;
  CHECK(files == 1);
  // Byte 18 of an SQLite file is 2 in write-ahead mode. In that mode, even a reader must be able to create the log
  // file.
  std::ifstream content(folder / "shipped/compact.sqlite", std::ios::binary);
  content.seekg(18);
  CHECK(content.get() == 1);
  ::chmod((folder / "shipped/compact.sqlite").c_str(), 0444);
  ::chmod((folder / "shipped").c_str(), 0555);
  CHECK(single_text(folder / "shipped/compact.sqlite", "SELECT count(*) FROM result") == "3");
  CHECK(fs::is_regular_file(folder / "shipped/compact.sqlite"));
}

TEST_CASE("compact twice is compact, and several inputs become one") {
  const temporary_folder folder;
  fill(folder / "whole.sqlite");
  compact(folder / "once.sqlite", {folder / "whole.sqlite"});
  const compact_report again = compact(folder / "twice.sqlite", {folder / "once.sqlite", folder / "whole.sqlite"});
  CHECK(again.trials == 3);
  const std::string everything = "SELECT * FROM result ORDER BY configuration";
  CHECK(query_rows(folder / "twice.sqlite", everything) == query_rows(folder / "once.sqlite", everything));
  compact(folder / "thrice.sqlite", {folder / "twice.sqlite"});
  CHECK(query_rows(folder / "thrice.sqlite", everything) == query_rows(folder / "once.sqlite", everything));
}

TEST_CASE("merging compact with whole keeps the whole, in any order; other medians are still a conflict") {
  const temporary_folder folder;
  fill(folder / "whole.sqlite");
  compact(folder / "compact.sqlite", {folder / "whole.sqlite"});
  for (const bool whole_first : {true, false}) {
    const fs::path output = folder / (whole_first ? "a.sqlite" : "b.sqlite");
    std::vector<fs::path> inputs{folder / "whole.sqlite", folder / "compact.sqlite"};
    if (!whole_first) std::swap(inputs[0], inputs[1]);
    merge_databases(output, inputs);
    CHECK(single_text(output, "SELECT count(*) FROM sample") == "6");
    CHECK(single_text(output, "SELECT environment FROM result ORDER BY configuration LIMIT 1") ==
          single_text(folder / "whole.sqlite", "SELECT environment FROM result ORDER BY configuration LIMIT 1"));
  }
  fill(folder / "other.sqlite", 1.5);
  compact(folder / "other-compact.sqlite", {folder / "other.sqlite"});
  for (const char* other : {"other.sqlite", "other-compact.sqlite"}) {
    const std::vector<fs::path> inputs{folder / "compact.sqlite", folder / other};
    CHECK_THROWS_AS(merge_databases(folder / "c.sqlite", inputs), input_error);
    CHECK_FALSE(fs::exists(folder / "c.sqlite"));
  }
}

TEST_CASE("invalid input to compact is refused, and no file is left behind") {
  const temporary_folder folder;
  fill(folder / "whole.sqlite");
  CHECK_THROWS_WITH(compact(folder / "whole.sqlite", {folder / "whole.sqlite"}), Contains("exists; name a new file"));
  CHECK_THROWS_AS(compact(folder / "new.sqlite", {folder / "missing.sqlite"}), input_error);
  {
    store into = store::open(folder / "empty.sqlite", open_mode::read_write_create);
    make_sweep(into, 2);
  }
  CHECK_THROWS_WITH(compact(folder / "new.sqlite", {folder / "empty.sqlite"}),
                    Contains("empty.sqlite: has no finished trials"));
  for (const auto& entry : fs::directory_iterator((folder / "x").parent_path()))
    CHECK(entry.path().filename().string().find("new") == std::string::npos);
}
