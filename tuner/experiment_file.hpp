// SPDX-License-Identifier: Apache-2.0
// The experiment file: which configurations of which problem to try on which workloads, and how to
// measure them. The reference of its keys is docs/reference/experiment-files.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/objective.hpp"
#include "tuner/query.hpp"
#include "tuner/search_space.hpp"
#include "tuner/source_place.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

class yaml_value;

/// One entry of `workloads`.
struct workload_request {
  enum class origin { generate, file };
  origin source = origin::generate;
  std::string specifier;               ///< generator, or path or glob pattern as written
  std::vector<setting> options;        ///< options of the workload kind, one value each
  std::optional<query_rules> queries;  ///< overrides those of the experiment
  source_place place;
};

/// A file that lists workloads. An experiment file is one, too; its other keys do not matter here.
struct workload_file {
  std::filesystem::path file;
  std::vector<workload_request> workloads;
  std::optional<query_rules> queries;
};

struct measurement_settings {
  std::uint64_t warmup = 1;   ///< discarded runs
  std::uint64_t repeats = 5;  ///< timed runs
  /// Maximum uncertainty of the median (db::median_uncertainty), beyond which further runs are made; 0: no further
  /// runs.
  double spread = 0;
  std::uint64_t max_repeats = 50;  ///< with `spread`: maximum number of timed runs
  double time_limit_ms = 2000;     ///< per run
  double slowdown_limit = 0;       ///< stop a run after this multiple of the best median of its query; 0: no limit
  double slowdown_floor_ms = 100;  ///< never stop a run earlier than this
  std::uint64_t finalists = 0;     ///< number of fastest configurations to measure again, interleaved; 0: none
  std::uint64_t final_rounds = 10;
  bool counters = true;   ///< add a run with work counters
  bool timeline = false;  ///< add a run that records a timeline
  /// Groups of backends::all_hardware_counters() to count in further runs; empty: none.
  std::vector<std::string> hardware_counters = {};
  bool energy = false;     ///< add runs that measure the energy of one
  std::uint64_t seed = 1;  ///< seed of schedules and all other random choices of a run
  bool operator==(const measurement_settings&) const = default;
};

/// One entry of `metrics`: a formula over what is on record of a trial (tuner/metrics.hpp).
struct metric_request {
  std::string name;
  condition formula;
};

struct experiment_file {
  std::filesystem::path file;
  std::string text;  ///< the file, verbatim
  std::string name;
  std::string problem;
  source_place problem_place;
  /// Place of the key `kernel`, which defines a problem in the file itself; the problem reads it from `text`.
  std::optional<source_place> definition_place;
  std::string description;
  space_definition space;
  std::vector<workload_request> workloads;
  query_rules queries;
  strategy_settings strategy;
  measurement_settings measurement;
  std::vector<metric_request> metrics;
  /// What strategies and selectors look for: the first one; reports show the Pareto front of several. A name that is no
  /// metric of the file is added to `metrics`: it stands for a value on record.
  std::vector<db::objective> objectives = {db::objective{}};
};

/// Reads an experiment file. Parameters are checked against the problem later, by search_space.
/// @throws input_error "FILE:LINE: …" for a syntax error, an unknown, repeated or missing key, or a value of a wrong
/// type
[[nodiscard]] experiment_file load_experiment(const std::filesystem::path& file);

/// Returns the parameters that an experiment varies: those with several values, and those of listed configurations.
[[nodiscard]] std::vector<std::string> varied_parameters(const space_definition& space);

/// Reads a map from names of parameters to their values, as under `parameters`. @throws input_error like
/// load_experiment()
[[nodiscard]] std::vector<parameter_request> read_parameters(const yaml_value& node);

/// Like load_experiment(), but parses a text; `file` is used in messages and to resolve relative paths.
[[nodiscard]] experiment_file parse_experiment(std::string text, const std::filesystem::path& file);

/// Reads the workloads of an experiment file, or of a file with only the keys `workloads` and, optionally, `name`,
/// `description` and `queries`. @throws input_error like load_experiment()
[[nodiscard]] workload_file load_workload_file(const std::filesystem::path& file);

}  // namespace mlmq::tuner
