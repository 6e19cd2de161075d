// SPDX-License-Identifier: Apache-2.0
// Machine code that is shipped with the program is found by what would be compiled, and by nothing else. Needs NVRTC, but
// neither a GPU nor a driver.
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/cuda/compiler.hpp"
#include "backends/cuda/shipped_code.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "problems/shortest_paths/helper_kernels.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace mlmq;

constexpr const char* architecture = "sm_90";

backends::kernel_source helper(const char* name) {
  return {.file = std::string(name) + ".cu", .entry = name, .block_threads = 256, .defines = {}, .folder = {}};
}
const std::vector<backends::kernel_source> both{helper("finish_distances"), helper("finish_wide_distances")};

bool has_nvrtc() {
  try {
    return !backends::nvrtc_version().empty();
  } catch (const work_error&) {
    WARN("skipped: no NVRTC on this machine");
    return false;
  }
}

/// An empty cache, and a folder of shipped code with two kernels.
struct shipped_kernels {
  shipped_kernels() {
    const tests::environment elsewhere{"MLMQ_CACHE", (folder / "cache of who ships").string()};
    made = backends::ship_for_gpu(both, architecture, folder / "shipped", 2);
  }
  tests::scratch_folder folder;
  backends::shipment made;
  tests::environment cache{"MLMQ_CACHE", (folder / "cache").string()};
  tests::environment shipped{"MLMQ_MACHINE_CODE", (folder / "shipped").string()};
};

}  // namespace

TEST_CASE("kernels that are shipped are not compiled, with NVRTC and without") {
  if (!has_nvrtc()) return;
  const shipped_kernels all;
  CHECK(all.made.kernels == 2);
  CHECK(all.made.file == all.folder / "shipped/sm_90.kernels");
  CHECK(all.made.bytes == std::filesystem::file_size(all.made.file));
  std::vector<std::string> code;
  for (const backends::kernel_source& one : both) {
    const auto found = backends::compile_for_gpu(one, architecture);
    CHECK(found.from_cache);
    CHECK(found.cubin.substr(1, 3) == "ELF");
    code.push_back(found.cubin);
  }
  CHECK_FALSE(std::filesystem::exists(all.folder / "cache/cuda/lock"));  // nothing was written there
  const std::string compiler = backends::nvrtc_version();
  const tests::environment none("MLMQ_NVRTC", "/nonexistent/libnvrtc.so");
  CHECK_THROWS_WITH(backends::nvrtc_version(), Catch::Contains("NVRTC cannot be opened"));
  CHECK(backends::compiler_for(architecture) == compiler);
  for (std::size_t i = 0; i < both.size(); ++i) {
    const auto found = backends::compile_for_gpu(both[i], architecture);
    CHECK(found.from_cache);
    CHECK(found.cubin == code[i]);
  }
  CHECK_THROWS_WITH(
      backends::compile_for_gpu(helper("ell_rows"), architecture),
      Catch::Contains("ell_rows.cu") && Catch::Contains("nor shipped") && Catch::Contains("install the CUDA toolkit"));
  CHECK_THROWS_WITH(backends::compile_for_gpu(both[0], "sm_80"), Catch::Contains("NVRTC cannot be opened"));
}

TEST_CASE("what is shipped for another source, macro, architecture or compiler is not taken") {
  if (!has_nvrtc()) return;
  const shipped_kernels all;
  backends::kernel_source other = both[0];
  other.block_threads = 128;
  CHECK_FALSE(backends::compile_for_gpu(other, architecture).from_cache);
  other = both[0];
  other.defines["MLMQ_UNUSED"] = "1";
  CHECK_FALSE(backends::compile_for_gpu(other, architecture).from_cache);
  CHECK_FALSE(backends::compile_for_gpu(both[0], "sm_80").from_cache);
  CHECK_FALSE(backends::compile_for_gpu(helper("ell_rows"), architecture).from_cache);

  tests::scratch_folder kernels;
  std::filesystem::copy(backends::kernel_folder(), kernels / "all", std::filesystem::copy_options::recursive);
  const std::string file = (kernels / "all/finish_distances.cu").string();
  write_file_atomically(file, read_file(file) + "// another line\n");
  {
    const tests::environment changed("MLMQ_KERNELS", (kernels / "all").string());
    CHECK_FALSE(backends::compile_for_gpu(both[0], architecture).from_cache);
    CHECK(backends::compile_for_gpu(both[1], architecture).from_cache);
  }

  // The same file by the name of another architecture.
  std::filesystem::copy_file(all.made.file, all.folder / "shipped/sm_86.kernels");
  CHECK(backends::shipped_for("sm_86") == nullptr);
  CHECK_FALSE(backends::compile_for_gpu(both[0], "sm_86").from_cache);
}

TEST_CASE("shipped code that is damaged, or that the device refused, is compiled") {
  if (!has_nvrtc()) return;
  const shipped_kernels all;
  const auto whole = backends::compile_for_gpu(both[0], architecture);
  const std::string bytes = read_file(all.made.file);
  const std::size_t code = bytes.find('\n', bytes.find("\nend ") + 1) + 1;
  const std::size_t in_index = bytes.find("kernels 2") + 8;
  unsigned number = 0;
  // In the code of both, in the index, and cut off.
  for (const std::size_t damaged : {code + 40, bytes.size() - 40, in_index, bytes.size()}) {
    CAPTURE(damaged);
    const std::string name = "damaged" + std::to_string(++number);
    std::string changed = bytes;
    if (damaged < bytes.size()) changed[damaged] = static_cast<char>(changed[damaged] ^ 1);
    if (damaged == bytes.size()) changed.resize(bytes.size() / 2);
    all.folder.write(name + "/sm_90.kernels", changed);
    const tests::environment shipped("MLMQ_MACHINE_CODE", (all.folder / name).string());
    const tests::environment cache("MLMQ_CACHE", (all.folder / (name + " cache")).string());
    unsigned compiled = 0;
    for (const backends::kernel_source& one : both) {
      const auto made = backends::compile_for_gpu(one, architecture);
      if (!made.from_cache) ++compiled;
      if (one.entry == both[0].entry) CHECK(made.cubin == whole.cubin);
    }
    CHECK(compiled == (damaged >= code && damaged < bytes.size() ? 1 : 2));
    const auto report = backends::report_shipped(backends::nvrtc_version());
    REQUIRE(report.size() == 1);
    CHECK(report[0].first == "sm_90");
    CHECK_THAT(report[0].second, Catch::Contains("damaged") || Catch::Contains("not used"));
  }
  backends::forget_variant(whole.hash);
  CHECK_FALSE(backends::compile_for_gpu(both[0], architecture).from_cache);
  CHECK(backends::compile_for_gpu(both[1], architecture).from_cache);
}

TEST_CASE("a report says what is shipped, and what of it is of no use here") {
  if (!has_nvrtc()) return;
  const shipped_kernels all;
  const std::string compiler = backends::nvrtc_version();
  using lines = std::vector<std::pair<std::string, std::string>>;
  const lines here = backends::report_shipped(compiler);
  REQUIRE(here.size() == 1);
  CHECK_THAT(here[0].second, Catch::StartsWith("2 kernels by " + compiler) && !Catch::Contains("not used"));
  CHECK_THAT(backends::report_shipped("NVRTC 99.9")[0].second, Catch::Contains("not used, NVRTC 99.9 is here"));
  CHECK(backends::report_shipped("") == here);
  const tests::environment nowhere("MLMQ_MACHINE_CODE", (all.folder / "nowhere").string());
  CHECK(backends::report_shipped(compiler).empty());
}

TEST_CASE("a kernel that does not compile is not shipped") {
  if (!has_nvrtc()) return;
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", (folder / "cache").string());
  std::vector<backends::kernel_source> kernels = both;
  kernels.push_back({.file = "sssp.cu", .entry = "sssp", .block_threads = 64, .defines = {}, .folder = {}});
  CHECK_THROWS_AS(backends::ship_for_gpu(kernels, architecture, folder / "shipped", 2), backends::compile_error);
  CHECK_FALSE(std::filesystem::exists(folder / "shipped"));
}
