// SPDX-License-Identifier: Apache-2.0
// Interface between the tuner and a problem. The tuner knows nothing else about graphs, queues or kernels: a new
// problem is a folder that implements these classes, and a workload kind (tuner/workload.hpp) if no existing one fits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "db/records.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::tuner {

/// Additional work of a variant.
enum class instrumentation {
  none,      ///< no instrumentation, for timing
  counters,  ///< counts work; the times are not comparable
  timeline,  ///< records when work is done, on devices with grids; the times are not comparable
};

/// One run of one configuration on one workload.
struct run_report {
  db::outcome result = db::outcome::ok;
  std::string message;      ///< reason of a failure, for users
  double milliseconds = 0;  ///< device time, including per-query initialisation
  /// Counting run: all of problem::counters() that the configuration has. Timed run: rate_counter() only.
  std::vector<std::pair<std::string, double>> counters;
  /// Values by name over the time of the run, in intervals of equal length, up to the last interval with work.
  std::vector<db::timeline_point> timeline;
};

/// One workload, resident on one device. Not thread-safe.
class problem_instance {
 public:
  virtual ~problem_instance() = default;

  /// Returns the variant that a configuration needs on this workload. It is cheap and allows compilation ahead of
  /// prepare().
  /// @throws backends::launch_error if no variant can run the configuration
  [[nodiscard]] virtual backends::kernel_source variant(const configuration& chosen, instrumentation mode) const = 0;

  /// Brings arrays and expected results for `chosen` to the device. measure_trial() calls it while the variant
  /// compiles; without that call, prepare() does it.
  virtual void load_data(const configuration& /*chosen*/) {}

  /// Selects `compiled` with the launch-time parameters of `chosen` for run().
  /// @throws backends::launch_error when it cannot run on this device
  virtual void prepare(const configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       instrumentation mode) = 0;

  /// Returns a note for users whose variant does not compile, or "".
  [[nodiscard]] virtual std::string compile_hint(const configuration& /*chosen*/) const { return ""; }

  /// Returns a text that is equal for configurations with the same machine code, launches and arguments, or "" if equal
  /// code is not looked for. Called after prepare().
  [[nodiscard]] virtual std::string machine_identity() const { return ""; }

  /// Returns the resources of the functions that prepare() has selected, for kernels in plain CUDA C++.
  [[nodiscard]] virtual std::vector<db::function_record> functions() const { return {}; }

  /// Answers `query`. Failures of the kernel are reported; device faults are exceptions.
  /// @throws input_error for a query that this workload cannot answer; backends::kernel_fault,
  ///   backends::out_of_device_memory
  [[nodiscard]] virtual run_report run(const query& query, double time_limit_ms) = 0;

  /// Checks the answer of the last run. Returns "" or a description of the error.
  [[nodiscard]] virtual std::string check() = 0;

  /// Returns a message if a value of a correct answer exceeds the range of its type, or "". Called after check().
  [[nodiscard]] virtual std::string beyond_range() { return ""; }
};

/// Work of a run relative to the size of its workload, for tables.
struct work_ratio {
  std::string counter;  ///< one of problem::counters()
  std::string feature;  ///< workload feature by which the counter is divided
  std::string name;     ///< "pops/vertex"
};

class problem {
 public:
  virtual ~problem() = default;
  /// Returns the name in experiment files and databases.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Returns the workload kind that load() accepts.
  [[nodiscard]] virtual const workload_kind& workloads() const = 0;
  [[nodiscard]] virtual std::span<const parameter_declaration> declarations() const = 0;
  /// Returns named configurations, such as those of papers, in listing order.
  [[nodiscard]] virtual std::span<const preset> presets() const { return {}; }
  /// Returns the settings that a rule of `queries` in an experiment file may have.
  [[nodiscard]] virtual std::span<const named_meaning> query_settings() const = 0;
  /// Returns the counters of counting runs.
  [[nodiscard]] virtual std::span<const named_meaning> counters() const = 0;
  [[nodiscard]] virtual work_ratio work() const = 0;
  /// Returns the counter for the throughput of a run, such as events or searches. Timed runs report it too, and tables
  /// show it per second. "": none.
  [[nodiscard]] virtual std::string rate_counter() const { return ""; }

  /// Returns the maximum number of queries that the rules produce. @throws input_error at the place of an invalid
  /// setting
  [[nodiscard]] virtual std::uint64_t count_queries(const query_rules& rules) const = 0;
  /// Returns the queries that the rules produce for this workload, without duplicates.
  /// @throws input_error like count_queries(), and for queries that the workload cannot answer
  [[nodiscard]] virtual std::vector<query> choose_queries(const workload& workload, const query_rules& rules) const = 0;

  /// Returns notes for users on what this problem runs, for example on parameters without effect.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  /// Returns a hash of the kernel sources of a configuration. Results of different sources are kept apart.
  [[nodiscard]] virtual std::string source_hash(const configuration& chosen) const = 0;

  /// Returns why a device cannot run a configuration on any workload, as far as can be known without compiling it, or
  /// "".
  [[nodiscard]] virtual std::string unfit_reason(const configuration& /*chosen*/,
                                                 const backends::device_info& /*device*/) const {
    return "";
  }

  /// Uploads a workload of the kind workloads() to the device. The device must outlive the instance; the workload need
  /// not.
  /// @throws backends::out_of_device_memory
  [[nodiscard]] virtual std::unique_ptr<problem_instance> load(backends::backend& device,
                                                               const workload& workload) const = 0;
};

}  // namespace mlmq::tuner
