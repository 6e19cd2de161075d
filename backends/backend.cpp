// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.hpp"

#include <cstdlib>
#include <filesystem>

#include "backends/simt/simt_backend.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#ifdef MLMQ_HAS_CUDA
#include "backends/cuda/cuda_backend.hpp"
#endif

namespace mlmq::backends {
namespace {

constexpr const char* known_devices = "auto, cuda, cuda:N, simt or simt:SxW";

#ifndef MLMQ_HAS_CUDA
constexpr const char* without_cuda =
    "this program was built without the CUDA backend; install a CUDA toolkit (12.4 or newer) and build again";
#endif

std::unique_ptr<backend> open_first_gpu_or_simulator() {
#ifdef MLMQ_HAS_CUDA
  if (cuda_device_count() > 0) return open_cuda(0);
#endif
  return open_simt("simt");
}

std::unique_ptr<backend> open_gpu(const std::string& selector) {
  unsigned long index = 0;
  if (selector != "cuda") {
    const std::string digits = selector.substr(5);
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
      throw input_error("device '" + selector + "': cuda:N needs the number of a GPU, as in cuda:0");
    }
    index = std::stoul(digits);
  }
#ifdef MLMQ_HAS_CUDA
  return open_cuda(static_cast<unsigned>(index));
#else
  static_cast<void>(index);
  throw input_error("device '" + selector + "': " + without_cuda);
#endif
}

}  // namespace

std::unique_ptr<backend> open_device(const std::string& selector) {
  if (selector == "auto") return open_first_gpu_or_simulator();
  if (selector == "cuda" || selector.starts_with("cuda:")) return open_gpu(selector);
  if (selector == "simt" || selector.starts_with("simt:")) return open_simt(selector);
  throw input_error("unknown device '" + selector + "'; known are " + known_devices);
}

std::vector<backend_report> report_backends() {
  std::vector<backend_report> reports;
#ifdef MLMQ_HAS_CUDA
  reports.push_back(report_cuda());
#else
  reports.push_back({.name = "cuda", .usable = false, .facts = {{"status", without_cuda}}});
#endif
  reports.push_back(report_simt());
  return reports;
}

std::string kernel_folder() {
  namespace fs = std::filesystem;
  if (const char* own = std::getenv("MLMQ_KERNELS"); own != nullptr) return own;
  const fs::path installed = program_folder() / ".." / "share" / "mlmq" / "kernels";
  if (fs::is_directory(installed)) return fs::canonical(installed).string();
  return MLMQ_SOURCE_KERNELS;
}

}  // namespace mlmq::backends
