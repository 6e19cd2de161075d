// SPDX-License-Identifier: Apache-2.0
// One point of a search space: the parameters that are active and their values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/value.hpp"

namespace mlmq::tuner {

/// Parameter names with their values, sorted by name. An inactive parameter (its `when` does not
/// hold) is absent, so two configurations are equal exactly when they mean the same.
class configuration {
 public:
  using map = std::map<std::string, value, std::less<>>;

  configuration() = default;
  explicit configuration(map values) : values_(std::move(values)) {}

  void set(std::string name, value v) { values_.insert_or_assign(std::move(name), std::move(v)); }

  void erase(const std::string& name) { values_.erase(name); }

  /// Null when the parameter is absent.
  [[nodiscard]] const value* find(std::string_view name) const;
  /// @throws work_error when the parameter is absent
  [[nodiscard]] const value& at(std::string_view name) const;
  [[nodiscard]] const map& values() const noexcept { return values_; }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

  /// Returns "delta=8,l1=none,l2=bucket", sorted by name; texts with blanks, commas, quotes or equals signs are in
  /// quotes: tile="Tile<16,8>". parameter_set::parse_label() parses it.
  [[nodiscard]] std::string label() const;

  /// Returns {"delta":8.0,"l1":"none"}: no blanks, keys sorted, reals with a fraction or exponent. from_json() parses
  /// it.
  [[nodiscard]] std::string to_json() const;
  /// @throws input_error when the text is not one JSON object of booleans, numbers and texts
  [[nodiscard]] static configuration from_json(std::string_view text);

  /// Returns the identity of the configuration, equal on every machine: a hash of to_json() as 32 hexadecimal digits.
  [[nodiscard]] std::string hash() const;

  bool operator==(const configuration&) const = default;
  /// A total order: numbers in a configuration are finite.
  bool operator<(const configuration& other) const { return values_ < other.values_; }

 private:
  map values_;
};

// Peers, which are external programs, in a result database: configuration solver=peer,peer=NAME with the program's
// parameters. They are not configurations of a problem: they are neither learned from nor measured again.

/// @param parameters the peer's parameters, none of them named `solver` or `peer`
[[nodiscard]] configuration peer_configuration(const std::string& name, configuration parameters);

/// Returns the peer's name, or nothing for a configuration of a problem.
[[nodiscard]] std::optional<std::string> peer_name(const configuration& chosen);

/// Returns the peer's own parameters.
[[nodiscard]] configuration peer_parameters(const configuration& chosen);

}  // namespace mlmq::tuner
