// SPDX-License-Identifier: Apache-2.0
// The candidates of a model as configurations of this program, best first.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "library/search_types.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::detail {

/// Of one graph. Keeps what was asked last.
class ranking {
 public:
  explicit ranking(std::span<const tuner::parameter_declaration> declarations)
      : parameters_(tuner::parameter_set::from_declarations(declarations)) {}

  [[nodiscard]] const tuner::parameter_set& parameters() const { return parameters_; }

  /// @throws input_error for what is no configuration
  [[nodiscard]] labelled_configuration parse(const std::string& label) const { return parameters_.parse_label(label); }

  /// The candidates of a model, best first. @param values gives those of its features, when they are needed
  /// @throws input_error when the candidates are not of this program
  template <class Values>
  const std::vector<candidate>& of(const std::shared_ptr<const model_data>& model, const Values& values) {
    if (ranker_ == model) return ranked_;
    ranker_.reset();
    ranked_ = ranked_by(*model, values());
    ranker_ = model;
    return ranked_;
  }

  /// Those that of() gave last.
  [[nodiscard]] const std::vector<candidate>& last() const { return ranked_; }

  /// Returns whether a candidate of the model runs on processors. @throws input_error as of()
  [[nodiscard]] bool has_candidate_for_processors(const std::shared_ptr<const model_data>& model) {
    return std::ranges::any_of(without_graph(model).candidates, &candidate::for_processors);
  }

  /// What does not depend on the graph. @throws input_error when it is not of this program
  const known_model& without_graph(const std::shared_ptr<const model_data>& model);

 private:
  [[nodiscard]] std::vector<candidate> ranked_by(const model_data& model, std::span<const double> values) const;
  [[nodiscard]] tuner::configuration understood(const std::string& label) const;

  tuner::parameter_set parameters_;
  std::shared_ptr<const model_data> ranker_;
  std::vector<candidate> ranked_;
  known_model known_;
};

}  // namespace mlmq::detail
