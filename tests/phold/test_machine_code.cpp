// SPDX-License-Identifier: Apache-2.0
// The kernels compile for a GPU. Needs NVRTC, but neither a GPU nor a driver.
#include <catch2/catch.hpp>

#include "backends/cuda/compiler.hpp"
#include "base/error.hpp"
#include "problems/phold/solver.hpp"
#include "tests/phold/phold_test.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::phold;

TEST_CASE("the kernels of PHOLD compile to machine code") {
  try {
    (void)backends::nvrtc_version();
  } catch (const work_error&) {
    WARN("no NVRTC on this machine: the kernels are not compiled for a GPU");
    return;
  }
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", folder.path().string());
  std::uint64_t number = 0;
  for (const char* const label :
       {"solver=calendar", "solver=calendar,bucket_lanes=32,bucket_items=4,threads=1024", "solver=one_block",
        "solver=cluster", "solver=parallel_heap", "solver=parallel_heap,root_events=all", "solver=queues",
        "solver=queues,queue=splay", "solver=queues,queue=ring_parallel,lanes=64",
        "solver=queues,queue=two_level,lanes=8,launches=each_window,mode=earliest"}) {
    for (const auto mode : {tuner::instrumentation::none, tuner::instrumentation::counters}) {
      if (!tests::in_share(number++)) continue;
      CAPTURE(label);
      const auto compiled = backends::compile_for_gpu(solver_variant(configured(label), mode), "sm_90");
      CHECK(compiled.cubin.substr(1, 3) == "ELF");
    }
  }
}
