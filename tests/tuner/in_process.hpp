// SPDX-License-Identifier: Apache-2.0
// Sweeps in this process, on a device that the test provides.
#pragma once

#include "tuner/in_process_sweep.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner::test {

using tuner::in_process_options;
using tuner::in_process_summary;
using tuner::sweep_in_process;

/// Returns all workloads of an experiment, or only the named ones.
inline std::vector<workload_input> listed(const experiment_file& experiment, const problem& tuned_problem,
                                          const std::vector<std::string>& instead = {}) {
  return list_workloads(experiment, tuned_problem, instead);
}

}  // namespace mlmq::tuner::test
