// SPDX-License-Identifier: Apache-2.0
// A model as a C++ header without dependencies.
#pragma once

#include <filesystem>
#include <string>

#include "selector/model_file.hpp"

namespace mlmq::selector {

/// The text of a self-contained header for C++17 and later: constexpr arrays of the trees' nodes,
/// the candidates' labels and encodings, and, in `name_space` (which may be nested, "a::b"):
///   inline constexpr std::size_t candidate_count;
///   inline constexpr char provenance[];                                // one line of JSON
///   constexpr const char* label(std::size_t candidate);
///   constexpr float predict(const float* graph_features, std::size_t candidate);
///   constexpr std::size_t select(const std::array<double, 8>& graph_features);
/// Predictions equal XGBoost's and selector::selector's bit for bit; the same model gives the same
/// bytes.
/// Two models in one program need two namespaces.
/// @throws input_error when the model is inconsistent or `name_space` is not a name.
[[nodiscard]] std::string header_text(const model& model, const std::string& name_space = "mlmq_selector");

/// @throws input_error as header_text, work_error naming the file.
void export_header(const model& model, const std::filesystem::path& file,
                   const std::string& name_space = "mlmq_selector");

}  // namespace mlmq::selector
