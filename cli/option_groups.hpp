// SPDX-License-Identifier: Apache-2.0
// Groups of options in the --help of commands that have many.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string_view>

namespace mlmq::cli {

/// Assigns the options of a command with many options, and of its subcommands, to groups; the others stay in "Options".
void group_options(CLI::App& app);

/// Returns the position of a group in --help. "Arguments" is the first and "Options" the last.
[[nodiscard]] std::size_t position_of_group(std::string_view title);

}  // namespace mlmq::cli
