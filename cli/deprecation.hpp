// SPDX-License-Identifier: Apache-2.0
// Old forms of the command line that work for one more version, with a note on standard error.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mlmq::cli {

/// Keeps a note until print_deprecation_notes().
void note_deprecated(std::string note);

/// Prints the notes on standard error and forgets them.
void print_deprecation_notes();

/// Adds an old name of `replacement` that sets the same variable. Help, completion and suggestions do not show it.
CLI::Option* add_deprecated_option(CLI::App& command, const std::string& name, std::string& value,
                                   CLI::Option& replacement);

}  // namespace mlmq::cli
