// SPDX-License-Identifier: Apache-2.0
// Converts expected times from and to a part of model.json.
#pragma once

#include <nlohmann/json.hpp>

#include "selector/time_model.hpp"

namespace mlmq::selector {

[[nodiscard]] nlohmann::ordered_json times_to_json(const time_model& times);

/// Converts JSON to expected times without checking them; see check_times(). @throws nlohmann::json::exception for JSON
/// of another form
[[nodiscard]] time_model times_from_json(const nlohmann::ordered_json& object);

}  // namespace mlmq::selector
