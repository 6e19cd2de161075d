// SPDX-License-Identifier: Apache-2.0
#include "tuner/parameter_values.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

std::string macro_text(const parameter_declaration& declared, const value& v) {
  const macro_definition& macro = declared.macro;
  if (const auto* flag = std::get_if<bool>(&v)) return *flag ? "1" : "0";
  if (!macro.one_for.empty()) return std::get<std::string>(v) == macro.one_for ? "1" : "0";
  return macro.prefix + text_in_code(convert(v, declared.type).value_or(v));
}

}  // namespace

std::string text_in_code(const value& v) { return type_of(v) == value_type::real ? to_json(v) : to_text(v); }

const value& parameter_values::value_of(const parameter_declaration& declared) const {
  if (const value* const chosen_value = chosen_.find(declared.name)) return *chosen_value;
  return declared.inactive ? *declared.inactive : declared.default_value;
}

const value& parameter_values::at(std::string_view name) const {
  const auto declared =
      std::find_if(declarations_.begin(), declarations_.end(),
                   [&](const parameter_declaration& declaration) { return declaration.name == name; });
  if (declared == declarations_.end()) throw work_error("no parameter '" + std::string(name) + "' is declared");
  return value_of(*declared);
}

template <class T>
const T& parameter_values::as(std::string_view name) const {
  const value& stored = at(name);
  if (const T* const content = std::get_if<T>(&stored)) return *content;
  throw work_error("parameter '" + std::string(name) + "' is a " + std::string(name_of(type_of(stored))));
}

bool parameter_values::flag(std::string_view name) const { return as<bool>(name); }
unsigned parameter_values::whole(std::string_view name) const { return static_cast<unsigned>(as<std::int64_t>(name)); }
double parameter_values::real(std::string_view name) const { return as<double>(name); }
const std::string& parameter_values::text(std::string_view name) const { return as<std::string>(name); }

std::map<std::string, std::string> parameter_values::macros(std::string_view kernel) const {
  std::map<std::string, std::string> result;
  for (const parameter_declaration& declared : declarations_) {
    if (declared.macro.read_by(kernel)) result.emplace(declared.macro.name, macro_text(declared, value_of(declared)));
  }
  return result;
}

}  // namespace mlmq::tuner
