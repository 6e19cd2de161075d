// SPDX-License-Identifier: Apache-2.0
#include "tuner/finals.hpp"

#include <chrono>
#include <utility>

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;

class final_runs {
 public:
  final_runs(backends::backend& device, problem_instance& instance, variant_cache& variants,
             const db::pending_final& pending, const query& query, const measurement_settings& settings,
             const measurement_context& context)
      : device_(device),
        instance_(instance),
        variants_(variants),
        pending_(pending),
        query_(query),
        settings_(settings),
        context_(context) {
    for (const db::pending_trial& finalist : pending.finalists) {
      result_.results.push_back({.trial = finalist.id, .samples_ms = {}});
      failed_.push_back(false);
    }
  }

  final_measurement run() {
    const std::size_t count = pending_.finalists.size();
    for (std::uint64_t round = 0; round < settings_.final_rounds; ++round) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t finalist = (round + i) % count;
        if (!failed_[finalist]) run_one(finalist, round);
      }
    }
    return std::move(result_);
  }

 private:
  void run_one(std::size_t finalist, std::uint64_t round) {
    const db::pending_trial& trial = pending_.finalists[finalist];
    try {
      const configuration chosen = configuration::from_json(trial.parameters_json);
      tell_step("compiling", compile_within_ms);
      auto start = clock::now();
      const auto compiled = variants_.get(instance_.variant(chosen, instrumentation::none));
      add_since(start, result_.times.compile);
      tell_step("preparing", prepare_within_ms);
      start = clock::now();
      instance_.prepare(chosen, compiled, instrumentation::none);
      add_since(start, result_.times.prepare);
      if (settings_.warmup > 0 && run_checked(round).result != db::outcome::ok) return drop(finalist);
      const run_report report = run_checked(round);
      if (report.result != db::outcome::ok) return drop(finalist);
      result_.results[finalist].samples_ms.push_back(report.milliseconds);
    } catch (const backends::kernel_fault& fault) {
      if (fault.sticky) {
        db::trial_result lost;
        lost.result = fault.hung ? db::outcome::timeout : db::outcome::crashed;
        lost.message = fault.what();
        throw device_lost(fault.what(), lost);
      }
      failure_reason_ = fault.what();
      drop(finalist);
    } catch (const backends::launch_error& error) {
      failure_reason_ = error.what();
      drop(finalist);
    } catch (const backends::out_of_device_memory& error) {
      failure_reason_ = error.what();
      drop(finalist);
    } catch (const backends::compile_error& error) {
      failure_reason_ = error.what();
      drop(finalist);
    }
  }

  void tell_step(const char* doing, double within_ms) const {
    if (context_.on_step) context_.on_step({.doing = doing, .within_ms = within_ms});
  }

  run_report run_checked(std::uint64_t round) {
    tell_step("running", wall_limit_ms(device_.info(), settings_.time_limit_ms));
    device_.set_seed(settings_.seed + round);
    auto start = clock::now();
    run_report report = instance_.run(query_, settings_.time_limit_ms);
    add_since(start, result_.times.measure);
    if (report.result == db::outcome::ok) {
      tell_step("checking", check_within_ms);
      start = clock::now();
      check_answer(instance_, report);
      add_since(start, result_.times.check);
    }
    failure_reason_ = std::string(db::to_string(report.result)) + ": " + report.message;
    return report;
  }

  /// Disqualifies a finalist after a failure and discards its samples.
  void drop(std::size_t finalist) {
    failed_[finalist] = true;
    result_.results[finalist].samples_ms.clear();
    result_.message += (result_.message.empty() ? "" : "; ") + pending_.finalists[finalist].label + " failed (" +
                       failure_reason_ + ")";
  }

  static void add_since(clock::time_point start, double& total_ms) {
    total_ms += std::chrono::duration<double, std::milli>(clock::now() - start).count();
  }

  backends::backend& device_;
  problem_instance& instance_;
  variant_cache& variants_;
  const db::pending_final& pending_;
  const query& query_;
  const measurement_settings& settings_;
  const measurement_context& context_;
  std::vector<bool> failed_;
  std::string failure_reason_;
  final_measurement result_;
};

}  // namespace

final_measurement measure_final(backends::backend& device, problem_instance& instance, variant_cache& variants,
                                const db::pending_final& pending, const query& query,
                                const measurement_settings& settings, const measurement_context& context) {
  return final_runs(device, instance, variants, pending, query, settings, context).run();
}

}  // namespace mlmq::tuner
