// SPDX-License-Identifier: Apache-2.0
// Code that counts as other code, as a whole or in variants with the same instructions.
#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <catch2/catch.hpp>
#include <fstream>

#include "base/files.hpp"
#include "db/compact.hpp"
#include "db/merge.hpp"
#include "db/query.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;

namespace {

store open_store(const std::filesystem::path& file) { return store::open(file, open_mode::read_write_create); }

void change(const std::filesystem::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(sql);
}

std::string value_of(const std::filesystem::path& file, const std::string& sql) {
  return run_query(file, sql).rows.at(0).at(0).text;
}

variant_record variant_of(const std::string& sources, const std::string& instructions) {
  variant_record variant{"sssp", R"({"WB": "8"})", sources, "NVRTC 13.0", "sm_90", 50, false, 32, 1024};
  variant.instructions = instructions;
  return variant;
}

/// A database with trials of two versions of the sources.
class two_versions {
 public:
  /// Finishes a trial of the earlier sources. @return its row
  std::int64_t finish_earlier(int configuration, const variant_record& variant, std::vector<double> samples,
                              const std::string& device = "Test GPU") {
    trial_result result = ok_result(std::move(samples));
    result.variant = variant;
    result.counters = {{"pops", 7}};
    const std::int64_t trial = plan(configuration, "earlier", device);
    into.finish(trial, result);
    return trial;
  }
  std::int64_t plan(int configuration, const std::string& sources, const std::string& device = "Test GPU",
                    const std::string& settings = "{}") {
    device_record record = sample_device();
    record.name = device;
    const trial_key key{.workload = into.put_workload(sample_workload()),
                        .configuration = into.put_configuration(sample_configuration(configuration)),
                        .device = into.put_device(record),
                        .query = "source=7",
                        .kernel_source_hash = sources};
    into.plan(into.put_experiment("sweep", "text", settings), std::array{key});
    return into.find_trial(key).value();
  }
  [[nodiscard]] std::string code_of(std::int64_t trial) const {
    return value_of(into.file(), fmt::format("SELECT kernel_source_hash FROM trial WHERE id = {}", trial));
  }

 private:
  temporary_folder folder_;

 public:
  store into = open_store(folder_ / "a.db");
};

}  // namespace

TEST_CASE("a trial finds a right timed one of other sources only if variant and input are equal") {
  two_versions record;
  const std::int64_t earlier = record.finish_earlier(1, variant_of("a", "same"), {1, 2, 3});
  const std::int64_t trial = record.plan(1, "later");
  CHECK(record.into.find_equal(trial, variant_of("b", "same")).value().id == earlier);
  CHECK(record.into.find_equal(trial, variant_of("b", "same")).value().median_ms == 2);
  CHECK_FALSE(record.into.find_equal(trial, variant_of("b", "different")));
  CHECK_FALSE(record.into.find_equal(trial, variant_of("b", "")));
  CHECK_FALSE(record.into.find_equal(record.plan(2, "later"), variant_of("b", "same")));
  CHECK_FALSE(record.into.find_equal(record.plan(1, "later", "Other GPU"), variant_of("b", "same")));
  variant_record other = variant_of("b", "same");
  SECTION("macros") { other.defines_json = R"({"WB": "4"})"; }
  SECTION("compiler") { other.compiler = "NVRTC 12.8"; }
  SECTION("architecture") { other.architecture = "sm_80"; }
  CHECK(record.into.find_equal(trial, other).has_value() == (other.hash() == variant_of("b", "same").hash()));
}

TEST_CASE("failures and interleaved comparisons are not taken over") {
  two_versions record;
  trial_result failed = failed_result(outcome::timeout, "too long");
  failed.variant = variant_of("a", "same");
  record.into.finish(record.plan(1, "earlier"), failed);
  CHECK_FALSE(record.into.find_equal(record.plan(1, "later"), variant_of("b", "same")));
  trial_result compared = ok_result({1});
  compared.variant = variant_of("a", "same");
  record.into.finish(record.plan(2, "comparison", "Test GPU", R"({"interleaved": true})"), compared);
  CHECK_FALSE(record.into.find_equal(record.plan(2, "later"), variant_of("b", "same")));
}

TEST_CASE("a result is taken over with its samples, and the variant's other results on the device become its code's") {
  two_versions record;
  const std::int64_t earlier = record.finish_earlier(1, variant_of("a", "same"), {1, 2, 3});
  const std::int64_t moved = record.finish_earlier(2, variant_of("a, other comments", "same"), {4});
  const std::int64_t of_other_variant = record.finish_earlier(3, variant_of("a with other macros", "different"), {5});
  const std::int64_t on_other_device = record.finish_earlier(2, variant_of("a", "same"), {6}, "Other GPU");
  const std::int64_t of_both = record.finish_earlier(4, variant_of("a", "same"), {7});
  const std::int64_t pending = record.plan(4, "later");
  const std::int64_t trial = record.plan(1, "later");
  trial_result result;
  result.variant = variant_of("b", "same");
  result.compile_ms = 12;
  result.taken_over = record.into.find_equal(trial, *result.variant);
  REQUIRE(record.into.finish(trial, result));
  CHECK_FALSE(record.into.finish(trial, result));
  const trial_summary summary = record.into.summary(trial).value();
  CHECK(summary.result == outcome::ok);
  CHECK(summary.median_ms == 2);
  CHECK_THAT(summary.message, Contains("not measured") && Contains("earlier"));
  CHECK(record.into.samples(trial) == std::vector<double>{1, 2, 3});
  CHECK(record.into.counters(trial) == std::map<std::string, double>{{"pops", 7}});
  CHECK(value_of(record.into.file(), fmt::format("SELECT driver FROM trial WHERE id = {}", trial)) == "550.54");
  CHECK(record.code_of(moved) == "later");
  for (const std::int64_t other : {earlier, of_other_variant, on_other_device, of_both}) {
    CHECK(record.code_of(other) == "earlier");
  }
  CHECK_FALSE(record.into.summary(pending));
  CHECK(value_of(record.into.file(),
                 "SELECT code_hash || ' ' || counts_as || ' ' || v.source_hash FROM equal_code e "
                 "JOIN kernel_variant v ON v.hash = e.variant") == "earlier later a");
  // A note on one variant says nothing about the sources as a whole.
  CHECK(record.into.recorded_code("earlier") == "earlier");
}

TEST_CASE("code that counts as other code is on record as that, after a merge and in a text, too") {
  const temporary_folder folder;
  {
    store into = open_store(folder / "a.db");
    const sweep planned = make_sweep(into, 2);
    trial_result result = ok_result();
    result.variant = variant_of("a", "instructions 1");
    for (int i = 0; i < 2; ++i) into.finish(into.claim(planned.experiment, planned.device, "w:1:1")->id, result);
    CHECK(into.recorded_code("kernel-2") == "kernel-2");
  }
  change(folder / "a.db", "INSERT INTO equal_code VALUES ('kernel-2', '', 'kernel-1')");
  CHECK(open_store(folder / "a.db").recorded_code("kernel-2") == "kernel-1");
  CHECK(open_store(folder / "a.db").recorded_code("kernel-1") == "kernel-1");
  compact_databases(folder / "a.trials", std::array{folder / "a.db"});
  const std::string text = read_file(folder / "a.trials");
  CHECK_THAT(text, Contains("equal_code {\"code_hash\":\"kernel-2\",\"counts_as\":\"kernel-1\",\"variant\":\"\"}\n") &&
                       Contains("\"instructions\":\"instructions 1\""));
  merge_databases(folder / "merged.db", std::array{folder / "a.trials"});
  CHECK(open_store(folder / "merged.db").recorded_code("kernel-2") == "kernel-1");
  CHECK(value_of(folder / "merged.db", "SELECT instructions FROM machine_code") == "instructions 1");

  // A database of the later code that does not know of the equivalence.
  {
    store into = open_store(folder / "b.db");
    sweep planned = make_sweep(into, 0);
    const trial_key key{planned.workload, into.put_configuration(sample_configuration(5)),
                        planned.device,   "source=7",
                        "kernel-2",       "time"};
    into.plan(planned.experiment, std::array{key});
    into.finish(into.find_trial(key).value(), ok_result());
  }
  merge_databases(folder / "merged.db", std::array{folder / "b.db"});
  CHECK(value_of(folder / "merged.db", "SELECT count(*) FROM trial WHERE kernel_source_hash = 'kernel-1'") == "3");
  // A text may name the later code.
  std::string renamed = text;
  for (std::size_t i = 0; (i = renamed.find("source_hash\":\"kernel-1", i)) != std::string::npos; ++i) {
    renamed.replace(i, 22, "source_hash\":\"kernel-2");
  }
  std::ofstream(folder / "b.trials") << renamed;
  CHECK(value_of(folder / "b.trials", "SELECT group_concat(DISTINCT kernel_source_hash) FROM trial") == "kernel-1");
}

TEST_CASE("a database from before equal code was recorded is read as it is, and gets the tables when it is written") {
  const temporary_folder folder;
  const auto file = folder / "a.db";
  { const store created = open_store(file); }
  change(file, "DROP TABLE equal_code; DROP TABLE machine_code");
  const auto count_tables = [&] {
    SQLite::Database raw(file.string(), SQLite::OPEN_READONLY);
    return raw.execAndGet("SELECT count(*) FROM sqlite_schema WHERE name IN ('equal_code', 'machine_code')").getInt();
  };
  CHECK(store::open(file, open_mode::read_only).recorded_code("k") == "k");
  CHECK(count_tables() == 0);
  CHECK(open_store(file).recorded_code("k") == "k");
  CHECK(count_tables() == 2);
}
