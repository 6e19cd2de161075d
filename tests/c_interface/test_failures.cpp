// SPDX-License-Identifier: Apache-2.0
// No exception crosses the C interface: memory that runs out at any point, exceptions in callbacks, errors in several
// threads.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "library/c/handles.hpp"

namespace {

/// Number of further allocations of this thread that succeed; negative: all.
thread_local long allocations_left = -1;

void* allocate(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

/// Calls `work` with 0, 1, 2, … successful allocations until it does not fail. @return the number of failed calls
template <class Work>
int failures_of(const Work& work) {
  for (int allowed = 0;; ++allowed) {
    allocations_left = allowed;
    const mlmq_status status = work();
    allocations_left = -1;
    if (status == MLMQ_OK) return allowed;
    CAPTURE(allowed, mlmq_last_error());
    REQUIRE(std::string(mlmq_status_name(status)) == "out_of_memory");
    REQUIRE(std::string(mlmq_last_error()).find("not enough memory") != std::string::npos);
    REQUIRE(allowed < 100'000);
  }
}

const std::vector<std::uint64_t> offsets = {0, 1, 2};
const std::vector<mlmq_vertex> targets = {1, 0};

mlmq_digraph* pair_of_vertices() {
  mlmq_digraph* graph = nullptr;
  REQUIRE(mlmq_digraph_from_rows(2, 2, offsets.data(), targets.data(), MLMQ_UINT32, nullptr, nullptr, &graph) ==
          MLMQ_OK);
  return graph;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
// Functions that return null instead of failing are not counted, but their results are freed below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("memory of the host that runs out is a status, wherever it does") {
  mlmq_digraph* graph = nullptr;
  CHECK(failures_of([&] {
          return mlmq_digraph_from_rows(2, 2, offsets.data(), targets.data(), MLMQ_UINT32, nullptr,
                                        "a name that is allocated, because it is long", &graph);
        }) >= 5);
  CHECK(mlmq_digraph_edge_count(graph) == 2);

  mlmq_device* device = nullptr;
  REQUIRE(mlmq_device_open("cpu:1", &device) == MLMQ_OK);
  mlmq_solver* solver = nullptr;
  CHECK(failures_of([&] { return mlmq_solver_create(device, graph, MLMQ_SSSP, &solver); }) >= 2);
  mlmq_solution* solution = nullptr;
  CHECK(failures_of([&] { return mlmq_solver_solve(solver, 0, nullptr, &solution); }) >= 5);
  double distance = 0;
  CHECK(mlmq_solution_distance(solution, 1, &distance) == MLMQ_OK);
  CHECK(distance == 1);
  std::size_t count = 0;
  CHECK(failures_of([&] { return mlmq_solution_path(solution, 1, nullptr, 0, &count); }) >= 1);
  CHECK(count == 2);
  char* text = nullptr;
  CHECK(failures_of([&] { return mlmq_complete_configuration("delta=8", &text); }) >= 5);
  mlmq_free(text);
  mlmq_solution_free(solution);
  mlmq_solver_free(solver);
  mlmq_device_free(device);
  mlmq_digraph_free(graph);
}

TEST_CASE("memory that no machine has is a status") {
  mlmq_digraph* graph = nullptr;
  CHECK(mlmq_digraph_from_rows(2, std::uint64_t{1} << 61, offsets.data(), targets.data(), MLMQ_UINT32, nullptr, nullptr,
                               &graph) == MLMQ_OUT_OF_MEMORY);
  CHECK(graph == nullptr);
}

TEST_CASE("the last error is that of the thread") {
  mlmq_digraph* graph = nullptr;
  REQUIRE(mlmq_digraph_open("no such file", nullptr, &graph) == MLMQ_INPUT_ERROR);
  const std::string own_error = mlmq_last_error();
  std::string thread_error = "unset";
  std::string after;
  std::thread([&] {
    thread_error = mlmq_last_error();
    mlmq_device* device = nullptr;
    if (mlmq_device_open("teapot", &device) == MLMQ_INPUT_ERROR) after = mlmq_last_error();
  }).join();
  CHECK(thread_error.empty());
  CHECK(after.find("teapot") != std::string::npos);
  CHECK(mlmq_last_error() == own_error);
  // A successful call does not change the last error.
  mlmq_digraph_free(pair_of_vertices());
  CHECK(mlmq_last_error() == own_error);
}

TEST_CASE("every exception has a status") {
  const auto status_of = [](const auto& raise) { return mlmq::c::guarded(raise); };
  CHECK(status_of([] { throw mlmq::input_error("x"); }) == MLMQ_INPUT_ERROR);
  CHECK(status_of([] { throw mlmq::work_error("x"); }) == MLMQ_WORK_ERROR);
  CHECK(status_of([] { throw mlmq::unsuitable_error("x"); }) == MLMQ_UNSUITABLE_ERROR);
  CHECK(status_of([] { throw mlmq::compile_error("x"); }) == MLMQ_COMPILE_ERROR);
  CHECK(status_of([] { throw mlmq::memory_error("x"); }) == MLMQ_MEMORY_ERROR);
  CHECK(status_of([] { throw mlmq::device_error("x", false); }) == MLMQ_DEVICE_ERROR);
  CHECK(status_of([] { throw mlmq::device_error("x", true); }) == MLMQ_DEVICE_LOST);
  using reason = mlmq::search_error::reason;
  CHECK(status_of([] { throw mlmq::search_error("x", reason::time_limit); }) == MLMQ_TIME_LIMIT);
  CHECK(status_of([] { throw mlmq::search_error("x", reason::queue_full); }) == MLMQ_QUEUE_FULL);
  CHECK(status_of([] { throw mlmq::search_error("x", reason::failed); }) == MLMQ_SEARCH_ERROR);
  CHECK(status_of([] { throw std::runtime_error("why"); }) == MLMQ_WORK_ERROR);
  CHECK(std::string(mlmq_last_error()) == "why");
  CHECK(status_of([] { throw std::bad_alloc(); }) == MLMQ_OUT_OF_MEMORY);
  CHECK(status_of([] { throw 5; }) == MLMQ_WORK_ERROR);
  CHECK(status_of([] {}) == MLMQ_OK);
}

TEST_CASE("a solver may be used by several threads, and freed before its results") {
  mlmq_digraph* graph = nullptr;
  REQUIRE(mlmq_digraph_open("road8", nullptr, &graph) == MLMQ_OK);
  mlmq_device* device = nullptr;
  REQUIRE(mlmq_device_open("cpu:2", &device) == MLMQ_OK);
  mlmq_solver* solver = nullptr;
  REQUIRE(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver) == MLMQ_OK);
  std::vector<mlmq_solution*> solutions(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    threads.emplace_back([&, i] {
      if (mlmq_solver_solve(solver, static_cast<mlmq_vertex>(i), nullptr, &solutions[i]) != MLMQ_OK)
        solutions[i] = nullptr;
    });
  }
  for (std::thread& thread : threads) thread.join();
  mlmq_solver_free(solver);
  mlmq_device_free(device);
  mlmq_digraph_free(graph);
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    REQUIRE(solutions[i] != nullptr);
    char* wrong = nullptr;
    CHECK(mlmq_solution_check(solutions[i], &wrong) == MLMQ_OK);
    CHECK(wrong == nullptr);
    CHECK(mlmq_solution_source(solutions[i]) == i);
    mlmq_solution_free(solutions[i]);
  }
}
