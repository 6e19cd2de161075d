// SPDX-License-Identifier: Apache-2.0
// The last round of a workload: its fastest configurations once more, in turns, so that a drift of the clocks or a lucky
// sample favours none of them.
#pragma once

#include <string>
#include <vector>

#include "db/finals.hpp"
#include "db/sessions.hpp"
#include "tuner/measurement.hpp"

namespace mlmq::tuner {

struct final_measurement {
  std::vector<db::finalist_result> results;  ///< in the order of the finalists; one that failed has no samples
  std::string message;                       ///< who failed, and why; empty: nobody
  db::session_times times;
};

/// `settings.final_rounds` rounds; in each, every finalist runs once (after one run that does not count, when
/// `settings.warmup` asks for any), and the first of a round is the second of the round before. Every answer is checked.
/// @param asked the query of `of`
/// @throws device_lost
[[nodiscard]] final_measurement measure_final(backends::backend& device, problem_instance& instance,
                                              variant_cache& variants, const db::pending_final& of, const query& asked,
                                              const measurement_settings& settings,
                                              const measurement_context& context = {});

}  // namespace mlmq::tuner
