// SPDX-License-Identifier: Apache-2.0
#include "db/text_record.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "db/compact.hpp"
#include "db/merge.hpp"
#include "db/query.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Writes trials whose results use all parts of the format: a time of a float, times that need more digits although
/// their shortest decimals have few, another number of samples, a failure with a message, counters, and an unfinished
/// trial.
void fill_all(const fs::path& file) {
  store into = store::open(file, open_mode::read_write_create);
  const sweep planned = make_sweep(into, 6);
  for (int i = 0; i < 5; ++i) {
    const auto trial = into.claim(planned.experiment, planned.device, "worker-1");
    trial_result result = i == 0   ? ok_result({0.25F, 0.081248F, 0.5F})
                          : i == 1 ? ok_result({0.1, 0.3, 0.3})
                          : i == 2 ? ok_result({16777217, 16777217, 16777217, 16777217})
                          : i == 3 ? failed_result(outcome::timeout, "after\t\"1\" s,\nat last")
                                   : ok_result({1, 2, 3});
    if (i == 4) result.counters = {{"pops", 1e9}, {"a share", 0.1}};
    REQUIRE(into.finish(trial->id, result));
  }
}

std::vector<std::vector<cell>> rows_of(const fs::path& file, const std::string& sql) {
  return run_query(file, sql).rows;
}

void convert(const fs::path& output, const fs::path& input) { compact_databases(output, {&input, 1}); }

constexpr const char* results =
    "SELECT problem, workload, query, device, configuration, measurement, outcome, message, median_ms, "
    "printf('%.4g', spread), counters, environment, program_version, kernel_source_hash, driver, seed, host "
    "FROM result "
    "ORDER BY configuration, query";

}  // namespace

TEST_CASE("a text has the results of its database, and gives them back") {
  const temporary_folder folder;
  fill_all(folder / "whole.sqlite");
  convert(folder / "small.sqlite", folder / "whole.sqlite");
  convert(folder / "a.trials", folder / "whole.sqlite");
  convert(folder / "back.sqlite", folder / "a.trials");
  for (const char* const name : {"a.trials", "back.sqlite"}) {
    CHECK(rows_of(folder / name, results) == rows_of(folder / "small.sqlite", results));
    CHECK(rows_of(folder / name, "SELECT count(*) FROM experiment_trial")[0][0].text == "5");
    for (const char* const table : {"device", "host", "workload", "configuration", "experiment", "kernel_variant"}) {
      const std::string hashes = std::string("SELECT hash FROM ") + table + " ORDER BY hash";
      CHECK(rows_of(folder / name, hashes) == rows_of(folder / "small.sqlite", hashes));
    }
    const std::string features = "SELECT name, value FROM workload_feature ORDER BY 1, 2";
    CHECK(rows_of(folder / name, features) == rows_of(folder / "small.sqlite", features));
  }
  // Any of these files gives the same bytes.
  for (const char* const name : {"small.sqlite", "back.sqlite", "a.trials"}) {
    convert(folder / "again.trials", folder / name);
    CHECK(read_file(folder / "again.trials") == read_file(folder / "a.trials"));
    fs::remove(folder / "again.trials");
  }
}

TEST_CASE("another result changes only its line of a text") {
  const temporary_folder folder;
  fill_all(folder / "whole.sqlite");
  convert(folder / "a.trials", folder / "whole.sqlite");
  const auto lines_of = [&](const char* name) {
    std::vector<std::string> lines;
    std::ifstream file(folder / name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  };
  {
    SQLite::Database raw((folder / "whole.sqlite").string(), SQLite::OPEN_READWRITE);
    raw.exec("UPDATE trial SET median_ms = 7 WHERE id = 1");
  }
  convert(folder / "b.trials", folder / "whole.sqlite");
  const auto before = lines_of("a.trials");
  const auto after = lines_of("b.trials");
  REQUIRE(before.size() == after.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] == after[i] ? 0 : 1;
  CHECK(changed == 1);
}

TEST_CASE("a text and the database that it was made from merge") {
  const temporary_folder folder;
  fill_all(folder / "whole.sqlite");
  convert(folder / "a.trials", folder / "whole.sqlite");
  const std::vector<fs::path> inputs = GENERATE(as<bool>(), false, true)
                                           ? std::vector{folder / "a.trials", folder / "whole.sqlite"}
                                           : std::vector{folder / "whole.sqlite", folder / "a.trials"};
  (void)merge_databases(folder / "merged.sqlite", inputs);
  const std::string samples = "SELECT milliseconds FROM sample ORDER BY trial, ordinal";
  CHECK(rows_of(folder / "merged.sqlite", samples).size() == rows_of(folder / "whole.sqlite", samples).size());
}

TEST_CASE("a text is refused where a database is written, and if it is damaged, with the line") {
  const temporary_folder folder;
  fill_all(folder / "whole.sqlite");
  convert(folder / "a.trials", folder / "whole.sqlite");
  CHECK_THROWS_WITH(store::open(folder / "a.trials", open_mode::read_write_create),
                    Contains("a.trials: a record as text can only be read"));
  const fs::path whole = folder / "whole.sqlite";
  CHECK_THROWS_WITH(compact_databases(folder / "b.trials", {&whole, 1}, kept_timelines::all),
                    Contains("b.trials: a record as text has no timelines"));
  const std::string text = read_file(folder / "a.trials");
  const auto refused = [&](const std::string& damaged) {
    std::ofstream(folder / "d.trials") << damaged;
    try {
      (void)store::open(folder / "d.trials", open_mode::read_only);
    } catch (const input_error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refused(text) == "accepted");
  CHECK_THAT(refused(""), Contains("d.trials:1: not a record as text"));
  CHECK_THAT(refused("mlmq trials 2\n"), Contains("d.trials:1: not a record as text"));
  CHECK_THAT(refused("mlmq trials 1\nnonsense\n"), Contains("d.trials:2: expected a row"));
  CHECK_THAT(refused("mlmq trials 1\nsample {}\n"), Contains("d.trials:2: unknown kind of line 'sample'"));
  CHECK_THAT(refused("mlmq trials 1\nhost {\n"), Contains("d.trials:2: "));
  CHECK_THAT(refused("mlmq trials 1\nhost {\"hash\":\"a\"}\n"), Contains("d.trials:2: NOT NULL constraint failed"));
  CHECK_THAT(refused("mlmq trials 1\nhost {\"nam\":\"a\"}\n"),
             Contains("d.trials:2: the table host has no column nam"));
  CHECK_THAT(refused("mlmq trials 1\nabcdef\t1 0\n"), Contains("d.trials:2: there is no series abcdef"));
  CHECK_THAT(refused(text + text.substr(text.rfind('\n', text.size() - 2) + 1)), Contains("UNIQUE constraint failed"));
}
