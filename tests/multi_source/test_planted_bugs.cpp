// SPDX-License-Identifier: Apache-2.0
// Bugs planted into copies of the kernels of many searches. The schedules of `mlmq check` must find each.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/files.hpp"
#include "problems/multi_source/schedule_check.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;

namespace {

struct planted_bug {
  std::string file;
  std::string right;
  std::string wrong;
};

using planted_bugs = std::vector<planted_bug>;

const planted_bugs& bugs_of_supernodes() {
  static const planted_bugs bugs = {
      {"block_barrier.cuh", "reduce_add<order::release, scope::device>(arrived_",
       "reduce_add<order::relaxed, scope::device>(arrived_"},
      {"block_barrier.cuh", "load_atomic<simt::order::acquire, simt::scope::device>(arrived_)",
       "load_atomic<simt::order::relaxed, simt::scope::device>(arrived_)"},
      {"block_barrier.cuh", ">= passed_ * blocks_;", ">= passed_ * blocks_ - 1;"},
      {"hierarchy/supernode_path.cuh", "no_vertex, 0);\n      }\n      simt::sync_block();", "no_vertex, 0);\n      }"},
      {"hierarchy/supernode_path.cuh", "find_levels(source);\n    simt::sync_block();", "find_levels(source);"},
      {"hierarchy/supernode_path.cuh", "simt::atomic_min<order::relaxed, scope::block>",
       "simt::store_atomic<order::relaxed, scope::block>"},
      {"hierarchy/supernode_path.cuh", "relax_levels(levels_ - arguments_.wide_levels)",
       "relax_levels(levels_ - arguments_.wide_levels - 1)"},
      {"hierarchy/supernode_search.cu", "if (!barrier_.wait()) return false;\n    while", "while"},
      {"hierarchy/supernode_search.cu", "if (!barrier_.wait()) return false;\n      for", "for"},
      {"hierarchy/supernode_search.cu", "if (!barrier_.wait()) return;", ""},
      {"hierarchy/supernode_search.cu", "arc < other_levels ? arguments_.distances : arguments_.from_below",
       "arguments_.distances"},
      {"hierarchy/supernode_search.cu", "u32 distance = written.from_below;", "u32 distance = no_path;"},
      {"hierarchy/hierarchy_weights.cu", "lower(shortest.upward + first + rows.far, to_far);", ""},
      {"hierarchy/hierarchy_weights.cu", "for_each<parts>(elements, first, end, visit);\n    return barrier_.wait();",
       "for_each<parts>(elements, first, end, visit);\n    return parts == 2 || barrier_.wait();"},
  };
  return bugs;
}

const planted_bugs& bugs_of_cores() {
  static const std::string file = "multi_source/block_search.cu";
  static const planted_bugs bugs = {
      {file, "open_.add(vertex, distance, distance < arguments_.delta);",
       "if (distance == 0) open_.add(vertex, distance, true);"},
      {file, "simt::load_readonly(&start().of_graph.offset)", "0"},
      {file, "simt::load_readonly(&start().outer.offset)", "0"},
      {file, "if (length < simt::load(outer + v)) simt::store(outer + v, word{length});", ""},
      {file, "(simt::load_of_block(marks + v / 32) >> v % 32 & 1) == 0", "true"},
      {file, "simt::store_atomic<order::relaxed, scope::device>(marks + v / 32, 0u);", ""},
      {file, "length < distance ? length : distance", "distance"},
      {file, "first < second ? first : second", "first"},
  };
  return bugs;
}

/// Returns whether a schedule fails with the kernels of a folder.
bool finds_failure(const std::vector<std::string>& subjects, const std::filesystem::path& kernels) {
  const problems::check_request request{.subjects = subjects, .schedules = 24, .jobs = 1, .kernels = kernels.string()};
  return multi_source::run_schedule_check(request, [](const problems::check_progress&) {}).failure.has_value();
}

void check_that_all_are_found(const std::vector<std::string>& subjects, const planted_bugs& bugs) {
  CHECK_FALSE(finds_failure(subjects, backends::kernel_folder()));
  for (const planted_bug& bug : tests::share_of(bugs)) {
    CAPTURE(bug.file, bug.right, bug.wrong);
    const tests::scratch_folder folder;
    const std::filesystem::path copy = folder.path() / "kernels";
    std::filesystem::copy(backends::kernel_folder(), copy, std::filesystem::copy_options::recursive);
    std::string text = read_file(copy / bug.file);
    const std::size_t place = text.find(bug.right);
    REQUIRE(place != std::string::npos);
    write_file_atomically(copy / bug.file, text.replace(place, bug.right.size(), bug.wrong));
    CHECK(finds_failure(subjects, copy));
  }
}

}  // namespace

TEST_CASE("bugs planted into searches by supernodes are found") {
  check_that_all_are_found({"batch:supernode:one", "batch:supernode:columns", "batch:supernode:hubs"},
                           bugs_of_supernodes());
}

TEST_CASE("bugs planted into searches of cores by blocks are found") {
  check_that_all_are_found({"batch:block:core", "batch:block:small_core"}, bugs_of_cores());
}
