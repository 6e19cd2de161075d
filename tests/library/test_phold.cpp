// SPDX-License-Identifier: Apache-2.0
// PHOLD through the public interface.
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using Catch::Contains;

/// The simulator, with compiled kernels in the build folder.
device simulator() { return detail::adopt(problems::tests::open_simulator()); }

phold_options options_with(std::vector<std::string> configurations) {
  phold_options options;
  options.configurations = std::move(configurations);
  return options;
}

constexpr phold_model small{.entities = 20, .events = 6, .rate = 0.05, .lookahead = 4, .seed = 3};

}  // namespace

TEST_CASE("every device and queue executes the same events") {
  phold_simulator on_processors(device("cpu:2"), small);
  phold_simulator simulated(simulator(), small);
  CHECK(simulated.name() == "phold:entities=20:events=6:rate=0.05:lookahead=4:seed=3");
  const phold_run first = on_processors.run_until(60);
  CHECK(first.events() > 200);
  CHECK(first.end() == 60);
  CHECK(first.check() == "");
  CHECK(first.choice().configuration == "solver=cpu_calendar");
  CHECK(first.events_per_second() == Approx(static_cast<double>(first.events()) / first.times().solve * 1e3));
  for (const char* const name : {"cpu_heap", "cpu_heaps"}) {
    const phold_run run = on_processors.run_until(60, options_with({std::string("solver=") + name}));
    CHECK(std::pair(run.events(), run.hash()) == std::pair(first.events(), first.hash()));
  }
  for (const char* const text : {"", "solver=one_block,threads=64", "solver=queues,queue=heap,threads=64",
                                 "solver=queues,queue=ring,lanes=1,threads=64,mode=earliest"}) {
    CAPTURE(text);
    const phold_run run = simulated.run_until(60, options_with({text}));
    CHECK(std::pair(run.events(), run.hash()) == std::pair(first.events(), first.hash()));
    CHECK(run.end() == 60);
    CHECK(run.check() == "");
  }
  phold_model other = small;
  other.seed = 4;
  CHECK(phold_simulator(device("cpu:1"), other).run_until(60).hash() != first.hash());
  CHECK(on_processors.run_until(40).events() < first.events());
}

TEST_CASE("a number of events is rounded up to whole lookaheads") {
  phold_simulator simulator_of_small(device("cpu:1"), small);
  const phold_run run = simulator_of_small.run_events(500);
  CHECK(run.end() == 4 * 25.0);  // 120 events at one event per 24 units of time: 20 in a lookahead
  CHECK(run.check() == "");
}

TEST_CASE("a simulator refuses invalid input with one line, and stays usable") {
  const auto error_of = [](const phold_model& model) {
    try {
      (void)phold_simulator(device("cpu:1"), model);
    } catch (const input_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK_THAT(error_of({.entities = 0}), Contains("entities"));
  CHECK_THAT(error_of({.rate = 0}), Contains("rate"));
  CHECK_THAT(error_of({.rate = std::numeric_limits<double>::quiet_NaN()}), Contains("rate"));
  CHECK_THAT(error_of({.lookahead = -1}), Contains("lookahead"));
  CHECK_THAT(error_of({.entities = 1 << 20, .events = 1 << 20}), Contains("2^30"));

  for (const device& target : {device("cpu:1"), simulator()}) {
    CAPTURE(target.facts().selector);
    const bool on_processors = target.facts().kind == "cpu";
    phold_simulator simulated(target, small);
    const phold_run before = simulated.run_until(12);
    const auto works = [&] { CHECK(simulated.run_until(12).hash() == before.hash()); };
    CHECK_THROWS_AS(simulated.run_until(0), input_error);
    CHECK_THROWS_WITH(simulated.run_until(-3), Contains("above 0") && Contains("-3"));
    CHECK_THROWS_WITH(simulated.run_until(1e12), Contains("can only be simulated until"));
    CHECK_THROWS_AS(simulated.run_events(std::numeric_limits<double>::infinity()), input_error);
    CHECK_THROWS_WITH(simulated.run_until(12, options_with({"solvr=queues"})), Contains("solvr"));
    CHECK_THROWS_AS(simulated.run_until(12, {.time_limit_ms = -1}), input_error);
    works();
    CHECK_THROWS_AS(simulated.run_until(12, options_with({on_processors ? "" : "solver=cpu_heap"})), unsuitable_error);
    works();
    try {
      (void)simulated.run_until(3000,
                                {.configurations = {on_processors ? "solver=cpu_heap" : ""}, .time_limit_ms = 1e-5});
      FAIL("it ended in time");
    } catch (const search_error& error) {
      CHECK(error.why == search_error::reason::time_limit);
      CHECK_THAT(error.what(), Contains("until=3000"));
    }
    works();
  }
}

TEST_CASE("the first configuration of a list that the device can run is used, and work is counted on request") {
  phold_simulator simulated(simulator(), small,
                            options_with({"solver=cpu_heap", "solver=queues,queue=heap,threads=64"}));
  const phold_run run = simulated.run_until(20);
  CHECK_THAT(run.choice().configuration, Contains("queue=heap"));
  CHECK(run.choice().chosen_by == choice::source::caller);
  CHECK(run.counters().empty());
  CHECK(run.times().compile > 0);
  CHECK(simulated.run_until(30).times().compile == 0);
  phold_options counting = options_with({"solver=queues,queue=heap,threads=64"});
  counting.counters = true;
  const phold_run counted = simulated.run_until(20, counting);
  const std::map<std::string, double> counters(counted.counters().begin(), counted.counters().end());
  CHECK(counters.at("events") == static_cast<double>(run.events()));
  CHECK(counters.at("comparisons") > 0);
  CHECK(simulated.choose(phold_options()).chosen_by == choice::source::standard);
}

TEST_CASE("threads share a device and a simulator, and runs outlive them") {
  std::optional<phold_simulator> shared;
  shared.emplace(device("cpu:2"), small);
  std::array<std::optional<phold_run>, 3> runs;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < runs.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) runs[t] = shared->run_until(20 + 4 * static_cast<double>(t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared.reset();
  for (const auto& run : runs) CHECK(run->check() == "");
  CHECK(runs[0]->events() < runs[2]->events());
}
