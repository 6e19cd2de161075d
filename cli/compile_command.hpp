// SPDX-License-Identifier: Apache-2.0
// Processes of this program that compile variants for another one.
#pragma once

#include <string>

namespace mlmq::cli {

/// Returns the file of this program, to start further processes.
[[nodiscard]] std::string this_program();

/// Lets all backends compile in further processes. Call it before the first compilation.
void compile_in_processes();

}  // namespace mlmq::cli
