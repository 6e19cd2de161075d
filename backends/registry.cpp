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
  std::string conflict;  // reported when somebody asks: nobody catches what is thrown before main()
};

registered& all() {
  static registered everything;
  return everything;
}

}  // namespace

backend_registration::backend_registration(device_kind kind, const char* registered_in) {
  registered& known = all();
  for (std::size_t i = 0; i < known.kinds.size(); ++i) {
    if (known.kinds[i].name != kind.name) continue;
    known.conflict = "two backends are named '" + kind.name + "': " + known.files[i] + " and " + registered_in;
    return;
  }
  added_ = kind.name;
  const auto place = std::find_if(known.kinds.begin(), known.kinds.end(),
                                  [&](const device_kind& one) { return one.preference < kind.preference; });
  known.files.insert(known.files.begin() + (place - known.kinds.begin()), registered_in);
  known.kinds.insert(place, std::move(kind));
}

backend_registration::~backend_registration() {
  registered& known = all();
  if (added_.empty()) known.conflict.clear();
  for (std::size_t i = 0; i < known.kinds.size(); ++i) {
    if (known.kinds[i].name != added_) continue;
    known.files.erase(known.files.begin() + static_cast<std::ptrdiff_t>(i));
    known.kinds.erase(known.kinds.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

const std::vector<device_kind>& device_kinds() {
  if (!all().conflict.empty()) throw work_error(all().conflict);
  return all().kinds;
}

device_traits traits_of_kind(const std::string& name) {
  for (const device_kind& one : device_kinds()) {
    if (one.name == name) return one.traits;
  }
  return {};
}

std::string processors_selector() {
  for (const device_kind& one : device_kinds()) {
    if (!one.traits.grid) return one.name;
  }
  throw work_error("no backend for processors is in this program");
}

}  // namespace mlmq::backends
