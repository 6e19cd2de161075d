// SPDX-License-Identifier: Apache-2.0
// The model and its simulations on processors: the drawn numbers, and whether all solvers execute the same events.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "backends/cpu/searches/thread_team.hpp"
#include "problems/phold/bucket_clock.hpp"
#include "problems/phold/queries.hpp"
#include "problems/phold/simulation.hpp"
#include "tests/phold/phold_test.hpp"

using namespace mlmq;
using namespace mlmq::phold;

namespace {

std::uint64_t ticks(double time) { return static_cast<std::uint64_t>(std::llround(time * ticks_per_unit)); }

/// Simulates by the definition: executes the least of all events next, found by looking at each.
trace simulate_by_definition(const model_settings& settings, std::uint64_t end) {
  const model m = model_of(settings);
  std::multimap<std::uint64_t, std::uint32_t> events;
  for (std::uint32_t i = 0; i < settings.population(); ++i) {
    const event_draw drawn = initial_draw(m, i);
    events.emplace(initial_event(drawn), drawn.target);
  }
  std::vector<std::uint32_t> executed(settings.entities, 0);
  trace done;
  while (time_of(events.begin()->first) < end) {
    const auto [event, entity] = *events.begin();
    events.erase(events.begin());
    const event_draw drawn = draw(m, entity, executed[entity]++);
    REQUIRE(drawn.target < settings.entities);
    const std::uint64_t created = created_event(m, event, drawn);
    REQUIRE(time_of(created) >= time_of(event) + m.lookahead);
    events.emplace(created, drawn.target);
    ++done.events;
    done.hash += hash_of(event, drawn);
  }
  REQUIRE(events.size() == settings.population());
  return done;
}

}  // namespace

TEST_CASE("the logarithm is that of the library, but in integers") {
  double worst = 0;
  for (std::uint32_t i = 0; i <= 100'000; ++i) {
    const auto f = static_cast<std::uint32_t>(std::min(2147483647.0, i / 100'000.0 * 2147483648.0));
    const double right = std::log2(1 + f / 2147483648.0);
    worst = std::max(worst, std::abs(static_cast<double>(log2_above_one(f)) / 4294967296.0 - right));
  }
  CHECK(worst < std::ldexp(1.0, -26));
}

TEST_CASE("delays are exponential and targets uniform") {
  for (const double rate : {1000.0, 1.0, 0.1, 1e-3, 1e-6}) {
    CAPTURE(rate);
    const model m = model_of({.entities = 10, .events = 1, .rate = rate});
    constexpr int draws = 200'000;
    double sum = 0;
    double squares = 0;
    int above_mean = 0;
    std::array<int, 10> targets{};
    for (std::uint32_t i = 0; i < draws; ++i) {
      const event_draw drawn = draw(m, i % 10, i / 10);
      const double delay = static_cast<double>(drawn.delay) / ticks_per_unit * rate;
      sum += delay;
      squares += delay * delay;
      above_mean += delay > 1 ? 1 : 0;
      ++targets.at(drawn.target);
    }
    // Within five standard deviations.
    CHECK(std::abs(sum / draws - 1) < 5 / std::sqrt(draws));
    CHECK(std::abs(squares / draws - 2) < 5 * std::sqrt(20.0 / draws));
    CHECK(std::abs(above_mean / double{draws} - std::exp(-1.0)) < 5 * std::sqrt(0.25 / draws));
    for (const int count : targets) CHECK(std::abs(count - draws / 10) < 5 * std::sqrt(draws / 10.0));
  }
}

TEST_CASE("all simulations on processors execute the events of the definition") {
  cpu::thread_team team(1);
  cpu::thread_team three(3);
  std::set<std::uint64_t> hashes;
  std::size_t models = 0;
  for (const double rate : {100.0, 1.0, 0.1, 1e-3, 1e-5}) {
    for (const auto& [entities, events] : {std::pair(1, 1), {1, 9}, {2, 3}, {7, 5}, {100, 4}}) {
      for (const double lookahead : {0.5, 10.0}) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
          const model_settings settings{.entities = static_cast<std::uint64_t>(entities),
                                        .events = static_cast<std::uint64_t>(events),
                                        .rate = rate,
                                        .lookahead = lookahead,
                                        .seed = seed};
          const std::uint64_t end = ticks(6.3 * (lookahead + 1 / rate));
          CAPTURE(rate, entities, events, lookahead, seed);
          const trace right = simulate_by_definition(settings, end);
          cpu::stop_signal never;
          for (const trace& simulated :
               {simulate_one_heap(settings, end, never), simulate_heaps(settings, end, never),
                simulate_calendar(team, settings, end, never), simulate_calendar(three, settings, end, never)}) {
            CHECK(simulated.finished);
            CHECK(simulated.events == right.events);
            CHECK(simulated.hash == right.hash);
          }
          hashes.insert(right.hash);
          ++models;
        }
      }
    }
  }
  CHECK(hashes.size() == models);
}

TEST_CASE("abort words and time limits stop every simulation on processors") {
  cpu::thread_team team(2);
  const model_settings settings{.entities = 1000, .events = 16, .rate = 0.1};
  const std::uint32_t set = 1;
  const auto check_stops = [&](const std::uint32_t* abort_word, std::uint64_t time_limit_ns, cpu::run_status reason) {
    std::array<cpu::stop_signal, 3> stops{cpu::stop_signal(abort_word, time_limit_ns),
                                          cpu::stop_signal(abort_word, time_limit_ns),
                                          cpu::stop_signal(abort_word, time_limit_ns)};
    CHECK_FALSE(simulate_one_heap(settings, ticks(1e6), stops[0]).finished);
    CHECK_FALSE(simulate_heaps(settings, ticks(1e6), stops[1]).finished);
    CHECK_FALSE(simulate_calendar(team, settings, ticks(1e6), stops[2]).finished);
    for (const cpu::stop_signal& stop : stops) CHECK(stop.status() == reason);
  };
  check_stops(&set, ~std::uint64_t{0}, cpu::run_status::aborted);
  check_stops(nullptr, 0, cpu::run_status::timed_out);
}

TEST_CASE("buckets of an event and of the events it creates are a window apart") {
  for (const double lookahead : {0.001, 0.7, 10.0, 12345.6}) {
    for (const double windows : {3.0, 1e4, 1e6}) {
      for (const std::uint32_t parts : {1U, 4U, 64U}) {
        const std::uint64_t l = ticks(lookahead);
        const auto end = static_cast<std::uint64_t>(static_cast<double>(l) * windows);
        const bucket_clock clock = bucket_clock::make(l, end, parts);
        CAPTURE(lookahead, windows, parts);
        if (clock.factor == 0) {
          CHECK(lookahead == 0.001);  // too short for that many parts
          continue;
        }
        std::uint32_t before = 0;
        for (std::uint64_t i = 0; i < 5000; ++i) {
          const std::uint64_t time = end / 5000 * i + i % 7;
          CHECK(clock.bucket_of(time) >= before);
          before = clock.bucket_of(time);
          if (clock.bucket_of(time + l) < before + parts) FAIL("at " << time);
        }
        CHECK(clock.windows(end) >= windows - 1);
        CHECK(clock.windows(end) <= windows * 1.1 + 2);
      }
    }
  }
}

TEST_CASE("queries are ends") {
  const model_settings settings{.entities = 100, .events = 10, .rate = 0.1};
  const auto ends = [&](const std::string& name, std::vector<std::string> values) {
    std::vector<std::string> texts;
    tuner::query_rule rule;
    rule.settings.push_back({.name = name, .values = std::move(values), .place = {}});
    for (const tuner::query& query : choose_ends(settings, {rule})) texts.push_back(query.text());
    return texts;
  };
  CHECK(ends("until", {"250", "250.0", "0.5"}) == std::vector<std::string>{"until=250", "until=0.5"});
  // 1000 events, each executed every 20 units of time: 500 per window.
  CHECK(ends("events", {"5000"}) == std::vector<std::string>{"until=100"});
  CHECK(ends("events", {"5001"}) == std::vector<std::string>{"until=110"});
  CHECK(choose_ends(settings, {}).size() == 1);
  CHECK_THROWS_WITH(ends("until", {"0"}), Catch::Contains("above 0"));
  CHECK_THROWS_WITH(ends("until", {"1e20"}), Catch::Contains("can only be simulated until"));
  CHECK_THROWS_WITH(ends("untill", {"1"}), Catch::Contains("did you mean 'until'"));
  CHECK_THROWS_WITH(end_of(settings, {{"until", "x"}}), Catch::Contains("above 0"));
}
