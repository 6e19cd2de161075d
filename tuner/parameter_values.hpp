// SPDX-License-Identifier: Apache-2.0
// Values of all declared parameters in one configuration, for kernels and host code, and the macros of compile-time
// parameters.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::tuner {

/// Returns a value as a kernel's source has it. A real has a fraction or an exponent, so that 1 / scale with the real 2
/// is no division of integers.
[[nodiscard]] std::string text_in_code(const value& v);

/// Reads the parameters of a problem from one configuration. A missing parameter has its inactive value, or else its
/// default. Both arguments of the constructor must outlive the object.
class parameter_values {
 public:
  parameter_values(std::span<const parameter_declaration> declarations, const configuration& chosen)
      : declarations_(declarations), chosen_(chosen) {}

  /// @throws work_error when no parameter of this name is declared
  [[nodiscard]] const value& at(std::string_view name) const;

  // Typed access. @throws work_error like at(), and if the parameter is declared with another type
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] unsigned whole(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;

  /// Returns the macros that `kernel` reads, by name; see macro_definition.
  [[nodiscard]] std::map<std::string, std::string> macros(std::string_view kernel) const;

 private:
  [[nodiscard]] const value& value_of(const parameter_declaration& declared) const;
  template <class T>
  [[nodiscard]] const T& as(std::string_view name) const;

  std::span<const parameter_declaration> declarations_;
  const configuration& chosen_;
};

}  // namespace mlmq::tuner
