// SPDX-License-Identifier: Apache-2.0
// A configuration as a kernel and the host code around it see it: a value for every declared parameter, and the macros
// of what is compiled in.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::tuner {

/// Reads the parameters of a problem from one configuration. A parameter that the configuration leaves out has its
/// inactive value, or else its default. Refers to both, which must outlive it.
class parameter_values {
 public:
  parameter_values(std::span<const parameter_declaration> declarations, const configuration& chosen)
      : declarations_(declarations), chosen_(chosen) {}

  /// @throws work_error when no parameter of this name is declared
  [[nodiscard]] const value& at(std::string_view name) const;

  // The value as what it is declared to be. @throws work_error as at(), and when it is declared as something else
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] unsigned whole(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;

  /// The macros that `kernel` reads, as macro_definition says: 0 or 1 for a boolean, decimals for a number.
  [[nodiscard]] std::map<std::string, std::string> macros(std::string_view kernel) const;

 private:
  [[nodiscard]] const value& value_of(const parameter_declaration& declared) const;
  template <class T>
  [[nodiscard]] const T& as(std::string_view name) const;

  std::span<const parameter_declaration> declarations_;
  const configuration& chosen_;
};

}  // namespace mlmq::tuner
