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

#include "tuner/query.hpp"
#include "tuner/search_space.hpp"
#include "tuner/source_place.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// One entry of `workloads`.
struct workload_request {
  enum class origin { generate, file };
  origin from = origin::generate;
  std::string what;                    ///< what to generate, or a path or glob pattern as written
  std::vector<setting> options;        ///< of the kind of workload, one value each
  std::optional<query_rules> queries;  ///< instead of those of the experiment
  source_place place;
};

/// A file that lists workloads. An experiment file is one, too; its other keys do not matter here.
struct workload_file {
  std::filesystem::path file;
  std::vector<workload_request> workloads;
  std::optional<query_rules> queries;
};

struct measurement_settings {
  std::uint64_t warmup = 1;   ///< runs before those that count
  std::uint64_t repeats = 5;  ///< runs that count
  /// More runs until the uncertainty of the median (db::median_uncertainty) is no more than this; 0: never.
  double spread = 0;
  std::uint64_t max_repeats = 50;  ///< with `spread`: at most so many runs that count
  double time_limit_ms = 2000;     ///< for one run
  double slowdown_limit = 0;  ///< a run may take so many times the best median of its workload and query; 0: no limit
  double slowdown_floor_ms = 100;  ///< but a run is never stopped before this
  std::uint64_t finalists = 0;     ///< so many of the fastest are measured once more, in turns; 0: none
  std::uint64_t final_rounds = 10;
  bool counters = true;    ///< one more run, with work counters
  bool timeline = false;   ///< one more run, recording when work is done
  std::uint64_t seed = 1;  ///< of schedules and whatever else a run draws
  bool operator==(const measurement_settings&) const = default;
};

struct experiment_file {
  std::filesystem::path file;
  std::string text;  ///< the file, verbatim
  std::string name;
  std::string problem;
  source_place problem_place;
  std::string description;
  space_definition space;
  std::vector<workload_request> workloads;
  query_rules queries;
  strategy_settings strategy;
  measurement_settings measurement;
};

/// @throws input_error "FILE:LINE: …" for whatever is wrong: syntax, an unknown, repeated or
/// missing key, a value of another type. Parameters are not yet checked against the problem:
/// search_space does that.
[[nodiscard]] experiment_file load_experiment(const std::filesystem::path& file);

/// The same for a text; `file` is for messages and relative paths.
[[nodiscard]] experiment_file parse_experiment(std::string text, const std::filesystem::path& file);

/// The workloads of a file that has no other keys than `workloads` and, if it likes, `name`, `description` and `queries`,
/// or else of an experiment file. @throws input_error as load_experiment()
[[nodiscard]] workload_file load_workload_file(const std::filesystem::path& file);

}  // namespace mlmq::tuner
