// SPDX-License-Identifier: Apache-2.0
// The fuzzing of the queues finds nothing in the queues as they are, and finds what is planted into them.
#include "problems/search/schedule_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "graph/adversarial.hpp"
#include "problems/search/parameters.hpp"

namespace {

using namespace mlmq;
using problems::check_schedules;
using problems::schedule_check_options;
using problems::schedule_check_report;
namespace fs = std::filesystem;

void leave_the_users_cache_alone() { ::setenv("MLMQ_CACHE", MLMQ_TEST_CACHE, 0); }

/// A copy of the kernel sources with a bug in it.
class planted_kernels {
 public:
  /// Replaces the one place in `file` that reads `right`.
  planted_kernels(const std::string& name, const std::string& file, const std::string& right, const std::string& wrong)
      : folder_(fs::temp_directory_path() / fmt::format("mlmq_planted_{}_{}", name, ::getpid())) {
    fs::copy(backends::kernel_folder(), folder_, fs::copy_options::recursive);
    std::string text = read_file(folder_ / file);
    const std::size_t place = text.find(right);
    REQUIRE(place != std::string::npos);
    REQUIRE(text.find(right, place + 1) == std::string::npos);
    text.replace(place, right.size(), wrong);
    write_file_atomically(folder_ / file, text);
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

/// A check of one pair of queues finds the bug within so many schedules; what it names is enough to see it again.
void finds(const planted_kernels& planted, const problems::queue_pair& queues, std::uint64_t schedules) {
  leave_the_users_cache_alone();
  schedule_check_options options;
  options.queues = {queues};
  // One problem and weight type: fewer variants to compile for each bug.
  options.problems = {problems::search_kind::sssp};
  options.weights = {graph::weight_type::uint32};
  options.schedules = schedules;
  options.kernels = planted.folder();
  const schedule_check_report found = check_schedules(options);
  REQUIRE(found.failure);
  const problems::schedule_failure& failure = *found.failure;
  CAPTURE(failure.at.graph, failure.at.seed, failure.configuration, failure.message);
  CHECK(failure.at.queues == queues);
  CHECK(failure.message != "");

  schedule_check_options again = options;
  again.graphs = {failure.at.graph};
  again.seed = failure.at.seed;
  again.schedules = 1;
  const schedule_check_report reproduced = check_schedules(again);
  REQUIRE(reproduced.failure);
  CHECK(reproduced.failure->at.seed == failure.at.seed);
  CHECK(reproduced.failure->configuration == failure.configuration);
  CHECK(reproduced.failure->source == failure.source);
  CHECK(reproduced.failure->message == failure.message);

  // The same schedule is right without the bug.
  again.kernels.clear();
  CHECK_FALSE(check_schedules(again).failure);
}

}  // namespace

TEST_CASE("every adversarial graph can be made with both weights, and an unknown one is refused") {
  for (const auto names : {graph::adversarial_names(), graph::slow_adversarial_names()}) {
    for (const std::string_view name : names) {
      for (const auto weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
        CHECK(graph::adversarial_graph(name, weights).weights() == weights);
      }
    }
  }
  CHECK(graph::adversarial_graph("fills", graph::weight_type::uint32).offsets()[1] == graph::adversarial_queue_slots);
  CHECK(graph::adversarial_graph("hub100000", graph::weight_type::uint32).edge_count() == 100'000);
  CHECK_THROWS_AS(graph::adversarial_graph("nothing", graph::weight_type::uint32), input_error);
}

TEST_CASE("all declared queues are checked") {
  const auto all = problems::all_queue_pairs();
  for (const tuner::parameter_declaration& declared : problems::search_declarations()) {
    if (declared.name != "l1" && declared.name != "l2") continue;
    for (const std::string& value : declared.allowed) {
      CHECK(std::any_of(all.begin(), all.end(), [&](const problems::queue_pair& pair) {
        return (declared.name == "l1" ? pair.l1 : pair.l2) == value;
      }));
    }
  }
}

TEST_CASE("a small check of the queues as they are succeeds") {
  leave_the_users_cache_alone();
  schedule_check_options options;
  options.queues = {{"none", "vector"}, {"vector", "bucket"}, {"slf", "multi_heap"}};
  options.schedules = 56;  // every graph, problem and weight type once
  std::uint64_t last_total = 0;
  const schedule_check_report report = check_schedules(options, [&](const problems::schedule_check_progress& now) {
    CHECK(now.done <= now.total);
    last_total = now.total;
  });
  if (report.failure)
    FAIL(report.failure->at.graph << " " << report.failure->at.seed << ": " << report.failure->message);
  REQUIRE(report.results.size() == 3);
  for (const problems::queue_pair_result& result : report.results) {
    CHECK(result.schedules == 56);
    CHECK(result.failures == 0);
    CHECK(result.operations > 0);
  }
  CHECK(report.variants > 0);
  CHECK((last_total == 0 || last_total == 3 * 56 || last_total == report.variants));
}

TEST_CASE("the number of threads does not change what is run") {
  leave_the_users_cache_alone();
  schedule_check_options options;
  options.queues = {{"vector", "bucket"}};
  options.graphs = {"shortcuts", "overflows"};
  options.schedules = 12;
  options.jobs = 1;
  const schedule_check_report alone = check_schedules(options);
  options.jobs = 3;
  const schedule_check_report together = check_schedules(options);
  CHECK(alone.results.at(0).operations == together.results.at(0).operations);
}

TEST_CASE("queues and graphs that do not exist are refused") {
  schedule_check_options options;
  options.queues = {{"vector", "nothing"}};
  CHECK_THROWS_AS(check_schedules(options), input_error);
  options.queues = {{"vector", "bucket"}};
  options.graphs = {"nothing"};
  CHECK_THROWS_AS(check_schedules(options), input_error);
}

// Planted bugs. The numbers are the schedules of this pair of queues until the first that fails, as measured with these
// seeds; the limit leaves room for kernels that change.

TEST_CASE("a ring that loses an element whose slot is still taken is found (schedule 3)") {
  const planted_kernels planted("retry", "queues/l2_rings.cuh", "simt::backoff(100);", "simt::backoff(100); return;");
  finds(planted, {"none", "vector"}, 56);
}

TEST_CASE("a ring that overwrites what has not been read is found (schedule 3)") {
  const planted_kernels planted(
      "overwrite", "queues/l2_rings.cuh",
      "if (simt::atomic_compare_exchange<order::relaxed, scope::device>(to, empty_slot, e) == "
      "empty_slot) return;\n    const",
      "simt::store_atomic<order::relaxed, scope::device>(to, e);\n    return;\n    const");
  finds(planted, {"none", "vector"}, 56);
}

TEST_CASE("a manager that reads what is done after what was written is found (schedule 13)") {
  const planted_kernels planted(
      "order", "mlmq.cuh", "if (done == written) {",
      "if (simt::shuffle(lane == 0 ? simt::load_atomic<order::acquire, scope::device>(&control->done) : 0, 0) == "
      "written) {");
  finds(planted, {"none", "vector"}, 112);
}

TEST_CASE("a spill that loses an element is found (schedule 8)") {
  const planted_kernels planted(
      "spill", "queues/warp_deque.cuh",
      "const bool valid = pop_back(e, surplus < simt::warp_size ? surplus : simt::warp_size);",
      "bool valid = pop_back(e, surplus < simt::warp_size ? surplus : simt::warp_size);\n"
      "      if (size_ == keep && simt::lane() == 0) valid = false;");
  finds(planted, {"vector", "vector"}, 56);
}

TEST_CASE("an insertion into a heap that does not lock the child is found (schedule 10)") {
  const planted_kernels planted("insert", "queues/l2_heaps.cuh",
                                "const bool locked = !goes_on || lock(heap, heaps, child);",
                                "const bool locked = true;");
  finds(planted, {"none", "heap"}, 56);
}

TEST_CASE("a removal from a heap that does not lock the right child is found (schedule 10)") {
  const planted_kernels planted("remove", "queues/l2_heaps.cuh", "if (!lock(heap, heaps, right)) {", "if (false) {");
  finds(planted, {"none", "heap"}, 56);
}
