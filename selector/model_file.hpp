// SPDX-License-Identifier: Apache-2.0
// model.json: everything about a trained selector in one self-contained document.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selector/encoding.hpp"
#include "selector/method.hpp"
#include "selector/time_model.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

inline constexpr int model_format_version = 4;

/// Where the times that a model learned from came from.
struct time_source {
  std::string device_name;      ///< "NVIDIA H200"
  std::string device_kind;      ///< "cuda", "simt"
  std::string times;            ///< "measured" or "modelled"; never mixed
  std::string problem;          ///< "sssp", "bfs"
  std::string program_version;  ///< of the program that trained
};

/// What a model was made from: enough to make it again and to see whether it fits a device.
struct model_provenance {
  time_source source;
  std::string training_set_hash;  ///< hash_of(training set)
  std::size_t graphs = 0;
  std::size_t candidates = 0;
  std::size_t observations = 0;
  learning learned;
  std::string xgboost_version;
};

/// Trees that XGBoost made, or a kernel fit. An ensemble has several of trees; a kernel fit is alone.
struct model_member {
  std::string xgboost_json;   ///< can be loaded with XGBoost; empty for a kernel fit
  std::vector<float> starts;  ///< per candidate: what the sum of its leaves starts from; empty: XGBoost's base score
  float weight = 1;           ///< of the prediction in the score: a power of two, so that no product is rounded
  std::optional<kernel_fit> kernel = std::nullopt;
};

/// A trained selector. The score of a candidate is the sum over the members of weight × prediction; the highest score
/// is chosen.
struct model {
  graph_encoding graph;                       ///< what it was offered of a graph; see scorer::graph for what it uses
  std::vector<std::string> feature_names;     ///< the model's inputs: those of the graph, then the candidate's columns
  std::vector<candidate> candidates;          ///< what it can choose, by index
  std::vector<std::vector<float>> encodings;  ///< per candidate: its columns of the input, NaN where absent
  std::vector<model_member> members;          ///< at least one
  model_provenance provenance;
  std::optional<time_model> times = std::nullopt;  ///< what searches are expected to take; not all models have it
};

/// The provenance as one line of JSON.
[[nodiscard]] std::string provenance_json(const model_provenance& provenance);

/// The document's text. The same model gives the same bytes.
[[nodiscard]] std::string model_to_text(const model& model);

/// @param name where the text came from, for error messages.
/// @throws input_error when it is not JSON, not a model, of another format version, or
/// inconsistent.
[[nodiscard]] model model_from_text(std::string_view text, const std::string& name);

/// @throws work_error naming the file.
void save_model(const model& model, const std::filesystem::path& file);

/// @throws input_error naming the file and what is wrong with it.
[[nodiscard]] model load_model(const std::filesystem::path& file);

}  // namespace mlmq::selector
