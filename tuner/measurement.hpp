// SPDX-License-Identifier: Apache-2.0
// One trial: a configuration measured on an input, every answer checked, every failure an outcome.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backends/device_recorder.hpp"
#include "db/records.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
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

/// Part of a measurement. Whoever watches it can tell one that is stuck by the time.
struct measurement_step {
  const char* doing = "";  ///< "compiling", "preparing", "running", "checking"
  double within_ms = 0;    ///< it ends within so many ms of wall time; 0: nobody knows (backends::backend::progress())
};

/// What a measurement is given besides its settings. Everything may be left out.
struct measurement_context {
  std::optional<double> best_ms;                         ///< of this workload and query so far, for the slowdown limit
  std::function<void(const measurement_step&)> on_step;  ///< called before each
  /// Frees device memory that the trial need not do without. False when there is none to free.
  std::function<bool()> on_out_of_memory;
  backends::device_recorder* recorder = nullptr;  ///< clocks, temperature, power and energy
};

/// How long one run may take, and what a timed-out trial adds to its message when that is not `time_limit_ms`.
struct run_limit {
  double milliseconds = 0;
  std::string why;
};
[[nodiscard]] run_limit limit_of(const measurement_settings& settings, std::optional<double> best_ms,
                                 instrumentation mode);

/// Wall time within which a run stopped at `limit_ms` ends even if the kernel has to be aborted; 0 for devices whose time
/// is modelled: their wall time has no limit.
[[nodiscard]] double wall_limit_ms(const backends::device_info& device, double limit_ms);

/// Limits of steps that are not runs, in ms. The compiler ends itself after two minutes, but may have to wait for others
/// first. Answers are compared, and layouts made, on the host: slow for a large workload, but not endless.
inline constexpr double compile_within_ms = 15 * 60e3;
inline constexpr double prepare_within_ms = 10 * 60e3;
inline constexpr double check_within_ms = 10 * 60e3;

/// Checks the answer of a run that ended well: what is wrong with it becomes the outcome and message of `report`, and so
/// does a distance beyond 32 bits, which is an overflow.
void check_answer(problem_instance& instance, run_report& report);

/// Compiles, warms up, runs `settings.repeats` times (more for `settings.spread`) and checks the answer of every run. With
/// counters or a timeline: one run.
/// @throws device_lost. Whatever else goes wrong with the trial is an outcome; what would go wrong with every trial (no
///   compiler, no kernel queries) is thrown as it is
[[nodiscard]] db::trial_result measure_trial(backends::backend& device, problem_instance& instance,
                                             variant_cache& variants, const std::string& problem_name,
                                             const configuration& chosen, const query& asked, instrumentation mode,
                                             const measurement_settings& settings,
                                             const measurement_context& context = {});

}  // namespace mlmq::tuner
