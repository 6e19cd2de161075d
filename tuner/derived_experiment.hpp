// SPDX-License-Identifier: Apache-2.0
// An experiment with other configurations: what a program goes on to measure after a sweep, in the same way.
#pragma once

#include <span>
#include <string>

#include "tuner/configuration.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::tuner {

/// The text of an experiment file with the problem, workloads, queries and measurement of `base`, and these configurations
/// in place of its space and strategy. Files are named by absolute paths, so it means the same anywhere.
/// @param configurations at least one
/// @param counts whether work is counted, too, whatever `base` says
[[nodiscard]] std::string derived_experiment(const experiment_file& base, const std::string& name,
                                             const std::string& description,
                                             std::span<const configuration> configurations, bool counts = false);

}  // namespace mlmq::tuner
