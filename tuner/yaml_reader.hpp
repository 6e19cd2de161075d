// SPDX-License-Identifier: Apache-2.0
// Strict YAML reader: every message has file and line; unknown and repeated keys are errors. Only the readers here and
// in problems/compare/ use yaml-cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source_place.hpp"
#include "tuner/value.hpp"

namespace mlmq::tuner {

class yaml_map;

/// One value of a YAML file, with its key.
class yaml_value {
 public:
  yaml_value(YAML::Node node, std::string key, source_place place);

  /// Returns the location of the key, or of the value itself in a list.
  [[nodiscard]] const source_place& place() const noexcept { return place_; }
  [[nodiscard]] const std::string& key() const noexcept { return key_; }

  /// @throws input_error "FILE:LINE: 'KEY': MESSAGE"
  [[noreturn]] void fail(const std::string& message) const;

  [[nodiscard]] bool is_map() const { return node_.IsMap(); }
  [[nodiscard]] bool is_list() const { return node_.IsSequence(); }
  [[nodiscard]] bool is_scalar() const { return node_.IsScalar(); }

  /// Returns whether the value is in quotes, or a block, and so is a text.
  [[nodiscard]] bool is_quoted() const { return node_.Tag() == "!"; }

  // Typed access, which fails for other types.
  [[nodiscard]] std::string text() const;  ///< any non-empty scalar
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::uint64_t whole_number(
      std::uint64_t least = 0,
      std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) const;
  [[nodiscard]] double number() const;           ///< finite
  [[nodiscard]] double positive_number() const;  ///< finite
  /// Returns quoted values as text, others like plain_value().
  [[nodiscard]] value scalar() const;
  [[nodiscard]] std::vector<yaml_value> items() const;
  /// Returns the values of a map, in the order of the file.
  [[nodiscard]] std::vector<yaml_value> entries() const;
  /// Returns the value as a map with only these keys.
  [[nodiscard]] yaml_map map(std::initializer_list<std::string_view> keys) const;

  /// Describes the value for messages: "'x'", "a list", "a map", "nothing".
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] source_place place_of(const YAML::Node& node) const;
  /// Parses a value without quotes, or returns nothing.
  [[nodiscard]] std::optional<value> unquoted(value_type type) const;
  [[noreturn]] void fail_for_type(const std::string& expected) const;

  YAML::Node node_;
  std::string key_;
  source_place place_;
};

/// A map with access by key.
class yaml_map {
 public:
  yaml_map(source_place place, std::vector<yaml_value> entries)
      : place_(std::move(place)), entries_(std::move(entries)) {}

  [[nodiscard]] const source_place& place() const noexcept { return place_; }
  /// Returns null for a missing key.
  [[nodiscard]] const yaml_value* find(std::string_view key) const;
  /// @throws input_error "FILE:LINE: missing key 'KEY'"
  [[nodiscard]] const yaml_value& at(std::string_view key) const;

 private:
  source_place place_;
  std::vector<yaml_value> entries_;
};

/// Parses a YAML text with one document. @throws input_error for a syntax error, and for no or several documents
[[nodiscard]] yaml_value parse_yaml(const std::string& text, const std::string& file);

}  // namespace mlmq::tuner
