// SPDX-License-Identifier: Apache-2.0
// Replaces the backend in a build without a CUDA toolkit, and reports this.
#include "backends/cuda/gpu_index.hpp"
#include "backends/registry.hpp"
#include "base/error.hpp"

namespace mlmq::backends {
namespace {

constexpr const char* reason =
    "this program was built without the CUDA backend; install a CUDA toolkit (12.4 or newer) and build again";

[[noreturn]] void refuse(const std::string& selector) {
  static_cast<void>(gpu_index(selector));  // report an invalid selector first
  throw input_error("device '" + selector + "': " + reason);
}

}  // namespace

extern "C" {
extern const backend_registration mlmq_registers_cuda;
const backend_registration mlmq_registers_cuda(
    {.name = "cuda",
     .selectors = "cuda, cuda:N",
     .traits = {},
     .preference = 2,
     .list = [] { return std::vector<std::string>(); },
     .canonical = gpu_selector,
     .open = [](const std::string& selector) -> std::unique_ptr<backend> { refuse(selector); },
     .inspect = [](const std::string& selector) -> device_info { refuse(selector); },
     .report =
         [] {
           return backend_report{.name = "cuda", .usable = false, .facts = {{"status", reason}}};
         }});
}

}  // namespace mlmq::backends
