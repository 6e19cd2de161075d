// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "mlmq/mlmq.h"
#include "mlmq/mlmq.hpp"
#include "tests/support/speed.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

/// Returns the limit for a stop, in processor time: what all processors spend in a second.
double latest() { return tests::processor_seconds_per_second(); }

/// Runs `work` in a stop_scope, and requests the stop after `delay`. @return the processor time from the request to
/// stopped_error
template <class Work>
double time_to_stop(std::chrono::milliseconds delay, const Work& work) {
  std::stop_source source;
  double request = 0;
  std::jthread other([&] {
    std::this_thread::sleep_for(delay);
    request = tests::processor_seconds();
    source.request_stop();
  });
  const stop_scope scope(source.get_token());
  CHECK_THROWS_AS(work(), stopped_error);
  const double end = tests::processor_seconds();
  other.join();
  return end - request;
}

/// Returns the sources 0 to `count` - 1.
std::vector<vertex> first_sources(vertex count) {
  std::vector<vertex> sources(count);
  for (vertex v = 0; v < count; ++v) sources[v] = v;
  return sources;
}

}  // namespace

TEST_CASE("a stop request ends searches on processors and on the simulator") {
  for (const std::string selector : {"cpu:2", "simt"}) {
    CAPTURE(selector);
    const device device(selector);
    solver small(device, digraph::open("road8"));
    const solve_options options{.configurations = {small.solve(0).choice().configuration}, .time_limit_ms = 1e6};
    // The search takes tens of seconds.
    const digraph roads = digraph::open(selector == "simt" ? "road17" : "road16");
    solver large(device, roads);
    const std::vector<vertex> sources = first_sources(30'000);
    batch_options multi_source_options{.targets = {1}, .time_limit_ms = 1e6};
    // A hierarchy would take less than the time until the stop.
    if (selector != "simt") multi_source_options.configurations = {"solver=cpu_dijkstra"};
    CHECK(time_to_stop(std::chrono::milliseconds(100), [&] { (void)large.solve_many(sources, multi_source_options); }) <
          latest());
    if (selector == "simt") {
      CHECK(time_to_stop(std::chrono::milliseconds(100), [&] { (void)large.solve(0, options); }) < latest());
      CHECK(time_to_stop(std::chrono::milliseconds(100),
                         [&] { (void)large.try_out(sources, 2, {.time_limit_ms = 1e6}); }) < latest());
    }
    // Both solvers remain usable.
    CHECK(small.solve(0).check().empty());
    CHECK(large.solve_many(first_sources(2), {.targets = {0}}).searches == 2);
  }
}

TEST_CASE("a stop request ends building a hierarchy") {
  // Ordering this graph takes seconds. No test completes it, so that the cache folder never has the order.
  solver roads(device("cpu:2"), digraph::open("road18:seed=77"));
  batch_options options{.configurations = {"solver=cpu_hierarchy"}, .targets = {1}, .time_limit_ms = 1e6};
  CHECK(time_to_stop(std::chrono::milliseconds(300), [&] { (void)roads.solve_many(first_sources(1), options); }) <
        latest());
  options.configurations = {"solver=cpu_dijkstra"};
  CHECK(roads.solve_many(first_sources(2), options).searches == 2);
}

TEST_CASE("a stop request ends reading, generating, and waiting for a device") {
  CHECK(time_to_stop(std::chrono::milliseconds(200), [] { (void)digraph::open("rmat22"); }) < latest());
  const device device("cpu:1");
  const digraph roads = digraph::open("road16");
  solver busy(device, roads);
  solver waiting(device, roads);
  std::stop_source end;
  std::jthread other([&] {
    const stop_scope scope(end.get_token());
    CHECK_THROWS_AS(busy.solve_many(first_sources(30'000),
                                    {.configurations = {"solver=cpu_dijkstra"}, .targets = {1}, .time_limit_ms = 1e6}),
                    stopped_error);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(time_to_stop(std::chrono::milliseconds(200), [&] { (void)waiting.solve(0); }) < latest());
  end.request_stop();
}

TEST_CASE("scopes nest, and a token that is not requested changes nothing") {
  CHECK_FALSE(stop_token_of_thread().stop_possible());
  std::stop_source outer;
  std::stop_source inner;
  const stop_scope outer_scope(outer.get_token());
  {
    const stop_scope inner_scope(inner.get_token());
    outer.request_stop();
    CHECK_NOTHROW(throw_if_stopped());
    inner.request_stop();
    CHECK_THROWS_WITH(throw_if_stopped(), "the call was stopped");
  }
  CHECK(stop_token_of_thread() == outer.get_token());
  CHECK_THROWS_AS(digraph::open("rmat10"), stopped_error);
}

TEST_CASE("a stop source of the C interface ends calls of the thread that has attached it") {
  mlmq_stop_source* source = nullptr;
  REQUIRE(mlmq_stop_source_create(&source) == MLMQ_OK);
  CHECK(mlmq_stop_source_create(nullptr) == MLMQ_INPUT_ERROR);
  mlmq_stop_source_attach(source);
  mlmq_digraph* graph = nullptr;
  CHECK(mlmq_digraph_open("rmat10", nullptr, &graph) == MLMQ_OK);
  mlmq_digraph_free(graph);
  std::thread([&] { mlmq_stop_source_request(source); }).join();
  CHECK(mlmq_digraph_open("rmat10", nullptr, &graph) == MLMQ_STOPPED);
  CHECK(std::string(mlmq_last_error()) == "the call was stopped");
  mlmq_stop_source_free(source);
  CHECK(mlmq_digraph_open("rmat10", nullptr, &graph) == MLMQ_STOPPED);
  mlmq_stop_source_attach(nullptr);
  REQUIRE(mlmq_digraph_open("rmat10", nullptr, &graph) == MLMQ_OK);
  mlmq_digraph_free(graph);
}

TEST_CASE("a device that was opened before a fork is refused, and a new one works") {
  const digraph roads = digraph::open("road8");
  std::optional<solver> inherited(std::in_place, device("cpu:2"), roads);
  REQUIRE(inherited->solve(0).check().empty());
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // seconds: the child must not hang
    int failures = 0;
    try {
      (void)inherited->solve(0);
      failures |= 1;
    } catch (const work_error& error) {
      if (std::string(error.what()).find("was opened before this process was forked") == std::string::npos)
        failures |= 2;
    }
    inherited.reset();
    solver fresh(device("cpu:2"), roads);
    if (!fresh.solve(0).check().empty()) failures |= 4;
    ::_exit(failures);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(inherited->solve(0).check().empty());
}
