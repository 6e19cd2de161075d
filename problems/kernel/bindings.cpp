// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/bindings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::kernel {

bindings::bindings(std::vector<std::pair<std::string, tuner::value>> values, std::span<const std::string> texts)
    : values_(std::move(values)) {
  for (const std::string& text : texts) symbols_.add_text(text);
  for (const auto& [name, value] : values_) {
    symbols_.add_parameter(name, tuner::type_of(value));
    if (const auto* text = std::get_if<std::string>(&value)) symbols_.add_text(*text);
  }
  for (const auto& [name, value] : values_) slots_.push_back(symbols_.number(value));
}

void bindings::check_expression(const placed_text& text) const {
  (void)tuner::expression({.text = text.text, .place = text.place}, symbols_);
}

tuner::exact_number bindings::number(const placed_text& text) const {
  const tuner::expression expression({.text = text.text, .place = text.place}, symbols_);
  const tuner::exact_number result = expression.evaluate(slots_);
  if (!std::isfinite(result.real())) {
    throw backends::launch_error(
        fmt::format("{}'{}' is not a finite number: {}", text.place.prefix(), text.text, result.real()));
  }
  return result;
}

std::string bindings::to_cpp(const placed_text& text) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) names.push_back(name + "_");
  return tuner::expression({.text = text.text, .place = text.place}, symbols_).to_cpp(names);
}

std::uint64_t bindings::whole_number(const placed_text& text, std::uint64_t least, std::uint64_t most) const {
  const tuner::exact_number result = number(text);
  const auto whole = result.whole();
  if (!whole || *whole < least || *whole > most) {
    throw backends::launch_error(fmt::format("{}'{}' is {}; expected a whole number from {} to {}", text.place.prefix(),
                                             text.text, result.real(), least, most));
  }
  return static_cast<std::uint64_t>(*whole);
}

backends::extent bindings::extent(std::span<const placed_text> sizes) const {
  backends::extent result;
  unsigned* const dimensions[] = {&result.x, &result.y, &result.z};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    *dimensions[i] = static_cast<unsigned>(whole_number(sizes[i], 1, std::numeric_limits<std::int32_t>::max()));
  }
  return result;
}

std::string bindings::replaced(const std::string& text, std::string (*text_of)(const tuner::value&)) const {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    const auto match =
        std::find_if(values_.begin(), values_.end(), [&](const auto& entry) { return entry.first == word; });
    result += match == values_.end() ? word : text_of(match->second);
    i = end;
  }
  return result;
}

const element_type& bindings::type(const placed_text& text) const {
  const std::string name = substituted(text.text);
  if (const element_type* const type = find_type(name)) return *type;
  throw input_error(fmt::format("{}unknown type '{}'{}", text.place.prefix(), name, did_you_mean(name, type_names())));
}

}  // namespace mlmq::kernel
