// SPDX-License-Identifier: Apache-2.0
// Expected times as a part of model.json.
#pragma once

#include <nlohmann/json.hpp>

#include "selector/time_model.hpp"

namespace mlmq::selector {

[[nodiscard]] nlohmann::ordered_json times_to_json(const time_model& times);

/// @throws nlohmann::json::exception for another form; what it says is not checked, see check_times()
[[nodiscard]] time_model times_from_json(const nlohmann::ordered_json& object);

}  // namespace mlmq::selector
