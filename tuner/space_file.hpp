// SPDX-License-Identifier: Apache-2.0
// The experiment file: which configurations of which problem to try on which graphs, and how to
// measure them. The reference of its keys is docs/search-space.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/weight_rule.hpp"
#include "tuner/search_space.hpp"
#include "tuner/source_place.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// Vertices that a search starts from.
struct source_rule {
  enum class choice { max_degree, first, random, listed };
  choice choose = choice::max_degree;
  std::uint64_t count = 1;            ///< how many; the size of `listed` when they are listed
  std::uint64_t seed = 1;             ///< for `random`
  std::vector<std::uint64_t> listed;  ///< vertices, by their ids in the graph's file
  bool operator==(const source_rule&) const = default;
};

/// Those of the first rule, then those of the next that are not among them yet.
using source_rules = std::vector<source_rule>;

/// How many vertices the rules name at most.
[[nodiscard]] std::uint64_t count_of(const source_rules& rules) noexcept;

/// "max_degree", "first", "random" or "listed".
[[nodiscard]] std::string_view name_of(source_rule::choice choice) noexcept;

/// One entry of `graphs`.
struct graph_request {
  enum class origin { generate, file };
  origin from = origin::generate;
  std::string what;                                 ///< what to generate, or a path or glob pattern as written
  std::optional<source_rules> sources;              ///< instead of those of the experiment
  std::optional<std::uint64_t> weight_seed;         ///< for weights of a graph that has none
  std::optional<bool> ignore_weights;               ///< draw weights even if the graph has some
  bool absolute_weights = false;                    ///< of a file: take absolute values of negative weights
  bool float_weights = false;                       ///< convert integer weights to float32
  std::optional<graph::weight_rule> drawn_weights;  ///< of a file: instead of whatever weights it has
  source_place place;
};

/// A file that lists graphs. An experiment file is one, too; its other keys do not matter here.
struct graph_list {
  std::filesystem::path file;
  std::vector<graph_request> graphs;
  std::optional<source_rules> sources;
};

struct measurement_settings {
  std::uint64_t warmup = 1;   ///< runs before those that count
  std::uint64_t repeats = 5;  ///< runs that count
  /// More runs until the uncertainty of the median (db::median_uncertainty) is no more than this; 0: never.
  double spread = 0;
  std::uint64_t max_repeats = 50;  ///< with `spread`: at most so many runs that count
  double time_limit_ms = 2000;     ///< for one run
  double slowdown_limit = 0;  ///< a run may take so many times the best median of its graph and source; 0: no limit
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
  std::vector<graph_request> graphs;
  source_rules sources{source_rule{}};
  strategy_settings strategy;
  measurement_settings measurement;
};

/// @throws input_error "FILE:LINE: …" for whatever is wrong: syntax, an unknown, repeated or
/// missing key, a value of another type. Parameters are not yet checked against the problem:
/// search_space does that.
[[nodiscard]] experiment_file load_experiment(const std::filesystem::path& file);

/// The same for a text; `file` is for messages and relative paths.
[[nodiscard]] experiment_file parse_experiment(std::string text, const std::filesystem::path& file);

/// The graphs of a file that has no other keys than `graphs` and, if it likes, `name`, `description` and `sources`, or
/// else of an experiment file. @throws input_error as load_experiment()
[[nodiscard]] graph_list load_graph_list(const std::filesystem::path& file);

/// The files a request of origin `file` stands for: relative to the folder of the file it is in,
/// `*`, `?` and `[…]` expanded, sorted. @throws input_error when there is none
[[nodiscard]] std::vector<std::filesystem::path> graph_files(const std::filesystem::path& listed_in,
                                                             const graph_request& request);

}  // namespace mlmq::tuner
