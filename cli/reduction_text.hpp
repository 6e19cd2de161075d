// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of --reduce and --pairs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// Describes what --reduce can compute, for the help.
[[nodiscard]] std::string reductions_help();

/// Reads a reduction, NAME or NAME:SETTING=VALUE:…
/// @throws input_error that names the option, or file and line
[[nodiscard]] reduction reduction_in(const digraph& graph, const std::string& text);

/// Reads the sources and targets of pairs from a file with two ids per line and comments after #.
/// @throws input_error that names the option, or file and line
[[nodiscard]] std::pair<std::vector<vertex>, std::vector<vertex>> pairs_in_file(const digraph& graph,
                                                                                const std::string& file);

}  // namespace mlmq::cli
