// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "backends/power_meter.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "db/statistics.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;

db::variant_record describe_variant(const std::string& problem_name, const backends::kernel_source& source,
                                    const backends::kernel_properties& properties,
                                    const backends::device_info& device) {
  nlohmann::json defines = source.defines;
  defines["MLMQ_BLOCK_THREADS"] = std::to_string(source.block_threads);
  db::variant_record record;
  record.problem = problem_name;
  record.defines_json = defines.dump();
  record.source_hash = properties.source_hash;
  record.instructions = properties.instructions;
  record.compiler = device.compiler;
  record.architecture = device.architecture;
  record.compile_ms = properties.compile_ms;
  record.from_cache = properties.from_cache;
  if (properties.registers > 0) record.registers = static_cast<int>(properties.registers);
  return record;
}

/// Records clocks, temperature, power and energy of the device during the runs of one trial.
class observed_environment {
 public:
  explicit observed_environment(backends::device_recorder* recorder) : recorder_(recorder) {}

  void begin() {
    if (recorder_ == nullptr) return;
    recorder_->begin();
    start_ = clock::now();
  }
  [[nodiscard]] std::string json(std::size_t runs) const {
    if (recorder_ == nullptr) return "{}";
    nlohmann::json readings = nlohmann::json::object();
    const backends::device_readings now = recorder_->latest();
    const auto put = [&readings](const char* name, const auto& reading) {
      if (reading) readings[name] = *reading;
    };
    put("sm_clock_mhz", now.sm_clock_mhz);
    put("memory_clock_mhz", now.memory_clock_mhz);
    put("temperature_c", now.temperature_c);
    put("power_w", now.power_w);
    put("throttle_reasons", now.throttle_reasons);
    if (const auto energy = recorder_->energy_since_begin(); energy && runs > 0) {
      readings["energy_mj"] = energy->mj;
      readings["energy_window_ms"] = energy->window_ms;
      const double run_ms = milliseconds_since(start_) / static_cast<double>(runs);
      readings["energy_mj_per_solve"] = energy->mj * run_ms / energy->window_ms;
    }
    return readings.dump();
  }

 private:
  backends::device_recorder* recorder_;
  clock::time_point start_ = clock::now();
};

/// Windows in which the power of the idle and of the working device are measured. A GPU updates its energy counter
/// every 20 to 100 ms.
constexpr std::chrono::milliseconds idle_window{300};
constexpr std::chrono::milliseconds work_window{500};

/// Performs the runs of one trial and fills in `result`. Stops at the first failed run.
class trial {
 public:
  trial(backends::backend& device, problem_instance& instance, const query& query, instrumentation mode,
        const measurement_settings& settings, const measurement_context& context, db::trial_result& result)
      : device_(device),
        instance_(instance),
        query_(query),
        settings_(settings),
        context_(context),
        limit_(limit_of(settings, context.best_ms, mode)),
        environment_(context.recorder),
        result_(result) {}

  void time() {
    environment_.begin();
    for (std::uint64_t i = 0; needs_another_run(i); ++i) {
      run_report report = run_and_check(i);
      if (report.result != db::outcome::ok) break;
      if (i >= settings_.warmup) result_.samples_ms.push_back(report.milliseconds);
      result_.counters = std::move(report.counters);
    }
    result_.environment_json = environment_.json(runs_);
  }

  /// Runs once with counters or a timeline.
  void run_instrumented() {
    run_report report = run_and_check(0);
    if (report.result != db::outcome::ok) return;
    result_.counters = std::move(report.counters);
    result_.timeline = std::move(report.timeline);
  }

  /// Runs once, and takes the result of an equal trial over if the answer is right: equal instructions may read other
  /// arguments.
  void confirm(const db::equal_trial& equal) {
    if (run_and_check(0).result == db::outcome::ok) result_.taken_over = equal;
  }

  /// Counts in hardware. Answers are checked after the last run, since a check copies from the device.
  void count_in_hardware(backends::hardware_profiler& profiler) {
    run_report report;
    auto counted = profiler.count([&] {
      report = run(0);
      return report.result == db::outcome::ok;
    });
    check(report);
    if (counted && report.result == db::outcome::ok) result_.counters = std::move(*counted);
  }

  /// Measures the power of the idle device and that of back-to-back runs.
  void measure_energy(backends::device_monitor& monitor) {
    run_report report = run_and_check(0);
    if (report.result != db::outcome::ok) return;
    const auto idle = backends::measure_power(monitor, idle_window, [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      return true;
    });
    const std::size_t runs_before = runs_;
    const auto start = clock::now();
    const auto working = backends::measure_power(monitor, work_window, [&] {
      report = run(runs_);
      return report.result == db::outcome::ok;
    });
    const double run_ms =
        milliseconds_since(start) / static_cast<double>(std::max<std::size_t>(1, runs_ - runs_before));
    check(report);
    if (report.result != db::outcome::ok) return;
    if (!idle || !working) throw backends::launch_error("the GPU's energy counter does not change");
    result_.counters = {{"energy_mj", (working->watts - idle->watts) * run_ms},
                        {"power_w", working->watts},
                        {"idle_power_w", idle->watts}};
  }

 private:
  [[nodiscard]] bool needs_another_run(std::uint64_t done) const {
    if (done < settings_.warmup + settings_.repeats) return true;
    return settings_.spread > 0 && result_.samples_ms.size() < settings_.max_repeats &&
           db::median_uncertainty(result_.samples_ms) > settings_.spread;
  }

  void tell_step(const char* doing, double within_ms) const {
    if (context_.on_step) context_.on_step({.doing = doing, .within_ms = within_ms});
  }

  run_report run_and_check(std::uint64_t ordinal) {
    run_report report = run(ordinal);
    check(report);
    return report;
  }

  run_report run(std::uint64_t ordinal) {
    device_.set_seed(settings_.seed + ordinal);
    tell_step("running", wall_limit_ms(device_.info(), limit_.milliseconds));
    const auto start = clock::now();
    run_report report = instance_.run(query_, limit_.milliseconds);
    result_.measure_ms += milliseconds_since(start);
    ++runs_;
    return report;
  }

  /// Checks the answer of the last run if it succeeded, and records the outcome.
  void check(run_report& report) {
    if (report.result == db::outcome::ok) {
      tell_step("checking", check_within_ms);
      const auto check_start = clock::now();
      check_answer(instance_, report);
      result_.check_ms += milliseconds_since(check_start);
    }
    if (report.result == db::outcome::timeout) report.message += limit_.reason;
    result_.result = report.result;
    result_.message = report.message;
  }

  backends::backend& device_;
  problem_instance& instance_;
  const query& query_;
  const measurement_settings& settings_;
  const measurement_context& context_;
  run_limit limit_;
  observed_environment environment_;
  std::size_t runs_ = 0;
  db::trial_result& result_;
};

void fail(db::trial_result& result, db::outcome outcome, const std::string& message) {
  result.result = outcome;
  result.message = message;
}

}  // namespace

run_limit limit_of(const measurement_settings& settings, std::optional<double> best_ms, instrumentation mode) {
  run_limit limit{.milliseconds = settings.time_limit_ms, .reason = ""};
  if (settings.slowdown_limit <= 0 || !best_ms) return limit;
  // Counting and recording take longer than solving.
  const double factor = settings.slowdown_limit * (mode == instrumentation::none ? 1 : 2);
  const double adaptive = std::max(settings.slowdown_floor_ms, factor * *best_ms);
  if (adaptive >= settings.time_limit_ms) return limit;
  limit.milliseconds = adaptive;
  limit.reason = adaptive > factor * *best_ms
                     ? fmt::format(" (slowdown_floor_ms; the best so far takes {:.4g} ms)", *best_ms)
                     : fmt::format(" (slowdown_limit: {:.4g} times the best so far, {:.4g} ms)", factor, *best_ms);
  return limit;
}

void check_answer(problem_instance& instance, run_report& report) {
  report.message = instance.check();
  if (!report.message.empty()) {
    report.result = db::outcome::wrong_answer;
    return;
  }
  report.message = instance.beyond_range();
  if (!report.message.empty()) report.result = db::outcome::overflow;
}

double wall_limit_ms(const backends::device_info& device, double limit_ms) {
  // The kernel checks its own clock first, then the host sets the abort word, and finally the backend gives up.
  return device.modelled ? 0 : 2 * limit_ms + 3000;
}

db::trial_result measure_trial(backends::backend& device, problem_instance& instance, variant_cache& variants,
                               const std::string& problem_name, const configuration& chosen, const query& query,
                               instrumentation mode, const measurement_settings& settings,
                               const measurement_context& context) {
  db::trial_result result;
  result.times_modelled = device.info().modelled;
  result.program_version = program_version();
  result.driver = device.info().driver;
  result.seed = settings.seed;
  try {
    const backends::kernel_source source = instance.variant(chosen, mode);
    variants.prefetch({&source, 1});
    const auto tell_step = [&context](const char* doing, double within_ms) {
      if (context.on_step) context.on_step({.doing = doing, .within_ms = within_ms});
    };
    tell_step("preparing", prepare_within_ms);
    const auto load_start = clock::now();
    instance.load_data(chosen);
    const double load_ms = milliseconds_since(load_start);
    tell_step("compiling", compile_within_ms);
    const auto start = clock::now();
    const auto compiled = variants.get(source);
    result.compile_ms = milliseconds_since(start);
    tell_step("preparing", prepare_within_ms);
    const auto prepare_start = clock::now();
    result.variant = describe_variant(problem_name, source, compiled->properties(), device.info());
    instance.prepare(chosen, compiled, mode);
    result.functions = instance.functions();
    result.prepare_ms = load_ms + milliseconds_since(prepare_start);
    if (const std::string identity = instance.machine_identity(); !identity.empty() && context.find_equal) {
      if (std::optional<db::trial_result> equal = context.find_equal(identity)) {
        equal->variant = result.variant;
        equal->functions = result.functions;
        equal->compile_ms = result.compile_ms;
        equal->prepare_ms = result.prepare_ms;
        equal->measure_ms = equal->check_ms = 0;
        return *equal;
      }
    }
    trial runs(device, instance, query, mode, settings, context, result);
    if (context.profiler != nullptr) {
      runs.count_in_hardware(*context.profiler);
    } else if (context.energy_monitor != nullptr) {
      runs.measure_energy(*context.energy_monitor);
    } else if (mode == instrumentation::none) {
      std::optional<db::equal_trial> recorded;
      if (context.find_recorded) recorded = context.find_recorded(*result.variant, source);
      if (recorded) {
        runs.confirm(*recorded);
      } else {
        runs.time();
      }
    } else {
      runs.run_instrumented();
    }
  } catch (const backends::compile_error& error) {
    const std::string hint = instance.compile_hint(chosen);
    fail(result, db::outcome::compile_error, hint.empty() ? error.what() : hint + "\n" + error.what());
  } catch (const backends::launch_error& error) {
    fail(result, db::outcome::constraint, error.what());
  } catch (const backends::out_of_device_memory& error) {
    if (context.on_out_of_memory && context.on_out_of_memory()) {
      return measure_trial(device, instance, variants, problem_name, chosen, query, mode, settings, context);
    }
    fail(result, db::outcome::constraint, error.what());
  } catch (const backends::kernel_fault& fault) {
    fail(result, fault.hung ? db::outcome::timeout : db::outcome::crashed, fault.what());
    if (fault.sticky) throw device_lost(fault.what(), result);
  }
  return result;
}

}  // namespace mlmq::tuner
