// SPDX-License-Identifier: Apache-2.0
// Kernels of problems under schedules: the existing kernels pass, and a bug planted into a copy of the kernels is
// found, with the command that reproduces it.
#include "problems/instance_check.hpp"

#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/files.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace mlmq;
using namespace mlmq::problems;
using Catch::Contains;

namespace {

const check_entry& check_named(const std::string& name) {
  const std::vector<check_entry>& checks = all_checks();
  const auto match =
      std::find_if(checks.begin(), checks.end(), [&](const check_entry& entry) { return entry.name == name; });
  REQUIRE(match != checks.end());
  return *match;
}

/// Returns the report of a check with a kernel file changed.
check_report with_bug(const std::string& check, const std::string& subject, const std::string& file,
                      const std::string& right, const std::string& wrong) {
  const tests::scratch_folder folder;
  const std::filesystem::path copy = folder.path() / "kernels";
  std::filesystem::copy(backends::kernel_folder(), copy, std::filesystem::copy_options::recursive);
  std::string text = read_file(copy / file);
  const std::size_t place = text.find(right);
  INFO(file << " has changed: this test looks for\n" << right);
  REQUIRE(place != std::string::npos);
  write_file_atomically(copy / file, text.replace(place, right.size(), wrong));
  return check_named(check).run({.subjects = {subject}, .schedules = 40, .jobs = 2, .kernels = copy.string()}, {});
}

}  // namespace

TEST_CASE("every solver, mode and queue of simulations and path finding is a subject, and names one alone") {
  for (const std::string check : {"phold", "astar"}) {
    const std::vector<std::string> names = check_named(check).subjects();
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK(subjects_named(check_named(check), name) == std::vector<std::string>{name});
    }
    CHECK(subjects_named(check_named(check), check) == names);
  }
  const auto has = [](const std::string& check, const std::string& part) {
    return !subjects_named(check_named(check), part).empty();
  };
  for (const std::string part : {"phold:calendar", "phold:one_block", "phold:queues:splay:earliest:each_window"}) {
    CHECK(has("phold", part));
  }
  for (const std::string part : {"astar:jump", "astar:exact:buckets", "astar:paper:ring_parallel"})
    CHECK(has("astar", part));
}

TEST_CASE("kernels that are right pass, and the schedules are counted") {
  const check_report report =
      check_named("phold").run({.subjects = {"phold:one_block:small"}, .schedules = 9, .seed = 5, .jobs = 2}, {});
  CHECK_FALSE(report.failure);
  REQUIRE(report.rows.size() == 1);
  CHECK(report.rows[0].schedules == 9);
  CHECK(report.rows[0].operations > 1000);
  CHECK(report.variants == 1);
}

TEST_CASE("bugs in kernels of problems are found, with the command that runs the schedule again") {
  const check_report simulation =
      with_bug("phold", "phold:one_block:default", "phold/one_block.cu", "other_event < event || ", "");
  REQUIRE(simulation.failure);
  CHECK_THAT(*simulation.failure, Contains("check failed: phold:one_block:default, phold:entities=") &&
                                      Contains("(mlmq check --only phold:one_block:default --seed ") &&
                                      Contains("solver=one_block"));
  const check_report search = with_bug("astar", "astar:exact:buckets:default", "astar/geometry.cuh",
                                       "return {columns + rows - 2 * less, less};", "return {columns + rows, 0};");
  CHECK(search.failure);
}
