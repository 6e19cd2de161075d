// SPDX-License-Identifier: Apache-2.0
// A model as a C++ header without dependencies.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "selector/model_file.hpp"
#include "selector/scorer.hpp"

namespace mlmq::selector {

/// The text of a self-contained header for C++17 and later: constexpr arrays of the scorer's trees and the candidates'
/// labels, and, in `name_space` (which may be nested, "a::b"):
///   inline constexpr std::size_t graph_feature_count, candidate_count;
///   inline constexpr const char* graph_feature_names[graph_feature_count]; // what it wants to know of a graph, in this order
///   inline constexpr char provenance[];                                // one line of JSON
///   constexpr const char* label(std::size_t candidate);
///   constexpr void predict_all(const float* graph_features, float* scores);
///   constexpr float predict(const float* graph_features, std::size_t candidate);
///   constexpr std::size_t select(const std::array<double, graph_feature_count>& graph_features);
/// (Of a kernel fit the last three are inline instead of constexpr, and need GCC or Clang.)
/// and what export_times.hpp says of expected times. Scores of trees equal XGBoost's predictions (weighted and summed, for an ensemble) and selector::selector's bit for bit; the
/// same model gives the same bytes.
/// Two models in one program need two namespaces.
/// @throws input_error when the model is inconsistent or `name_space` is not a name.
[[nodiscard]] std::string header_text(const model& model, const std::string& name_space = "mlmq_selector");

/// The same from the parts that it needs. `provenance`: one line of JSON. `times`: null for a model without.
[[nodiscard]] std::string header_text(const scorer& trees, std::span<const candidate> candidates,
                                      const std::string& provenance, const std::string& name_space,
                                      const time_model* times = nullptr);

/// @throws input_error as header_text, work_error naming the file.
void export_header(const model& model, const std::filesystem::path& file,
                   const std::string& name_space = "mlmq_selector");

}  // namespace mlmq::selector
