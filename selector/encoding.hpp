// SPDX-License-Identifier: Apache-2.0
// Graphs and configurations as the numbers that the trees compare.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

/// `number` in float32; beyond float32's range an infinity of the same sign (never undefined
/// behaviour), NaN stays NaN.
[[nodiscard]] float to_float32(double number);

/// The eight features in float32, in their order.
[[nodiscard]] std::array<float, graph_feature_count> to_float32(const graph_features& features);

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

/// "graph.m" … "graph.max_weight", then the candidates' columns: the names of the model's inputs.
[[nodiscard]] std::vector<std::string> model_feature_names(const candidate_encoding& encoding);

}  // namespace mlmq::selector
