// SPDX-License-Identifier: Apache-2.0
// Choosing a configuration with a model read at run time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selector/model_file.hpp"
#include "selector/scorer.hpp"

namespace mlmq::selector {

/// A candidate and what the model expects of it.
struct ranked_candidate {
  std::size_t candidate = 0;
  float predicted = 0;  ///< the score; what it means depends on the method, see method.hpp
};

/// A model ready for use; bit for bit the same results as the header exported from it.
class selector {
 public:
  /// @throws input_error naming the file and what is wrong with it.
  [[nodiscard]] static selector from_model_file(const std::filesystem::path& file);

  /// @throws input_error when the model is inconsistent.
  explicit selector(const model& model);

  /// What it wants to know of a graph, in this order: those of the features that it was offered that its trees look at.
  [[nodiscard]] const std::vector<std::string>& features() const { return scorer_.graph.features; }

  /// The candidate with the highest prediction; of equals the lowest index. `features`: one value for each of features();
  /// NaN is taken as unknown.
  [[nodiscard]] std::size_t select(std::span<const double> features) const;

  /// The prediction for each candidate, by index.
  [[nodiscard]] std::vector<float> predict_all(std::span<const double> features) const;

  /// All candidates, best first; of equals the lowest index first.
  [[nodiscard]] std::vector<ranked_candidate> ranked(std::span<const double> features) const;

  /// What searches are expected to take; null when the model does not say.
  [[nodiscard]] const time_model* times() const { return times_ ? &*times_ : nullptr; }

  /// Expected milliseconds of the best candidate on the device, then of the searchers of times(), as far as the size of a
  /// graph tells; none without times().
  [[nodiscard]] std::vector<double> expected_by_size(double vertices, double edges) const;

  /// The same from what is known of the graph: one value for each of features().
  [[nodiscard]] std::vector<double> expected(std::span<const double> features, double vertices, double edges) const;

  [[nodiscard]] const std::vector<candidate>& candidates() const { return candidates_; }
  [[nodiscard]] const std::string& label(std::size_t candidate) const { return candidates_.at(candidate).label; }
  [[nodiscard]] const model_provenance& provenance() const { return provenance_; }

 private:
  scorer scorer_;
  std::vector<candidate> candidates_;
  model_provenance provenance_;
  std::optional<time_model> times_;
  std::vector<std::size_t> time_features_;  ///< where what times_ asks for is among features()
};

}  // namespace mlmq::selector
