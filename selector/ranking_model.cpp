// SPDX-License-Identifier: Apache-2.0
#include "selector/ranking_model.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/files.hpp"
#include "selector/exported.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"

namespace mlmq::selector {
namespace {

class shipped_model final : public ranking_model {
 public:
  shipped_model() {
    if (shipped_time_count() > 0) times_of_ = shipped_time_problem();
    recorded_threads_ = shipped_processor_threads();
    for (std::size_t i = 1; i < shipped_time_count(); ++i) {
      timed_search_label searcher{.label = std::string(shipped_time_label(i)), .calibrations = {}};
      for (const shipped_calibration& run : shipped_calibrations(i))
        searcher.calibrations.push_back({std::string(run.workload), std::string(run.query), run.milliseconds});
      searchers_.push_back(std::move(searcher));
    }
  }

  [[nodiscard]] std::span<const std::string_view> features() const override { return shipped_features(); }

  [[nodiscard]] std::vector<predicted_label> ranked(std::span<const double> values) const override {
    const std::vector<float> predicted = shipped_predict_all(values);
    std::vector<predicted_label> labels;
    for (const std::size_t candidate : shipped_ranked(values))
      labels.push_back({.label = std::string(shipped_label(candidate)), .predicted = double{predicted[candidate]}});
    return labels;
  }

  [[nodiscard]] std::size_t select(std::span<const double> values) const override { return shipped_select(values); }

  [[nodiscard]] std::vector<double> expected_by_size(double vertices, double edges) const override {
    return shipped_times_by_size(vertices, edges);
  }

  [[nodiscard]] std::vector<double> expected(std::span<const double> values, double vertices,
                                             double edges) const override {
    return shipped_times(values, vertices, edges);
  }
};

class exported_model final : public ranking_model {
 public:
  exported_model(const runtime::model& exported, std::string_view problem)
      : exported_(exported), names_(exported.features, exported.features + exported.feature_count) {
    trained_for_ = problem;
  }

  [[nodiscard]] std::span<const std::string_view> features() const override { return names_; }

  [[nodiscard]] std::vector<predicted_label> ranked(std::span<const double> values) const override {
    std::vector<float> scores(exported_.candidate_count);
    exported_.scores(values.data(), scores.data());
    std::vector<predicted_label> labels;
    for (const std::size_t candidate : ranked_candidates(exported_, values.data()))
      labels.push_back({.label = exported_.labels[candidate], .predicted = double{scores[candidate]}});
    return labels;
  }

  [[nodiscard]] std::size_t select(std::span<const double> values) const override {
    return exported_.select(values.data());
  }

 private:
  const runtime::model& exported_;
  std::vector<std::string_view> names_;
};

class model_of_file final : public ranking_model {
 public:
  model_of_file(selector trained, const std::filesystem::path& file)
      : trained_(std::move(trained)), names_(trained_.features().begin(), trained_.features().end()) {
    name_ = file.string();
    trained_for_ = trained_.provenance().source.problem;
    if (trained_for_.empty()) trained_for_ = "sssp";
    if (trained_.times() == nullptr) return;
    times_of_ = trained_.times()->problem;
    recorded_threads_ = trained_.times()->processor_threads;
    for (const time_model::searcher& searcher : trained_.times()->searchers)
      searchers_.push_back({searcher.label, searcher.calibrations});
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

  [[nodiscard]] std::vector<double> expected_by_size(double vertices, double edges) const override {
    return trained_.expected_by_size(vertices, edges);
  }

  [[nodiscard]] std::vector<double> expected(std::span<const double> values, double vertices,
                                             double edges) const override {
    return trained_.expected(values, vertices, edges);
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

std::shared_ptr<const ranking_model> shipped_ranking_model() {
  static const auto shipped = std::make_shared<const shipped_model>();
  return shipped;
}

std::shared_ptr<const ranking_model> exported_ranking_model(const runtime::model& exported, std::string_view problem) {
  return std::make_shared<const exported_model>(exported, problem);
}

std::shared_ptr<const ranking_model> read_ranking_model(const std::filesystem::path& file) {
  return std::make_shared<const model_of_file>(selector::from_model_file(file), file);
}

std::shared_ptr<const ranking_model> read_tuned_ranking_model(const std::filesystem::path& file) {
  return std::make_shared<const model_of_file>(tuned_file_from_text(read_file(file), file.string()), file);
}

}  // namespace mlmq::selector
