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
  axes_ = times.by_features.axes;
  for (runtime::time_axis& axis : axes_) axis.value = trained_.inputs.place_of(times.features[axis.value]).value();
  times_ = {.problem = times.problem.c_str(),
            .by_size = times.by_size.view(times.by_size.axes),
            .by_features = times.by_features.view(axes_)};
}

selector selector::from_model_file(const std::filesystem::path& file) { return selector(load_model(file)); }

std::optional<double> selector::expected_best_ms(std::span<const double> features, double m, double nnz) const {
  check_count(features.size(), model_->view());
  if (times() == nullptr) return std::nullopt;
  return model_->view().expected_best_ms(features.data(), m, nnz);
}

std::optional<double> selector::expected_best_ms(double m, double nnz) const {
  if (times() == nullptr) return std::nullopt;
  return model_->view().expected_best_ms(m, nnz);
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
