// SPDX-License-Identifier: Apache-2.0
// Plain CUDA C++ compiles for a GPU. Needs NVRTC, but neither a GPU nor a driver.
#include <catch2/catch.hpp>
#include <string>

#include "backends/cuda/compiler.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"

namespace mlmq::backends {
namespace {

using Catch::Matchers::Contains;

constexpr auto text = R"(
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include "factor.h"
namespace groups = cooperative_groups;
__constant__ float scale[2];
template <class T, int size>
__global__ void scaled(T* values) {
  const auto block = groups::this_thread_block();
  values[block.thread_rank()] = values[block.thread_rank()] * T(factor) * T(scale[0]) + T(size);
}
extern "C" __global__ void converted(__half* halves, const float* floats) {
  halves[threadIdx.x] = __float2half(floats[threadIdx.x]);
}
)";

bool has_nvrtc() {
  try {
    return !nvrtc_version().empty();
  } catch (const work_error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("functions of plain CUDA C++ compile to machine code, with their names in it") {
  if (!has_nvrtc()) {
    WARN("no NVRTC on this machine: kernels are not compiled for a GPU");
    return;
  }
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", (folder / "cache").string());
  write_file_atomically(folder / "k.cu", text);
  write_file_atomically(folder / "factor.h", "#define factor FACTOR\n");
  const kernel_source source{.file = "k.cu",
                             .entry = "scaled",
                             .defines = {{"FACTOR", "3"}},
                             .folder = folder.path().string(),
                             .functions = {"scaled<float, 7>", "converted"},
                             .options = {"--use_fast_math"}};
  const compiled_variant variant = compile_for_gpu(source, "sm_90");
  REQUIRE(variant.functions.size() == 2);
  CHECK_THAT(variant.functions[0], Contains("scaled") && Contains("Li7"));
  CHECK(variant.functions[1] == "converted");
  CHECK(
      variant.cubin.starts_with("\x7f"
                                "ELF"));
  CHECK_FALSE(variant.from_cache);
  const compiled_variant again = compile_for_gpu(source, "sm_90");
  CHECK(again.from_cache);
  CHECK(again.functions == variant.functions);
  CHECK(again.cubin == variant.cubin);

  kernel_source other = source;
  other.functions = {"scaled<float, 8>"};
  CHECK(compile_for_gpu(other, "sm_90").hash != variant.hash);
  other.functions = {"missing"};
  CHECK_THROWS_AS(compile_for_gpu(other, "sm_90"), compile_error);
  other = source;
  other.defines["FACTOR"] = "missing_name";
  CHECK_THROWS_AS(compile_for_gpu(other, "sm_90"), compile_error);
  CHECK_THROWS_WITH(compile_for_gpu(other, "sm_90"), Contains("missing_name"));
}

}  // namespace mlmq::backends
