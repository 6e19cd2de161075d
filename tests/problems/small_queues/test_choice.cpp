// SPDX-License-Identifier: Apache-2.0
// Host-side rules for small queues: their sizes, and unsupported combinations.
#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "problems/checks.hpp"
#include "problems/small_queues/fuzzed_queue.hpp"
#include "problems/small_queues/small_queues.hpp"

using namespace mlmq;
using problems::small_queue_choice;

namespace {

small_queue_choice choice(const std::string& label) {
  const auto declared = problems::small_queue_declarations();
  const auto chosen = tuner::parameter_set::from_declarations(declared).parse_label(label);
  return small_queue_choice(tuner::parameter_values(declared, chosen));
}

std::string refusal(const std::string& label) {
  try {
    (void)choice(label);
  } catch (const input_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("combinations of parameters that no queue has are refused with their names and values") {
  const auto is_refused = [](const std::string& label, const std::string& values) {
    CAPTURE(label);
    CHECK_THAT(refusal(label), Catch::StartsWith(values + " violates the limit '"));
  };
  is_refused("queue=ring,lanes=8", "lanes=8,queue=ring");
  is_refused("queue=heap,lanes=64", "lanes=64,queue=heap");
  is_refused("queue=heap,lanes=3", "lanes=3");
  is_refused("queue=heap,arity=5", "arity=5");
  is_refused("queue=heap,queue_capacity=100", "queue_capacity=100");
  is_refused("queue=two_level,run=6", "run=6");
  is_refused("queue=two_level,second=heap,second_arity=6", "second_arity=6");
  is_refused("queue=bucket,lanes=8", "lanes=8,queue=bucket");
  is_refused("queue=bucket,lanes=32,buckets=100", "buckets=100");
  CHECK(refusal("queue=ring_parallel,lanes=64") == "");
  CHECK_THROWS_AS(choice("queue=ring,arity=4"), input_error);  // arity is a parameter of heaps
  CHECK_THROWS_AS(choice("queue=nothing"), input_error);
}

TEST_CASE("memory and shared memory follow from the parameters") {
  CHECK(choice("queue=heap,arity=8").shape(128, 8).places == 160);
  CHECK(choice("queue=splay").shape(64, 8).places == 128);
  CHECK(choice("queue=splay").shape(64, 4).places == 192);
  CHECK(choice("queue=two_level").shape(128, 8).places == 160);
  CHECK(choice("queue=bucket,lanes=32,buckets=32").shape(64, 8).places == 1184);
  CHECK(choice("queue=heap").shared_bytes(256) == 0);
  CHECK(choice("queue=two_level,run=16,run_memory=shared").shared_bytes(64) == 64 * 16 * 8);
  CHECK(choice("queue=bucket,lanes=32,buckets=256").shared_bytes(128) == 4 * 256 * 4);
  CHECK(choice("queue=ring_parallel,lanes=128").shared_bytes(128) == 32);
  CHECK(small_queue_elements(choice("queue=ring").shape(32, 8), 33) == 64 * 32);
}

TEST_CASE("every queue of the parameter is fuzzed, and the check is registered") {
  const auto names = problems::fuzzed_queues();
  for (const std::string& queue : problems::small_queue_names()) {
    CAPTURE(queue);
    CHECK(std::any_of(names.begin(), names.end(), [&](const auto& name) { return name.starts_with(queue + ":"); }));
  }
  const auto& checks = problems::all_checks();
  const auto entry = std::find_if(checks.begin(), checks.end(),
                                  [](const auto& candidate) { return candidate.name == "small_queues"; });
  REQUIRE(entry != checks.end());
  CHECK(problems::subjects_named(*entry, "small_queues") == names);
  CHECK(problems::subjects_named(*entry, "parallel_heap").size() == 2);
  CHECK(problems::subjects_named(*entry, names.front()) == std::vector<std::string>{names.front()});
  CHECK(problems::subjects_named(*entry, "nothing").empty());
}
