// SPDX-License-Identifier: Apache-2.0
#include "selector/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mlmq::selector {
namespace {

void check_count(std::size_t values, const runtime::model& model) {
  if (values != model.feature_count)
    throw std::invalid_argument(fmt::format("{} values for a model with {} features", values, model.feature_count));
}

}  // namespace

runtime_model::runtime_model(model trained)
    : trained_(std::move(trained)), provenance_(provenance_json(trained_.provenance)) {
  check_model(trained_);
  for (const std::string& name : trained_.inputs.features) features_.push_back(name.c_str());
  for (const candidate& candidate : trained_.candidates) labels_.push_back(candidate.label.c_str());
  for (const input_encoding::ratio& ratio : trained_.inputs.ratios)
    ratios_.push_back({static_cast<std::uint8_t>(ratio.numerator), static_cast<std::uint8_t>(ratio.denominator)});
  if (trained_.trees) trees_ = trained_.trees->view();
  if (trained_.kernel) kernel_ = blocks_.emplace(*trained_.kernel).view();
  if (trained_.times) add_times();
  view_ = {.provenance = provenance_.c_str(),
           .feature_count = features_.size(),
           .features = features_.data(),
           .candidate_count = labels_.size(),
           .labels = labels_.data(),
           .ratio_count = ratios_.size(),
           .ratios = ratios_.data(),
           .starts = trained_.starts.data(),
           .trees = trained_.trees ? &trees_ : nullptr,
           .ridge = trained_.kernel ? &kernel_ : nullptr,
           .expected = trained_.times ? &times_ : nullptr,
           .squared = trained_.squared};
}

void runtime_model::add_times() {
  const time_model& times = *trained_.times;
  time_labels_.push_back("");
  for (const time_model::searcher& searcher : times.searchers) {
    for (const calibration& run : searcher.calibrations)
      calibrations_.push_back({time_labels_.size(), run.workload.c_str(), run.query.c_str(), run.milliseconds});
    time_labels_.push_back(searcher.label.c_str());
  }
  axes_ = times.by_features.axes;
  for (runtime::time_axis& axis : axes_) axis.value = trained_.inputs.place_of(times.features[axis.value]).value();
  times_ = {.problem = times.problem.c_str(),
            .processors = times.processors.c_str(),
            .threads = times.processor_threads,
            .count = time_labels_.size(),
            .labels = time_labels_.data(),
            .calibration_count = calibrations_.size(),
            .calibrations = calibrations_.data(),
            .by_size = times.by_size.view(times.by_size.axes),
            .by_features = times.by_features.view(axes_)};
}

selector selector::from_model_file(const std::filesystem::path& file) { return selector(load_model(file)); }

std::vector<double> selector::expected_by_size(double m, double nnz) const {
  if (times() == nullptr) return {};
  std::vector<double> result(model_->view().expected->count);
  model_->view().expect_by_size(m, nnz, result.data());
  return result;
}

std::vector<double> selector::expected(std::span<const double> features, double m, double nnz) const {
  check_count(features.size(), model_->view());
  if (times() == nullptr) return {};
  std::vector<double> result(model_->view().expected->count);
  model_->view().expect(features.data(), m, nnz, result.data());
  return result;
}

std::vector<float> selector::predict_all(std::span<const double> features) const {
  check_count(features.size(), model_->view());
  std::vector<float> result(model_->view().candidate_count);
  model_->view().scores(features.data(), result.data());
  return result;
}

std::size_t selector::select(std::span<const double> features) const {
  check_count(features.size(), model_->view());
  return model_->view().select(features.data());
}

std::vector<ranked_candidate> selector::ranked(std::span<const double> features) const {
  std::vector<ranked_candidate> result;
  for (float prediction : predict_all(features)) result.push_back({result.size(), prediction});
  std::stable_sort(result.begin(), result.end(),
                   [](const ranked_candidate& a, const ranked_candidate& b) { return a.predicted > b.predicted; });
  return result;
}

}  // namespace mlmq::selector
