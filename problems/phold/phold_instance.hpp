// SPDX-License-Identifier: Apache-2.0
// An instance of PHOLD, with what it has executed.
#pragma once

#include <cstdint>
#include <string>

#include "problems/phold/simulation.hpp"
#include "tuner/problem.hpp"

namespace mlmq::phold {

class phold_instance : public tuner::problem_instance {
 public:
  /// By the last run, which was ok.
  [[nodiscard]] virtual const trace& executed() const = 0;
};

/// "" or what is wrong with what was executed: it is compared with a simulation on processors, which is made once for each
/// model and end.
/// @param model_hash of the model's workload @param end in ticks
[[nodiscard]] std::string what_is_wrong(const model_settings& settings, const std::string& model_hash,
                                        std::uint64_t end, const trace& executed);

}  // namespace mlmq::phold
