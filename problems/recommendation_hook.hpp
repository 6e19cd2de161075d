// SPDX-License-Identifier: Apache-2.0
// The part of problems::recommend() that a problem's folder writes: its selector, its rules, its defaults.
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

/// What a caller knows of a workload.
struct workload_facts {
  std::string name;                         ///< for messages
  tuner::named_features features = {};      ///< NaN: unknown, and the caller will not look for it
  const tuner::workload* loaded = nullptr;  ///< null if only the features are at hand
};

/// Whether splitting a graph into parts, which takes longer than many searches, is worth it.
enum class graph_split {
  never,
  worthwhile,  ///< the caller's searches have taken as long as splitting takes
  requested,   ///< by the user
};

/// What the caller is going to run.
struct recommendation_request {
  std::size_t searches = 1;  ///< of this workload, as far as they are known
  graph_split split = graph_split::never;
};

/// Everything that a recommendation depends on.
struct recommendation_question {
  const workload_facts& workload;
  const backends::device_info& device;
  const recommendation_request& request;
  const selector::ranking_model* model = nullptr;  ///< null: none ranks this problem on this device
  std::span<const double> model_values = {};       ///< one for each feature of the model

  /// NaN if the feature is unknown.
  [[nodiscard]] double feature(std::string_view name) const;
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
};

struct recommended_configuration {
  tuner::labelled_configuration configuration;
  candidate_origin origin = candidate_origin::standard;
  std::optional<double> predicted = std::nullopt;  ///< relative performance, best time / time
  std::string reason = {};                         ///< for a person
};

/// Functions without state. The members that a problem leaves out do nothing.
struct recommendation_hook {
  /// The selector that comes with the program; null for devices that it knows nothing of.
  std::shared_ptr<const selector::ranking_model> (*shipped)(const backends::device_info& device) = nullptr;
  /// Another problem whose models rank this problem's configurations as well: "sssp" for bfs.
  std::string_view related_problem = {};
  /// Features that the functions below read, in addition to those of the model.
  std::span<const std::string_view> features = {};
  /// Changes the features into those of the input that is searched, such as a graph without its weights.
  void (*adjust)(tuner::named_features& features) = nullptr;
  /// Whether a configuration that devices of this kind run can hold the workload on this device; null: always.
  bool (*fits)(const tuner::configuration& chosen, const recommendation_question& question) = nullptr;
  /// Candidates that go before those of the model, best first. @param ranked the model's candidates, best first
  std::vector<named_candidate> (*by_rule)(const recommendation_question& question,
                                          std::span<const recommended_configuration> ranked) = nullptr;
  /// Configurations to use without a model and after the model's candidates, best first; null: the defaults.
  std::vector<named_candidate> (*standard)(const recommendation_question& question) = nullptr;
};

}  // namespace mlmq::problems
