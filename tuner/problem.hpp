// SPDX-License-Identifier: Apache-2.0
// What the tuner asks of a problem. It knows nothing else about graphs, queues or kernels: a new problem is a folder that
// implements these classes, and a kind of workload (tuner/workload.hpp) where there is none that fits.
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
#include "tuner/preset.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::tuner {

/// What a variant does besides solving.
enum class instrumentation {
  none,      ///< for timing: no counters are compiled in
  counters,  ///< counts work; its times are not comparable
  timeline,  ///< records when work is done, for what runs as a grid; its times are not comparable
};

/// One run of one configuration on one workload.
struct run_report {
  db::outcome result = db::outcome::ok;
  std::string message;      ///< why not ok, for a person
  double milliseconds = 0;  ///< on the device, every per-query initialisation included
  /// Of a run that counts: all of problem::counters() that the configuration has. Of a timed run: rate_counter() alone.
  std::vector<std::pair<std::string, double>> counters;
  /// Values by name over the time of the run, in intervals of equal length, up to the last in which there was work.
  std::vector<db::timeline_point> timeline;
};

/// One workload, resident on one device. Not thread-safe.
class problem_instance {
 public:
  virtual ~problem_instance() = default;

  /// The variant that a configuration needs on this workload. Cheap: it can be compiled ahead of
  /// prepare(). @throws backends::launch_error when no variant can run it
  [[nodiscard]] virtual backends::kernel_source variant(const configuration& chosen, instrumentation mode) const = 0;

  /// Makes `compiled` with the launch-time parameters of `chosen` what run() runs.
  /// @throws backends::launch_error when it cannot run on this device
  virtual void prepare(const configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       instrumentation mode) = 0;

  /// Answers `asked`. A failure of the kernel is a report; the device's own faults are exceptions.
  /// @throws input_error for a query that this workload cannot answer; backends::kernel_fault,
  ///   backends::out_of_device_memory
  [[nodiscard]] virtual run_report run(const query& asked, double time_limit_ms) = 0;

  /// Whether the answer of the last run is right; "" or what is wrong.
  [[nodiscard]] virtual std::string check() = 0;

  /// Why the answer that check() has just found right still does not say what was asked for: a value is beyond what its
  /// type holds. "" when it does.
  [[nodiscard]] virtual std::string beyond_range() { return ""; }
};

/// How much work a run did, by the size of its workload, for tables.
struct work_ratio {
  std::string counter;  ///< one of problem::counters()
  std::string feature;  ///< of the workload, by which it is divided
  std::string name;     ///< "pops/vertex"
};

class problem {
 public:
  virtual ~problem() = default;
  /// As experiment files and databases have it.
  [[nodiscard]] virtual std::string name() const = 0;
  /// The only kind that load() takes.
  [[nodiscard]] virtual const workload_kind& workloads() const = 0;
  [[nodiscard]] virtual std::span<const parameter_declaration> declarations() const = 0;
  /// Configurations that people name, such as a paper's, in the order in which they are listed.
  [[nodiscard]] virtual std::span<const preset> presets() const { return {}; }
  /// What a rule of `queries` in an experiment file may have.
  [[nodiscard]] virtual std::span<const named_meaning> query_settings() const = 0;
  /// The counters of a run that counts.
  [[nodiscard]] virtual std::span<const named_meaning> counters() const = 0;
  [[nodiscard]] virtual work_ratio work() const = 0;
  /// The counter that says how much a run achieved, such as events or searches. Timed runs report it too, and tables show
  /// how much that is in a second. "": the time alone counts.
  [[nodiscard]] virtual std::string rate_counter() const { return ""; }

  /// How many queries the rules make at most. @throws input_error at the place of a setting that cannot be used
  [[nodiscard]] virtual std::uint64_t count_queries(const query_rules& rules) const = 0;
  /// The queries that the rules make for this workload, each once.
  /// @throws input_error as count_queries(), and for what the workload does not have
  [[nodiscard]] virtual std::vector<query> choose_queries(const workload& on, const query_rules& rules) const = 0;

  /// Hash of the kernel sources of a configuration: results of other sources are other results.
  [[nodiscard]] virtual std::string source_hash(const configuration& chosen) const = 0;

  /// Returns why a device of this kind cannot run a configuration on any workload, as far as that follows without compiling
  /// it; "" when nothing is known against it.
  [[nodiscard]] virtual std::string unfit_reason(const configuration& /*chosen*/,
                                                 const backends::device_info& /*device*/) const {
    return "";
  }

  /// Brings the workload, which is of workloads(), to the device. The device outlives the instance; the workload need not.
  /// @throws backends::out_of_device_memory
  [[nodiscard]] virtual std::unique_ptr<problem_instance> load(backends::backend& device, const workload& on) const = 0;
};

}  // namespace mlmq::tuner
