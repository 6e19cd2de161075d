// SPDX-License-Identifier: Apache-2.0
// Measures one trial: one configuration on one input. Every answer is checked, and every failure becomes an outcome.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/device_recorder.hpp"
#include "backends/hardware_profiler.hpp"
#include "db/records.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::tuner {

/// The device context is lost, so that no further trial can run in this process. `result` is the trial that lost it.
class device_lost : public std::runtime_error {
 public:
  device_lost(const std::string& message, db::trial_result lost_trial)
      : std::runtime_error(message), result(std::move(lost_trial)) {}
  db::trial_result result;
};

/// Part of a measurement, with a time limit by which an observer detects a stuck one.
struct measurement_step {
  const char* doing = "";  ///< "compiling", "preparing", "running", "checking"
  double within_ms = 0;    ///< limit of its wall time in ms; 0: none, see backends::backend::progress()
};

/// Optional inputs of a measurement in addition to its settings.
struct measurement_context {
  std::optional<double> best_ms;  ///< best time of the workload and query so far; for slowdown_limit
  std::function<void(const measurement_step&)> on_step;  ///< called before each step
  /// Called when a configuration is ready to run, with problem_instance::machine_identity() if that is not "". Returns
  /// the result of an equal trial, which is taken instead of a measurement.
  std::function<std::optional<db::trial_result>(const std::string& identity)> find_equal;
  /// Called for a timed trial that is ready to run. Returns a recorded trial of other sources with the same
  /// instructions, whose times are taken over if the answer of one run is right.
  std::function<std::optional<db::equal_trial>(const db::variant_record&, const backends::kernel_source&)>
      find_recorded;
  /// Frees device memory that the trial does not need. Returns false if there is none.
  std::function<bool()> on_out_of_memory;
  backends::device_recorder* recorder = nullptr;  ///< clocks, temperature, power and energy
  /// At most one of these. The configuration runs as when it is timed, but the runs yield counters instead of times.
  backends::hardware_profiler* profiler = nullptr;     ///< counts in hardware
  backends::device_monitor* energy_monitor = nullptr;  ///< measures the energy of a run; counts energy
};

/// Time limit of one run. `reason` is appended to the message of a timed-out trial; empty for the plain
/// `time_limit_ms`.
struct run_limit {
  double milliseconds = 0;
  std::string reason;
};
[[nodiscard]] run_limit limit_of(const measurement_settings& settings, std::optional<double> best_ms,
                                 instrumentation mode);

/// Returns the wall time within which a run with the limit `limit_ms` ends, even if its kernel must be aborted. Returns
/// 0 for devices with modelled time, whose wall time has no limit.
[[nodiscard]] double wall_limit_ms(const backends::device_info& device, double limit_ms);

/// Wall-time limits of the other steps, in ms. The compiler stops after two minutes but may first wait for other
/// compilations. Checking answers and building layouts run on the host, which is slow for large workloads.
inline constexpr double compile_within_ms = 15 * 60e3;
inline constexpr double prepare_within_ms = 10 * 60e3;
inline constexpr double check_within_ms = 10 * 60e3;

/// Checks the answer of a successful run. A wrong answer, or a distance beyond 32 bits (an overflow), sets the outcome
/// and message of `report`.
void check_answer(problem_instance& instance, run_report& report);

/// Names and meanings of the values that a measurement of energy yields.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 3> energy_values{{
    {"energy_mj", "energy of a run above that of the idle device, in millijoules"},
    {"power_w", "mean power while runs follow each other, in watts"},
    {"idle_power_w", "mean power of the idle device before, in watts"},
}};

/// Compiles, warms up, runs `settings.repeats` times (more for `settings.spread`) and checks every answer. With
/// counters or a timeline it runs only once, with a profiler as often as that needs, and to measure energy for 500 ms.
/// @throws device_lost; also errors that would affect every trial, such as a missing compiler or missing kernel
///     sources. All other failures become the outcome of the trial.
[[nodiscard]] db::trial_result measure_trial(backends::backend& device, problem_instance& instance,
                                             variant_cache& variants, const std::string& problem_name,
                                             const configuration& chosen, const query& query, instrumentation mode,
                                             const measurement_settings& settings,
                                             const measurement_context& context = {});

}  // namespace mlmq::tuner
