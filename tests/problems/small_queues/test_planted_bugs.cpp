// SPDX-License-Identifier: Apache-2.0
// Bugs planted into the small queues, one at a time. The check that mlmq check runs finds each and names a seed that
// reproduces it; without the bug, the same schedule passes.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/files.hpp"
#include "problems/checks.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
namespace fs = std::filesystem;

struct planted_bug {
  std::string name;
  std::string file;
  std::string right;  ///< code that occurs once
  std::string wrong;
  std::string subject;
};

const std::vector<planted_bug>& bugs() {
  static const std::vector<planted_bug> bugs = {
      {"a hole sinks too deep", "heap.cuh", "active = active && smallest.value < last;",
       "active = active && smallest.value != none;", "heap:lanes=1,arity=4,layout=interleaved"},
      {"ancestors move before all have been read", "heap.cuh",
       "group_.sync();\n      if (moves) store_place(below, other);", "if (moves) store_place(below, other);",
       "heap:lanes=8,arity=2,layout=interleaved"},
      {"a search from the back stops at once", "ring.cuh", "if (!(e < other)) break;", "break;",
       "ring:lanes=1,direction=back,layout=contiguous"},
      {"a full cache loses its last", "ring_cached.cuh", "if (waiting_ == cache) merge_cache();", "",
       "ring_cached:lanes=1,cache=2,layout=interleaved"},
      {"elements move before all have been read", "ring_parallel.cuh", "group_.sync();\n      if (result.writes)",
       "if (result.writes)", "ring_parallel:lanes=32,direction=back,layout=contiguous"},
      {"next fit takes what is used", "splay.cuh", "if (load_key(free_) == none) break;", "break;",
       "splay:lanes=1,allocator=next_fit,layout=contiguous"},
      {"a free list forgets", "splay.cuh", "free_ = load_links(node).left;", "free_ = 0;",
       "splay:lanes=1,allocator=free_list,layout=interleaved"},
      {"a bound stays where it was", "two_level.cuh", "bound_ = pushed_out;", "bound_ = bound_;",
       "two_level:lanes=8,second=pile,layout=contiguous"},
      {"a place of the pile has two owners", "second_level.cuh", "if (group_.rank() == size_ % lanes)",
       "if (group_.rank() == 0)", "two_level:lanes=8,second=pile,layout=contiguous"},
      {"a refill does not look at the last step", "second_level.cuh", "group_.any_in_step(first < remaining)",
       "group_.any_in_step(first + loads_at_once * lanes < remaining)",
       "two_level:lanes=1,run=8,second=pile,layout=interleaved"},
      {"a chunk that is used again stays free", "bucket.cuh", "free_ -= reused;", "",
       "bucket:lanes=32,buckets=128,layout=contiguous"},
      {"the lowest bucket is not around the end", "bucket.cuh", "at_or_behind != 0 ? from_start : ~from_start",
       "from_start", "bucket:lanes=32,buckets=32,layout=contiguous"},
      {"the wrong child keeps the larger half", "parallel_heap.cuh",
       "next = last_of(left_child) < last_of(right_child) ? left_child : right_child;",
       "next = last_of(left_child) < last_of(right_child) ? right_child : left_child;", "parallel_heap:team=block"},
      {"equal elements get one place", "parallel_heap.cuh", "rank_in(first, f, true)", "rank_in(first, f, false)",
       "parallel_heap:team=grid"},
      {"the last stage of sorting is left out", "parallel_heap.cuh", "run <= node_; run *= 2", "run < node_; run *= 2",
       "parallel_heap:team=block"},
      {"appended elements are not ordered before they are read", "second_level.cuh",
       "if (has_element) base::store_place(size_ + before, e);\n    group_.sync();",
       "if (has_element) base::store_place(size_ + before, e);", "two_level:lanes=32,second=pile,layout=contiguous"},
      {"an inbox is emptied twice", "inbox.cuh", "if (count != 0 && owner.rank() == 0)", "if (false)",
       "heap:lanes=1,arity=2,layout=contiguous"},
  };
  return bugs;
}

/// A copy of the kernel sources with one bug.
class planted_kernels {
 public:
  explicit planted_kernels(const planted_bug& bug)
      : folder_(fs::temp_directory_path() / fmt::format("mlmq_planted_small_{}", ::getpid())) {
    fs::remove_all(folder_);
    fs::copy(backends::kernel_folder(), folder_, fs::copy_options::recursive);
    const fs::path file = folder_ / "queues/small" / bug.file;
    std::string text = read_file(file);
    const std::size_t place = text.find(bug.right);
    INFO(bug.file << " has changed: this test looks for one\n" << bug.right);
    REQUIRE(place != std::string::npos);
    REQUIRE(text.find(bug.right, place + 1) == std::string::npos);
    text.replace(place, bug.right.size(), bug.wrong);
    write_file_atomically(file, text);
  }
  planted_kernels(const planted_kernels&) = delete;
  planted_kernels& operator=(const planted_kernels&) = delete;
  ~planted_kernels() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string folder() const { return folder_.string(); }

 private:
  fs::path folder_;
};

problems::check_report run_check(const problems::check_request& request) {
  const auto& checks = problems::all_checks();
  const auto entry = std::find_if(checks.begin(), checks.end(),
                                  [](const auto& candidate) { return candidate.name == "small_queues"; });
  REQUIRE(entry != checks.end());
  return entry->run(request, {});
}

/// Returns the number after "--seed " in a failure.
std::uint64_t seed_in(const std::string& failure) {
  const std::string word = "--seed ";
  return std::stoull(failure.substr(failure.find(word) + word.size()));
}

}  // namespace

TEST_CASE("bugs planted into small queues are found and shown again by their seeds") {
  for (const planted_bug& bug : tests::share_of(bugs())) {
    DYNAMIC_SECTION(bug.name) {
      const planted_kernels planted(bug);
      problems::check_request request{.subjects = {bug.subject}, .schedules = 200, .kernels = planted.folder()};
      const problems::check_report report = run_check(request);
      REQUIRE(report.failure);
      INFO(*report.failure);
      request.seed = seed_in(*report.failure);
      request.schedules = 1;
      const problems::check_report again = run_check(request);
      REQUIRE(again.failure);
      CHECK(seed_in(*again.failure) == request.seed);
      request.kernels.clear();
      CHECK_FALSE(run_check(request).failure);
    }
  }
}
