// SPDX-License-Identifier: Apache-2.0
// Floats in the JSON of models.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "selector/runtime.hpp"

namespace mlmq::selector {

/// Stores floats as doubles: these print with the fewest digits that restore the same float.
[[nodiscard]] inline nlohmann::ordered_json json_of(const std::vector<float>& values) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const float value : values) result.push_back(double{value});
  return result;
}

[[nodiscard]] inline std::vector<float> floats_of(const nlohmann::ordered_json& array) {
  std::vector<float> result;
  for (const nlohmann::ordered_json& item : array) result.push_back(runtime::to_float32(item.get<double>()));
  return result;
}

}  // namespace mlmq::selector
