// SPDX-License-Identifier: Apache-2.0
#include "backends/registry.hpp"

#include "base/error.hpp"

namespace mlmq::backends {

device_traits traits_of_kind(const std::string& name) {
  for (const device_kind& kind : device_kinds()) {
    if (kind.name == name) return kind.traits;
  }
  return {};
}

std::map<std::string, std::string> worker_environment(const device_info& device) {
  for (const device_kind& kind : device_kinds()) {
    if (kind.name == device.kind && kind.worker_environment != nullptr) return kind.worker_environment(device);
  }
  return {};
}

std::string processors_selector() {
  for (const device_kind& kind : device_kinds()) {
    if (!kind.traits.grid) return kind.name;
  }
  throw work_error("this program has no CPU backend");
}

}  // namespace mlmq::backends
