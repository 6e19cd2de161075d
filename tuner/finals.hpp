// SPDX-License-Identifier: Apache-2.0
// Final round of a workload: measures its fastest configurations again, interleaved, so that clock drift or a lucky
// sample favours none of them.
#pragma once

#include <string>
#include <vector>

#include "db/finals.hpp"
#include "db/sessions.hpp"
#include "tuner/measurement.hpp"

namespace mlmq::tuner {

struct final_measurement {
  std::vector<db::finalist_result> results;  ///< in the order of the finalists; the results of a failed finalist have
                                             ///< no samples
  std::string message;                       ///< failed configurations with reasons; empty if none failed
  db::session_times times;
};

/// Measures the finalists in `settings.final_rounds` rounds. Each finalist runs once per round (after one discarded run
/// if `settings.warmup` is not 0), and every round starts with the next finalist. Every answer is checked.
/// @param query query of `pending`
/// @throws device_lost
[[nodiscard]] final_measurement measure_final(backends::backend& device, problem_instance& instance,
                                              variant_cache& variants, const db::pending_final& pending,
                                              const query& query, const measurement_settings& settings,
                                              const measurement_context& context = {});

}  // namespace mlmq::tuner
