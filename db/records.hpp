// SPDX-License-Identifier: Apache-2.0
// What the database stores, as plain values. Identity is a content hash that is equal on every
// machine, so that databases from many machines can be merged.
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

/// How a trial ended. A failure is data like any other.
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
/// @throws input_error on an unknown name, listing the known ones.
[[nodiscard]] outcome outcome_from(std::string_view name);

/// `text` with sorted keys and no blanks, so that equal values are equal texts.
/// @throws input_error naming `what` when `text` is not JSON.
[[nodiscard]] std::string canonical_json(std::string_view text, std::string_view what);

/// A model of device, not one board: results of two equal boards are interchangeable.
struct device_record {
  std::string name;                     ///< as the driver reports it
  std::string kind;                     ///< the backend's name
  bool modelled = false;                ///< its times are computed, not measured
  std::string architecture;             ///< "sm_90"
  std::uint64_t memory_bytes = 0;       ///< total device memory
  int multiprocessors = 0;              ///< streaming multiprocessors
  std::string description_json = "{}";  ///< anything else worth keeping; modelled: the cost table

  /// Kind, name, architecture, multiprocessors and memory in whole GiB (drivers differ in the bytes
  /// they keep for themselves). A modelled device is its cost table, so there the description
  /// counts too.
  [[nodiscard]] std::string hash() const;
};

/// The machine that a trial ran on.
struct host_record {
  std::string name;
  std::string description_json = "{}";  ///< processor, operating system, memory

  [[nodiscard]] std::string hash() const;
};

/// What is brought to a device and stays there: a graph, a simulation model, a map.
struct workload_record {
  std::string hash;  ///< of the content, given by its kind
  std::string kind;  ///< "graph", …: which problems can take it
  std::string name;
  std::string workload_class;  ///< "road", "social", …: what results are grouped by
  std::string origin;          ///< the file it was read from; empty for what is generated from its name
  std::uint64_t bytes = 0;     ///< that it takes on a device, roughly
  /// What it is a variant of, with other weights or in another order. What a model is tested on must not share a family
  /// with what it was trained on.
  std::string family = {};
  std::string description_json = "{}";                        ///< whatever else its kind tells
  std::vector<std::pair<std::string, double>> features = {};  ///< name and value

  /// Nothing when it is not on record.
  [[nodiscard]] std::optional<double> feature(std::string_view named) const;
  /// Their values, in the order of their names. @throws input_error naming one that is not on record
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

  [[nodiscard]] std::string hash() const;
};

/// The identity of a trial. A finished trial is reused by every later experiment that contains it.
struct trial_key {
  std::int64_t workload = 0;
  std::int64_t configuration = 0;
  std::int64_t device = 0;
  std::string query;                 ///< what is asked of the workload, as canonical text: "source=5"
  std::string kernel_source_hash;    ///< a changed kernel is measured again
  std::string measurement = "time";  ///< "time", "counters" or "timeline": separate kernel variants
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

/// What a worker reports when it is done with a trial.
struct trial_result {
  outcome result = outcome::ok;
  std::string message;                                   ///< one line for a person; empty when ok
  std::vector<double> samples_ms;                        ///< every sample, in the order measured
  std::vector<std::pair<std::string, double>> counters;  ///< a repeated name keeps its last value
  std::vector<timeline_point> timeline;                  ///< per name in the order of time
  std::optional<variant_record> variant;
  bool times_modelled = false;  ///< the samples are the simulator's, not a clock's
  double compile_ms = 0;        ///< wall time spent on each part of the trial
  double upload_ms = 0;
  double measure_ms = 0;
  double check_ms = 0;
  double prepare_ms = 0;  ///< recorded with the worker's session only
  std::string program_version;
  std::string driver;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> host;     ///< from put_host
  std::string environment_json = "{}";  ///< clocks, temperature, power while measuring
};

/// The identity of an experiment.
[[nodiscard]] std::string experiment_hash(const std::string& name, const std::string& space_text,
                                          const std::string& canonical_settings);

/// How far an experiment is, in trials.
struct progress {
  std::size_t total = 0;
  std::size_t pending = 0;
  std::size_t running = 0;
  std::size_t done = 0;
  std::map<outcome, std::size_t> outcomes;  ///< of the done ones; only those that occurred
};

/// One experiment as it was recorded.
struct experiment_row {
  std::int64_t id = 0;
  std::string hash;
  std::string name;
  std::string space_text;
  std::string settings_json;
  std::string created;  ///< ISO 8601, UTC
  std::string used;     ///< when it was last started
};

/// One trial of an experiment, in whatever state.
struct planned_trial {
  std::int64_t id = 0;
  std::int64_t configuration = 0;
  std::string measurement;
  bool done = false;
};

/// How a finished trial ended.
struct trial_summary {
  outcome result = outcome::ok;
  std::string message;
  std::optional<double> median_ms;  ///< only when ok and timed
  std::optional<double> spread;     ///< interquartile range / median
  double seconds = 0;               ///< what it took: compilation, upload, runs, check
};

}  // namespace mlmq::db
