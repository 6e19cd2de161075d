// SPDX-License-Identifier: Apache-2.0
// An instance of PHOLD, with access to the executed events.
#pragma once

#include <cstdint>
#include <string>

#include "problems/phold/simulation.hpp"
#include "tuner/problem.hpp"

namespace mlmq::phold {

class phold_instance : public tuner::problem_instance {
 public:
  /// Returns the trace of the last run, which must have succeeded.
  [[nodiscard]] virtual const trace& executed() const = 0;
};

/// Compares a trace with a simulation on processors, which runs once per model and end. Calendars check every solver
/// but cpu_calendar, which heaps check.
/// @param solver that executed the trace
/// @param model_hash hash of the model's workload
/// @param end in ticks
/// @return "" or a description of the error
[[nodiscard]] std::string find_error(const std::string& solver, const model_settings& settings,
                                     const std::string& model_hash, std::uint64_t end, const trace& executed);

}  // namespace mlmq::phold
