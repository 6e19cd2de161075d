// SPDX-License-Identifier: Apache-2.0
// A problem's kernels under many schedules of the simulator: each run is of an instance of its own, on weak memory, every
// third schedule with warps that stall, and check() compares its answer with the problem's reference. The interleaving
// follows from the seed alone, so that a failure is named by configuration, workload and seed.
#pragma once

#include <string>
#include <vector>

#include "problems/checks.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// A configuration that is checked.
struct checked_configuration {
  std::string name;                    ///< "phold:calendar", a subject of check_entry
  std::string label;                   ///< as for parameter_set::parse_label
  std::vector<std::string> workloads;  ///< that generate one each; schedules take them in turns
};

struct instance_check {
  const tuner::problem& of;
  std::vector<checked_configuration> configurations;
  tuner::query_rules queries;  ///< one query of each workload
  double time_limit_ms = 0;    ///< of the simulated device
};

/// The names of configurations, in their order.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<checked_configuration>& configurations);

/// As check_entry::run.
[[nodiscard]] check_report check_instances(const instance_check& what, const check_request& asked,
                                           const check_observer& progress);

}  // namespace mlmq::problems
