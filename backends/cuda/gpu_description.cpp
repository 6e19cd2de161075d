// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/gpu_description.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>

#include "backends/cuda/compiler.hpp"
#include "backends/cuda/gpu_index.hpp"
#include "backends/cuda/shipped_code.hpp"
#include "base/error.hpp"

namespace mlmq::backends {
namespace {

int attribute(CUdevice device, CUdevice_attribute kind) {
  int value = 0;
  cuda_driver::get().check(cuda_driver::get().device_get_attribute(&value, kind, device),
                           "querying a device attribute");
  return value;
}

std::string cuda_version() {
  int version = 0;
  cuda_driver::get().driver_get_version(&version);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Returns the version of the kernel module, "580.159.04", or only the CUDA version of the driver if the former cannot
/// be read.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) {
      return word + " (CUDA " + cuda_version() + ")";
    }
  }
  return "CUDA " + cuda_version();
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (unsigned i = 0; i < 16; ++i) {
    text += fmt::format("{:02x}{}", static_cast<unsigned char>(uuid.bytes[i]),
                        i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
  }
  return text;
}

/// @throws work_error if there is no usable driver
unsigned count_gpus() {
  int count = 0;
  cuda_driver::get().check(cuda_driver::get().device_get_count(&count), "counting GPUs");
  return static_cast<unsigned>(count);
}

}  // namespace

CUdevice device_at(unsigned index) {
  CUdevice device = 0;
  cuda_driver::get().check(cuda_driver::get().device_get(&device, static_cast<int>(index)), "opening the GPU");
  return device;
}

device_info describe_gpu(unsigned index) {
  const CUdevice device = device_at(index);
  const cuda_driver& cuda = cuda_driver::get();
  device_info info{cuda_traits};
  info.selector = fmt::format("cuda:{}", first_gpu() + index);
  info.kind = "cuda";
  std::string name(256, '\0');
  cuda.check(cuda.device_get_name(name.data(), static_cast<int>(name.size()), device), "querying the device name");
  info.name = name.c_str();
  info.architecture = fmt::format("sm_{}{}", attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                  attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  CUuuid uuid{};
  cuda.check(cuda.device_get_uuid(&uuid, device), "querying the device UUID");
  info.uuid = uuid_text(uuid);
  std::size_t memory = 0;
  cuda.check(cuda.device_total_mem(&memory, device), "querying the device memory");
  info.memory_bytes = memory;
  info.multiprocessors = static_cast<unsigned>(attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  info.warp_slots =
      static_cast<unsigned>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)) / info.warp_size;
  info.shared_bytes_per_block =
      static_cast<std::size_t>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  // Clusters of more than 8 blocks must be enabled per kernel; the first GPUs with clusters (sm_90) support 16.
  constexpr unsigned largest_cluster = 16;
  if (attribute(device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0) info.cluster_blocks = largest_cluster;
  info.driver = driver_version();
  info.compiler = compiler_for(info.architecture);
  return info;
}

unsigned cuda_device_count() {
  try {
    return count_gpus();
  } catch (const work_error&) {
    return 0;
  }
}

unsigned require_gpu(const std::string& selector) {
  const unsigned index = driver_index(selector);
  unsigned count = 0;
  try {
    count = count_gpus();
  } catch (const work_error& error) {
    throw input_error(fmt::format("device '{}': no usable NVIDIA driver: {}", gpu_selector(selector), error.what()));
  }
  if (index >= count) {
    throw input_error(
        fmt::format("device '{}': this machine has {} GPU{}", gpu_selector(selector), count, count == 1 ? "" : "s"));
  }
  return index;
}

device_info inspect_cuda(const std::string& selector) { return describe_gpu(require_gpu(selector)); }

backend_report report_cuda() {
  backend_report report{.name = "cuda", .usable = false, .facts = {}};
  std::string compiler;
  try {
    compiler = nvrtc_version();
    report.facts.emplace_back("compiler", compiler);
  } catch (const work_error& error) {
    report.facts.emplace_back("compiler", error.what());
  }
  for (const auto& [architecture, text] : report_shipped(compiler)) {
    report.facts.emplace_back("shipped for " + architecture, text);
  }
  try {
    const unsigned count = count_gpus();
    report.facts.emplace_back("driver", driver_version());
    for (unsigned i = 0; i < count; ++i) {
      const device_info info = describe_gpu(i);
      report.facts.emplace_back(
          info.selector,
          fmt::format("{}, {}, {} multiprocessors, {:.0f} GiB, {}", info.name, info.architecture, info.multiprocessors,
                      static_cast<double>(info.memory_bytes) / (1 << 30), info.uuid));
    }
    report.usable = count > 0;
  } catch (const work_error& error) {
    report.facts.emplace_back("driver", error.what());
  }
  return report;
}

}  // namespace mlmq::backends
