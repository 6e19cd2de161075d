// SPDX-License-Identifier: Apache-2.0
// Experiment files may name commands to run, such as the reference of a kernel.
#pragma once

namespace mlmq::tuner {

/// Environment variable that refuses commands in experiment files, unless it is empty. Workers inherit it.
inline constexpr const char* refuse_commands_variable = "MLMQ_NO_COMMANDS";

}  // namespace mlmq::tuner
