// SPDX-License-Identifier: Apache-2.0
// Reasons against running a configuration on a device, found without compiling it.
#include <catch2/catch.hpp>

#include "backends/registry.hpp"
#include "problems/registry.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;

namespace {

std::string unfit_reason(const std::string& problem, const std::string& label, const std::string& device) {
  const auto instance = problems::make_problem(problem);
  const auto parameters = tuner::parameter_set::from_declarations(instance->declarations(), instance->presets());
  return instance->unfit_reason(parameters.parse_label(label), backends::inspect_device(device));
}

}  // namespace

TEST_CASE("blocks of more threads than a multiprocessor holds do not fit") {
  for (const char* const solver : {"mlmq", "near_far", "bellman_ford", "adds"}) {
    CAPTURE(solver);
    const std::string with_solver = std::string("solver=") + solver + ",threads=";
    CHECK_THAT(unfit_reason("sssp", with_solver + "512", "simt:4x8"), Catch::Contains("holds 256 threads"));
    CHECK(unfit_reason("sssp", with_solver + "256", "simt:4x8").empty());
    CHECK(unfit_reason("sssp", with_solver + "512", "simt:4x16").empty());
  }
}

TEST_CASE("the multi-level queue needs two blocks at the same time") {
  CHECK_THAT(unfit_reason("sssp", "threads=256", "simt:1x8"), Catch::Contains("only 1 of the 2 blocks"));
  CHECK(unfit_reason("sssp", "threads=128", "simt:1x8").empty());
  CHECK(unfit_reason("sssp", "solver=near_far,threads=256", "simt:1x8").empty());
}

TEST_CASE("a configuration that does not fit into shared memory is known by its size") {
  CHECK_THAT(unfit_reason("sssp", "l1=vector,l1_capacity=4096,threads=512", "simt:4x16"),
             Catch::Contains("shared memory"));
}

TEST_CASE("kernels do not fit processors, nor their searches a grid") {
  CHECK_FALSE(unfit_reason("sssp", "", "cpu:1").empty());
  CHECK(unfit_reason("sssp", "solver=dijkstra", "cpu:1").empty());
  CHECK_FALSE(unfit_reason("sssp", "solver=dijkstra", "simt").empty());
  CHECK_FALSE(unfit_reason("sssp", "solver=bfs", "cpu:1").empty());  // unit weights only
  CHECK(unfit_reason("bfs", "solver=bfs", "cpu:1").empty());
  CHECK_FALSE(unfit_reason("phold", "solver=calendar", "cpu:1").empty());
  CHECK(unfit_reason("phold", "solver=cpu_heap", "cpu:1").empty());
  CHECK_FALSE(unfit_reason("phold", "solver=one_block,threads=1024", "simt:4x8").empty());
  CHECK(unfit_reason("phold", "solver=one_block,threads=256", "simt:4x8").empty());
  CHECK_FALSE(unfit_reason("astar", "", "cpu:1").empty());
  CHECK(unfit_reason("astar", "solver=cpu_jps", "cpu:1").empty());
  CHECK_FALSE(unfit_reason("astar", "solver=cpu_jps", "simt").empty());
}
