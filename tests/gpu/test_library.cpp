// SPDX-License-Identifier: Apache-2.0
// libmlmq on a GPU, through its public interface alone.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backends/backend.hpp"
#include "base/files.hpp"
#include "gpu_test.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

/// Returns the graph's name, or a smaller graph on the simulator, which would take long otherwise.
std::string graph_name(const char* on_gpu) {
  return gpu_tests::device_selector().starts_with("cuda") ? on_gpu : "road7";
}

solve_options on_device() {
  solve_options options;
  options.place = placement::device;
  return options;
}

solve_options options_with(const std::string& configuration) {
  solve_options options;
  options.configurations = {configuration};
  return options;
}

/// Returns whether all distances of the two answers are equal.
bool agree(const solution& first, const solution& second, vertex vertices) {
  for (vertex v = 0; v < vertices; ++v) {
    const double a = first.distance(v);
    const double b = second.distance(v);
    if (a != b && !(std::isinf(a) && std::isinf(b))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the library searches on the GPU with the selector's configuration and checks the answer") {
  const digraph roads = digraph::open(graph_name("road16"));
  const device gpu(gpu_tests::device_selector());
  solver search(gpu, roads);
  CHECK_FALSE(search.resident());
  for (const vertex source : {roads.default_source(), vertex{1}, roads.vertex_count() - 1}) {
    const solution answer = search.solve(source, on_device());
    CHECK(answer.check() == "");
    CHECK(answer.choice().device == gpu.facts().selector);
    CHECK(answer.choice().chosen_by == choice::source::model);
    CHECK(answer.times().solve > 0);
    const std::vector<vertex> before = answer.predecessors();
    CHECK(before.at(source) == no_vertex);
  }
  CHECK(search.resident());
  // A second search neither uploads nor compiles.
  CHECK(search.solve(2, on_device()).times().upload == 0);
}

TEST_CASE("GPU and processors give equal distances and levels, for integer and float weights") {
  const device gpu(gpu_tests::device_selector());
  const device processors("cpu");
  for (const number_type type : {number_type::uint32, number_type::float32, number_type::float64}) {
    for (const problem kind : {problem::sssp, problem::bfs}) {
      const digraph graph = digraph::open(graph_name("rmat14"), {.weight_type = type});
      solver gpu_solver(gpu, graph, kind);
      solver cpu_solver(processors, graph, kind);
      for (const vertex source : {graph.default_source(), vertex{3}}) {
        CHECK(agree(gpu_solver.solve(source, on_device()), cpu_solver.solve(source), graph.vertex_count()));
      }
    }
  }
}

TEST_CASE("the automatic choice of the device gives right answers and its reason") {
  const device gpu(gpu_tests::device_selector());
  for (const char* const name : {"road8", "road16", "rmat10", "rmat16"}) {
    const digraph graph = digraph::open(graph_name(name));
    solver search(gpu, graph);
    const choice before = search.choose();
    const solution answer = search.solve(graph.default_source());
    CAPTURE(name, answer.choice().device, answer.choice().reason);
    CHECK(answer.choice().device == before.device);
    CHECK(answer.check() == "");
    if (answer.choice().device != gpu.facts().selector) CHECK_FALSE(answer.choice().reason.empty());
  }
}

TEST_CASE("the library tries several recommended configurations and keeps the fastest", "[cuda]") {
  const digraph graph = digraph::open(graph_name("del14"));
  solver search(device(gpu_tests::device_selector()), graph);
  const std::array sources = {graph.default_source(), vertex{1}};
  const std::vector<tried> trials = search.try_out(sources, 3, on_device());
  REQUIRE(trials.size() == 3);
  REQUIRE(trials.front().milliseconds.has_value());
  const solution answer = search.solve(2, on_device());
  CHECK(answer.choice().configuration == trials.front().configuration);
  CHECK(answer.choice().chosen_by == choice::source::trial);
  CHECK(answer.check() == "");
}

TEST_CASE("counters and timelines are recorded on the GPU") {
  const digraph graph = digraph::open(graph_name("road14"));
  solver search(device(gpu_tests::device_selector()), graph);
  solve_options counting = on_device();
  counting.counters = true;
  CHECK_FALSE(search.solve(0, counting).counters().empty());
  solve_options recording = on_device();
  recording.timeline = true;
  const solution answer = search.solve(0, recording);
  CHECK(answer.check() == "");
  REQUIRE_FALSE(answer.timeline().empty());
  double vertices = 0;
  for (const timeline_interval& interval : answer.timeline()) vertices += interval.vertices;
  CHECK(vertices >= graph.vertex_count() - 1);
}

TEST_CASE("solvers in several threads share one GPU") {
  const device gpu(gpu_tests::device_selector());
  const digraph roads = digraph::open(graph_name("road14"));
  const digraph mesh = digraph::open(graph_name("del14"));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> team;
  for (unsigned member = 0; member < 4; ++member) {
    team.emplace_back([&, member] {
      solver search(gpu, member % 2 == 0 ? roads : mesh);
      for (vertex source = 0; source < 10; ++source) {
        if (!search.solve(source * 3 + member, on_device()).check().empty()) ++wrong;
      }
    });
  }
  for (std::thread& member : team) member.join();
  CHECK(wrong == 0);
}

TEST_CASE("a configuration that the GPU cannot run is refused, and the device remains usable") {
  const digraph graph = digraph::open(graph_name("road10"));
  solver search(device(gpu_tests::device_selector()), graph);
  CHECK_THROWS_AS(search.solve(0, options_with("solver=dijkstra")), unsuitable_error);
  CHECK_THROWS_AS(search.solve(0, options_with("l1_capacity=16384,threads=1024")), unsuitable_error);
  CHECK_THROWS_AS(search.solve(graph.vertex_count(), on_device()), input_error);
  CHECK(search.solve(0, on_device()).check() == "");
}

TEST_CASE("a search past its time limit gives no answer, and the next search succeeds", "[cuda]") {
  const digraph graph = digraph::open("path200000");
  solver search(device(gpu_tests::device_selector()), graph);
  solve_options hurried = on_device();
  hurried.time_limit_ms = 1;
  try {
    static_cast<void>(search.solve(0, hurried));
    FAIL("200,000 hops in a millisecond");
  } catch (const search_error& error) {
    CHECK(error.why == search_error::reason::time_limit);
  }
  CHECK(search.solve(199'000, on_device()).check() == "");
}

TEST_CASE("a graph that exceeds the free device memory is refused until memory is free", "[alone][cuda]") {
  const digraph graph = digraph::open("road18");
  const auto hog = backends::open_device(gpu_tests::device_selector());
  {
    std::vector<backends::device_memory> taken;
    for (std::size_t piece = hog->info().memory_bytes; piece >= (std::size_t{1} << 20);) {
      try {
        taken.push_back(hog->allocate(piece, "all there is"));
      } catch (const backends::out_of_device_memory&) {
        piece /= 2;
      }
    }
    // The remaining memory is too small for 262,144 vertices and their edges.
    CHECK_THROWS_AS(
        [&] {
          solver search(device(gpu_tests::device_selector()), graph);
          static_cast<void>(search.solve(0, on_device()));
        }(),
        memory_error);
  }
  solver search(device(gpu_tests::device_selector()), graph);
  CHECK(search.solve(0, on_device()).check() == "");
}

TEST_CASE("every call to a lost device reports the loss, and other devices remain usable", "[alone][cuda]") {
  const digraph graph = digraph::open("road10");
  const device gpu(gpu_tests::device_selector());
  solver search(gpu, graph);
  CHECK(search.solve(0, on_device()).check() == "");
  {
    const std::string kernel = read_file(backends::kernel_folder() + "/sssp.cu");
    const std::string search_call = "mlmq::run_search(arguments);";
    REQUIRE(kernel.find(search_call) != std::string::npos);
    const gpu_tests::planted_kernel planted(
        "sssp.cu",
        std::string(kernel).replace(kernel.find(search_call), 0, "simt::store(reinterpret_cast<u32*>(u64{64}), 1u); "));
    try {
      static_cast<void>(search.solve(0, options_with("threads=96")));
      FAIL("a kernel that writes nowhere has an answer");
    } catch (const device_error& error) {
      CHECK(error.lost);
    }
  }
  for (int i = 0; i < 2; ++i) {
    try {
      static_cast<void>(search.solve(0, on_device()));
      FAIL("a lost device has an answer");
    } catch (const device_error& error) {
      CHECK(error.lost);
    }
  }
  CHECK(solver(device("cpu"), graph).solve(0).check() == "");
}
