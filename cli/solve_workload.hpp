// SPDX-License-Identifier: Apache-2.0
// `mlmq solve` for problems with a solve_hook, through the interfaces of the tuner.
#pragma once

#include <cstdint>
#include <string>

#include "cli/result_options.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {

/// Request of the command line.
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

/// Returns the problem whose hook accepts a workload of this name, or null.
[[nodiscard]] const problems::problem_entry* problem_for(const std::string& workload);

/// Returns the model of an option --model. "": the one installed for the device, or else the shipped one; "shipped":
/// the shipped one; otherwise a file. @throws input_error
[[nodiscard]] model model_for(const std::string& name);

/// Solves the request. @param entry must have a hook @return exit status
/// @throws input_error, work_error, and exceptions of the device
int solve_workload(const problems::problem_entry& entry, const solve_request& request);

}  // namespace mlmq::cli
