// SPDX-License-Identifier: Apache-2.0
// The fuzzed variants compile for a GPU. Needs NVRTC, but neither a GPU nor a driver.
#include <catch2/catch.hpp>

#include "backends/cuda/compiler.hpp"
#include "base/error.hpp"
#include "problems/small_queues/fuzzed_queue.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;

TEST_CASE("every fuzzed small queue compiles to machine code") {
  try {
    (void)backends::nvrtc_version();
  } catch (const work_error&) {
    WARN("no NVRTC on this machine: the kernels are not compiled for a GPU");
    return;
  }
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", folder.path().string());
  for (const std::string& label : tests::share_of(problems::fuzzed_queues())) {
    INFO(label);
    const auto binary = backends::compile_for_gpu(problems::make_fuzzed_queue(label)->variant(), "sm_90");
    CHECK(binary.cubin.substr(1, 3) == "ELF");
  }
}
