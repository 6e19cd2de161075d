// SPDX-License-Identifier: Apache-2.0
// Derives an experiment that measures other configurations in the same way.
#pragma once

#include <span>
#include <string>

#include "tuner/configuration.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::tuner {

/// Returns the text of an experiment file with the problem, workloads, queries and measurement of `base`, and with
/// these configurations instead of its space and strategy. Paths are absolute, so that the file can be moved.
/// @param configurations at least one
/// @param counts whether to enable work counters; false: like `base`
[[nodiscard]] std::string derived_experiment(const experiment_file& base, const std::string& name,
                                             const std::string& description,
                                             std::span<const configuration> configurations, bool counts = false);

/// Returns the text of an experiment file with the problem, its definition and the workloads of `base`, for recorded
/// trials that are repeated. Its only configuration is a placeholder. Paths are absolute.
/// @param measurement  the key `measurement` as JSON
[[nodiscard]] std::string repeated_experiment(const experiment_file& base, const std::string& measurement);

}  // namespace mlmq::tuner
