// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/phold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "backends/kernel_sources.hpp"
#include "backends/registry.hpp"
#include "base/error.hpp"
#include "problems/phold/phold_instance.hpp"
#include "problems/phold/queries.hpp"
#include "problems/phold/simulation.hpp"
#include "problems/phold/solver.hpp"

namespace mlmq::phold {
namespace {

constexpr std::array counted{
    tuner::named_meaning{"events", "events executed; also reported by runs that do not count work"},
    tuner::named_meaning{"windows", "windows of virtual time, between two barriers"},
    tuner::named_meaning{"comparisons", "comparisons of two events"},
    tuner::named_meaning{"moves", "events written to memory"},
    tuner::named_meaning{"refiled", "of these, events beyond the ring of a calendar"},
    tuner::named_meaning{"longest", "most events in one queue, bucket or list"},
    tuner::named_meaning{"insertion_ns", "solver queues: time to insert events, summed over threads"},
    tuner::named_meaning{"window_ns", "solver queues: time of all windows, summed over threads"}};

/// Caches the reference traces by model and end, because all candidates on a workload share them.
class references {
 public:
  /// @param by_heaps whether heaps simulate, not calendars
  trace find(bool by_heaps, const model_settings& settings, const std::string& model_name, std::uint64_t end) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = traces_.try_emplace({by_heaps, model_name, end});
    if (is_new) {
      cpu::stop_signal never;
      if (by_heaps) return place->second = simulate_heaps(settings, end, never);
      // With fewer events per thread, the threads would mostly wait at the barriers of the windows.
      constexpr double events_of_a_thread = 4096;
      constexpr double most_threads = 16;
      const double useful = settings.events_per_time() * settings.lookahead / events_of_a_thread;
      const auto threads = static_cast<unsigned>(std::clamp(useful, 1.0, most_threads));
      cpu::thread_team team(std::clamp(std::thread::hardware_concurrency(), 1U, threads));
      place->second = simulate_calendar(team, settings, end, never);
    }
    return place->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<bool, std::string, std::uint64_t>, trace> traces_;
};

references& all_references() {
  static references shared;
  return shared;
}

/// Returns "" for equal traces, else a message.
std::string difference(const trace& executed, const trace& right) {
  if (executed.same_events(right)) return "";
  return fmt::format("{} events with hash {:016x} were executed, expected {} with hash {:016x}", executed.events,
                     executed.hash, right.events, right.hash);
}

/// @throws backends::launch_error if the device cannot run the configuration on any model
backends::kernel_source variant_on(const backends::device_info& device, const tuner::configuration& chosen,
                                   tuner::instrumentation mode) {
  if (is_on_processors(solver_of(chosen)) == device.grid) {
    throw backends::launch_error(fmt::format("solver {} does not run on {}; choose {}", solver_of(chosen),
                                             device.selector,
                                             device.grid ? "one for GPUs" : "cpu_heap, cpu_heaps or cpu_calendar"));
  }
  backends::kernel_source source = solver_variant(chosen, mode);
  if (device.grid) {
    const std::string reason = backends::unfit_block_reason(source.block_threads, device);
    if (!reason.empty()) throw backends::launch_error(reason);
  }
  return source;
}

class instance final : public phold_instance {
 public:
  instance(backends::backend& device, const model_settings& settings, std::string hash)
      : settings_(settings), hash_(std::move(hash)), input_{.device = device, .settings = settings_} {}
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    return variant_on(input_.device.info(), chosen, mode);
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    if (const std::string new_name = solver_of(chosen); new_name != solver_name_) {
      // Only one solver's memory exists at a time.
      solver_.reset();
      solver_name_.clear();
      solver_ = make_solver(new_name, input_);
      solver_name_ = new_name;
    }
    solver_->prepare(chosen, std::move(compiled), mode);
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    end_ = end_of(settings_, query);
    executed_ = {};
    return solver_->run(end_, time_limit_ms, executed_);
  }

  [[nodiscard]] const trace& executed() const override { return executed_; }
  [[nodiscard]] std::string check() override {
    if (const std::optional<trace> right = solver_->expected(end_)) return difference(executed_, *right);
    return find_error(solver_name_, settings_, hash_, end_, executed_);
  }

 private:
  model_settings settings_;
  std::string hash_;
  solver_input input_;
  std::unique_ptr<solver> solver_;
  std::string solver_name_;
  std::uint64_t end_ = 1;
  trace executed_;
};

}  // namespace

std::string find_error(const std::string& solver, const model_settings& settings, const std::string& model_hash,
                       std::uint64_t end, const trace& executed) {
  return difference(executed, all_references().find(solver == "cpu_calendar", settings, model_hash, end));
}

std::span<const tuner::parameter_declaration> phold_problem::declarations() const { return phold_declarations(); }
std::span<const tuner::named_meaning> phold_problem::query_settings() const { return end_settings(); }
std::span<const tuner::named_meaning> phold_problem::counters() const { return counted; }
tuner::work_ratio phold_problem::work() const { return {"moves", "population", "moves/event"}; }

std::uint64_t phold_problem::count_queries(const tuner::query_rules& rules) const { return count_ends(rules); }

std::vector<tuner::query> phold_problem::choose_queries(const tuner::workload& workload,
                                                        const tuner::query_rules& rules) const {
  return choose_ends(settings_of(workload), rules);
}

std::string phold_problem::unfit_reason(const tuner::configuration& chosen, const backends::device_info& device) const {
  try {
    (void)variant_on(device, chosen, tuner::instrumentation::none);
    return "";
  } catch (const backends::launch_error& error) {
    return error.what();
  }
}

std::string phold_problem::source_hash(const tuner::configuration& chosen) const {
  const std::string name = solver_of(chosen);
  const std::string file = is_on_processors(name) ? "" : kernel_file(name);
  static std::mutex mutex;
  static std::map<std::string, std::string> hashes;
  const std::lock_guard lock(mutex);
  std::string& hash = hashes[file];
  if (hash.empty()) {
    hash = file.empty() ? MLMQ_PHOLD_SOURCE_HASH
                        : backends::kernel_sources::load(backends::kernel_folder(), file).code_hash();
  }
  return hash;
}

std::unique_ptr<tuner::problem_instance> phold_problem::load(backends::backend& device,
                                                             const tuner::workload& workload) const {
  return std::make_unique<instance>(device, settings_of(workload), workload.record.hash);
}

}  // namespace mlmq::phold
