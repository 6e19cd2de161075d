// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT) and SIGTERM of commands that finish what is at hand first.
#pragma once

namespace mlmq::cli {

/// From now on the first signal is only noted, for interrupted(). The second ends the program at once.
void note_interruptions();

/// From now on any signal ends the program at once, as it does without all this.
void end_on_interruption();

/// Whether there was a signal.
[[nodiscard]] bool interrupted() noexcept;

/// While there is nothing to finish: a signal writes `message` and ends the program with exit_failed.
/// @param message lives as long as the program; null: signals are noted again
/// @param to_errors true: to standard error, where standard output is for a document; false: to standard output
void exit_on_interruption(const char* message, bool to_errors = false) noexcept;

}  // namespace mlmq::cli
