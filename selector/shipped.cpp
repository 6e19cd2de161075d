// SPDX-License-Identifier: Apache-2.0
#include "selector/shipped.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "selector/shipped/model.hpp"

namespace mlmq::selector {
namespace {

std::size_t checked(std::size_t candidate) {
  if (candidate >= mlmq_selector::candidate_count)
    throw std::out_of_range("the shipped selector has no such candidate");
  return candidate;
}

std::array<double, mlmq_selector::graph_feature_count> counted(std::span<const double> features) {
  if (features.size() != mlmq_selector::graph_feature_count)
    throw std::invalid_argument("the shipped selector takes one value for each of shipped_features()");
  std::array<double, mlmq_selector::graph_feature_count> result{};
  std::copy(features.begin(), features.end(), result.begin());
  return result;
}

std::array<float, mlmq_selector::graph_feature_count> rounded(std::span<const double> features) {
  std::array<float, mlmq_selector::graph_feature_count> result{};
  std::transform(features.begin(), features.end(), result.begin(), mlmq_selector::detail::to_float32);
  return result;
}

}  // namespace

std::size_t shipped_candidate_count() { return mlmq_selector::candidate_count; }

std::span<const std::string_view> shipped_features() {
  static const auto names = [] {
    std::array<std::string_view, mlmq_selector::graph_feature_count> all;
    std::copy(std::begin(mlmq_selector::graph_feature_names), std::end(mlmq_selector::graph_feature_names),
              all.begin());
    return all;
  }();
  return names;
}

std::size_t shipped_select(std::span<const double> features) { return mlmq_selector::select(counted(features)); }

float shipped_predict(std::span<const double> features, std::size_t candidate) {
  return mlmq_selector::predict(rounded(counted(features)).data(), checked(candidate));
}

std::vector<std::size_t> shipped_ranked(std::span<const double> features) {
  std::vector<std::size_t> order(mlmq_selector::candidate_count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::array<float, mlmq_selector::candidate_count> predicted{};
  mlmq_selector::predict_all(rounded(counted(features)).data(), predicted.data());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return predicted[a] > predicted[b]; });
  return order;
}

std::string_view shipped_label(std::size_t candidate) { return mlmq_selector::label(checked(candidate)); }

std::size_t shipped_time_count() { return mlmq_selector::time_count; }

std::string_view shipped_time_problem() { return mlmq_selector::time_problem; }

unsigned shipped_processor_threads() { return mlmq_selector::time_processor_threads; }

std::string_view shipped_time_label(std::size_t i) {
  if (i == 0 || i >= shipped_time_count()) throw std::out_of_range("the shipped selector expects no such time");
  return mlmq_selector::time_label(i);
}

std::vector<shipped_calibration> shipped_calibrations(std::size_t i) {
  std::vector<shipped_calibration> result;
  for (const mlmq_selector::calibration& one : std::span(mlmq_selector::calibrations)) {
    if (one.time == i && i > 0) result.push_back({one.graph, one.source, one.milliseconds});
  }
  return result;
}

std::vector<double> shipped_times_by_size(double vertices, double edges) {
  std::vector<double> result(shipped_time_count());
  mlmq_selector::expected_by_size(vertices, edges, result.data());
  return result;
}

std::vector<double> shipped_times(std::span<const double> features, double vertices, double edges) {
  std::vector<double> result(shipped_time_count());
  mlmq_selector::expected_times(rounded(counted(features)).data(), vertices, edges, result.data());
  return result;
}

std::string_view shipped_provenance() { return mlmq_selector::provenance; }

}  // namespace mlmq::selector
