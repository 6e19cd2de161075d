// SPDX-License-Identifier: Apache-2.0
#include "selector/shipped.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "selector/exported.hpp"
#include "selector/shipped/model.hpp"

namespace mlmq::selector {
namespace {

constexpr const runtime::model& shipped = mlmq_selector::model;

/// The predicted times; null if the model has none.
const runtime::times* expected() { return shipped.expected; }

std::size_t checked(std::size_t candidate) {
  if (candidate >= shipped.candidate_count) throw std::out_of_range("the shipped selector has no such candidate");
  return candidate;
}

const double* counted(std::span<const double> features) {
  if (features.size() != shipped.feature_count)
    throw std::invalid_argument("the shipped selector takes one value for each of shipped_features()");
  return features.data();
}

}  // namespace

std::size_t shipped_candidate_count() { return shipped.candidate_count; }

std::span<const std::string_view> shipped_features() {
  static const auto names = [] {
    std::array<std::string_view, mlmq_selector::feature_count> result;
    std::copy_n(shipped.features, shipped.feature_count, result.begin());
    return result;
  }();
  return names;
}

std::size_t shipped_select(std::span<const double> features) { return shipped.select(counted(features)); }

std::vector<float> shipped_predict_all(std::span<const double> features) {
  std::vector<float> scores(shipped.candidate_count);
  shipped.scores(counted(features), scores.data());
  return scores;
}

std::vector<std::size_t> shipped_ranked(std::span<const double> features) {
  return ranked_candidates(shipped, counted(features));
}

std::string_view shipped_label(std::size_t candidate) { return shipped.labels[checked(candidate)]; }

std::size_t shipped_time_count() { return shipped.time_count(); }

std::string_view shipped_time_problem() { return expected() == nullptr ? "" : expected()->problem; }

unsigned shipped_processor_threads() { return expected() == nullptr ? 0 : expected()->threads; }

std::string_view shipped_time_label(std::size_t i) {
  if (i == 0 || i >= shipped_time_count()) throw std::out_of_range("the shipped selector predicts no such time");
  return expected()->labels[i];
}

std::vector<shipped_calibration> shipped_calibrations(std::size_t i) {
  std::vector<shipped_calibration> result;
  if (expected() == nullptr) return result;
  for (const runtime::calibration& run : std::span(expected()->calibrations, expected()->calibration_count)) {
    if (run.time == i) result.push_back({run.workload, run.query, run.milliseconds});
  }
  return result;
}

std::vector<double> shipped_times_by_size(double m, double nnz) {
  std::vector<double> result(shipped_time_count());
  if (!result.empty()) shipped.expect_by_size(m, nnz, result.data());
  return result;
}

std::vector<double> shipped_times(std::span<const double> features, double m, double nnz) {
  std::vector<double> result(shipped_time_count());
  if (!result.empty()) shipped.expect(counted(features), m, nnz, result.data());
  return result;
}

std::string_view shipped_provenance() { return shipped.provenance; }

}  // namespace mlmq::selector
