// SPDX-License-Identifier: Apache-2.0
// Shipped machine code is found by a hash of everything that would be compiled. Needs NVRTC, but neither a GPU nor a
// driver.
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/cuda/compiler.hpp"
#include "backends/cuda/shipped_code.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "problems/graphs/helper_kernels.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace mlmq;

constexpr const char* architecture = "sm_90";

backends::kernel_source helper(const char* name) {
  return {.file = std::string(name) + ".cu", .entry = name, .block_threads = 256, .defines = {}, .folder = {}};
}
const std::vector<backends::kernel_source> finishing_kernels{helper("finish_distances"),
                                                             helper("finish_wide_distances")};

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
    const tests::environment elsewhere{"MLMQ_CACHE", (folder / "cache of the builder").string()};
    shipment = backends::ship_for_gpu(finishing_kernels, architecture, folder / "shipped", 2);
  }
  tests::scratch_folder folder;
  backends::shipment shipment;
  tests::environment cache{"MLMQ_CACHE", (folder / "cache").string()};
  tests::environment shipped{"MLMQ_MACHINE_CODE", (folder / "shipped").string()};
};

}  // namespace

TEST_CASE("kernels that are shipped are not compiled, with NVRTC and without") {
  if (!has_nvrtc()) return;
  const shipped_kernels shipped;
  CHECK(shipped.shipment.kernels == 2);
  CHECK(shipped.shipment.file == shipped.folder / "shipped/sm_90.kernels");
  CHECK(shipped.shipment.bytes == std::filesystem::file_size(shipped.shipment.file));
  std::vector<std::string> code;
  for (const backends::kernel_source& source : finishing_kernels) {
    const auto compiled = backends::compile_for_gpu(source, architecture);
    CHECK(compiled.from_cache);
    CHECK(compiled.cubin.substr(1, 3) == "ELF");
    code.push_back(compiled.cubin);
  }
  CHECK_FALSE(std::filesystem::exists(shipped.folder / "cache/cuda/lock"));  // nothing was written to the cache
  const std::string compiler = backends::nvrtc_version();
  const tests::environment none("MLMQ_NVRTC", "/nonexistent/libnvrtc.so");
  CHECK_THROWS_WITH(backends::nvrtc_version(), Catch::Contains("NVRTC cannot be opened"));
  CHECK(backends::compiler_for(architecture) == compiler);
  for (std::size_t i = 0; i < finishing_kernels.size(); ++i) {
    const auto compiled = backends::compile_for_gpu(finishing_kernels[i], architecture);
    CHECK(compiled.from_cache);
    CHECK(compiled.cubin == code[i]);
  }
  CHECK_THROWS_WITH(
      backends::compile_for_gpu(helper("ell_rows"), architecture),
      Catch::Contains("ell_rows.cu") && Catch::Contains("nor shipped") && Catch::Contains("install the CUDA toolkit"));
  CHECK_THROWS_WITH(backends::compile_for_gpu(finishing_kernels[0], "sm_80"),
                    Catch::Contains("NVRTC cannot be opened"));
}

TEST_CASE("shipped code for another source, macro, architecture or compiler is not used") {
  if (!has_nvrtc()) return;
  const shipped_kernels shipped;
  backends::kernel_source other = finishing_kernels[0];
  other.block_threads = 128;
  CHECK_FALSE(backends::compile_for_gpu(other, architecture).from_cache);
  other = finishing_kernels[0];
  other.defines["MLMQ_UNUSED"] = "1";
  CHECK_FALSE(backends::compile_for_gpu(other, architecture).from_cache);
  CHECK_FALSE(backends::compile_for_gpu(finishing_kernels[0], "sm_80").from_cache);
  CHECK_FALSE(backends::compile_for_gpu(helper("ell_rows"), architecture).from_cache);

  tests::scratch_folder kernels;
  std::filesystem::copy(backends::kernel_folder(), kernels / "all", std::filesystem::copy_options::recursive);
  const std::string file = (kernels / "all/finish_distances.cu").string();
  write_file_atomically(file, read_file(file) + "// another line\n");
  {
    const tests::environment changed("MLMQ_KERNELS", (kernels / "all").string());
    CHECK_FALSE(backends::compile_for_gpu(finishing_kernels[0], architecture).from_cache);
    CHECK(backends::compile_for_gpu(finishing_kernels[1], architecture).from_cache);
  }

  // Copy the file under the name of another architecture.
  std::filesystem::copy_file(shipped.shipment.file, shipped.folder / "shipped/sm_86.kernels");
  CHECK(backends::shipped_for("sm_86") == nullptr);
  CHECK_FALSE(backends::compile_for_gpu(finishing_kernels[0], "sm_86").from_cache);
}

TEST_CASE("shipped code that is damaged, or that the device refused, is compiled") {
  if (!has_nvrtc()) return;
  const shipped_kernels kernels;
  const auto whole = backends::compile_for_gpu(finishing_kernels[0], architecture);
  const std::string bytes = read_file(kernels.shipment.file);
  const std::size_t code = bytes.find('\n', bytes.find("\nend ") + 1) + 1;
  const std::size_t in_index = bytes.find("kernels 2") + 8;
  unsigned number = 0;
  // Damages the code of each kernel and the index, and truncates the file.
  for (const std::size_t damaged : {code + 40, bytes.size() - 40, in_index, bytes.size()}) {
    CAPTURE(damaged);
    const std::string name = "damaged" + std::to_string(++number);
    std::string changed = bytes;
    if (damaged < bytes.size()) changed[damaged] = static_cast<char>(changed[damaged] ^ 1);
    if (damaged == bytes.size()) changed.resize(bytes.size() / 2);
    kernels.folder.write(name + "/sm_90.kernels", changed);
    const tests::environment shipped("MLMQ_MACHINE_CODE", (kernels.folder / name).string());
    const tests::environment cache("MLMQ_CACHE", (kernels.folder / (name + " cache")).string());
    unsigned compiled = 0;
    for (const backends::kernel_source& source : finishing_kernels) {
      const auto variant = backends::compile_for_gpu(source, architecture);
      if (!variant.from_cache) ++compiled;
      if (source.entry == finishing_kernels[0].entry) CHECK(variant.cubin == whole.cubin);
    }
    CHECK(compiled == (damaged >= code && damaged < bytes.size() ? 1 : 2));
    const auto report = backends::report_shipped(backends::nvrtc_version());
    REQUIRE(report.size() == 1);
    CHECK(report[0].first == "sm_90");
    CHECK_THAT(report[0].second, Catch::Contains("damaged") || Catch::Contains("not used"));
  }
  backends::forget_variant(whole.hash);
  CHECK_FALSE(backends::compile_for_gpu(finishing_kernels[0], architecture).from_cache);
  CHECK(backends::compile_for_gpu(finishing_kernels[1], architecture).from_cache);
}

TEST_CASE("a report lists the shipped code, and marks code that is unusable here") {
  if (!has_nvrtc()) return;
  const shipped_kernels shipped;
  const std::string compiler = backends::nvrtc_version();
  using lines = std::vector<std::pair<std::string, std::string>>;
  const lines report = backends::report_shipped(compiler);
  REQUIRE(report.size() == 1);
  CHECK_THAT(report[0].second, Catch::StartsWith("2 kernels by " + compiler) && !Catch::Contains("not used"));
  CHECK_THAT(backends::report_shipped("NVRTC 99.9")[0].second, Catch::Contains("not used by NVRTC 99.9"));
  CHECK(backends::report_shipped("") == report);
  const tests::environment nowhere("MLMQ_MACHINE_CODE", (shipped.folder / "nowhere").string());
  CHECK(backends::report_shipped(compiler).empty());
}

TEST_CASE("a kernel that does not compile is not shipped") {
  if (!has_nvrtc()) return;
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", (folder / "cache").string());
  std::vector<backends::kernel_source> kernels = finishing_kernels;
  kernels.push_back({.file = "sssp.cu", .entry = "sssp", .block_threads = 64, .defines = {}, .folder = {}});
  CHECK_THROWS_AS(backends::ship_for_gpu(kernels, architecture, folder / "shipped", 2), backends::compile_error);
  CHECK_FALSE(std::filesystem::exists(folder / "shipped"));
}
