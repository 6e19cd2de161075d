// SPDX-License-Identifier: Apache-2.0
#include "selector/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

constexpr float absent = std::numeric_limits<float>::quiet_NaN();

std::optional<double> as_number(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// NaN equals NaN here: an absent parameter is a value like any other.
std::uint32_t bits_of(float number) { return std::bit_cast<std::uint32_t>(std::isnan(number) ? absent : number); }

using parameter_column = std::vector<const std::string*>;  // per candidate; null: absent

std::map<std::string, parameter_column> columns_by_name(std::span<const candidate> candidates) {
  std::map<std::string, parameter_column> result;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (const auto& [name, value] : candidates[i].parameters) {
      parameter_column& column = result[name];
      column.resize(candidates.size(), nullptr);
      column[i] = &value;
    }
  }
  return result;
}

void add_column(candidate_encoding& encoding, std::string name, const std::vector<float>& values) {
  const bool constant =
      std::all_of(values.begin(), values.end(), [&](float v) { return bits_of(v) == bits_of(values.front()); });
  if (constant) return;
  encoding.column_names.push_back(std::move(name));
  for (std::size_t i = 0; i < values.size(); ++i) encoding.rows[i].push_back(values[i]);
}

void add_numeric(candidate_encoding& encoding, const std::string& name, const parameter_column& column) {
  std::vector<float> values;
  for (const std::string* value : column) values.push_back(value ? to_float32(*as_number(*value)) : absent);
  add_column(encoding, "param." + name, values);
}

void add_one_hot(candidate_encoding& encoding, const std::string& name, const parameter_column& column) {
  std::set<std::string> distinct;
  for (const std::string* value : column) {
    if (value) distinct.insert(*value);
  }
  // For two values, one column is enough; the second would be its complement.
  if (distinct.size() == 2) distinct.erase(distinct.begin());
  for (const std::string& hot : distinct) {
    std::vector<float> values;
    for (const std::string* value : column) values.push_back(!value ? absent : *value == hot ? 1.0F : 0.0F);
    add_column(encoding, "param." + name + "=" + hot, values);
  }
}

void require_distinct(const candidate_encoding& encoding, std::span<const candidate> candidates) {
  std::map<std::vector<std::uint32_t>, std::size_t> seen;
  for (std::size_t i = 0; i < encoding.rows.size(); ++i) {
    std::vector<std::uint32_t> key;
    for (float value : encoding.rows[i]) key.push_back(bits_of(value));
    const auto [other, fresh] = seen.emplace(std::move(key), i);
    if (!fresh)
      throw input_error(fmt::format("candidates '{}' and '{}' have the same parameters; keep one of them",
                                    candidates[other->second].label, candidates[i].label));
  }
}

}  // namespace

std::vector<float> input_encoding::inputs(std::span<const double> values) const {
  if (values.size() != features.size())
    throw std::invalid_argument(fmt::format("{} values for a model with {} features", values.size(), features.size()));
  std::vector<float> result;
  result.reserve(size());
  for (const double value : values) result.push_back(to_float32(value));
  for (const ratio& quotient : ratios)
    result.push_back(runtime::ratio_of(result[quotient.numerator], result[quotient.denominator]));
  return result;
}

std::vector<std::string> input_encoding::names() const {
  std::vector<std::string> result;
  for (const std::string& name : features) result.push_back(name);
  for (const ratio& quotient : ratios)
    result.push_back(features.at(quotient.numerator) + '/' + features.at(quotient.denominator));
  return result;
}

std::optional<std::size_t> input_encoding::place_of(std::string_view feature) const {
  const auto position = std::find(features.begin(), features.end(), feature);
  if (position == features.end()) return std::nullopt;
  return static_cast<std::size_t>(position - features.begin());
}

input_encoding encode_inputs(std::span<const std::string> features, std::span<const feature_ratio> ratios) {
  input_encoding result;
  result.features.assign(features.begin(), features.end());
  for (const feature_ratio& named_ratio : ratios) {
    const auto numerator = result.place_of(named_ratio.numerator);
    const auto denominator = result.place_of(named_ratio.denominator);
    if (numerator && denominator) result.ratios.push_back({*numerator, *denominator});
  }
  if (!result.features.empty()) check_inputs(result);
  return result;
}

void check_inputs(const input_encoding& inputs) {
  if (inputs.features.empty()) throw input_error("selector model: no features, expected at least one");
  if (inputs.size() > runtime::most_inputs)
    throw input_error(fmt::format("selector model: {} features and ratios, expected at most {}", inputs.size(),
                                  runtime::most_inputs));
  for (const input_encoding::ratio& ratio : inputs.ratios) {
    if (ratio.numerator >= inputs.features.size() || ratio.denominator >= inputs.features.size())
      throw input_error("selector model: a ratio of an unknown feature");
  }
}

kept_inputs keep_inputs(const input_encoding& inputs, const std::vector<bool>& is_wanted) {
  const std::size_t feature_count = inputs.features.size();
  std::vector<bool> is_needed(is_wanted.begin(), is_wanted.begin() + static_cast<std::ptrdiff_t>(feature_count));
  for (std::size_t i = 0; i < inputs.ratios.size(); ++i) {
    if (!is_wanted[feature_count + i]) continue;
    is_needed[inputs.ratios[i].numerator] = true;
    is_needed[inputs.ratios[i].denominator] = true;
  }
  if (std::find(is_needed.begin(), is_needed.end(), true) == is_needed.end()) is_needed.at(0) = true;
  kept_inputs result{{}, std::vector<std::size_t>(inputs.size(), 0)};
  for (std::size_t i = 0; i < feature_count; ++i) {
    if (!is_needed[i]) continue;
    result.renamed[i] = result.encoding.features.size();
    result.encoding.features.push_back(inputs.features[i]);
  }
  for (std::size_t i = 0; i < inputs.ratios.size(); ++i) {
    if (!is_wanted[feature_count + i]) continue;
    result.renamed[feature_count + i] = result.encoding.size();
    result.encoding.ratios.push_back(
        {result.renamed[inputs.ratios[i].numerator], result.renamed[inputs.ratios[i].denominator]});
  }
  return result;
}

candidate_encoding encode(std::span<const candidate> candidates) {
  candidate_encoding result;
  result.rows.resize(candidates.size());
  for (const auto& [name, column] : columns_by_name(candidates)) {
    const bool numeric =
        std::all_of(column.begin(), column.end(), [](const std::string* value) { return !value || as_number(*value); });
    if (numeric) {
      add_numeric(result, name, column);
    } else {
      add_one_hot(result, name, column);
    }
  }
  require_distinct(result, candidates);
  return result;
}

}  // namespace mlmq::selector
