// SPDX-License-Identifier: Apache-2.0
// What a sweep says at its end, for a program: docs/reference/json.md, mlmq/sweep.
#pragma once

#include <cstddef>
#include <string>

#include "cli/json_output.hpp"
#include "tuner/sweep.hpp"

namespace mlmq::cli {

/// @param database the file, as the user named it
/// @param retried trials that had failed and were measured again
[[nodiscard]] json_document sweep_document(tuner::sweep& swept, const tuner::sweep_summary& summary,
                                           const std::string& database, std::size_t retried);

}  // namespace mlmq::cli
