// SPDX-License-Identifier: Apache-2.0
// Path finding and PHOLD of libmlmq on a GPU: the public interface alone.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gpu_test.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;

namespace {

bool is_gpu() { return gpu_tests::device_selector().starts_with("cuda"); }

}  // namespace

TEST_CASE("the library finds thousands of paths on the GPU, all of them the shortest") {
  const device gpu(gpu_tests::device_selector());
  for (const corner_rule corners : {corner_rule::cut, corner_rule::none}) {
    // So that the simulator, too, has an answer soon.
    const grid map = grid::open(is_gpu() ? "grid256:density=0.1:seed=2" : "grid16:seed=2", corners);
    const std::vector<grid_pair> pairs = map.random_pairs(is_gpu() ? 5000 : 16, 7);
    path_finder finder(gpu, map);
    const path_answers lengths = finder.solve(pairs);
    CHECK(lengths.check() == "");
    if (is_gpu()) CHECK(lengths.choice().by == choice::chooser::model);
    const path_answers paths = finder.solve(pairs, {.paths = true});
    CHECK(paths.has_paths());
    CHECK(paths.check() == "");
    CHECK(finder.solve(pairs).times().compile == 0);
  }
}

TEST_CASE("the library simulates PHOLD on the GPU as on processors, with every queue that is chosen") {
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
