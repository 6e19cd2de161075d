// SPDX-License-Identifier: Apache-2.0
// Path finding and PHOLD of libmlmq on a GPU, through the public interface alone.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpu_test.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;
using gpu_tests::is_gpu;

TEST_CASE("the library finds thousands of shortest paths on maps on the GPU") {
  const device gpu(gpu_tests::device_selector());
  for (const corner_rule corners : {corner_rule::cut, corner_rule::none}) {
    // The simulator gets a smaller map, since it would take long otherwise.
    const grid map = grid::open(is_gpu() ? "grid256:density=0.1:seed=2" : "grid16:seed=2", corners);
    const std::vector<grid_pair> pairs = map.random_pairs(is_gpu() ? 5000 : 16, 7);
    path_finder finder(gpu, map);
    const path_answers lengths = finder.solve(pairs);
    CHECK(lengths.check() == "");
    if (is_gpu()) CHECK(lengths.choice().chosen_by == choice::source::model);
    const path_answers paths = finder.solve(pairs, {.paths = true});
    CHECK(paths.has_paths());
    CHECK(paths.check() == "");
    CHECK(finder.solve(pairs).times().compile == 0);
  }
}

TEST_CASE("PHOLD on the GPU equals PHOLD on processors, with every queue that can be chosen") {
  const device gpu(gpu_tests::device_selector());
  const phold_model model{.entities = is_gpu() ? 4096U : 16U, .events = is_gpu() ? 64U : 4U};
  phold_simulator simulator(gpu, model);
  for (const std::string text : {"solver=calendar", "solver=one_block", "solver=queues,queue=heap"}) {
    CAPTURE(text);
    CHECK(simulator.run_until(30, {.configurations = {text}}).check() == "");
  }
  const phold_run chosen = simulator.run_until(30);
  CHECK(chosen.check() == "");
  CHECK(chosen.events_per_second() > 0);
}

TEST_CASE("the library simulates PHOLD in a cluster of blocks") {
  const device gpu(gpu_tests::device_selector());
  phold_simulator simulator(gpu, {.entities = is_gpu() ? 256U : 16U, .events = is_gpu() ? 16U : 4U, .rate = 0.001});
  for (const std::string text :
       {"solver=cluster,threads=64,cluster_blocks=2", "solver=cluster,threads=256,cluster_blocks=4",
        "solver=cluster,threads=512,cluster_blocks=8", "solver=cluster,threads=512,cluster_blocks=16"}) {
    if (!is_gpu() && text.find("=2") == std::string::npos) continue;
    CAPTURE(text);
    CHECK(simulator.run_until(is_gpu() ? 3000 : 30, {.configurations = {text}}).check() == "");
  }
}

TEST_CASE("the library searches from many sources on the GPU, with its own choice and with every kernel") {
  const device gpu(gpu_tests::device_selector());
  for (const char* const name : {"road", "rmat", "del"}) {
    for (const number_type type : {number_type::uint32, number_type::float32, number_type::float64}) {
      for (const problem kind : {problem::sssp, problem::bfs}) {
        const digraph graph = digraph::open(name + std::string(is_gpu() ? "13" : "6"), {.weight_type = type});
        std::vector<vertex> sources;
        for (vertex v = 0; v < (is_gpu() ? 3000U : 40U); ++v) sources.push_back(v % graph.vertex_count());
        solver solver(gpu, graph, kind);
        for (const std::string text :
             {"", "threads=256,blocks=5,near_items=256,ell_width=4,delta=1",
              "threads=64,blocks=8,near_items=64,ell_width=8", "threads=128,blocks=2,near_items=128,heavy_degree=8",
              "solver=group,threads=256,blocks=2,parts=3"}) {
          CAPTURE(name, static_cast<int>(type), kind == problem::bfs, text);
          batch_options options{.tries = 2, .searches_per_try = is_gpu() ? 300U : 4U, .check = true};
          if (!text.empty()) options.configurations = {text};
          std::size_t rows = 0;
          const batch_summary done =
              solver.solve_many(sources, options, [&](const distance_rows& batch) { rows += batch.rows; });
          CHECK(rows == sources.size());
          CHECK(done.tried.size() == (text.empty() ? 2 : 0));
          options.targets = {1, 17, 40};
          options.cutoff = 5000;
          CHECK(solver.solve_many(sources, options).searches == sources.size());
        }
      }
    }
  }
}

TEST_CASE("the library computes reproducible betweenness on the GPU, with every kind of search") {
  const device target(gpu_tests::device_selector());
  for (const char* const name : is_gpu() ? std::vector<const char*>{"road12", "rmat11", "del11", "grid40"}
                                         : std::vector<const char*>{"road6", "rmat6", "grid7"}) {
    for (const bool floats : {false, true}) {
      const digraph graph =
          digraph::open(name, {.weight_type = floats ? std::optional(number_type::float32) : std::nullopt});
      for (const problem kind : {problem::sssp, problem::bfs}) {
        solver solver(target, graph, kind);
        for (const char* const text : {"", "search=block,threads=64,blocks=8,heavy_degree=8",
                                       "search=group,threads=256,blocks=2,concurrent=3"}) {
          CAPTURE(name, floats, kind == problem::bfs, text);
          betweenness_options options{.samples = is_gpu() ? 400 : 20, .endpoints = true, .check = true};
          if (*text != 0) options.configurations = {text};
          const betweenness_scores scores = solver.betweenness(options);
          CHECK(scores.complete);
          options.check = false;
          options.memory_bytes = 7 * 4 * graph.vertex_count();
          CHECK(solver.betweenness(options).values == scores.values);
        }
      }
    }
  }
}
