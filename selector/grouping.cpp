// SPDX-License-Identifier: Apache-2.0
#include "selector/grouping.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

void drop_ending(std::string_view& text, std::string_view ending) {
  if (text.size() > ending.size() && text.ends_with(ending)) text.remove_suffix(ending.size());
}

}  // namespace

grouping grouping_from(std::string_view name) {
  if (name == "workload") return grouping::workload;
  if (name == "family") return grouping::family;
  throw input_error(fmt::format("unknown grouping '{}'; expected workload or family", name));
}

std::string group_of(std::string_view name, grouping level) {
  std::string_view group = name.substr(0, name.find(':'));
  drop_ending(group, "-float");
  drop_ending(group, "-float64");
  if (level == grouping::family) {
    const auto last = group.find_last_not_of("0123456789");
    if (last != std::string_view::npos && last + 1 < group.size()) {
      group = group.substr(0, last + 1);
      drop_ending(group, "_n");
    }
  }
  // A name that consists of options or digits only is its own group.
  return std::string(group.empty() ? name : group);
}

}  // namespace mlmq::selector
