// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compile_processes.hpp"
#include "backends/cuda/compiler.hpp"
#include "backends/cuda/cuda_backend.hpp"
#include "backends/cuda/gpu_description.hpp"
#include "backends/cuda/gpu_index.hpp"
#include "backends/registry.hpp"

namespace mlmq::backends {
namespace {

std::vector<std::string> all_gpus() {
  std::vector<std::string> selectors;
  for (unsigned i = 0; i < cuda_device_count(); ++i) selectors.push_back("cuda:" + std::to_string(first_gpu() + i));
  return selectors;
}

std::map<std::string, std::string> environment_of_worker(const device_info& gpu) {
  // With one visible GPU there is nothing to gain. It may be a part of a GPU, which its UUID does not name.
  return cuda_device_count() > 1 ? one_gpu_environment(gpu) : std::map<std::string, std::string>();
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
     .open = open_cuda,
     .inspect = inspect_cuda,
     .report = report_cuda,
     .worker_environment = environment_of_worker,
     .ship = ship_for_gpu,
     .compile_in_processes = [](std::vector<std::string> command) { compile_in_processes(std::move(command)); },
     .serve_compilations = serve_gpu_compilations});
}

}  // namespace mlmq::backends
