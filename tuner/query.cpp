// SPDX-License-Identifier: Apache-2.0
#include "tuner/query.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

/// Parses all of `text` as a number. Returns whether it succeeded.
bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

query query::parse(std::string_view text) {
  query parsed;
  for (const std::string& entry : split(text, ':')) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
      throw input_error(fmt::format("query '{}': expected NAME=VALUE, got '{}'", text, entry));
    }
    const std::string name = entry.substr(0, equals);
    if (!parsed.values_.emplace(name, entry.substr(equals + 1)).second) {
      throw input_error(fmt::format("query '{}': '{}' is given twice", text, name));
    }
  }
  return parsed;
}

std::string query::text() const {
  std::string result;
  for (const auto& [name, value] : values_) result += fmt::format("{}{}={}", result.empty() ? "" : ":", name, value);
  return result;
}

const std::string* query::find(std::string_view name) const {
  const auto entry = values_.find(name);
  return entry == values_.end() ? nullptr : &entry->second;
}

const std::string& query::at(std::string_view name) const {
  const auto entry = values_.find(name);
  if (entry == values_.end()) throw input_error(fmt::format("query '{}': '{}' is missing", text(), name));
  return entry->second;
}

std::uint64_t query::whole_number(std::string_view name) const {
  std::uint64_t number = 0;
  if (!read_number(at(name), number)) {
    throw input_error(fmt::format("query '{}': '{}' is not a whole number", text(), at(name)));
  }
  return number;
}

void setting::fail(const std::string& message) const {
  throw input_error(fmt::format("{}'{}': {}", place.prefix(), name, message));
}

const std::string& setting::value() const {
  if (values.size() != 1) fail("expected one value, got a list");
  return values.front();
}

std::uint64_t setting::whole_number(std::uint64_t least) const {
  std::uint64_t number = 0;
  if (is_quoted || !read_number(value(), number) || number < least || number > INT64_MAX) {
    fail(fmt::format("expected a whole number from {}, got {}'{}'", least, is_quoted ? "the text " : "", value()));
  }
  return number;
}

bool setting::boolean() const {
  if (is_quoted || (value() != "true" && value() != "false")) {
    fail(fmt::format("expected true or false, got {}'{}'", is_quoted ? "the text " : "", value()));
  }
  return value() == "true";
}

const setting* query_rule::find(std::string_view name) const {
  const auto match = std::find_if(settings.begin(), settings.end(), [&](const setting& s) { return s.name == name; });
  return match == settings.end() ? nullptr : &*match;
}

void require_known_settings(const query_rule& rule, std::span<const named_meaning> known_settings) {
  std::vector<std::string> known_names;
  for (const named_meaning& definition : known_settings) known_names.emplace_back(definition.name);
  for (const setting& entry : rule.settings) {
    if (std::ranges::find(known_names, entry.name) != known_names.end()) continue;
    throw input_error(fmt::format("{}unknown key '{}' of a query{}; known: {}", entry.place.prefix(), entry.name,
                                  did_you_mean(entry.name, known_names), fmt::join(known_names, ", ")));
  }
}

}  // namespace mlmq::tuner
