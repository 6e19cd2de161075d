// SPDX-License-Identifier: Apache-2.0
// The recommendations of one model for one graph, on the solver's device and on this machine's processors.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "library/executor.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/recommendation.hpp"

namespace mlmq::detail {

class ranking {
 public:
  /// @param executor  must outlive this
  /// @throws input_error if the model was trained for another problem
  ranking(const executor& executor, const problems::model_choice& choice);

  /// Returns the model. Every device that runs grids has one.
  [[nodiscard]] const selector::ranking_model& model() const { return *recommends_.model(); }
  /// Returns the names of the features that recommended() needs in addition to the size of the graph; empty if its size
  /// is enough.
  [[nodiscard]] std::span<const std::string_view> features() const {
    return recommends_.model() == nullptr ? std::span<const std::string_view>() : recommends_.features();
  }

  /// Returns recommendations for the solver's device. @param features  features of the graph
  [[nodiscard]] std::vector<problems::recommended_configuration> recommended(const tuner::named_features& features,
                                                                             problems::graph_split split);
  /// Returns the values of the model's features.
  [[nodiscard]] std::vector<double> values(const tuner::named_features& features) const;

  /// Returns the model's best configuration for this machine's processors, or null if it ranks none for them.
  /// @param features  features of the graph, the same in every call; null: only its size is known
  [[nodiscard]] const problems::recommended_configuration* best_on_processors(const tuner::named_features* features);
  /// Returns the processor searches whose times the model predicts, in the model's order.
  [[nodiscard]] std::span<const labelled_configuration> searchers();

  /// @throws input_error for an invalid configuration
  [[nodiscard]] labelled_configuration parse(const std::string& label) const {
    return recommends_.parameters().parse_label(label);
  }

 private:
  [[nodiscard]] problems::workload_facts facts(const tuner::named_features& features) const;
  [[nodiscard]] problems::recommender& beside();

  using best_configuration = std::optional<problems::recommended_configuration>;

  const executor& executor_;
  problems::graph_workload workload_;
  problems::recommender recommends_;
  std::optional<problems::recommender> on_processors_;  // for the processors, created when first needed
  std::optional<std::vector<labelled_configuration>> searchers_;
  std::optional<best_configuration> best_by_size_;
  std::optional<best_configuration> best_by_features_;
};

}  // namespace mlmq::detail
