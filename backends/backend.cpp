// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "backends/cpu/cpu_backend.hpp"
#include "backends/simt/simt_backend.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#ifdef MLMQ_HAS_CUDA
#include "backends/cuda/cuda_backend.hpp"
#endif

namespace mlmq::backends {
namespace {

constexpr const char* known_devices = "auto, cuda, cuda:N, simt, simt:SxW, cpu or cpu:N";

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

unsigned gpu_index(const std::string& selector) {
  if (selector == "cuda") return 0;
  const std::string digits = selector.substr(5);
  if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
    throw input_error("device '" + selector + "': cuda:N needs the number of a GPU, as in cuda:0");
  }
  return static_cast<unsigned>(std::stoul(digits));
}

bool is_gpu(const std::string& selector) { return selector == "cuda" || selector.starts_with("cuda:"); }

std::unique_ptr<backend> open_gpu(const std::string& selector) {
  const unsigned index = gpu_index(selector);
#ifdef MLMQ_HAS_CUDA
  return open_cuda(index);
#else
  static_cast<void>(index);
  throw input_error("device '" + selector + "': " + without_cuda);
#endif
}

/// The selectors of all GPUs.
std::vector<std::string> all_gpus() {
  std::vector<std::string> selectors;
#ifdef MLMQ_HAS_CUDA
  for (unsigned i = 0; i < cuda_device_count(); ++i) selectors.push_back("cuda:" + std::to_string(i));
#endif
  return selectors;
}

}  // namespace

std::unique_ptr<backend> open_device(const std::string& selector) {
  if (selector == "auto") return open_first_gpu_or_simulator();
  if (is_gpu(selector)) return open_gpu(selector);
  if (selector == "simt" || selector.starts_with("simt:")) return open_simt(selector);
  if (selector == "cpu" || selector.starts_with("cpu:")) return open_cpu(selector);
  throw input_error("unknown device '" + selector + "'; known are " + known_devices);
}

device_info inspect_device(const std::string& selector) {
#ifdef MLMQ_HAS_CUDA
  if (is_gpu(selector)) return inspect_cuda(gpu_index(selector));
#endif
  return open_device(selector)->info();
}

std::vector<std::string> list_devices(const std::string& selectors, unsigned workers) {
  std::vector<std::string> devices;
  for (const std::string& selector : split(selectors, ',')) {
    std::vector<std::string> meant = {selector};
    if (selector == "auto") {
      meant = all_gpus();
      if (meant.empty()) meant = {"simt"};
    } else if (selector == "cuda:all") {
      meant = all_gpus();
      if (meant.empty()) {
        static_cast<void>(open_gpu("cuda:0"));  // says why there is none
        throw input_error("device 'cuda:all': this machine has no GPU");
      }
    } else if (is_gpu(selector)) {
      meant = {"cuda:" + std::to_string(gpu_index(selector))};
    }
    for (const std::string& one : meant) {
      if (std::find(devices.begin(), devices.end(), one) != devices.end()) {
        throw input_error("device '" + selectors + "': " + one + " is named twice");
      }
      devices.push_back(one);
    }
  }
  if (workers == 0) return devices;
  std::vector<std::string> several;
  for (const std::string& device : devices) {
    if (!device.starts_with("simt")) {
      throw input_error("device '" + device + "' has one worker: --workers is for the simulator");
    }
    several.insert(several.end(), workers, device);
  }
  return several;
}

std::vector<backend_report> report_backends() {
  std::vector<backend_report> reports;
#ifdef MLMQ_HAS_CUDA
  reports.push_back(report_cuda());
#else
  reports.push_back({.name = "cuda", .usable = false, .facts = {{"status", without_cuda}}});
#endif
  reports.push_back(report_simt());
  reports.push_back(report_cpu());
  return reports;
}

std::string kernel_folder() {
  namespace fs = std::filesystem;
  if (const char* own = std::getenv("MLMQ_KERNELS"); own != nullptr) return own;
  const fs::path installed = module_folder() / ".." / "share" / "mlmq" / "kernels";
  if (fs::is_directory(installed)) return fs::canonical(installed).string();
  return MLMQ_SOURCE_KERNELS;
}

}  // namespace mlmq::backends
