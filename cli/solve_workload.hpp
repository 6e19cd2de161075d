// SPDX-License-Identifier: Apache-2.0
// `mlmq solve` for problems with a solve_hook: any workload, by the interfaces of the tuner.
#pragma once

#include <cstdint>
#include <string>

#include "cli/result_options.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {

/// What the command line asks for.
struct solve_request {
  std::string workload;
  std::string query;                   ///< settings, NAME=VALUE:NAME=VALUE; empty: the standard query
  std::string configuration = "auto";  ///< or KEY=VALUE,…
  std::string model;                   ///< see model_for()
  std::string device = "auto";
  std::string output;
  unsigned repeat = 1;
  double time_limit_ms = 60'000;
  std::uint64_t seed = 1;
  bool check = false;
  bool counters = false;
  result_options results = {};
};

/// The problem whose hook takes a workload of this name; null when none does.
[[nodiscard]] const problems::problem_entry* problem_for(const std::string& workload);

/// The model of an option --model: of a file; "": what is installed for the device, or else the shipped one; "shipped": that
/// one in any case. @throws input_error
[[nodiscard]] model model_for(const std::string& name);

/// @param entry has a hook @return the exit status
/// @throws input_error, work_error, and whatever a device throws
int solve_workload(const problems::problem_entry& entry, const solve_request& asked);

}  // namespace mlmq::cli
