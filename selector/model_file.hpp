// SPDX-License-Identifier: Apache-2.0
// model.json: a trained selector in one self-contained document.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selector/encoding.hpp"
#include "selector/kernel_fit.hpp"
#include "selector/method.hpp"
#include "selector/time_model.hpp"
#include "selector/training_set.hpp"
#include "selector/trees.hpp"

namespace mlmq::selector {

inline constexpr int model_format_version = 9;

/// Origin of the times that a model learned from.
struct time_source {
  std::string device_name;      ///< "NVIDIA H200"
  std::string device_kind;      ///< "cuda", "simt"
  std::string times;            ///< "measured" or "modelled"; never mixed
  std::string problem;          ///< "sssp", "bfs"
  std::string program_version;  ///< version of the program that trained the model
};

/// Provenance of a model: enough to reproduce it and to check whether it fits a device.
struct model_provenance {
  time_source source;
  std::string training_set_hash;  ///< hash_of(training set)
  std::size_t workloads = 0;
  std::size_t candidates = 0;
  std::size_t observations = 0;
  learning learned;
  std::string xgboost_version;
};

/// A trained selector: trees, a kernel fit, or both, whose scores add up to the relative performance or its square. The
/// candidate with the highest score is chosen.
struct model {
  input_encoding inputs;              ///< inputs that describe a workload
  std::vector<candidate> candidates;  ///< configurations that it can choose, by index
  std::vector<float> starts;          ///< per candidate: start of its score
  std::optional<tree_data> trees;
  std::optional<kernel_fit> kernel;
  bool squared = false;            ///< whether the scores add up to the square of the relative performance
  std::vector<double> importance;  ///< per input: its share, as defined in importance.hpp
  model_provenance provenance;
  std::optional<time_model> times;  ///< predicts search times; not all models have it
};

/// @throws input_error if the parts are inconsistent
void check_model(const model& model);

/// Formats the provenance as one line of JSON.
[[nodiscard]] std::string provenance_json(const model_provenance& provenance);

/// Returns the text of the document. The same model gives the same bytes.
[[nodiscard]] std::string model_to_text(const model& model);

/// Parses the document.
/// @param name origin of the text, for error messages
/// @throws input_error if the text is not JSON, not a model, of another format version, or inconsistent
[[nodiscard]] model model_from_text(std::string_view text, const std::string& name);

/// Writes the document to a file. @throws work_error naming the file
void save_model(const model& model, const std::filesystem::path& file);

/// Loads a model file or the model of a tuned selector (tuned_file.hpp). @throws input_error naming the file and the
/// reason
[[nodiscard]] model load_model(const std::filesystem::path& file);

}  // namespace mlmq::selector
