// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/version.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;

double milliseconds_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

db::variant_record describe_variant(const std::string& problem_name, const backends::kernel_source& source,
                                    const backends::kernel_properties& properties,
                                    const backends::device_info& device) {
  nlohmann::json defines = source.defines;
  defines["MLMQ_BLOCK_THREADS"] = std::to_string(source.block_threads);
  db::variant_record record;
  record.problem = problem_name;
  record.defines_json = defines.dump();
  record.source_hash = properties.source_hash;
  record.compiler = device.compiler;
  record.architecture = device.architecture;
  record.compile_ms = properties.compile_ms;
  record.from_cache = properties.from_cache;
  if (properties.registers > 0) record.registers = static_cast<int>(properties.registers);
  return record;
}

/// The runs of one trial, filling in `result`. Returns at the first run that is not ok.
class trial {
 public:
  trial(backends::backend& device, problem_instance& instance, graph::vertex_id source,
        const measurement_settings& settings, db::trial_result& result)
      : device_(device), instance_(instance), source_(source), settings_(settings), result_(result) {}

  void time() {
    for (std::uint64_t i = 0; i < settings_.warmup + settings_.repeats; ++i) {
      const run_report report = run_and_check(i);
      if (report.result != db::outcome::ok) return;
      if (i >= settings_.warmup) result_.samples_ms.push_back(report.milliseconds);
    }
  }

  void count() {
    run_report report = run_and_check(0);
    if (report.result == db::outcome::ok) result_.counters = std::move(report.counters);
  }

 private:
  run_report run_and_check(std::uint64_t ordinal) {
    device_.set_seed(settings_.seed + ordinal);
    const auto start = clock::now();
    run_report report = instance_.run(source_, settings_.time_limit_ms);
    result_.measure_ms += milliseconds_since(start);
    if (report.result == db::outcome::ok) {
      const auto check_start = clock::now();
      report.message = instance_.check();
      if (!report.message.empty()) report.result = db::outcome::wrong_answer;
      result_.check_ms += milliseconds_since(check_start);
    }
    result_.result = report.result;
    result_.message = report.message;
    return report;
  }

  backends::backend& device_;
  problem_instance& instance_;
  graph::vertex_id source_;
  const measurement_settings& settings_;
  db::trial_result& result_;
};

void fail(db::trial_result& result, db::outcome how, const std::string& message) {
  result.result = how;
  result.message = message;
}

}  // namespace

db::trial_result measure_trial(backends::backend& device, problem_instance& instance, variant_cache& variants,
                               const std::string& problem_name, const configuration& chosen, graph::vertex_id source,
                               instrumentation what, const measurement_settings& settings) {
  db::trial_result result;
  result.times_modelled = device.info().modelled;
  result.program_version = program_version();
  result.driver = device.info().driver;
  result.seed = settings.seed;
  try {
    const backends::kernel_source wanted = instance.variant(chosen, what);
    const auto start = clock::now();
    const auto compiled = variants.get(wanted);
    result.compile_ms = milliseconds_since(start);
    result.variant = describe_variant(problem_name, wanted, compiled->properties(), device.info());
    instance.prepare(chosen, compiled, what);
    trial runs(device, instance, source, settings, result);
    if (what == instrumentation::counters) {
      runs.count();
    } else {
      runs.time();
    }
  } catch (const backends::compile_error& error) {
    fail(result, db::outcome::compile_error, error.what());
  } catch (const backends::launch_error& error) {
    fail(result, db::outcome::constraint, error.what());
  } catch (const backends::out_of_device_memory& error) {
    fail(result, db::outcome::constraint, error.what());
  } catch (const backends::kernel_fault& fault) {
    fail(result, db::outcome::crashed, fault.what());
    if (fault.sticky) throw device_lost(fault.what(), result);
  }
  return result;
}

}  // namespace mlmq::tuner
