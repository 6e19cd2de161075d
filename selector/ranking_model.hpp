// SPDX-License-Identifier: Apache-2.0
// One interface for every selector: compiled in, exported as a header, read from a file, or tuned on this machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selector/runtime.hpp"
#include "selector/time_model.hpp"
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

/// A configuration for processors whose search time a model predicts, with its times on the machine of the record.
struct timed_search_label {
  std::string label;
  std::vector<calibration> calibrations;
};

/// Ranks configurations for a workload, for problems::recommend() alone: nothing else may choose by a model. Immutable,
/// so that threads can share it.
class ranking_model {
 public:
  virtual ~ranking_model() = default;

  /// The name to print, such as the file.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The subject of a choice's reason, such as "the selector".
  [[nodiscard]] const std::string& origin() const { return origin_; }
  /// The problem that the model was trained for; "" if it may rank configurations of any problem.
  [[nodiscard]] std::string_view trained_for() const { return trained_for_; }
  /// Facts about a tuned selector; null for other models.
  [[nodiscard]] const tuned_about* about() const { return about_ ? &*about_ : nullptr; }

  /// Names of the features that the functions below take values of.
  [[nodiscard]] virtual std::span<const std::string_view> features() const = 0;
  /// Labels of the candidates, in no particular order.
  [[nodiscard]] std::vector<std::string> candidates() const;

  /// The problem whose search times the model predicts; "" if it predicts none.
  [[nodiscard]] std::string_view times_of() const { return times_of_; }
  /// The configurations for processors whose times the model predicts.
  [[nodiscard]] std::span<const timed_search_label> searchers() const { return searchers_; }
  /// Threads of the machine on which those times were recorded; 0: unknown.
  [[nodiscard]] unsigned recorded_threads() const { return recorded_threads_; }
  /// Milliseconds of the best candidate on the device, then of each of searchers(), predicted from the size alone.
  [[nodiscard]] virtual std::vector<double> expected_by_size(double /*vertices*/, double /*edges*/) const { return {}; }
  /// The same, predicted from the features. @param values one for each of features(); NaN: unknown
  [[nodiscard]] virtual std::vector<double> expected(std::span<const double> /*values*/, double /*vertices*/,
                                                     double /*edges*/) const {
    return {};
  }

 protected:
  friend class problems::recommender;

  /// All candidates, best first. @param values one for each of features(); NaN: unknown
  [[nodiscard]] virtual std::vector<predicted_label> ranked(std::span<const double> values) const = 0;
  /// The index of the best candidate, without ranking the others. @param values as for ranked()
  [[nodiscard]] virtual std::size_t select(std::span<const double> /*values*/) const { return 0; }

  std::string name_ = "the model";
  std::string origin_ = "the selector";
  std::string trained_for_;
  std::string times_of_;
  std::vector<timed_search_label> searchers_;
  unsigned recorded_threads_ = 0;
  std::optional<tuned_about> about_;
};

/// The selector for shortest paths that is compiled in.
[[nodiscard]] std::shared_ptr<const ranking_model> shipped_ranking_model();

/// A model that was exported as a header. @param exported must outlive the result
[[nodiscard]] std::shared_ptr<const ranking_model> exported_ranking_model(const runtime::model& exported,
                                                                          std::string_view problem);

/// A file of `mlmq selector train` or `mlmq tune`.
/// @throws input_error naming the file and what is wrong with it
[[nodiscard]] std::shared_ptr<const ranking_model> read_ranking_model(const std::filesystem::path& file);

/// A file of `mlmq tune`, with about(). @throws input_error as read_ranking_model(), and for other model files
[[nodiscard]] std::shared_ptr<const ranking_model> read_tuned_ranking_model(const std::filesystem::path& file);

}  // namespace mlmq::selector
