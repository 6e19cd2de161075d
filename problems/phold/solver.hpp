// SPDX-License-Identifier: Apache-2.0
// The interface of solvers that simulate a model on a device. The parameter `solver` names one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "problems/phold/phold_workload.hpp"
#include "problems/phold/simulation.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter_values.hpp"
#include "tuner/problem.hpp"

namespace mlmq::phold {

/// Input of all solvers of one instance, which outlives them.
struct solver_input {
  backends::backend& device;
  const model_settings& settings;
};

/// The functions correspond to those of tuner::problem_instance.
class solver {
 public:
  virtual ~solver() = default;

  /// @throws backends::launch_error, backends::out_of_device_memory
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// Executes all events before `end`, in ticks. The report has the counter `events`, and all other counters if the
  /// variant counts work.
  /// @param[out] executed the executed events, valid if the run succeeded
  [[nodiscard]] virtual tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) = 0;

  /// Returns the right trace of a prepared configuration that executes something else than the model; empty for all
  /// others.
  [[nodiscard]] virtual std::optional<trace> expected(std::uint64_t /*end*/) const { return std::nullopt; }
};

/// Returns the value of the parameter `solver`.
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);

[[nodiscard]] bool is_on_processors(const std::string& solver_name);

[[nodiscard]] std::unique_ptr<solver> make_solver(const std::string& name, const solver_input& input);

/// Returns the variant of a configuration. @throws backends::launch_error if no variant can run it
[[nodiscard]] backends::kernel_source solver_variant(const tuner::configuration& chosen, tuner::instrumentation mode);

/// Returns the kernel file of a solver for GPUs, relative to kernels/.
[[nodiscard]] std::string kernel_file(const std::string& solver_name);

// The solvers, each in a file of its name.
[[nodiscard]] std::unique_ptr<solver> make_parallel_heap_solver(const solver_input& input);

[[nodiscard]] std::unique_ptr<solver> make_one_block_solver(const solver_input& input);

[[nodiscard]] std::unique_ptr<solver> make_queue_solver(const solver_input& input);

[[nodiscard]] std::unique_ptr<solver> make_calendar_solver(const solver_input& input);

/// @param name cpu_heap, cpu_heaps or cpu_calendar
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const std::string& name, const solver_input& input);

[[nodiscard]] backends::kernel_source cpu_solver_variant(const std::string& name);

}  // namespace mlmq::phold
