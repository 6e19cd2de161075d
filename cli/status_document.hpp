// SPDX-License-Identifier: Apache-2.0
// JSON document of 'mlmq db status'.
#pragma once

#include "cli/json_output.hpp"
#include "db/status.hpp"

namespace mlmq::cli {

[[nodiscard]] json_document best_document(const db::best_result& best);
[[nodiscard]] json_document status_document(const db::status& state);

}  // namespace mlmq::cli
