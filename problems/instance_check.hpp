// SPDX-License-Identifier: Apache-2.0
// Runs a problem's kernels under many schedules of the simulator, with weak memory, and in every third schedule with
// warps that stall. Each run has its own instance, whose check() compares the answer with the problem's reference.
// Configuration, workload and seed identify a failure, because the seed determines the interleaving.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// A configuration to check.
struct checked_configuration {
  std::string name;                    ///< a subject of check_entry, such as "phold:calendar"
  std::string label;                   ///< label for parameter_set::parse_label
  std::vector<std::string> workloads;  ///< names of generated workloads, which the schedules use cyclically
};

struct instance_check {
  const tuner::problem& problem;
  std::vector<checked_configuration> configurations;
  tuner::query_rules queries;  ///< one query per workload
  double time_limit_ms = 0;    ///< time limit on the simulated device
};

/// Returns the names of configurations, in order.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<checked_configuration>& configurations);

/// Runs a check, like check_entry::run.
[[nodiscard]] check_report check_instances(const instance_check& check, const check_request& request,
                                           const check_observer& progress);

}  // namespace mlmq::problems
