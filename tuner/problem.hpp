// SPDX-License-Identifier: Apache-2.0
// What the tuner asks of a problem. It knows nothing else about shortest paths, queues or kernels:
// a new problem is a folder under problems/ that implements these two classes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "db/records.hpp"
#include "graph/csr.hpp"
#include "graph/feature_pass.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::tuner {

/// What a variant does besides solving.
enum class instrumentation {
  none,      ///< for timing: no counters are compiled in
  counters,  ///< counts work; its times are not comparable
  timeline,  ///< records when work is done, for what runs as a grid; its times are not comparable
};

/// One run of one configuration on one input.
struct run_report {
  db::outcome result = db::outcome::ok;
  std::string message;      ///< why not ok, for a person
  double milliseconds = 0;  ///< on the device, every per-query initialisation included
  std::vector<std::pair<std::string, double>> counters;
  /// "vertices": read from the queues in the interval that begins at the point's time; "active_warps": how many warps
  /// were at work in it. Intervals of equal length, up to the last in which there was work.
  std::vector<db::timeline_point> timeline;
};

/// What a device has found out about the graph that it holds.
struct device_features {
  graph::feature_pass pass;
  double milliseconds = 0;  ///< on the device
};

/// One graph, resident on one device. Not thread-safe.
class problem_instance {
 public:
  virtual ~problem_instance() = default;

  /// The variant that a configuration needs on this graph. Cheap: it can be compiled ahead of
  /// prepare(). @throws backends::launch_error when no variant can run it
  [[nodiscard]] virtual backends::kernel_source variant(const configuration& chosen, instrumentation what) const = 0;

  /// Makes `compiled` with the launch-time parameters of `chosen` what run() runs.
  /// @throws backends::launch_error when it cannot run on this device
  virtual void prepare(const configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       instrumentation what) = 0;

  /// What graph::run_feature_pass() would find, found on the device. Nothing when this device or problem cannot.
  /// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] virtual std::optional<device_features> features() { return std::nullopt; }

  /// Solves from `source`. A failure of the kernel is a report; the device's own faults are
  /// exceptions.
  /// @throws backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] virtual run_report run(graph::vertex_id source, double time_limit_ms) = 0;

  /// Whether the answer of the last run is right; "" or what is wrong.
  [[nodiscard]] virtual std::string check() = 0;

  /// Why the answer that check() has just found right still does not say what was asked for: a distance is beyond what its
  /// 32 bits hold. "" when it does.
  [[nodiscard]] virtual std::string beyond_range() { return ""; }

  /// The distances of the last run, one for each vertex.
  [[nodiscard]] virtual std::vector<graph::distance_bits> distances() = 0;
};

class problem {
 public:
  virtual ~problem() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::span<const parameter_declaration> declarations() const = 0;
  /// Hash of the kernel sources of a configuration: results of other sources are other results.
  [[nodiscard]] virtual std::string source_hash(const configuration& chosen) const = 0;
  /// Uploads `graph`. The device outlives the instance. @throws backends::out_of_device_memory
  [[nodiscard]] virtual std::unique_ptr<problem_instance> load(backends::backend& device, const graph::csr_graph& graph,
                                                               const std::string& graph_name) const = 0;
};

}  // namespace mlmq::tuner
