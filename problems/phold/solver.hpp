// SPDX-License-Identifier: Apache-2.0
// A way to simulate a model on a device. The value of the parameter `solver` names it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/backend.hpp"
#include "problems/phold/phold_workload.hpp"
#include "problems/phold/simulation.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter_values.hpp"
#include "tuner/problem.hpp"

namespace mlmq::phold {

/// What all solvers of one instance work on. The instance outlives them.
struct solver_input {
  backends::backend& device;
  const model_settings& settings;
};

/// The functions are those of tuner::problem_instance.
class solver {
 public:
  virtual ~solver() = default;

  /// @throws backends::launch_error, backends::out_of_device_memory
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// Executes all events before `end`, in ticks. The report has the counter `events`, and all others where it
  /// counts work.
  /// @param found what was executed, if the report says ok
  [[nodiscard]] virtual tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& found) = 0;
};

/// The value of the parameter `solver`.
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);

[[nodiscard]] bool is_on_processors(const std::string& solver_name);

[[nodiscard]] std::unique_ptr<solver> make_solver(const std::string& name, const solver_input& input);

/// The variant that a configuration needs. @throws backends::launch_error when no variant can run it
[[nodiscard]] backends::kernel_source solver_variant(const tuner::configuration& chosen, tuner::instrumentation mode);

/// The kernel file of a solver that runs as a grid, relative to kernels/.
[[nodiscard]] std::string kernel_file(const std::string& solver_name);

}  // namespace mlmq::phold
