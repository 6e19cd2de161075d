// SPDX-License-Identifier: Apache-2.0
// The kernels compile for a GPU. Needs NVRTC, but neither a GPU nor a driver.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/cuda/compiler.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "problems/graphs/device_features.hpp"
#include "problems/registry.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"
#include "tuner/parameter.hpp"

namespace {

using namespace mlmq;

bool has_nvrtc() {
  try {
    return !backends::nvrtc_version().empty();
  } catch (const work_error&) {
    return false;
  }
}

/// A temporary kernel cache.
class temporary_cache {
 public:
  [[nodiscard]] std::filesystem::path file_of(const backends::compiled_variant& variant) const {
    return folder_.path() / "cuda" / (variant.hash + ".cubin");
  }

 private:
  tests::scratch_folder folder_;
  tests::environment variable_{"MLMQ_CACHE", folder_.path().c_str()};
};

backends::kernel_source sssp_variant(const std::string& label, graph::weight_type weights, bool wide, bool counters) {
  const auto problem = problems::make_problem("sssp");
  const auto parameters = tuner::parameter_set::from_declarations(problem->declarations());
  return problems::solver_variant(parameters.parse_label(label),
                                  {.weights = weights, .wide_offsets = wide, .counters = counters});
}

}  // namespace

TEST_CASE("every kind of variant compiles to machine code of the architecture") {
  if (!has_nvrtc()) {
    WARN("no NVRTC on this machine: kernels are not compiled for a GPU");
    return;
  }
  const temporary_cache cache;
  const std::vector<std::string> labels = {"l0=none,l1=none,l2=vector",
                                           "l0=none,l1=vector,l2=bucket",
                                           "l0=vector,l1=none,l2=bucket,bmax=8,bnum=1",
                                           "l0=vector,l1=vector,l2=vector,wb=4,threads=1024",
                                           "l1=near_far,l2=heap",
                                           "l1=filter,l2=bucket,ell_width=8,ell_overflow=queued,read_first=false",
                                           "l1=slf,l2=multi_heap,pnum=7",
                                           "l1=vector,l1_sharing=block,l2=bucket,split_degree=64,prefetch=true",
                                           "l1=slf,l1_sharing=block,l2=vector,ell_width=4,l2_share=0",
                                           "l1=near_far,l1_sharing=block,l1_spill=worst,l2=heap",
                                           "solver=near_far,threads=512",
                                           "solver=bellman_ford,threads=1024",
                                           "solver=adds",
                                           "solver=adds,adds_delta_mode=static,adds_buckets=2,threads=1024"};
  std::uint64_t number = 0;
  for (const auto weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
    for (const std::string& label : labels) {
      if (!tests::in_share(number++)) continue;
      CAPTURE(label);
      const auto variant = backends::compile_for_gpu(sssp_variant(label, weights, false, false), "sm_90");
      CHECK(variant.cubin.substr(1, 3) == "ELF");
      CHECK_FALSE(variant.from_cache);
    }
  }
  const auto counting = sssp_variant(labels[1], graph::weight_type::uint32, true, true);
  const auto first = backends::compile_for_gpu(counting, "sm_90");
  const auto again = backends::compile_for_gpu(counting, "sm_90");
  CHECK_FALSE(first.from_cache);
  CHECK(again.from_cache);
  CHECK(again.cubin == first.cubin);
  CHECK(again.hash == first.hash);
}

TEST_CASE("cached machine code that is damaged, or from another GPU or toolkit, is compiled again") {
  if (!has_nvrtc()) {
    WARN("skipped: no NVRTC on this machine");
    return;
  }
  const temporary_cache cache;
  const auto source = sssp_variant("l1=none,l2=vector", graph::weight_type::uint32, false, false);
  const auto first = backends::compile_for_gpu(source, "sm_90");
  const auto check_is_made_again = [&] {
    const auto variant = backends::compile_for_gpu(source, "sm_90");
    CHECK_FALSE(variant.from_cache);
    CHECK(variant.cubin == first.cubin);
    CHECK(backends::compile_for_gpu(source, "sm_90").from_cache);
  };
  const std::string whole = read_file(cache.file_of(first));
  std::string flipped = whole;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  // The last content is a file as programs wrote it before checksums were added.
  for (const std::string& content : {std::string(), whole.substr(0, 100), whole.substr(0, whole.size() - 1),
                                     std::string(whole.size(), '\0'), flipped, std::string("foreign"), first.cubin}) {
    write_file_atomically(cache.file_of(first), content);
    check_is_made_again();
  }
  // Code compiled for another GPU or by another toolkit has another key, which the checksum covers.
  const auto other = backends::compile_for_gpu(source, "sm_80");
  CHECK(other.hash != first.hash);
  std::filesystem::copy_file(cache.file_of(other), cache.file_of(first),
                             std::filesystem::copy_options::overwrite_existing);
  check_is_made_again();
}

TEST_CASE("kernels compile for the oldest GPUs, which have no reductions over a warp") {
  if (!has_nvrtc()) return;
  const temporary_cache cache;
  const auto variant = backends::compile_for_gpu(
      sssp_variant("l1=vector,l1_sharing=block,l2=bucket", graph::weight_type::uint32, false, false), "sm_75");
  CHECK(variant.cubin.substr(1, 3) == "ELF");
}

TEST_CASE("signatures of functions with and without C linkage") {
  if (!has_nvrtc()) return;
  const temporary_cache cache;
  const tests::scratch_folder folder;
  folder.write("k.cu",
               "extern \"C\" __global__ void plain(float* y, unsigned n) {}\n"
               "template <int N> __global__ void instance(const double* x, long long n) {}\n");
  backends::kernel_source source;
  source.file = "k.cu";
  source.entry = "plain";
  source.folder = folder.path().string();
  source.functions = {"plain", "instance<3>"};
  const auto variant = backends::compile_for_gpu(source, "sm_90");
  REQUIRE(variant.signatures.size() == 2);
  CHECK(variant.functions.front() == "plain");
  CHECK(backends::parameter_types(variant.signatures[0]) == std::vector<std::string>{"float*", "unsigned int"});
  CHECK(backends::parameter_types(variant.signatures[1]) == std::vector<std::string>{"double const*", "long long"});
}

TEST_CASE("variants that record a timeline compile, and are others") {
  if (!has_nvrtc()) return;
  const temporary_cache cache;
  for (const std::string& label : tests::share_of(std::vector<std::string>{
           "l1=vector,l2=bucket,ell_width=4", "l1=none,l2=vector", "solver=adds", "solver=near_far"})) {
    CAPTURE(label);
    const auto problem = problems::make_problem("sssp");
    const auto chosen = tuner::parameter_set::from_declarations(problem->declarations()).parse_label(label);
    const auto plain = backends::compile_for_gpu(problems::solver_variant(chosen, {}), "sm_90");
    const auto recording = backends::compile_for_gpu(problems::solver_variant(chosen, {.timeline = true}), "sm_90");
    CHECK(recording.cubin.substr(1, 3) == "ELF");
    CHECK(recording.hash != plain.hash);
    CHECK(recording.cubin != plain.cubin);
  }
}

TEST_CASE("the kernel that finds features compiles for a GPU") {
  if (!has_nvrtc()) return;
  const temporary_cache cache;
  for (const auto weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
    for (const bool wide : {false, true}) {
      const auto variant = backends::compile_for_gpu(problems::features_variant(weights, wide, 256), "sm_90");
      CHECK(variant.cubin.substr(1, 3) == "ELF");
    }
  }
}

TEST_CASE("a source that does not compile gives the compiler's log") {
  if (!has_nvrtc()) return;
  const temporary_cache cache;
  auto broken = sssp_variant("l1=none,l2=vector", graph::weight_type::uint32, false, false);
  broken.defines["MLMQ_L2"] = "l2_nonsense";
  CHECK_THROWS_WITH(backends::compile_for_gpu(broken, "sm_90"), Catch::Contains("l2_nonsense"));
}

TEST_CASE("a missing GPU is a clear error") {
  CHECK_THROWS_AS(backends::open_device("cuda:9999"), input_error);
  CHECK_THROWS_WITH(backends::open_device("cuda:x"), Catch::Contains("cuda:N"));
  CHECK_THROWS_WITH(backends::open_device("gpu"), Catch::Contains("expected one of auto"));
}
