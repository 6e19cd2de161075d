// SPDX-License-Identifier: Apache-2.0
// Chooses configurations with a model that is read at run time.
#pragma once

#ifndef MLMQ_EVALUATES_MODELS
#error "configurations are chosen by problems::recommend(); only the selector itself evaluates its models"
#endif

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selector/model_file.hpp"
#include "selector/runtime.hpp"

namespace mlmq::selector {

/// A model in the form that the runtime evaluates, with its storage.
class runtime_model {
 public:
  /// @throws input_error when the model is inconsistent
  explicit runtime_model(model trained);
  runtime_model(const runtime_model&) = delete;  // its parts point to each other
  runtime_model& operator=(const runtime_model&) = delete;

  [[nodiscard]] const model& trained() const { return trained_; }
  [[nodiscard]] const runtime::model& view() const { return view_; }

 private:
  void add_times();

  model trained_;
  std::string provenance_;
  std::vector<const char*> features_;
  std::vector<const char*> labels_;
  std::vector<runtime::ratio> ratios_;
  runtime::tree_set trees_{};
  std::optional<kernel_blocks> blocks_;
  runtime::kernel kernel_{};
  runtime::times times_{};
  std::vector<runtime::time_axis> axes_;  ///< axes of times by features, which refer to the model's inputs
  runtime::model view_{};
};

/// A candidate with its predicted relative performance.
struct ranked_candidate {
  std::size_t candidate = 0;
  float predicted = 0;  ///< relative performance
};

/// A model ready for use. It gives bit for bit the same results as the header exported from it.
class selector {
 public:
  /// Reads a model file. @throws input_error naming the file and the error
  [[nodiscard]] static selector from_model_file(const std::filesystem::path& file);

  /// @throws input_error if the model is inconsistent
  explicit selector(model trained) : model_(std::make_shared<const runtime_model>(std::move(trained))) {}

  /// Returns the names of the features that the model uses, in the order in which the functions below take their
  /// values.
  [[nodiscard]] const std::vector<std::string>& features() const { return model_->trained().inputs.features; }

  /// Returns the candidate with the highest prediction; ties go to the lowest index.
  /// @param features one value per name of features(); NaN: unknown
  /// @throws std::invalid_argument for another number of values
  [[nodiscard]] std::size_t select(std::span<const double> features) const;

  /// Returns the prediction for each candidate, by index. @throws like select()
  [[nodiscard]] std::vector<float> predict_all(std::span<const double> features) const;

  /// Returns all candidates, best first; ties go to the lowest index. @throws like select()
  [[nodiscard]] std::vector<ranked_candidate> ranked(std::span<const double> features) const;

  /// Returns the model of search times; null if the model does not predict times.
  [[nodiscard]] const time_model* times() const {
    return model_->trained().times ? &*model_->trained().times : nullptr;
  }

  /// Predicts the milliseconds of the best candidate from the features: one value per name of features(). Nothing
  /// without times(). @param m, nnz the features with these names @throws like select()
  [[nodiscard]] std::optional<double> expected_best_ms(std::span<const double> features, double m, double nnz) const;

  /// Predicts them from the size of a workload alone.
  [[nodiscard]] std::optional<double> expected_best_ms(double m, double nnz) const;

  [[nodiscard]] const std::vector<candidate>& candidates() const { return model_->trained().candidates; }
  [[nodiscard]] const std::string& label(std::size_t candidate) const { return candidates().at(candidate).label; }
  [[nodiscard]] const model_provenance& provenance() const { return model_->trained().provenance; }

 private:
  std::shared_ptr<const runtime_model> model_;
};

}  // namespace mlmq::selector
