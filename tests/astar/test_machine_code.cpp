// SPDX-License-Identifier: Apache-2.0
// The kernel compiles for a GPU. Needs NVRTC, but neither a GPU nor a driver.
#include <catch2/catch.hpp>

#include "backends/cuda/compiler.hpp"
#include "base/error.hpp"
#include "problems/astar/grid_workload.hpp"
#include "problems/astar/path_finding.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;

TEST_CASE("the kernel of path finding compiles to machine code") {
  try {
    (void)backends::nvrtc_version();
  } catch (const work_error&) {
    WARN("no NVRTC on this machine: the kernel is not compiled for a GPU");
    return;
  }
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", folder.path().string());
  const astar::path_finding problem;
  const auto device = backends::open_device("simt");
  const auto parameters = tuner::parameter_set::from_declarations(problem.declarations());
  std::uint64_t number = 0;
  for (const std::string size : {"grid64", "grid300"}) {
    const auto workload = astar::grid_kind().load({.name = size, .file = "", .generated = size});
    const auto loaded = problem.load(*device, *workload);
    for (const char* const label :
         {"defaults", "cells=1,bucket_bits=13,paths=true", "cells=32,table=shared,moves=shared,near_items=32",
          "mode=paper,paths=true", "algorithm=jump,paths=true,bucket_bits=18",
          "open=small_queue,queue=two_level,lanes=32", "mode=paper,table=shared,bucket_bits=17,near_items=0"}) {
      for (const auto mode : {tuner::instrumentation::none, tuner::instrumentation::counters}) {
        if (!tests::in_share(number++)) continue;
        CAPTURE(size, label);
        const auto compiled = backends::compile_for_gpu(loaded->variant(parameters.parse_label(label), mode), "sm_90");
        CHECK(compiled.cubin.substr(1, 3) == "ELF");
      }
    }
  }
}
