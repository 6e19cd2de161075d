// SPDX-License-Identifier: Apache-2.0
// Exports a model as a C++ header without dependencies.
#pragma once

#include <filesystem>
#include <string>

#include "selector/model_file.hpp"

namespace mlmq::selector {

/// Returns the text of a header for C++17 and later, with the model's data as constexpr arrays in `name_space` (which
/// may be nested, "a::b"), and
///   inline constexpr std::size_t feature_count, candidate_count;
///   inline constexpr ::mlmq::selector::runtime::model model;
/// so that `name_space::model.select(values)` chooses for a workload; runtime.hpp documents the other functions of a
/// model. Results are bit for bit those of selector::selector; the same model gives the same bytes. Several models in
/// one program need one namespace each.
/// @throws input_error if the model is inconsistent or `name_space` is not a valid name
[[nodiscard]] std::string header_text(const model& model, const std::string& name_space = "mlmq_selector");

/// Writes header_text() into a file. @throws input_error like header_text(), work_error naming the file
void export_header(const model& model, const std::filesystem::path& file,
                   const std::string& name_space = "mlmq_selector");

}  // namespace mlmq::selector
