// SPDX-License-Identifier: Apache-2.0
#include "cli/solving_device.hpp"

#include "backends/registry.hpp"

namespace mlmq::cli {

solving_device solving_device_for(const std::string& device, bool needs_kernels) {
  if (device != "auto") return {.selector = device};
  const std::string first = backends::list_devices(device).front();
  if (!backends::traits_of(first).modelled) return {.selector = device};
  if (needs_kernels) return {.selector = first};
  return {.selector = backends::processors_selector(), .replaces_gpu = true};
}

}  // namespace mlmq::cli
