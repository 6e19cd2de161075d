// SPDX-License-Identifier: Apache-2.0
// The records of the database as plain values. Identities are content hashes that are equal on every machine, so that
// databases from many machines can be merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlmq::db {

/// Outcomes of trials. Failures are stored like any other result.
enum class outcome {
  ok,             ///< measured, and the answer was right
  compile_error,  ///< the variant did not compile
  launch_error,   ///< the device refused the launch, or reported an error
  timeout,        ///< stopped at the deadline
  wrong_answer,   ///< finished with a wrong answer
  overflow,       ///< a queue ran out of capacity, or a distance is beyond its 32 bits
  crashed,        ///< the worker process died
  constraint,     ///< the configuration cannot run on this device
};

inline constexpr std::array all_outcomes{outcome::ok,      outcome::compile_error, outcome::launch_error,
                                         outcome::timeout, outcome::wrong_answer,  outcome::overflow,
                                         outcome::crashed, outcome::constraint};

[[nodiscard]] std::string_view to_string(outcome value);
/// Returns the outcome with this name. @throws input_error for an unknown name, listing the known ones
[[nodiscard]] outcome outcome_from(std::string_view name);

/// Formats JSON with sorted keys and without blanks, so that equal values have equal texts.
/// @throws input_error naming `subject` if `text` is not JSON
[[nodiscard]] std::string canonical_json(std::string_view text, std::string_view subject);

/// A device model, not an individual board: results of two equal boards are interchangeable.
struct device_record {
  std::string name;                     ///< the name that the driver reports
  std::string kind;                     ///< the backend's name
  bool modelled = false;                ///< its times are computed, not measured
  std::string architecture;             ///< "sm_90"
  std::uint64_t memory_bytes = 0;       ///< total device memory
  int multiprocessors = 0;              ///< streaming multiprocessors
  std::string description_json = "{}";  ///< additional information; modelled: the cost table

  /// Hash of kind, name, architecture, multiprocessors and memory in whole GiB (drivers reserve different numbers of
  /// bytes). For a modelled device the description counts too, because it has the cost table.
  [[nodiscard]] std::string hash() const;
};

/// The machine that a trial ran on.
struct host_record {
  std::string name;
  std::string description_json = "{}";  ///< processor, operating system, memory

  [[nodiscard]] std::string hash() const;
};

/// A workload stays resident on a device: a graph, a simulation model, a map.
struct workload_record {
  std::string hash;  ///< content hash, computed by its kind
  std::string kind;  ///< "graph", …: decides which problems accept it
  std::string name;
  std::string workload_class;  ///< "road", "social", …: groups results
  std::string origin;          ///< the file it was read from; empty for generated workloads
  std::uint64_t bytes = 0;     ///< approximate size on a device
  /// Family of variants, with other weights or in another order. Test workloads of a model must not share a family with
  /// its training workloads.
  std::string family = {};
  std::string description_json = "{}";                        ///< additional information from its kind
  std::vector<std::pair<std::string, double>> features = {};  ///< name and value

  /// Returns the value of a feature; empty if it is not on record.
  [[nodiscard]] std::optional<double> feature(std::string_view named) const;
  /// Returns the values of these features, in this order. @throws input_error naming a feature that is not on record
  [[nodiscard]] std::vector<double> features_named(std::span<const std::string_view> names) const;
};

/// One setting of every active parameter of a problem.
struct configuration_record {
  std::string problem;          ///< "sssp", "bfs", …
  std::string parameters_json;  ///< one object; the order of its keys does not matter
  std::string label;            ///< short name for people; not part of the identity

  [[nodiscard]] std::string hash() const;
};

/// One compiled kernel.
struct variant_record {
  std::string problem;
  std::string defines_json = "{}";  ///< macro name to value
  std::string source_hash;
  std::string compiler;      ///< name and version
  std::string architecture;  ///< "sm_90"
  double compile_ms = 0;
  bool from_cache = false;                    ///< compile_ms is then the time to load it
  std::optional<int> registers;               ///< per thread
  std::optional<std::uint64_t> shared_bytes;  ///< per block
  std::string instructions = {};              ///< hash of its instructions; "" if it has none; not part of the identity

  [[nodiscard]] std::string hash() const;
};

/// A finished trial whose variant has the instructions of another trial's.
struct equal_trial {
  std::int64_t id = 0;
  double median_ms = 0;
};

/// The identity of a trial. A finished trial is reused by every later experiment that contains it.
struct trial_key {
  std::int64_t workload = 0;
  std::int64_t configuration = 0;
  std::int64_t device = 0;
  std::string query;                 ///< canonical text of the query: "source=5"
  std::string kernel_source_hash;    ///< makes changed kernels new trials
  std::string measurement = "time";  ///< "time", "counters", "timeline", "hardware" or "energy"
};

/// A trial to run, with what a worker needs to run it.
struct pending_trial {
  std::int64_t id = 0;
  std::int64_t workload = 0;
  std::int64_t configuration = 0;
  std::int64_t device = 0;
  std::string query;
  int attempt = 0;  ///< 1 for the first claim
  int crashes = 0;  ///< workers that this trial has cost
  std::string problem;
  std::string parameters_json;
  std::string label;
  std::string kernel_source_hash;
  std::string measurement;
  std::string workload_hash;
  std::string workload_name;
  std::string workload_origin;
};

/// One point of a curve over the time of a run (queue length, busy warps, …).
struct timeline_point {
  std::string name;
  double time_ms = 0;
  double value = 0;
};

/// Resources of one __global__ function as a trial launches it.
struct function_record {
  std::string name;
  std::optional<int> registers;              ///< per thread; absent for modelled devices
  std::optional<std::uint64_t> local_bytes;  ///< local memory per thread, which includes spilled registers; absent for
                                             ///< modelled devices
  std::uint64_t shared_bytes = 0;            ///< per block, static and dynamic
  double occupancy = 0;                      ///< resident warps / warp slots of a multiprocessor
};

/// Result of a trial as reported by a worker.
struct trial_result {
  outcome result = outcome::ok;
  std::string message;                                   ///< one readable line; empty if ok
  std::vector<double> samples_ms;                        ///< every sample, in the order measured
  std::vector<std::pair<std::string, double>> counters;  ///< a repeated name keeps its last value
  std::vector<timeline_point> timeline;                  ///< per name in the order of time
  std::optional<variant_record> variant;
  std::optional<equal_trial> taken_over;   ///< the trial whose samples and counters are those of this one
  std::vector<function_record> functions;  ///< functions of plain CUDA C++, each once
  bool times_modelled = false;             ///< the samples come from the simulator, not from a clock
  double compile_ms = 0;                   ///< wall time spent on each part of the trial
  double upload_ms = 0;
  double measure_ms = 0;
  double check_ms = 0;
  double prepare_ms = 0;  ///< recorded with the worker's session only
  std::string program_version;
  std::string driver;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> host;     ///< row id returned by put_host()
  std::string environment_json = "{}";  ///< clocks, temperature, power while measuring
};

/// Returns the content hash that identifies an experiment.
[[nodiscard]] std::string experiment_hash(const std::string& name, const std::string& space_text,
                                          const std::string& canonical_settings);

/// Progress of an experiment on one device, in trials.
struct device_progress {
  std::string name;
  std::string kind;
  std::size_t total = 0;
  std::size_t done = 0;
  std::size_t ok = 0;
  double compile_s = 0;  ///< wall time that the workers spent, in seconds
  double upload_s = 0;
  double measure_s = 0;
  double check_s = 0;
};

/// Progress of an experiment, in trials.
struct progress {
  std::size_t total = 0;
  std::size_t pending = 0;
  std::size_t running = 0;
  std::size_t done = 0;
  std::map<outcome, std::size_t> outcomes;  ///< number of finished trials by outcome, without zeros
  std::vector<device_progress> devices;     ///< by name
};

/// A recorded experiment.
struct experiment_row {
  std::int64_t id = 0;
  std::string hash;
  std::string name;
  std::string space_text;
  std::string settings_json;
  std::string created;  ///< ISO 8601, UTC
  std::string used;     ///< when it was last started
};

/// A trial of an experiment in any state.
struct planned_trial {
  std::int64_t id = 0;
  std::int64_t configuration = 0;
  std::string measurement;
  bool done = false;
};

/// Outcome and times of a finished trial.
struct trial_summary {
  outcome result = outcome::ok;
  std::string message;
  std::optional<double> median_ms;  ///< only if ok and timed
  std::optional<double> spread;     ///< interquartile range / median
  double seconds = 0;               ///< total time: compilation, upload, runs, check
};

}  // namespace mlmq::db
