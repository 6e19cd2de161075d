// SPDX-License-Identifier: Apache-2.0
// Expected results from a command of the user.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "problems/kernel/definition.hpp"
#include "problems/kernel/device_arrays.hpp"
#include "problems/kernel/shared_results.hpp"
#include "tuner/value.hpp"

namespace mlmq::kernel {

/// Runs the command of the reference by a shell, in the folder of the experiment file. $MLMQ_DATA is a temporary
/// folder, in which NAME.npy has the contents of each array before a run, and sizes.json the sizes. The command writes
/// expected/NAME.npy there for each compared array.
/// @return the expected numbers by the position of the array
/// @throws input_error if the command fails, takes too long, or does not write its results
[[nodiscard]] expected_numbers run_command(const definition& kernel,
                                           const std::vector<std::pair<std::string, tuner::value>>& sizes,
                                           const device_arrays& arrays);

}  // namespace mlmq::kernel
