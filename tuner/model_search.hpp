// SPDX-License-Identifier: Apache-2.0
// Strategy `model`: a Gaussian process trained on the results of this workload proposes the configuration with the
// largest expected improvement.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/candidate_model.hpp"
#include "tuner/learning_strategy.hpp"

namespace mlmq::tuner {

/// Begins with recommended and random configurations. Candidates are all configurations of a space of at most
/// `largest_listed_space`; in a larger one, a random sample and the neighbours of each configuration that became the
/// best. Every result updates the model, but the longer a search has run, the more proposals come from one ranking.
class model_search final : public learning_strategy {
 public:
  static constexpr std::uint64_t largest_listed_space = 16'384;

  model_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

 private:
  /// Coordinates of one parameter. Numbers are ranks among the parameter's values, scaled to 0 … 1.
  struct encoded_parameter {
    const parameter* declared = nullptr;
    std::vector<value> values;         ///< ascending
    bool is_sometimes_absent = false;  ///< has one more coordinate, which says whether it is active

    [[nodiscard]] std::size_t columns() const;
    void append(std::vector<float>& row, const value* v) const;
  };

  [[nodiscard]] configuration choose() override;
  void learn(const configuration& tried, std::optional<double> cost) override;
  void encode_parameters();
  [[nodiscard]] std::vector<float> encode(const configuration& c) const;
  /// Returns the position of `c` among the candidates, where it is added if necessary.
  std::size_t candidate(const configuration& c);
  void rank();

  neighbourhood near_;
  std::size_t begin_with_;
  std::vector<encoded_parameter> encoded_;
  std::vector<configuration> candidates_;
  std::map<configuration, std::size_t> positions_;
  std::optional<candidate_model> model_;
  double best_cost_;
  std::size_t chosen_ = 0;
  std::size_t reported_ = 0;
  std::size_t ranked_at_ = 0;        // reported_ at the last ranking; 0: none
  std::vector<std::size_t> ranked_;  // candidates, the most promising last
};

}  // namespace mlmq::tuner
