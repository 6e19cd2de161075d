// SPDX-License-Identifier: Apache-2.0
#include "tuner/configuration.hpp"

#include <nlohmann/json.hpp>

#include <limits>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_reason.hpp"

namespace mlmq::tuner {
namespace {

value value_from_json(const std::string& name, const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw input_error("configuration: '" + name + "': " + json.dump() + " does not fit in a signed 64-bit integer");
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  throw input_error("configuration: '" + name + "': " + json.type_name() + " is not a boolean, a number or a text");
}

}  // namespace

const value* configuration::find(std::string_view name) const {
  const auto entry = values_.find(name);
  return entry == values_.end() ? nullptr : &entry->second;
}

const value& configuration::at(std::string_view name) const {
  if (const value* match = find(name)) return *match;
  throw work_error("configuration " + label() + " has no parameter '" + std::string(name) + "'");
}

std::string configuration::label() const {
  std::string text;
  for (const auto& [name, v] : values_) {
    if (!text.empty()) text += ',';
    text += name + '=' + label_text(v);
  }
  return text;
}

std::string configuration::to_json() const {
  std::string text = "{";
  for (const auto& [name, v] : values_) {
    if (text.size() > 1) text += ',';
    text += nlohmann::json(name).dump() + ':' + tuner::to_json(v);
  }
  return text + '}';
}

configuration configuration::from_json(std::string_view text) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw input_error("configuration: not JSON: " + json_reason(error));
  }
  if (!json.is_object())
    throw input_error(std::string("configuration: expected a JSON object, got ") + json.type_name());
  configuration result;
  for (const auto& [name, content] : json.items()) result.set(name, value_from_json(name, content));
  return result;
}

std::string configuration::hash() const { return hash_text(to_json()); }

configuration peer_configuration(const std::string& name, configuration parameters) {
  parameters.set("solver", std::string("peer"));
  parameters.set("peer", name);
  return parameters;
}

std::optional<std::string> peer_name(const configuration& chosen) {
  const value* const solver = chosen.find("solver");
  if (solver == nullptr || to_text(*solver) != "peer") return std::nullopt;
  const value* const name = chosen.find("peer");
  return name == nullptr ? "" : to_text(*name);
}

configuration peer_parameters(const configuration& chosen) {
  configuration parameters;
  for (const auto& [name, parameter_value] : chosen.values()) {
    if (name != "solver" && name != "peer") parameters.set(name, parameter_value);
  }
  return parameters;
}

}  // namespace mlmq::tuner
