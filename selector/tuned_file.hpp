// SPDX-License-Identifier: Apache-2.0
// A selector made for one kind of device, in one file: a line about it with a checksum, then a model.json. Whatever reads
// models reads such files, too.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "selector/judged_way.hpp"
#include "selector/model_file.hpp"

namespace mlmq::selector {

inline constexpr int tuned_file_version = 2;
/// The same format with former names of parameters (base/renamed_parameters.hpp), which reading replaces.
inline constexpr int tuned_version_with_former_names = 1;

/// What is known of a tuned selector besides the model.
struct tuned_about {
  std::string device;         ///< its name, "NVIDIA H200"
  std::string problem;        ///< "sssp"
  std::string made;           ///< the day: "2026-11-23"
  std::string how;            ///< for a person: what it was made from
  std::size_t workloads = 0;  ///< own ones that it learned from
  /// For each of these workloads ("NAME (first digits of the hash)") what selectors chose that were made in the same way
  /// without it: labels of configurations. By these it is compared with selectors that are made later.
  std::map<std::string, std::vector<std::string>> held_out;
  /// How the selector was judged against others when it was made. Every summary, figure and report shows these scores.
  judged_ways evaluation = {};
};

/// The selector with its evaluation, in the folder of the results that it was made from, whether installed or not.
inline constexpr const char* tuned_file_name = "selector.json";

struct tuned_file {
  tuned_about about;
  model chooser;
};

[[nodiscard]] std::string tuned_file_to_text(const tuned_file& tuned);

/// @param name where the text came from, for messages
/// @throws input_error when it is no such file, of another version, changed since it was written, or no whole model
[[nodiscard]] tuned_file tuned_file_from_text(std::string_view text, const std::string& name);

/// Whether the text begins as one.
[[nodiscard]] bool is_tuned_file(std::string_view text);

/// The first line only, without looking at the model. @throws input_error as above
[[nodiscard]] tuned_about about_from_text(std::string_view text, const std::string& name);

/// The part of the text that is a model; all of one that is not a tuned file. @throws input_error as above
[[nodiscard]] std::string_view model_part(std::string_view text, const std::string& name);

}  // namespace mlmq::selector
