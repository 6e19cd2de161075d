// SPDX-License-Identifier: Apache-2.0
#include "gpu_test.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "backends/cuda/compiler.hpp"
#include "base/files.hpp"
#include "simt/types.cuh"

namespace mlmq::gpu_tests {

namespace fs = std::filesystem;

namespace {

struct probe_arguments {
  u32* words;
  u64 limit_ns;
};

constexpr const char* probe_file = "probe.cu";

std::string probe_text(const std::string& body) {
  return R"(#include "simt/simt.cuh"
struct probe_arguments { u32* words; u64 limit_ns; };
SIMT_KERNEL(probe, probe_arguments) {
  using namespace simt;
  u32* const words = arguments.words;
  const u64 end = clock_ns() + arguments.limit_ns;
  )" + body +
         "\n  static_cast<void>(words);\n  static_cast<void>(end);\n}\n";
}

backends::kernel_source probe_source() {
  return {.file = probe_file, .entry = "probe", .block_threads = probe::block_threads, .defines = {}};
}

}  // namespace

std::string device_selector() {
  const char* const named = std::getenv("MLMQ_TEST_DEVICE");
  return named == nullptr ? "cuda:0" : named;
}

bool is_gpu() { return device_selector().starts_with("cuda"); }

std::unique_ptr<backends::backend> open_device() { return backends::open_device(device_selector()); }

planted_kernel::planted_kernel(const std::string& file, const std::string& text) {
  static std::atomic<unsigned> count = 0;
  const char* const present = std::getenv("MLMQ_KERNELS");
  was_set_ = present != nullptr;
  if (was_set_) before_ = present;
  const fs::path folder =
      fs::temp_directory_path() / ("mlmq-planted-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  fs::copy(backends::kernel_folder(), folder, fs::copy_options::recursive);
  write_file_atomically(folder / file, text);
  folder_ = folder.string();
  ::setenv("MLMQ_KERNELS", folder_.c_str(), 1);
}

planted_kernel::~planted_kernel() {
  if (was_set_) {
    ::setenv("MLMQ_KERNELS", before_.c_str(), 1);
  } else {
    ::unsetenv("MLMQ_KERNELS");
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

probe::probe(backends::backend& device, const std::string& body, double seconds)
    : device_(device),
      body_(body),
      memory_(device.allocate(4 * sizeof(u32), "the probe's words")),
      limit_ns_(static_cast<std::uint64_t>(seconds * 1e9)) {
  compile();
  device.measure([&] { device.fill(memory_, 0, memory_.bytes(), 0); });
}

void probe::compile() {
  const planted_kernel planted(probe_file, probe_text(body_));
  kernel_ = device_.compile(probe_source());
}

std::string probe::machine_code(const std::string& architecture) const {
  const planted_kernel planted(probe_file, probe_text(body_));
  return backends::compile_for_gpu(probe_source(), architecture).cubin;
}

backends::kernel_properties probe::compile_again() {
  compile();
  return kernel_->properties();
}

double probe::run(unsigned blocks, bool together, std::size_t shared_bytes) {
  const probe_arguments arguments{.words = memory_.as<u32>(), .limit_ns = limit_ns_};
  return device_.measure([&] {
    device_.launch(*kernel_, {.grid_blocks = blocks,
                              .shared_bytes = shared_bytes,
                              .arguments = &arguments,
                              .argument_bytes = sizeof arguments,
                              .together = together});
  });
}

std::vector<std::uint32_t> probe::words() {
  std::vector<std::uint32_t> words(memory_.bytes() / sizeof(std::uint32_t));
  device_.download(words.data(), memory_, memory_.bytes());
  return words;
}

}  // namespace mlmq::gpu_tests
