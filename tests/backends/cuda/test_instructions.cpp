// SPDX-License-Identifier: Apache-2.0
// The hash of instructions distinguishes what a GPU executes, and nothing else. Needs NVRTC, but neither a GPU nor a
// driver.
#include "backends/cuda/compiler.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"

namespace mlmq::backends {
namespace {

bool finds_nvrtc() {
  try {
    return !nvrtc_version().empty();
  } catch (const work_error&) {
    return false;
  }
}

constexpr const char* original = R"(
__constant__ double table[4] = {1.1, 2.2, 3.3, 4.4};
__device__ int counted;
__device__ int others[8];
extern "C" __global__ void scale(const float* values, float* results, int count, int last) {
  __shared__ float shared[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x & 63] = values[i];
  __syncthreads();
  if (i < count) results[i] = values[i] * 1.5f + shared[(i + 1) & 63] + (float)table[i & 3];
  if (i == last) others[atomicAdd(&counted, 1) & 7] = i;
}
extern "C" __global__ void clear(float* results) { results[threadIdx.x] = 0; }
)";

std::string replaced(std::string text, const std::string& before, const std::string& after) {
  for (std::size_t i = 0; (i = text.find(before, i)) != std::string::npos; i += after.size()) {
    text.replace(i, before.size(), after);
  }
  return text;
}

/// Compiles texts, and keeps the machine code in files.
class compiled_texts {
 public:
  std::string hash_of(const std::string& name, const std::string& text, const char* architecture = "sm_90") {
    write_file_atomically(folder_ / "k.cu", text);
    const compiled_variant variant = compile_for_gpu({.file = "k.cu",
                                                      .entry = "scale",
                                                      .defines = {},
                                                      .folder = folder_.path().string(),
                                                      .functions = {"scale", "clear"}},
                                                     architecture);
    write_file_atomically(file_of(name), variant.cubin);
    return instruction_hash(variant.cubin);
  }
  [[nodiscard]] std::string file_of(const std::string& name) const { return (folder_ / (name + ".cubin")).string(); }

 private:
  tests::scratch_folder folder_;
  tests::environment cache_{"MLMQ_CACHE", (folder_ / "cache").string()};
};

}  // namespace

TEST_CASE("edits that leave the instructions as they are leave their hash, and scripts/compare-machine-code agrees") {
  if (!finds_nvrtc()) {
    WARN("no NVRTC on this machine: kernels are not compiled for a GPU");
    return;
  }
  const std::string text = original;
  const std::size_t second = text.find("extern \"C\" __global__ void clear");
  const std::size_t first = text.find("extern \"C\" __global__ void scale");
  const std::map<std::string, std::string> same = {
      {"comment", replaced(text, "__syncthreads();", "__syncthreads();  // the values of other threads\n\n")},
      {"names", replaced(replaced(replaced(text, "values", "inputs"), "table", "factors"), "shared[", "kept[")},
      {"functions", text.substr(0, first) + text.substr(second) + text.substr(first, second - first)},
      {"variables", replaced(text, "__device__ int counted;\n__device__ int others[8];",
                             "__device__ int others[8];\n__device__ int counted;")},
      {"arguments", replaced(text, "const float* values, float* results, int count, int last",
                             "float* results, const float* values, int last, int count")},
      // What the hash cannot tell from another order: a run with a checked answer must.
      {"arguments exchanged in the body",
       replaced(replaced(text, "i < count", "i < last"), "i == last", "i == count")}};
  const std::map<std::string, std::string> different = {{"number", replaced(text, "1.5f", "1.25f")},
                                                        {"operation", replaced(text, "i < count", "i <= count")},
                                                        {"constant", replaced(text, "3.3", "3.5")},
                                                        {"memory", replaced(text, "shared[64]", "shared[80]")},
                                                        {"global memory", replaced(text, "others[8]", "others[9]")}};
  compiled_texts compiled;
  const std::string hash = compiled.hash_of("original", text);
  CHECK(hash.size() == 32);
  const auto status_of = [&](const std::string& name) {
    const std::string command =
        fmt::format("'{}' -B '{}' '{}' '{}' > /dev/null", MLMQ_TEST_PYTHON, MLMQ_TEST_COMPARE_MACHINE_CODE,
                    compiled.file_of("original"), compiled.file_of(name));
    return WEXITSTATUS(std::system(command.c_str()));
  };
  const bool has_python = !std::string(MLMQ_TEST_PYTHON).empty();
  for (const auto& [name, edited] : same) {
    CAPTURE(name);
    CHECK(edited != text);
    CHECK(compiled.hash_of(name, edited) == hash);
    if (has_python) CHECK(status_of(name) == (name.starts_with("arguments") ? 1 : 0));
  }
  for (const auto& [name, edited] : different) {
    CAPTURE(name);
    CHECK(edited != text);
    CHECK(compiled.hash_of(name, edited) != hash);
    if (has_python) CHECK(status_of(name) == 2);
  }
}

TEST_CASE("instructions of several architectures are read, and damaged code is refused") {
  if (!finds_nvrtc()) return;
  compiled_texts compiled;
  std::vector<const char*> architectures = {"sm_80", "sm_90"};
  if (nvrtc_version() >= "NVRTC 13") architectures.insert(architectures.end(), {"sm_75", "sm_100", "sm_120"});
  for (const char* const architecture : architectures) {
    CAPTURE(architecture);
    const std::string hash = compiled.hash_of("original", original, architecture);
    CHECK(hash.size() == 32);
    CHECK(compiled.hash_of("arguments", replaced(original, "int count, int last", "int last, int count"),
                           architecture) == hash);
    CHECK(compiled.hash_of("number", replaced(original, "1.5f", "1.25f"), architecture) != hash);
  }
  const std::string whole = read_file(compiled.file_of("original"));
  for (const std::size_t length : {std::size_t{0}, std::size_t{10}, whole.size() / 2}) {
    CHECK_THROWS_AS(instruction_hash(std::string_view(whole).substr(0, length)), work_error);
  }
}

}  // namespace mlmq::backends
