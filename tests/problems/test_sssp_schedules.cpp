// SPDX-License-Identifier: Apache-2.0
// A seed determines a search completely; other seeds, and warps that stall at the worst moment, change everything
// except the answer. MLMQ_FUZZ=N tries N times as many schedules.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "backends/simt/simt_backend.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using tuner::instrumentation;

constexpr const char* all_levels = "l0=vector,l1=vector,l1_capacity=64,l2=bucket,bmax=8,delta=1,threads=128";

}  // namespace

TEST_CASE("the same seed gives the same time and the same work, on another device too") {
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  std::set<double> times;
  std::set<std::vector<std::pair<std::string, double>>> counts;
  for (int device_number = 0; device_number < 2; ++device_number) {
    const auto device = open_simulator();
    search tried(*device, hard.graph);
    tried.prepare(configuration_of(all_levels), instrumentation::counters);
    for (int repetition = 0; repetition < 2; ++repetition) {
      const tuner::run_report report = tried.run(0, 7);
      REQUIRE(report.result == db::outcome::ok);
      // Rounded to femtoseconds: the last bits of the modelled clock depend on earlier runs.
      times.insert(std::round(report.milliseconds * 1e12));
      counts.insert(report.counters);
    }
  }
  CHECK(times.size() == 1);
  CHECK(counts.size() == 1);
}

TEST_CASE("different seeds differ in time but not in the answer") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::float32);
  search tried(*device, hard.graph);
  tried.prepare(configuration_of(all_levels), instrumentation::counters);
  std::set<double> times;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    const tuner::run_report report = tried.run(0, seed);
    REQUIRE(report.message == "");
    CHECK(disagreement(tried, hard.graph, 0) == "");
    times.insert(report.milliseconds);
  }
  CHECK(times.size() >= 7);
}

TEST_CASE("warps that stall at any moment lose and invent nothing") {
  backends::simulator::simulator_settings settings;
  settings.stall_every = 50;
  const auto device = backends::open_simt("simt", settings);
  const std::vector<std::string> labels = {all_levels,
                                           "l0=none,l1=none,l2=vector,l2_batch=5,threads=64",
                                           "l0=none,l1=none,l2=bucket,bmax=8,delta=0.5,threads=64",
                                           "l0=vector,l0_depth=1,l1=none,l2=bucket,bmax=8,bnum=1,threads=64",
                                           "l0=none,l1=none,l2=heap,threads=64",
                                           "l1=near_far,l1_capacity=64,l2=vector",
                                           "l0=none,l1=slf,l1_capacity=64,l2=multi_heap,pnum=2,threads=128"};
  for (const char* const name : {"shortcuts", "zero_cycles", "components", "grid"}) {
    const hard_graph hard = hard_graph_named(name, graph::weight_type::uint32);
    // Small rings wrap around many times, and are full occasionally.
    search tried(*device, hard.graph, {.first = 64});
    for (const std::string& label : labels) {
      tried.prepare(configuration_of(label), instrumentation::counters);
      for (std::uint64_t seed = 1; seed <= 2 * fuzz_factor(); ++seed) {
        CAPTURE(name, label, seed);
        const tuner::run_report report = tried.run(hard.sources.back(), seed);
        REQUIRE(report.message == "");
        CHECK(disagreement(tried, hard.graph, hard.sources.back()) == "");
        auto count = counters_of(report);
        CHECK(count["pops"] == count["updates"] + count["row_segments"] + count["ell_overflow"] + 1);
        CHECK(count["l2_reads"] == count["l2_writes"]);
      }
    }
  }
}

TEST_CASE("a run may end at any moment, for warps that stall too, and the next one is right") {
  backends::simulator::simulator_settings settings;
  settings.stall_every = 50;
  const auto device = backends::open_simt("simt", settings);
  const hard_graph hard = hard_graph_named("shortcuts", graph::weight_type::uint32);
  for (const char* const label :
       {all_levels, "l0=none,l1=none,l2=vector,l2_batch=5,threads=64", "l0=none,l1=none,l2=heap,threads=64"}) {
    search tried(*device, hard.graph);
    tried.prepare(configuration_of(label));
    const double needed = tried.run(0).milliseconds;
    for (std::uint64_t seed = 1; seed <= 10 * fuzz_factor(); ++seed) {
      CAPTURE(label, seed);
      // With some seeds, the search may be so fast that it ends before the stop.
      const double share = 0.07 * static_cast<double>(seed % 10) + 0.1;
      const tuner::run_report stopped = tried.run(0, seed, needed * share);
      CHECK((stopped.result == db::outcome::timeout || stopped.result == db::outcome::ok));
    }
    CHECK(tried.run(0).message == "");
    CHECK(disagreement(tried, hard.graph, 0) == "");
  }
}
