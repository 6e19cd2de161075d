// SPDX-License-Identifier: Apache-2.0
// A first experiment file for the kernel of a source.
#pragma once

#include <filesystem>
#include <string>

namespace mlmq::kernel {

/// Returns an experiment file for the first __global__ function of a source, from its signature, template parameters,
/// macros and __constant__ variables. Comments mark what the user must check.
/// @param folder  of the experiment file, for the path of the source
/// @throws input_error if the source has no __global__ function
[[nodiscard]] std::string first_experiment(const std::filesystem::path& source, const std::filesystem::path& folder);

}  // namespace mlmq::kernel
