// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler.hpp"
#include "backends/cuda/cuda_backend.hpp"
#include "backends/cuda/gpu_index.hpp"
#include "backends/registry.hpp"

namespace mlmq::backends {
namespace {

std::vector<std::string> all_gpus() {
  std::vector<std::string> selectors;
  for (unsigned i = 0; i < cuda_device_count(); ++i) selectors.push_back("cuda:" + std::to_string(i));
  return selectors;
}

}  // namespace

extern "C" {
extern const backend_registration mlmq_registers_cuda;
const backend_registration mlmq_registers_cuda(
    {.name = "cuda",
     .selectors = "cuda, cuda:N",
     .traits = cuda_traits,
     .preference = 2,
     .list = all_gpus,
     .canonical = gpu_selector,
     .open = [](const std::string& selector) { return open_cuda(gpu_index(selector)); },
     .inspect = [](const std::string& selector) { return inspect_cuda(gpu_index(selector)); },
     .report = report_cuda,
     .ship = ship_for_gpu});
}

}  // namespace mlmq::backends
