// SPDX-License-Identifier: Apache-2.0
#include "selector/ranking_model.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "base/files.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"

namespace mlmq::selector {
namespace {

class model_of_file final : public ranking_model {
 public:
  explicit model_of_file(selector trained)
      : trained_(std::move(trained)), names_(trained_.features().begin(), trained_.features().end()) {
    trained_for_ = trained_.provenance().source.problem;
    if (trained_for_.empty()) trained_for_ = "sssp";
    if (trained_.times() != nullptr) times_of_ = trained_.times()->problem;
  }

  model_of_file(selector trained, const std::filesystem::path& file) : model_of_file(std::move(trained)) {
    name_ = file.string();
  }

  model_of_file(tuned_file tuned, const std::filesystem::path& file)
      : model_of_file(selector(std::move(tuned.learned_model)), file) {
    about_ = std::move(tuned.about);
    origin_ = fmt::format("the selector tuned on this device ({}, {} workload{}, {})", about_->creation_day,
                          about_->workloads, about_->workloads == 1 ? "" : "s", file.string());
  }

  [[nodiscard]] std::span<const std::string_view> features() const override { return names_; }

  [[nodiscard]] std::vector<predicted_label> ranked(std::span<const double> values) const override {
    std::vector<predicted_label> labels;
    for (const ranked_candidate& next : trained_.ranked(values))
      labels.push_back({.label = trained_.label(next.candidate), .predicted = double{next.predicted}});
    return labels;
  }

  [[nodiscard]] std::size_t select(std::span<const double> values) const override { return trained_.select(values); }

  [[nodiscard]] std::optional<double> expected_best_ms(std::span<const double> values, double vertices,
                                                       double edges) const override {
    return values.empty() ? trained_.expected_best_ms(vertices, edges)
                          : trained_.expected_best_ms(values, vertices, edges);
  }

 private:
  selector trained_;
  std::vector<std::string_view> names_;  // of its features
};

}  // namespace

std::vector<std::string> ranking_model::candidates() const {
  const std::vector<double> unknown(features().size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<std::string> labels;
  for (predicted_label& candidate : ranked(unknown)) labels.push_back(std::move(candidate.label));
  return labels;
}

std::shared_ptr<const ranking_model> shipped_ranking_model(const std::string& problem) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const ranking_model>> models;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const ranking_model>& model = models[problem];
  if (model == nullptr) {
    const std::string name = "the shipped selector for " + problem;
    model = std::make_shared<const model_of_file>(selector(model_from_text(shipped_model_text(problem), name)));
  }
  return model;
}

std::shared_ptr<const ranking_model> read_ranking_model(const std::filesystem::path& file) {
  return std::make_shared<const model_of_file>(selector::from_model_file(file), file);
}

std::shared_ptr<const ranking_model> read_tuned_ranking_model(const std::filesystem::path& file) {
  return std::make_shared<const model_of_file>(tuned_file_from_text(read_file(file), file.string()), file);
}

}  // namespace mlmq::selector
