// SPDX-License-Identifier: Apache-2.0
// Handling of Ctrl-C (SIGINT) and SIGTERM in commands that finish the current work first.
#pragma once

namespace mlmq::cli {

/// From now on the first signal only sets interrupted(); the second one ends the program.
void note_interruptions();

/// Restores the default: any signal ends the program.
void end_on_interruption();

/// Returns whether a signal was received.
[[nodiscard]] bool interrupted() noexcept;

/// From now on a signal prints `message` and ends the program with exit_failed. For phases without work to finish.
/// @param message must live as long as the program; null: signals only set interrupted() again
/// @param to_errors whether to print to standard error instead of standard output
void exit_on_interruption(const char* message, bool to_errors = false) noexcept;

}  // namespace mlmq::cli
