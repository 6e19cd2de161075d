// SPDX-License-Identifier: Apache-2.0
// One trial: a configuration measured on an input, every answer checked, every failure an outcome.
#pragma once

#include "db/records.hpp"
#include "tuner/problem.hpp"
#include "tuner/space_file.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::tuner {

/// The device's context is lost: no further trial can run in this process. The trial that lost it
/// is in `result`.
class device_lost : public std::runtime_error {
 public:
  device_lost(const std::string& what, db::trial_result lost_trial)
      : std::runtime_error(what), result(std::move(lost_trial)) {}
  db::trial_result result;
};

/// Compiles, warms up, runs `settings.repeats` times and checks the answer of every run. With
/// counters: one run.
/// @throws device_lost. Whatever else goes wrong with the trial is an outcome; what would go wrong with every trial (no
///   compiler, no kernel sources) is thrown as it is
[[nodiscard]] db::trial_result measure_trial(backends::backend& device, problem_instance& instance,
                                             variant_cache& variants, const std::string& problem_name,
                                             const configuration& chosen, graph::vertex_id source, instrumentation what,
                                             const measurement_settings& settings);

}  // namespace mlmq::tuner
