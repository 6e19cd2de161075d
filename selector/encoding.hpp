// SPDX-License-Identifier: Apache-2.0
// Graphs and configurations as the numbers that the trees compare.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

/// `number` in float32; beyond float32's range an infinity of the same sign (never undefined
/// behaviour), NaN stays NaN.
[[nodiscard]] float to_float32(double number);

/// A quotient of two graph features as one more input of the model. A tree compares one input at a time, so it would
/// need many splits to follow a quotient.
struct feature_ratio {
  std::string_view name;
  std::size_t numerator;    ///< index into graph_feature_names
  std::size_t denominator;  ///< likewise
};

/// Hubs, how unequal the degrees are, how unequal the weights are, and the largest weight against the usual one.
inline constexpr std::array<feature_ratio, 5> feature_ratios{{{"max_nnz/m", 3, 0},
                                                              {"max_nnz/avg_nnz", 3, 2},
                                                              {"dev_nnz/avg_nnz", 4, 2},
                                                              {"dev_weight/avg_weight", 6, 5},
                                                              {"max_weight/avg_weight", 7, 5}}};

/// How many of the model's inputs are the graph's: its features and their ratios.
inline constexpr std::size_t graph_input_count = graph_feature_count + feature_ratios.size();

/// numerator / denominator in float32. NaN, which is "unknown", unless the denominator is above 0 and the result below
/// infinity.
[[nodiscard]] float ratio_of(float numerator, float denominator);

/// The graph's part of the model's inputs: the features in float32, in their order, then the ratios of those.
[[nodiscard]] std::array<float, graph_input_count> graph_inputs(const graph_features& features);

/// The candidates' columns of the model input.
struct candidate_encoding {
  std::vector<std::string> column_names;  ///< "param.delta" (numeric) or "param.l1=filter" (1 when l1 is filter)
  std::vector<std::vector<float>> rows;   ///< one per candidate, one value per column; NaN: the parameter is absent
};

/// One column for a parameter whose present values are all finite decimals; else one 0/1 column per
/// distinct value, or a single one when there are two. A parameter that a candidate lacks is NaN
/// there, so the trees send it to their default child. Columns are ordered by parameter name, then
/// value; columns that are the same for every candidate are left out. The candidates' labels and
/// parameter names must be unique.
/// @throws input_error when two candidates cannot be told apart.
[[nodiscard]] candidate_encoding encode(std::span<const candidate> candidates);

/// "graph.m" … "graph.max_weight", "graph.max_nnz/m" …: the names of graph_inputs().
[[nodiscard]] std::vector<std::string> graph_input_names();

/// Those, then the candidates' columns: the names of the model's inputs.
[[nodiscard]] std::vector<std::string> model_feature_names(const candidate_encoding& encoding);

}  // namespace mlmq::selector
