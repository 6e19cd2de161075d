// SPDX-License-Identifier: Apache-2.0
// A selector for one kind of device in one file: a header line with a checksum, then a model.json. Everything that
// reads models also reads such files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "selector/model_file.hpp"
#include "selector/strategy_evaluation.hpp"

namespace mlmq::selector {

inline constexpr int tuned_file_version = 2;

/// Facts about a tuned selector.
struct tuned_about {
  std::string device;         ///< name of the device, "NVIDIA H200"
  std::string problem;        ///< "sssp"
  std::string creation_day;   ///< day of creation: "2026-11-23"
  std::string origin;         ///< readable description of its origin
  std::size_t workloads = 0;  ///< number of own workloads that it learned from
  /// For each of these workloads ("NAME (first digits of the hash)"): labels of the configurations chosen by selectors
  /// trained in the same way without it. Later selectors are compared with these choices.
  std::map<std::string, std::vector<std::string>> held_out;
  /// Scores of the selector and others from when it was created. Every summary, figure and report shows these scores.
  strategy_evaluations evaluation = {};
};

/// File name of the selector with its evaluation, in the folder of the results that it was trained on.
inline constexpr const char* tuned_file_name = "selector.json";

struct tuned_file {
  tuned_about about;
  model learned_model;
};

[[nodiscard]] std::string tuned_file_to_text(const tuned_file& tuned);

/// @param name origin of the text, for error messages
/// @throws input_error if the text is not such a file, has another version, was modified, or has an incomplete model
[[nodiscard]] tuned_file tuned_file_from_text(std::string_view text, const std::string& name);

/// Returns whether the text begins like a tuned file.
[[nodiscard]] bool is_tuned_file(std::string_view text);

/// Parses the header line only, without the model. @throws input_error like tuned_file_from_text()
[[nodiscard]] tuned_about about_from_text(std::string_view text, const std::string& name);

/// Returns the model part of a tuned file, or the whole text of any other file.
/// @throws input_error like tuned_file_from_text()
[[nodiscard]] std::string_view model_part(std::string_view text, const std::string& name);

}  // namespace mlmq::selector
