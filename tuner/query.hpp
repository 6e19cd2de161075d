// SPDX-License-Identifier: Apache-2.0
// Query of one run: named values, such as the source vertex of a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/source_place.hpp"

namespace mlmq::tuner {

/// Named values. Equal queries have the same text, which identifies a query in records.
class query {
 public:
  query() = default;
  query(std::initializer_list<std::pair<const std::string, std::string>> values) : values_(values) {}

  /// Parses "source=5" or "pairs=4096:seed=1", the format of text(), in any order.
  /// @throws input_error for an entry that is not NAME=VALUE, or a repeated name
  [[nodiscard]] static query parse(std::string_view text);

  void set(const std::string& name, std::string text_of_value) { values_[name] = std::move(text_of_value); }
  /// Returns null if there is no such value.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  /// Returns the entries, sorted by name.
  [[nodiscard]] std::string text() const;

  /// @throws input_error naming the query if it has no such value
  [[nodiscard]] const std::string& at(std::string_view name) const;
  /// @throws input_error naming the query if the value is missing or not a whole number below 2^64
  [[nodiscard]] std::uint64_t whole_number(std::string_view name) const;

  bool operator==(const query&) const = default;
  auto operator<=>(const query&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// A key of an experiment file with its values. The problem or the workload kind interprets it.
struct setting {
  std::string name;
  std::vector<std::string> values;  ///< at least one
  source_place place;
  bool is_quoted = false;       ///< whether one of the values is in quotes, and so is a text
  bool one_of_several = false;  ///< workloads: whether the entry of the file lists several values of this option

  /// Returns the only value. @throws input_error at the place if there are several
  [[nodiscard]] const std::string& value() const;
  /// Returns the only value as a number of at least `least`. @throws input_error at the place
  [[nodiscard]] std::uint64_t whole_number(std::uint64_t least = 0) const;
  /// @throws input_error at the place
  [[nodiscard]] bool boolean() const;
  /// @throws input_error "FILE:LINE: 'NAME': MESSAGE"
  [[noreturn]] void fail(const std::string& message) const;

  bool operator==(const setting& other) const { return name == other.name && values == other.values; }
};

/// One entry of `queries` in an experiment file, which selects queries of a workload.
struct query_rule {
  std::vector<setting> settings;
  source_place place = {};

  /// Returns null if the rule lacks the setting.
  [[nodiscard]] const setting* find(std::string_view name) const;
  bool operator==(const query_rule& other) const { return settings == other.settings; }
};

/// The rules add their queries in order, without duplicates. Empty: the default of the problem.
using query_rules = std::vector<query_rule>;

/// A name for users with a one-line description.
struct named_meaning {
  std::string_view name;
  std::string_view meaning;
};

/// Checks the names of the settings of a rule. @throws input_error at the place of a setting that is not in `known`
void require_known_settings(const query_rule& rule, std::span<const named_meaning> known_settings);

}  // namespace mlmq::tuner
