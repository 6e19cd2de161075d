// SPDX-License-Identifier: Apache-2.0
#include "backends/registry.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace mlmq::backends {
namespace {

struct registered {
  std::vector<device_kind> kinds;
  std::vector<std::string> files;
  std::string conflict;  // reported on first use, since an exception before main() cannot be caught
};

registered& registered_kinds() {
  static registered everything;
  return everything;
}

}  // namespace

backend_registration::backend_registration(device_kind kind, const char* registered_in) {
  registered& registry = registered_kinds();
  for (std::size_t i = 0; i < registry.kinds.size(); ++i) {
    if (registry.kinds[i].name != kind.name) continue;
    registry.conflict = "two backends are named '" + kind.name + "': " + registry.files[i] + " and " + registered_in;
    return;
  }
  added_ = kind.name;
  const auto place = std::find_if(registry.kinds.begin(), registry.kinds.end(),
                                  [&](const device_kind& other) { return other.preference < kind.preference; });
  registry.files.insert(registry.files.begin() + (place - registry.kinds.begin()), registered_in);
  registry.kinds.insert(place, std::move(kind));
}

backend_registration::~backend_registration() {
  registered& registry = registered_kinds();
  if (added_.empty()) registry.conflict.clear();
  for (std::size_t i = 0; i < registry.kinds.size(); ++i) {
    if (registry.kinds[i].name != added_) continue;
    registry.files.erase(registry.files.begin() + static_cast<std::ptrdiff_t>(i));
    registry.kinds.erase(registry.kinds.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

const std::vector<device_kind>& device_kinds() {
  if (!registered_kinds().conflict.empty()) throw work_error(registered_kinds().conflict);
  return registered_kinds().kinds;
}

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
