// SPDX-License-Identifier: Apache-2.0
// The problem-specific part of problems::recommend(): selector, rules and defaults.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/configuration.hpp"
#include "tuner/labelled_configuration.hpp"
#include "tuner/workload.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::problems {

/// The properties of a workload that the caller knows.
struct workload_facts {
  std::string name;                         ///< for messages
  tuner::named_features features = {};      ///< NaN: unknown, and the caller does not compute it
  const tuner::workload* loaded = nullptr;  ///< null if only the features are available
};

/// Whether to partition a graph, which takes longer than many searches.
enum class graph_split {
  never,
  worthwhile,  ///< the caller's searches have taken as long as partitioning takes
  requested,   ///< requested by the user
};

/// Searches of this workload that have run in one call, or at a time.
struct measured_searches {
  std::string solver;
  std::size_t searches = 0;
  double milliseconds = 0;  ///< without preparation; infinity: the device cannot run the solver

  bool operator==(const measured_searches&) const = default;
};

/// The caller's plans.
struct recommendation_request {
  std::size_t searches = 1;  ///< known number of searches of this workload
  std::size_t calls = 1;     ///< that make these searches
  graph_split split = graph_split::never;
  bool may_search_one_by_one = false;  ///< whether the caller can make many searches by solve()
  bool reaches_all = true;             ///< whether searches reach all vertices, not only those within a cutoff
  std::optional<double> reached_share = std::nullopt;  ///< estimated share of the vertices within the cutoff
  std::size_t triable_searches = 0;  ///< searches that the caller can make in parts, asking again with their times
  std::vector<measured_searches> measured = {};  ///< in their order

  bool operator==(const recommendation_request&) const = default;
};

/// All inputs of a recommendation.
struct recommendation_question {
  const workload_facts& workload;
  const backends::device_info& device;
  const recommendation_request& request;
  const selector::ranking_model* model = nullptr;  ///< null: no model ranks this problem on this device
  std::span<const double> model_values = {};       ///< one per feature of the model

  /// Returns the value of a feature; NaN if it is unknown.
  [[nodiscard]] double feature(std::string_view name) const;
  /// Returns the value of a feature that the model reads; NaN for other features. Every caller knows these, or none.
  [[nodiscard]] double model_feature(std::string_view name) const;
};

enum class candidate_origin {
  model,     ///< ranked by the model
  rule,      ///< named by a rule for workloads of one kind
  standard,  ///< the problem's default for such workloads and devices
};

/// A configuration that a rule or a default names.
struct named_candidate {
  std::string label;        ///< the parameters that differ from their defaults
  std::string reason = {};  ///< "": the general reason for a default on such a device
  /// Whether the searches run one by one, by solve(), which chooses the configuration. Only if the request allows that.
  bool is_one_by_one = false;
  std::optional<double> expected_ms = std::nullopt;  ///< of all searches of the request, with preparations
  /// How many searches to make before asking again with their time; 0: all. Only if the request allows that.
  std::size_t trial_searches = 0;
  std::string trial_of = {};  ///< measured_searches::solver of these searches
};

struct recommended_configuration {
  tuner::labelled_configuration configuration;
  candidate_origin origin = candidate_origin::standard;
  std::optional<double> predicted = std::nullopt;    ///< relative performance, best time / time
  std::string reason = {};                           ///< explanation for the user
  bool is_one_by_one = false;                        ///< see named_candidate
  std::optional<double> expected_ms = std::nullopt;  ///< see named_candidate; with a model, of one search without
                                                     ///< preparations by the model's best candidate
  std::size_t trial_searches = 0;                    ///< see named_candidate
  std::string trial_of = {};                         ///< see named_candidate
};

/// Stateless functions. Members that a problem omits have no effect.
struct recommendation_hook {
  /// Returns the shipped selector; null for devices that it does not support.
  std::shared_ptr<const selector::ranking_model> (*shipped)(const backends::device_info& device) = nullptr;
  /// Another problem whose models rank this problem's configurations as well: "sssp" for bfs.
  std::string_view related_problem = {};
  /// Features that the functions below read, in addition to those of the model.
  std::span<const std::string_view> features = {};
  /// Replaces the features by those of the actual input, such as a graph without its weights.
  void (*adjust)(tuner::named_features& features) = nullptr;
  /// Returns whether a configuration that devices of this kind support fits the workload and this device; null: always.
  bool (*fits)(const tuner::configuration& chosen, const recommendation_question& question) = nullptr;
  /// Returns candidates that precede those of the model, best first. @param ranked the model's candidates, best first
  std::vector<named_candidate> (*by_rule)(const recommendation_question& question,
                                          std::span<const recommended_configuration> ranked) = nullptr;
  /// Returns the configurations to use without a model and after the model's candidates, best first; null: the
  /// defaults.
  std::vector<named_candidate> (*standard)(const recommendation_question& question) = nullptr;
};

}  // namespace mlmq::problems
