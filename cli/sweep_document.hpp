// SPDX-License-Identifier: Apache-2.0
// JSON document of a finished sweep: docs/reference/json.md, mlmq/sweep.
#pragma once

#include <cstddef>
#include <string>

#include "cli/json_output.hpp"
#include "tuner/sweep.hpp"

namespace mlmq::cli {

/// @param database file as named by the user
/// @param retried number of failed trials that were measured again
[[nodiscard]] json_document sweep_document(tuner::sweep& swept, const tuner::sweep_summary& summary,
                                           const std::string& database, std::size_t retried);

}  // namespace mlmq::cli
