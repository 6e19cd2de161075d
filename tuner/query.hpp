// SPDX-License-Identifier: Apache-2.0
// What one run asks of a workload: named values, such as the vertex that a search starts from.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/source_place.hpp"

namespace mlmq::tuner {

/// Named values. Their text is the same for equal queries, so it identifies a query in records.
class query {
 public:
  query() = default;
  query(std::initializer_list<std::pair<const std::string, std::string>> values) : values_(values) {}

  /// "source=5", "pairs=4096:seed=1": what text() writes, in any order.
  /// @throws input_error for an entry that is not NAME=VALUE, or a name that is given twice
  [[nodiscard]] static query parse(std::string_view text);

  /// Sorted by name.
  [[nodiscard]] std::string text() const;

  /// @throws input_error naming the query when it has no such value
  [[nodiscard]] const std::string& at(std::string_view name) const;
  /// @throws input_error naming the query when there is none, or it is no whole number below 2^64
  [[nodiscard]] std::uint64_t whole_number(std::string_view name) const;

  bool operator==(const query&) const = default;
  auto operator<=>(const query&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// A key of an experiment file with its values, of which the problem or the kind of workload knows the meaning.
struct setting {
  std::string name;
  std::vector<std::string> values;  ///< at least one
  source_place place;
  bool one_of_several = false;  ///< of a workload: the file's entry lists other values of this option, too

  /// The only value. @throws input_error at the place when there are several
  [[nodiscard]] const std::string& value() const;
  /// The only value as a number from `least` on. @throws input_error at the place
  [[nodiscard]] std::uint64_t whole_number(std::uint64_t least = 0) const;
  /// @throws input_error at the place
  [[nodiscard]] bool boolean() const;
  /// @throws input_error "FILE:LINE: 'NAME': MESSAGE"
  [[noreturn]] void fail(const std::string& message) const;

  bool operator==(const setting& other) const { return name == other.name && values == other.values; }
};

/// Which queries to ask of a workload: one entry of `queries` in an experiment file.
struct query_rule {
  std::vector<setting> settings;
  source_place place = {};

  /// Null when the rule does not have it.
  [[nodiscard]] const setting* find(std::string_view name) const;
  bool operator==(const query_rule& other) const { return settings == other.settings; }
};

/// The queries of the first rule, then those of the next that are not among them yet. Empty: the problem's standard.
using query_rules = std::vector<query_rule>;

/// A name that users may write, with what it means in one line.
struct named_meaning {
  std::string_view name;
  std::string_view meaning;
};

}  // namespace mlmq::tuner
