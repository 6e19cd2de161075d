// SPDX-License-Identifier: Apache-2.0
#include "selector/time_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "selector/kernel_fit.hpp"

namespace mlmq::selector {
namespace {

/// With fewer graphs there is nothing to learn.
constexpr std::size_t least_graphs = 10;

/// What a weight is worth in squared errors: of few terms hardly anything, of many enough to keep them from following
/// single graphs (docs/selector.md).
constexpr double ridge_by_size = 1;
constexpr double ridge_by_features = 30;

/// Not looked at: how large weights are does not change the work, bucket widths being multiples of their average.
constexpr std::array<std::string_view, 8> sizes_of_weights{"avg_weight", "dev_weight",      "max_weight",
                                                           "weight_p10", "weight_p50",      "weight_p90",
                                                           "weight_p99", "weight_to_degree"};

/// About log2 of a positive number, made of the bits of the float; and back.
float logarithm(double number) {
  return static_cast<float>(std::bit_cast<std::int32_t>(static_cast<float>(number))) * 0x1p-23F - 127.0F;
}
double power(float logarithm) {
  return double{std::bit_cast<float>(static_cast<std::int32_t>((logarithm + 127.0F) * 0x1p23F))};
}

/// What the weights belong to, the 1 first.
std::vector<double> terms_of(std::span<const float> place) {
  std::vector<double> terms{1.0};
  terms.insert(terms.end(), place.begin(), place.end());
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) terms.push_back(double{place[i] * place[j]});
  }
  return terms;
}

std::vector<float> place_of(const time_fit& fit, std::span<const float> values) {
  std::vector<float> place;
  for (std::size_t i = 0; i < fit.features.size(); ++i) {
    const float value = values[fit.features[i]];
    const float at = std::isnan(value) ? 0.0F : (feature_position(value) - fit.centre[i]) * fit.scale[i];
    place.push_back(std::min(std::max(at, fit.low[i]), fit.high[i]));
  }
  return place;
}

/// x with A x = b for a symmetric positive definite matrix of which the lower triangle is given.
std::vector<double> solve(std::vector<double> matrix, std::vector<double> b) {
  const std::size_t size = b.size();
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double rest = matrix[row * size + column];
      for (std::size_t k = 0; k < column; ++k) rest -= matrix[row * size + k] * matrix[column * size + k];
      matrix[row * size + column] = row == column ? std::sqrt(rest) : rest / matrix[column * size + column];
    }
  }
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t k = 0; k < row; ++k) b[row] -= matrix[row * size + k] * b[k];
    b[row] /= matrix[row * size + row];
  }
  for (std::size_t row = size; row-- > 0;) {
    for (std::size_t k = row + 1; k < size; ++k) b[row] -= matrix[k * size + row] * b[k];
    b[row] /= matrix[row * size + row];
  }
  return b;
}

/// A graph and a time.
struct sample {
  std::vector<float> values;
  double items = 0;
  double milliseconds = 0;
};

/// Where the samples are on the axis of one feature; not when it is the same for all.
void add_axis(time_fit& fit, std::span<const sample> samples, std::size_t feature) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  float least = std::numeric_limits<float>::infinity();
  float most = -least;
  for (const sample& one : samples) {
    if (std::isnan(one.values[feature])) continue;
    const float at = feature_position(one.values[feature]);
    sum += double{at};
    squares += double{at} * double{at};
    ++count;
    least = std::min(least, at);
    most = std::max(most, at);
  }
  if (count == 0) return;
  const double centre = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - centre * centre));
  if (!(deviation > 1e-3)) return;
  fit.features.push_back(feature);
  fit.centre.push_back(static_cast<float>(centre));
  fit.scale.push_back(static_cast<float>(1 / deviation));
  fit.low.push_back((least - fit.centre.back()) * fit.scale.back());
  fit.high.push_back((most - fit.centre.back()) * fit.scale.back());
}

time_fit fit_samples(std::span<const sample> samples, std::size_t values, double ridge) {
  time_fit fit;
  for (std::size_t f = 0; f < values; ++f) add_axis(fit, samples, f);
  const std::size_t size = time_fit::weight_count(fit.features.size());
  std::vector<double> matrix(size * size);
  std::vector<double> right(size);
  fit.least = std::numeric_limits<float>::infinity();
  fit.most = -fit.least;
  double least_items = std::numeric_limits<double>::infinity();
  for (const sample& one : samples) {
    const float target = logarithm(one.milliseconds / one.items);
    fit.least = std::min(fit.least, target);
    fit.most = std::max(fit.most, target);
    least_items = std::min(least_items, one.items);
    const std::vector<double> terms = terms_of(place_of(fit, one.values));
    for (std::size_t i = 0; i < size; ++i) {
      right[i] += terms[i] * double{target};
      for (std::size_t j = 0; j <= i; ++j) matrix[i * size + j] += terms[i] * terms[j];
    }
  }
  for (std::size_t i = 1; i < size; ++i) matrix[i * size + i] += ridge;  // the mean is free
  for (const double weight : solve(std::move(matrix), std::move(right)))
    fit.weights.push_back(static_cast<float>(weight));
  fit.least_items = static_cast<float>(least_items);
  return fit;
}

/// The same times once with the sizes and once with the features of their graphs.
struct sample_pair {
  std::vector<sample> by_size;
  std::vector<sample> by_features;
};

class sampler {
 public:
  sampler(const training_set& set, std::span<const std::string> names) : set_(set), names_(names) {
    const std::array<std::string, 2> size_names{"m", "nnz"};
    for (const graph_example& graph : set.graphs)
      sizes_.push_back(pick_features(size_names, set.features, graph.features));
  }

  [[nodiscard]] bool knows_sizes() const {
    return std::all_of(sizes_.begin(), sizes_.end(),
                       [](const graph_features& size) { return size[0] > 0 && size[1] >= 0; });
  }

  void add(sample_pair& to, std::size_t graph, double milliseconds) const {
    const graph_features& size = sizes_[graph];
    const double items = size[0] + size[1];
    to.by_size.push_back({rounded(size), items, milliseconds});
    to.by_features.push_back(
        {rounded(pick_features(names_, set_.features, set_.graphs[graph].features)), items, milliseconds});
  }

 private:
  static std::vector<float> rounded(const graph_features& values) { return {values.begin(), values.end()}; }

  const training_set& set_;
  std::span<const std::string> names_;
  std::vector<graph_features> sizes_;
};

expected_time fit_pair(const sample_pair& samples, std::size_t features) {
  return {.by_size = fit_samples(samples.by_size, 2, ridge_by_size),
          .by_features = fit_samples(samples.by_features, features, ridge_by_features)};
}

std::vector<calibration> calibrations_of(const training_set& set, const processor_record& record,
                                         std::size_t candidate) {
  std::map<std::string, calibration> found;  // of several sources the lowest
  for (const observation& one : set.observations) {
    if (one.candidate != candidate || !one.ok) continue;
    for (const calibration_input& input : record.calibrations) {
      if (input.example != set.graphs[one.graph].name) continue;
      const auto [place, is_new] =
          found.try_emplace(input.graph, calibration{input.graph, input.source, one.milliseconds});
      if (!is_new && input.source < place->second.source) place->second = {input.graph, input.source, one.milliseconds};
    }
  }
  std::vector<calibration> result;
  for (const char* const name : calibration_graphs) {
    if (const auto one = found.find(name); one != found.end()) result.push_back(one->second);
  }
  return result;
}

void check_fit(const time_fit& fit, std::size_t values) {
  const std::size_t used = fit.features.size();
  if (fit.centre.size() != used || fit.scale.size() != used || fit.low.size() != used || fit.high.size() != used ||
      fit.weights.size() != time_fit::weight_count(used) || !std::is_sorted(fit.features.begin(), fit.features.end()) ||
      (used > 0 && fit.features.back() >= values))
    throw input_error("selector model: the parts of its expected times do not fit each other");
  for (const std::vector<float>* numbers : {&fit.centre, &fit.scale, &fit.low, &fit.high, &fit.weights}) {
    if (!std::all_of(numbers->begin(), numbers->end(), [](float number) { return std::isfinite(number); }))
      throw input_error("selector model: a number of its expected times is not finite");
  }
  if (!(fit.least <= fit.most && fit.least > -126 && fit.most < 127 && fit.least_items > 0 &&
        std::isfinite(fit.least_items)))
    throw input_error("selector model: its expected times have no range");
}

}  // namespace

double time_fit::milliseconds(std::span<const float> values, double items) const {
  const std::vector<float> place = place_of(*this, values);
  float sum = weights[0];
  std::size_t next = 1;
  for (const float at : place) sum += weights[next++] * at;
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) sum += weights[next++] * (place[i] * place[j]);
  }
  return power(std::min(std::max(sum, least), most)) * std::max(items, double{least_items});
}

std::optional<time_model> fit_times(const training_set& device, const processor_record* processors,
                                    std::span<const std::string> names, const std::string& problem) {
  time_model result;
  result.problem = problem;
  for (const std::string& name : names) {
    if (std::find(sizes_of_weights.begin(), sizes_of_weights.end(), name) == sizes_of_weights.end())
      result.features.push_back(name);
  }
  const training_set ordered = in_canonical_order(device);
  const performance_matrix performance(ordered);
  const sampler sizes(ordered, result.features);
  if (!sizes.knows_sizes()) return std::nullopt;
  sample_pair best;
  for (std::size_t g = 0; g < ordered.graphs.size(); ++g) {
    if (performance.solved(g)) sizes.add(best, g, performance.best_milliseconds(g));
  }
  if (best.by_size.size() < least_graphs) return std::nullopt;
  result.device = fit_pair(best, result.features.size());
  if (processors == nullptr) return result;

  const training_set beside = in_canonical_order(processors->set);
  const sampler sampled(beside, result.features);
  if (!sampled.knows_sizes()) return result;
  for (std::size_t c = 0; c < beside.candidates.size(); ++c) {
    sample_pair samples;
    for (const observation& one : beside.observations) {
      if (one.candidate == c && one.ok) sampled.add(samples, one.graph, one.milliseconds);
    }
    if (samples.by_size.size() < least_graphs) continue;
    result.searchers.push_back({.label = beside.candidates[c].label,
                                .time = fit_pair(samples, result.features.size()),
                                .calibrations = calibrations_of(beside, *processors, c)});
  }
  if (!result.searchers.empty()) result.processors = processors->name;
  return result;
}

void check_times(const time_model& model) {
  const auto check = [&](const expected_time& time) {
    check_fit(time.by_size, 2);
    check_fit(time.by_features, model.features.size());
  };
  check(model.device);
  for (const time_model::searcher& one : model.searchers) {
    check(one.time);
    for (const calibration& known : one.calibrations) {
      if (!(known.milliseconds > 0 && std::isfinite(known.milliseconds)))
        throw input_error(
            fmt::format("selector model: {} took {} ms on {}", one.label, known.milliseconds, known.graph));
    }
  }
}

}  // namespace mlmq::selector
