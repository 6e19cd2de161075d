// SPDX-License-Identifier: Apache-2.0
// A kernel in a folder outside the program compiles for a GPU. Needs NVRTC, but neither a GPU nor a driver.
#include <catch2/catch.hpp>

#include "backends/cuda/compiler.hpp"
#include "base/error.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/vector_sum/vector_sum.hpp"
#include "tests/vector_sum/vector_workload.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;

TEST_CASE("the kernel of a problem's own folder compiles to machine code") {
  try {
    (void)backends::nvrtc_version();
  } catch (const work_error&) {
    WARN("no NVRTC on this machine: the kernel is not compiled for a GPU");
    return;
  }
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", folder.path().string());
  const vector_sum::sum_of_vector problem;
  const auto workload = vector_sum::vector_kind().load({.name = "vector6", .file = "", .generated = "vector6"});
  const auto device = backends::open_device("simt");
  const auto loaded = problem.load(*device, *workload);
  const auto parameters = tuner::parameter_set::from_declarations(problem.declarations());
  for (const auto mode : {tuner::instrumentation::none, tuner::instrumentation::counters}) {
    const auto compiled = backends::compile_for_gpu(
        loaded->variant(parameters.parse_label("threads=128,items=8,blocks=1"), mode), "sm_90");
    CHECK(compiled.cubin.substr(1, 3) == "ELF");
    CHECK_FALSE(compiled.from_cache);
  }
}
