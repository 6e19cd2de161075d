// SPDX-License-Identifier: Apache-2.0
#include "base/renamed_parameters.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace mlmq {
namespace {

using name_pointer = std::string_view renamed_parameter::*;

/// Returns the name in an entry "k=v".
std::string_view name_in(std::string_view entry) { return entry.substr(0, entry.find('=')); }

std::string relabelled(std::string_view label, name_pointer old_name, name_pointer new_name) {
  std::vector<std::string> entries = split(label, ',');
  bool is_changed = false;
  for (std::string& entry : entries) {
    for (const renamed_parameter& renamed : renamed_parameters) {
      if (name_in(entry) != renamed.*old_name) continue;
      entry = std::string(renamed.*new_name) + entry.substr((renamed.*old_name).size());
      is_changed = true;
      break;
    }
  }
  if (!is_changed) return std::string(label);
  std::ranges::sort(entries, {}, [](const std::string& entry) { return name_in(entry); });
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : ",") + entry;
  return text;
}

bool has_name(std::string_view label, std::string_view name) {
  return std::ranges::any_of(split(label, ','), [&](const std::string& entry) { return name_in(entry) == name; });
}

}  // namespace

std::string_view current_name(std::string_view former) {
  const auto* const renamed = std::ranges::find(renamed_parameters, former, &renamed_parameter::former);
  return renamed == renamed_parameters.end() ? former : renamed->current;
}

std::string label_with_former_names(std::string_view label) {
  const bool has_all = std::ranges::all_of(
      renamed_parameters, [&](const renamed_parameter& renamed) { return has_name(label, renamed.current); });
  if (!has_all) return std::string(label);
  return relabelled(label, &renamed_parameter::current, &renamed_parameter::former);
}

}  // namespace mlmq
