// SPDX-License-Identifier: Apache-2.0
#include "db/parameter_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

namespace mlmq::db {
namespace {

using nlohmann::json;

/// Names that a column must not have: Kernel Tuner rejects them, or uses them for measurements.
constexpr std::array reserved_names{
    "grid_size_x",    "grid_size_y",   "grid_size_z",    "time",      "times",     "compile_time", "verification_time",
    "benchmark_time", "strategy_time", "framework_time", "timestamp", "__error__", "spread",       "samples_dropped",
    "outcome",        "message",       "configuration",  "label"};

std::string column_name(const std::string& parameter) {
  const bool reserved = std::ranges::find(reserved_names, parameter) != reserved_names.end();
  return reserved ? "parameter_" + parameter : parameter;
}

/// Keeps numbers and text, converts booleans to 0 and 1, and everything else to text.
json plain_value(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number() || value.is_string()) return value;
  return value.dump();
}

/// Converts all present values to one type: text if any value is text, else floating point if any number has a
/// fraction.
void unify(std::vector<json>& values) {
  const bool text = std::ranges::any_of(values, [](const json& value) { return value.is_string(); });
  const bool fraction = std::ranges::any_of(values, [](const json& value) { return value.is_number_float(); });
  for (json& value : values) {
    if (value.is_null()) continue;
    if (text && !value.is_string()) {
      value = python_text(value);
    } else if (!text && fraction) {
      value = value.get<double>();
    }
  }
}

json stand_in(const std::set<json>& active) {
  if (active.begin()->is_string()) {
    std::string text = "inactive";
    while (active.contains(text)) text += '_';
    return text;
  }
  std::int64_t number = 0;
  while (active.contains(number)) --number;
  if (active.begin()->is_number_float()) return static_cast<double>(number);
  return number;
}

parameter_column make_column(const std::string& parameter, const std::vector<tuned_configuration>& configurations) {
  parameter_column column;
  column.name = column_name(parameter);
  for (const tuned_configuration& tuned : configurations) {
    const auto entry = tuned.parameters.find(parameter);
    // A configuration may use null for an inactive parameter.
    const bool active = entry != tuned.parameters.end() && !entry->is_null();
    column.values.push_back(active ? plain_value(*entry) : json());
    column.sometimes_inactive |= !active;
  }
  unify(column.values);
  std::set<json> distinct(column.values.begin(), column.values.end());
  distinct.erase(json());
  if (column.sometimes_inactive && !distinct.empty()) {
    column.inactive = stand_in(distinct);
    std::ranges::replace(column.values, json(), column.inactive);
    distinct.insert(column.inactive);
  }
  column.domain.assign(distinct.begin(), distinct.end());
  return column;
}

/// Returns whether each value of `column` occurs with only one value of `result`.
bool implies(const parameter_column& column, const parameter_column& result) {
  if (2 * column.domain.size() > column.values.size()) return false;
  std::map<json, json> seen;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (seen.try_emplace(column.values[i], result.values[i]).first->second != result.values[i]) return false;
  }
  return true;
}

/// Returns Python's str(number): shortest digits, exponent from 1e16 and below 1e-4.
std::string python_number(double number) {
  std::array<char, 32> buffer{};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific);
  const std::string text(buffer.data(), scientific.ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  if (number != 0 && (exponent < -4 || exponent >= 16)) return text;
  const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  std::string digits(buffer.data(), fixed.ptr);
  return digits.find('.') == std::string::npos ? digits + ".0" : digits;
}

}  // namespace

std::size_t parameter_table::combinations(std::size_t limit) const {
  std::size_t product = 1;
  for (const parameter_column& column : searched) {
    if (product > limit / column.domain.size()) return limit;
    product *= column.domain.size();
  }
  return product;
}

std::string parameter_table::key(std::size_t configuration) const {
  std::string text;
  for (const parameter_column& column : searched) {
    if (&column != searched.data()) text += ',';
    text += python_text(column.values[configuration]);
  }
  return text;
}

bool parameter_table::has_equal_keys() const {
  const std::size_t count = searched.empty() ? 0 : searched.front().values.size();
  std::set<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    if (!keys.insert(key(i)).second) return true;
  }
  return false;
}

bool parameter_table::connects(const std::vector<std::size_t>& configurations) const {
  // Union-find: configurations that are equal except for one column are in one group.
  std::vector<std::size_t> parent(configurations.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t index) {
    while (parent[index] != index) index = parent[index] = parent[parent[index]];
    return index;
  };
  std::size_t groups = configurations.size();
  for (const parameter_column& changed : searched) {
    std::map<std::vector<json>, std::size_t> seen;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      std::vector<json> others;
      for (const parameter_column& column : searched) {
        if (&column != &changed) others.push_back(column.values[configurations[i]]);
      }
      const std::size_t first = root(seen.try_emplace(std::move(others), i).first->second);
      const std::size_t second = root(i);
      if (first == second) continue;
      parent[second] = first;
      --groups;
    }
  }
  return groups <= 1;
}

parameter_table tabulate_parameters(const std::vector<tuned_configuration>& configurations) {
  std::set<std::string> names;
  for (const tuned_configuration& tuned : configurations) {
    for (const auto& [name, value] : tuned.parameters.items()) names.insert(name);
  }
  parameter_table table;
  std::vector<parameter_column> varying;
  for (const std::string& name : names) {
    parameter_column column = make_column(name, configurations);
    if (column.domain.size() == 1) {
      table.constants[column.name] = column.domain.front();
    } else if (!column.domain.empty()) {
      varying.push_back(std::move(column));
    }
  }
  // In descending order, so that the first column by name is kept if two columns imply each other.
  std::vector<bool> is_kept(varying.size(), true);
  for (std::size_t result = varying.size(); result-- > 0;) {
    for (std::size_t column = 0; column < varying.size(); ++column) {
      if (column == result || !is_kept[column] || !implies(varying[column], varying[result])) continue;
      is_kept[result] = false;
      break;
    }
  }
  for (std::size_t i = 0; i < varying.size(); ++i) {
    (is_kept[i] ? table.searched : table.implied).push_back(std::move(varying[i]));
  }
  return table;
}

std::vector<std::string> configuration_numbers(std::size_t count) {
  const std::size_t digits = std::to_string(count).size();
  std::vector<std::string> numbers;
  for (std::size_t i = 1; i <= count; ++i) numbers.push_back(fmt::format("c{:0{}}", i, digits));
  return numbers;
}

std::string python_text(const nlohmann::json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return python_number(value.get<double>());
  return value.dump();
}

}  // namespace mlmq::db
