// SPDX-License-Identifier: Apache-2.0
// Every solver on the simulator and on processors executes the same events, under many schedules.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/phold/phold_test.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::phold;

namespace {

const std::vector<std::string>& models() {
  static const std::vector<std::string> names = {"phold:entities=40:events=6:rate=0.1",
                                                 "phold:entities=1:events=1:rate=1",
                                                 "phold:entities=33:events=3:rate=0.003:lookahead=4:seed=7"};
  return names;
}

/// Runs all labels under `seeds` schedules; every second seed also uses another model.
void check_all(const std::vector<std::string>& labels, unsigned seeds) {
  const auto device = open_device("simt");
  for (const std::string& text : models()) {
    loaded_model model(*device, text);
    for (const std::string& label : labels) {
      CAPTURE(text, label);
      model.prepare(label);
      for (unsigned seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        device->set_seed(seed);
        const tuner::run_report report = model.run(seed % 2 == 0 ? "45" : "81.25");
        CHECK(report.message.empty());
        REQUIRE(report.result == db::outcome::ok);
        REQUIRE(model.check().empty());
      }
    }
  }
}

std::vector<std::string> queues_in_all_modes(const std::string& mode, const std::string& launches) {
  std::vector<std::string> labels;
  for (const char* const queue :
       {"queue=heap,arity=2", "queue=heap,arity=8,lanes=8,layout=interleaved", "queue=ring",
        "queue=ring,direction=front", "queue=ring_cached", "queue=ring_parallel,lanes=32",
        "queue=ring_parallel,lanes=64", "queue=splay", "queue=splay,allocator=free_list", "queue=two_level",
        "queue=two_level,lanes=8", "queue=two_level,lanes=32,second=heap"}) {
    labels.push_back("solver=queues,threads=64," + std::string(queue) + ",mode=" + mode + ",launches=" + launches);
  }
  return tests::share_of(labels);
}

}  // namespace

TEST_CASE("calendars") {
  check_all({"solver=calendar,threads=64", "solver=calendar,threads=32,bucket_lanes=2,bucket_items=1,ring_buckets=2",
             "solver=calendar,threads=96,bucket_lanes=32,bucket_items=4,bucket_events=2",
             "solver=calendar,threads=64,bucket_lanes=8,bucket_events=1,ring_buckets=8"},
            20);
}

TEST_CASE("one block") {
  check_all({"solver=one_block,threads=32,near_events=4", "solver=one_block,threads=128,near_events=256",
             "solver=one_block,threads=64,near_events=1024"},
            20);
}

TEST_CASE("clusters of blocks") {
  check_all(
      {"solver=cluster,threads=32,cluster_blocks=4", "solver=cluster,threads=128,cluster_blocks=2,ring_buckets=4",
       "solver=cluster,threads=64,cluster_blocks=4,ring_buckets=16", "solver=cluster,threads=256,cluster_blocks=2"},
      20);
}

TEST_CASE("small queues that drain windows in one launch") { check_all(queues_in_all_modes("drain", "one"), 20); }
TEST_CASE("small queues, the earliest event, in one launch") { check_all(queues_in_all_modes("earliest", "one"), 20); }
TEST_CASE("small queues that drain windows, a launch for each") {
  check_all(queues_in_all_modes("drain", "each_window"), 3);
}
TEST_CASE("small queues as in the paper") { check_all(queues_in_all_modes("earliest", "each_window"), 3); }

TEST_CASE("one parallel heap, simulating and by itself") {
  // Nodes of 32 events are smaller than the root needs to be for one window, and larger nodes have all events.
  check_all({"solver=parallel_heap,threads=32,node_events=32", "solver=parallel_heap,threads=64,node_events=256",
             "solver=parallel_heap,threads=64,node_events=64,root_events=all"},
            4);
}

TEST_CASE("processors") {
  for (const char* const selector : {"cpu:1", "cpu:3"}) {
    const auto device = open_device(selector);
    for (const std::string& text : models()) {
      loaded_model model(*device, text);
      for (const char* const solver : {"cpu_heap", "cpu_heaps", "cpu_calendar"}) {
        CAPTURE(selector, text, solver);
        model.prepare(std::string("solver=") + solver);
        const tuner::run_report report = model.run("300");
        REQUIRE(report.result == db::outcome::ok);
        CHECK(counter_of(report, "events") >= 1);
        CHECK(model.check().empty());
      }
    }
  }
}

TEST_CASE("what is counted") {
  const auto device = open_device("simt");
  loaded_model model(*device, "phold:entities=40:events=6:rate=0.1");
  for (const char* const label : {"solver=calendar", "solver=one_block", "solver=cluster,cluster_blocks=4",
                                  "solver=queues", "solver=parallel_heap,threads=64"}) {
    CAPTURE(label);
    model.prepare(label, tuner::instrumentation::counters);
    const tuner::run_report report = model.run("100");
    REQUIRE(report.result == db::outcome::ok);
    CHECK(model.check().empty());
    const double events = counter_of(report, "events");
    CHECK(events > 1000);
    CHECK(counter_of(report, "windows") >= 10);
    CHECK(counter_of(report, "comparisons") > 0);
    CHECK(counter_of(report, "longest") >= 2);
    CHECK(counter_of(report, "moves") >= events / 2);
    model.prepare(label);
    const tuner::run_report timed = model.run("100");
    CHECK(counter_of(timed, "events") == events);
    CHECK(timed.counters.size() == 1);
  }
}
