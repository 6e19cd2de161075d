// SPDX-License-Identifier: Apache-2.0
#include "cli/solving_device.hpp"

#include "backends/registry.hpp"
#include "base/error.hpp"

namespace mlmq::cli {

void require_one_device(const std::string& device) {
  if (device == "auto" || backends::list_devices(device).size() == 1) return;
  throw input_error("--device " + device + ": several devices share searches from many vertices (--sources); name one");
}

solving_device solving_device_for(const std::string& device, search_code code) {
  if (device != "auto") return {.selector = device};
  if (code == search_code::processors) return {.selector = backends::processors_selector()};
  const std::string first_device = backends::list_devices(device).front();
  if (!backends::traits_of(first_device).modelled) return {.selector = device};
  if (code == search_code::kernels) return {.selector = first_device};
  return {.selector = backends::list_search_devices(device).front(), .replaces_gpu = true};
}

}  // namespace mlmq::cli
