// SPDX-License-Identifier: Apache-2.0
// Choosing a configuration with a model read at run time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
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
  runtime_model(const runtime_model&) = delete;  // its parts point at each other
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
  runtime::kernel kernel_{};
  runtime::times times_{};
  std::vector<const char*> time_labels_;
  std::vector<runtime::calibration> calibrations_;
  std::vector<runtime::time_axis> axes_;  ///< of times by features, of the model's inputs
  runtime::model view_{};
};

/// A candidate and what the model expects of it.
struct ranked_candidate {
  std::size_t candidate = 0;
  float predicted = 0;  ///< relative performance
};

/// A model ready for use; bit for bit the same results as the header exported from it.
class selector {
 public:
  /// @throws input_error naming the file and what is wrong with it.
  [[nodiscard]] static selector from_model_file(const std::filesystem::path& file);

  /// @throws input_error when the model is inconsistent.
  explicit selector(model trained) : model_(std::make_shared<const runtime_model>(std::move(trained))) {}

  /// What it wants to know of a workload, in this order: those of the features that it was offered that it looks at.
  [[nodiscard]] const std::vector<std::string>& features() const { return model_->trained().inputs.features; }

  /// The candidate with the highest prediction; of equals the lowest index. `features`: one value for each of features();
  /// NaN is taken as unknown. @throws std::invalid_argument for another number of them
  [[nodiscard]] std::size_t select(std::span<const double> features) const;

  /// The prediction for each candidate, by index. @throws as select()
  [[nodiscard]] std::vector<float> predict_all(std::span<const double> features) const;

  /// All candidates, best first; of equals the lowest index first. @throws as select()
  [[nodiscard]] std::vector<ranked_candidate> ranked(std::span<const double> features) const;

  /// What searches are expected to take; null when the model does not say.
  [[nodiscard]] const time_model* times() const {
    return model_->trained().times ? &*model_->trained().times : nullptr;
  }

  /// Expected milliseconds of the best candidate on the device, then of the searchers of times(), as far as the size of a
  /// workload tells; none without times(). @param m, nnz the features of these names
  [[nodiscard]] std::vector<double> expected_by_size(double m, double nnz) const;

  /// The same from what is known of the workload: one value for each of features(). @throws as select()
  [[nodiscard]] std::vector<double> expected(std::span<const double> features, double m, double nnz) const;

  [[nodiscard]] const std::vector<candidate>& candidates() const { return model_->trained().candidates; }
  [[nodiscard]] const std::string& label(std::size_t candidate) const { return candidates().at(candidate).label; }
  [[nodiscard]] const model_provenance& provenance() const { return model_->trained().provenance; }

 private:
  std::shared_ptr<const runtime_model> model_;
};

}  // namespace mlmq::selector
