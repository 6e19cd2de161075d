// SPDX-License-Identifier: Apache-2.0
// One interface for every selector: shipped, read from a file, or tuned on this machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selector/tuned_file.hpp"

namespace mlmq::problems {
class recommender;
}

namespace mlmq::selector {

/// A candidate of a model with its predicted relative performance.
struct predicted_label {
  std::string label;
  std::optional<double> predicted = std::nullopt;  ///< best time / time; absent if the model only ranks
};

/// Ranks configurations for a workload. Only problems::recommend() may choose by a model. Immutable, so that threads
/// can share it.
class ranking_model {
 public:
  virtual ~ranking_model() = default;

  /// Returns the name for messages, such as the file.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the subject of a choice's reason, such as "the selector".
  [[nodiscard]] const std::string& origin() const { return origin_; }
  /// Returns the problem that the model was trained for; "" if it may rank configurations of any problem.
  [[nodiscard]] std::string_view trained_for() const { return trained_for_; }
  /// Returns facts about a tuned selector; null for other models.
  [[nodiscard]] const tuned_about* about() const { return about_ ? &*about_ : nullptr; }

  /// Returns the names of the features whose values the functions below take.
  [[nodiscard]] virtual std::span<const std::string_view> features() const = 0;
  /// Returns the labels of the candidates, in no particular order.
  [[nodiscard]] std::vector<std::string> candidates() const;

  /// Returns the problem whose search times the model predicts; "" if it predicts none.
  [[nodiscard]] std::string_view times_of() const { return times_of_; }
  /// Predicts the milliseconds of the best candidate; nothing if the model predicts no times.
  /// @param values one for each of features(); NaN: unknown. Empty: only the size is known
  [[nodiscard]] virtual std::optional<double> expected_best_ms(std::span<const double> /*values*/, double /*vertices*/,
                                                               double /*edges*/) const {
    return std::nullopt;
  }

 protected:
  friend class problems::recommender;

  /// Returns all candidates, best first. @param values one for each of features(); NaN: unknown
  [[nodiscard]] virtual std::vector<predicted_label> ranked(std::span<const double> values) const = 0;
  /// Returns the index of the best candidate, without ranking the others. @param values as for ranked()
  [[nodiscard]] virtual std::size_t select(std::span<const double> /*values*/) const { return 0; }

  std::string name_ = "the model";
  std::string origin_ = "the selector";
  std::string trained_for_;
  std::string times_of_;
  std::optional<tuned_about> about_;
};

/// Returns a shipped model, read by the first call. @param problem as for shipped_model_text()
[[nodiscard]] std::shared_ptr<const ranking_model> shipped_ranking_model(const std::string& problem);

/// Reads a file of `mlmq selector train` or `mlmq tune`.
/// @throws input_error naming the file and the error
[[nodiscard]] std::shared_ptr<const ranking_model> read_ranking_model(const std::filesystem::path& file);

/// Reads a file of `mlmq tune`, with about(). @throws input_error like read_ranking_model(), and for other model files
[[nodiscard]] std::shared_ptr<const ranking_model> read_tuned_ranking_model(const std::filesystem::path& file);

}  // namespace mlmq::selector
