// SPDX-License-Identifier: Apache-2.0
#include "selector/time_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "selector/cholesky.hpp"

namespace mlmq::selector {
namespace {

/// Minimum number of workloads to which times are fitted.
constexpr std::size_t least_workloads = 10;

/// Ridge penalties of the weights of features and of landmarks (chosen in docs/notebook/selector.md).
constexpr double linear_ridge = 1;
constexpr double landmark_ridge = 0.03;
/// Number of landmarks that are added before the errors are updated.
constexpr std::size_t landmarks_at_once = 4;

/// Unused features: the size of weights does not change the work, because bucket widths are multiples of their average.
constexpr std::array<std::string_view, 8> sizes_of_weights{"avg_weight", "dev_weight",      "max_weight",
                                                           "weight_p10", "weight_p50",      "weight_p90",
                                                           "weight_p99", "weight_to_degree"};

/// Approximates log2 of a positive number from the bits of the float; runtime::power() is the inverse.
float logarithm(double number) {
  return static_cast<float>(std::bit_cast<std::int32_t>(static_cast<float>(number))) * 0x1p-23F - 127.0F;
}

std::vector<float> place_of(const time_fit& fit, std::span<const float> values) {
  std::vector<float> place;
  for (const runtime::time_axis& axis : fit.axes) place.push_back(runtime::place_on(axis, values[axis.value]));
  return place;
}

/// A workload with its time at each place; NaN: unknown.
struct sample {
  std::vector<float> values;
  double items = 0;
  std::vector<double> milliseconds;
};

/// Adds the axis of one feature, with the range of the samples. Skips a constant feature.
void add_axis(time_fit& fit, std::span<const sample> samples, std::size_t feature) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  float least = std::numeric_limits<float>::infinity();
  float most = -least;
  for (const sample& sample : samples) {
    if (std::isnan(sample.values[feature])) continue;
    const float position = runtime::position(sample.values[feature]);
    sum += double{position};
    squares += double{position} * double{position};
    ++count;
    least = std::min(least, position);
    most = std::max(most, position);
  }
  if (count == 0) return;
  const double centre = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - centre * centre));
  if (!(deviation > 1e-3)) return;
  runtime::time_axis axis{feature, static_cast<float>(centre), static_cast<float>(1 / deviation), 0, 0};
  axis.low = (least - axis.centre) * axis.scale;
  axis.high = (most - axis.centre) * axis.scale;
  fit.axes.push_back(axis);
}

/// Ridge regression to which columns can be added.
class regression_sums {
 public:
  /// Adds the last of `columns`; the others must have been added before.
  void add_column(const std::vector<std::vector<double>>& columns, const std::vector<double>& targets) {
    const std::vector<double>& fresh = columns.back();
    std::vector<double>& row = products_.emplace_back();
    for (const std::vector<double>& other : columns) row.push_back(product(fresh, other));
    right_.push_back(product(fresh, targets));
  }

  /// @param first columns before this one are not penalised
  [[nodiscard]] std::vector<double> weights(double ridge, std::size_t first) const {
    const std::size_t size = products_.size();
    std::vector<double> matrix(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i * size + j] = products_[i][j];
      if (i >= first) matrix[i * size + i] += ridge;
    }
    std::vector<double> solution = right_;
    decompose_cholesky(matrix, solution.size());
    solve_cholesky(matrix, solution.size(), solution);
    return solution;
  }

 private:
  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  std::vector<std::vector<double>> products_;  ///< the lower triangle
  std::vector<double> right_;
};

/// The fit of one place: its terms, and the residuals of the recorded times.
class place_fit {
 public:
  place_fit(std::span<const sample> samples, const std::vector<std::vector<float>>& positions, std::size_t place) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double milliseconds = samples[i].milliseconds[place];
      if (std::isnan(milliseconds)) continue;
      rows_.push_back(i);
      rest_.push_back(double{logarithm(milliseconds / samples[i].items)});
      least_items = std::min(least_items, static_cast<float>(samples[i].items));
    }
    least = static_cast<float>(*std::min_element(rest_.begin(), rest_.end()));
    most = static_cast<float>(*std::max_element(rest_.begin(), rest_.end()));
    regression_sums sums;
    std::vector<std::vector<double>> columns{std::vector<double>(rows_.size(), 1.0)};
    sums.add_column(columns, rest_);
    for (std::size_t f = 0; f < positions.front().size(); ++f) {
      columns.emplace_back();
      for (const std::size_t row : rows_) columns.back().push_back(double{positions[row][f]});
      sums.add_column(columns, rest_);
    }
    linear = sums.weights(linear_ridge, 1);
    subtract(columns, linear);
    deviation_ = rest_;
  }

  /// Returns the row with the largest error among the available ones; empty if there is none.
  [[nodiscard]] std::optional<std::size_t> worst(const std::vector<bool>& is_available) const {
    std::optional<std::size_t> worst_row;
    double most_error = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!is_available[rows_[i]] || std::abs(rest_[i]) <= most_error) continue;
      most_error = std::abs(rest_[i]);
      worst_row = rows_[i];
    }
    return worst_row;
  }

  /// @param similarities similarity of every sample to the landmark
  void add_landmark(const std::vector<float>& similarities) {
    landmarks_.emplace_back();
    for (const std::size_t row : rows_) landmarks_.back().push_back(double{similarities[row]});
    sums_.add_column(landmarks_, deviation_);
  }

  void fit_landmarks() {
    deviating = sums_.weights(landmark_ridge, 0);
    rest_ = deviation_;
    subtract(landmarks_, deviating);
  }

  std::vector<double> linear;     ///< weights of the constant and of each feature
  std::vector<double> deviating;  ///< weights of the landmarks
  float least = 0;
  float most = 0;
  float least_items = std::numeric_limits<float>::infinity();

 private:
  void subtract(const std::vector<std::vector<double>>& columns, const std::vector<double>& weights) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t i = 0; i < rest_.size(); ++i) rest_[i] -= weights[c] * columns[c][i];
    }
  }

  std::vector<std::size_t> rows_;  ///< samples that have a time
  std::vector<double> rest_;
  std::vector<double> deviation_;  ///< residuals of the linear terms
  std::vector<std::vector<double>> landmarks_;
  regression_sums sums_;
};

float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) sum += std::abs(a[f] - b[f]);
  return sum;
}

/// Sets landmarks at the samples with the largest errors, cycling through the places. @return the landmarks' samples
std::vector<std::size_t> set_landmarks(std::vector<place_fit>& places, const std::vector<std::vector<float>>& positions,
                                       std::size_t count) {
  std::vector<bool> is_available(positions.size(), true);
  std::vector<std::size_t> landmarks;
  for (std::size_t turn = 0; turn < count; ++turn) {
    const auto next = places[turn % places.size()].worst(is_available);
    if (!next) continue;
    landmarks.push_back(*next);
    std::vector<float> similarities;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const float gap = distance(positions[i], positions[*next]);
      similarities.push_back(runtime::similarity(gap * runtime::landmark_scale));
      if (gap == 0) is_available[i] = false;  // the same workload from another vertex is at the same place
    }
    for (place_fit& place : places) place.add_landmark(similarities);
    if (landmarks.size() % landmarks_at_once != 0) continue;
    for (place_fit& place : places) place.fit_landmarks();
  }
  if (landmarks.empty()) return landmarks;
  for (place_fit& place : places) place.fit_landmarks();
  return landmarks;
}

time_fit fit_samples(std::span<const sample> samples, std::size_t values, std::size_t landmark_limit) {
  time_fit fit;
  for (std::size_t f = 0; f < values; ++f) add_axis(fit, samples, f);
  std::vector<std::vector<float>> positions;
  for (const sample& sample : samples) positions.push_back(place_of(fit, sample.values));
  std::vector<place_fit> places;
  for (std::size_t place = 0; place < samples.front().milliseconds.size(); ++place)
    places.emplace_back(samples, positions, place);
  std::vector<std::size_t> landmarks;
  if (!fit.axes.empty()) landmarks = set_landmarks(places, positions, std::min(landmark_limit, samples.size() / 2));
  for (std::size_t f = 0; f < fit.axes.size(); ++f) {
    for (const std::size_t landmark : landmarks) fit.landmarks.push_back(positions[landmark][f]);
  }
  for (std::size_t term = 0; term < 1 + fit.axes.size(); ++term) {
    for (const place_fit& place : places) fit.weights.push_back(static_cast<float>(place.linear[term]));
  }
  for (std::size_t term = 0; term < landmarks.size(); ++term) {
    for (const place_fit& place : places) fit.weights.push_back(static_cast<float>(place.deviating[term]));
  }
  for (const place_fit& place : places) {
    fit.least.push_back(place.least);
    fit.most.push_back(place.most);
    fit.least_items.push_back(place.least_items);
  }
  return fit;
}

/// The recorded workloads by name, with their times at each place.
class sample_collection {
 public:
  sample_collection(std::span<const std::string> names, std::size_t places) : names_(names), places_(places) {}

  /// Workloads of unknown size are left out.
  void add(const training_set& set, std::size_t workload, std::size_t place, double milliseconds) {
    const std::array<std::string, 2> size_names{"m", "nnz"};
    const workload_example& example = set.workloads[workload];
    const feature_values size = pick_features(size_names, set.features, example.features);
    if (!(size[0] > 0 && size[1] >= 0)) return;
    const auto [found, is_new] = rows_.try_emplace(example.name);
    if (is_new) {
      const feature_values values = pick_features(names_, set.features, example.features);
      found->second = {{size.begin(), size.end()},
                       {values.begin(), values.end()},
                       size[0] + size[1],
                       std::vector<double>(places_, std::numeric_limits<double>::quiet_NaN())};
    }
    found->second.milliseconds[place] = milliseconds;
  }

  [[nodiscard]] std::vector<sample> by_size() const {
    std::vector<sample> result;
    for (const auto& [name, one] : rows_) result.push_back({one.size, one.items, one.milliseconds});
    return result;
  }
  [[nodiscard]] std::vector<sample> by_features() const {
    std::vector<sample> result;
    for (const auto& [name, one] : rows_) result.push_back({one.values, one.items, one.milliseconds});
    return result;
  }

  /// Number of workloads with a time at a place.
  [[nodiscard]] std::size_t count(std::size_t place) const {
    return static_cast<std::size_t>(std::count_if(rows_.begin(), rows_.end(), [place](const auto& entry) {
      return !std::isnan(entry.second.milliseconds[place]);
    }));
  }

 private:
  struct row {
    std::vector<float> size;
    std::vector<float> values;
    double items = 0;
    std::vector<double> milliseconds;
  };
  std::span<const std::string> names_;
  std::size_t places_;
  std::map<std::string, row> rows_;
};

/// Orders queries such that numbers without leading zeros are in numeric order.
bool comes_before(const std::string& a, const std::string& b) {
  return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
}

std::vector<calibration> calibrations_of(const training_set& set, const processor_record& record,
                                         std::size_t candidate) {
  std::map<std::string, calibration> by_workload;  // of several queries the first
  for (const observation& observation : set.observations) {
    if (observation.candidate != candidate || !observation.ok) continue;
    for (const calibration_input& input : record.calibrations) {
      if (input.example != set.workloads[observation.workload].name) continue;
      const auto [place, is_new] =
          by_workload.try_emplace(input.workload, calibration{input.workload, input.query, observation.milliseconds});
      if (!is_new && comes_before(input.query, place->second.query))
        place->second = {input.workload, input.query, observation.milliseconds};
    }
  }
  std::vector<calibration> result;
  for (const char* const name : calibration_workloads) {
    if (const auto match = by_workload.find(name); match != by_workload.end()) result.push_back(match->second);
  }
  return result;
}

/// Returns the number of solved workloads per candidate.
std::vector<std::size_t> successes(const training_set& set) {
  std::vector<std::size_t> counts(set.candidates.size());
  for (const observation& observation : set.observations) counts[observation.candidate] += observation.ok ? 1 : 0;
  return counts;
}

void check_fit(const time_fit& fit, std::size_t values, std::size_t places) {
  const std::size_t used = fit.axes.size();
  const std::size_t terms = 1 + used + fit.landmark_count();
  bool fits = places <= runtime::most_times && fit.landmark_count() <= runtime::most_landmarks &&
              fit.landmarks.size() == used * fit.landmark_count() && fit.places() == places &&
              fit.most.size() == places && fit.least_items.size() == places && fit.weights.size() == terms * places;
  bool is_finite = true;
  for (const runtime::time_axis& axis : fit.axes) {
    fits = fits && axis.value < values;
    for (const float number : {axis.centre, axis.scale, axis.low, axis.high})
      is_finite = is_finite && std::isfinite(number);
  }
  if (!fits) throw input_error("selector model: the sizes of the arrays of its expected times are inconsistent");
  for (const std::vector<float>* numbers : {&fit.landmarks, &fit.weights, &fit.least_items})
    is_finite =
        is_finite && std::all_of(numbers->begin(), numbers->end(), [](float number) { return std::isfinite(number); });
  if (!is_finite) throw input_error("selector model: a number of its expected times is not finite");
  for (std::size_t place = 0; place < places; ++place) {
    // The logarithms must be in the range of float exponents.
    if (!(fit.least[place] <= fit.most[place] && fit.least[place] > -126 && fit.most[place] < 127))
      throw input_error("selector model: the range of its expected times is empty or too large");
  }
}

}  // namespace

runtime::time_fit time_fit::view(std::span<const runtime::time_axis> placed) const {
  return {.axis_count = placed.size(),
          .axes = placed.data(),
          .landmark_count = landmark_count(),
          .landmarks = landmarks.data(),
          .weights = weights.data(),
          .time_count = places(),
          .least = least.data(),
          .most = most.data(),
          .least_items = least_items.data()};
}

std::vector<double> time_fit::milliseconds(std::span<const float> values, double items) const {
  std::vector<double> result(places());
  runtime::expect_times(view(axes), values.data(), items, result.data());
  return result;
}

std::optional<time_model> fit_times(const training_set& device, const processor_record* processors,
                                    std::span<const std::string> names, const std::string& problem) {
  time_model result;
  result.problem = problem;
  for (const std::string& name : names) {
    if (std::find(sizes_of_weights.begin(), sizes_of_weights.end(), name) == sizes_of_weights.end())
      result.features.push_back(name);
  }
  std::vector<std::size_t> searchers;  // candidates for processors
  training_set processor_set;
  if (processors != nullptr) {
    processor_set = in_canonical_order(processors->set);
    const std::vector<std::size_t> counts = successes(processor_set);
    for (std::size_t c = 0; c < counts.size(); ++c) {
      if (counts[c] < least_workloads) continue;
      searchers.push_back(c);
      result.searchers.push_back({processor_set.candidates[c].label, calibrations_of(processor_set, *processors, c)});
    }
    if (!searchers.empty()) {
      result.processors = processors->name;
      result.processor_threads = processors->threads;
    }
  }
  sample_collection samples(result.features, 1 + searchers.size());
  const training_set ordered = in_canonical_order(device);
  const performance_matrix performance(ordered);
  for (std::size_t g = 0; g < ordered.workloads.size(); ++g) {
    if (performance.solved(g)) samples.add(ordered, g, 0, performance.best_milliseconds(g));
  }
  for (const observation& observation : processor_set.observations) {
    const auto searcher = std::find(searchers.begin(), searchers.end(), observation.candidate);
    if (searcher == searchers.end() || !observation.ok) continue;
    samples.add(processor_set, observation.workload, 1 + static_cast<std::size_t>(searcher - searchers.begin()),
                observation.milliseconds);
  }
  for (std::size_t place = 0; place < 1 + searchers.size(); ++place) {
    if (samples.count(place) < least_workloads) return std::nullopt;
  }
  result.by_size = fit_samples(samples.by_size(), 2, 0);
  result.by_features = fit_samples(samples.by_features(), result.features.size(), runtime::most_landmarks);
  return result;
}

void check_times(const time_model& model) {
  check_fit(model.by_size, 2, 1 + model.searchers.size());
  check_fit(model.by_features, model.features.size(), 1 + model.searchers.size());
  for (const time_model::searcher& searcher : model.searchers) {
    for (const calibration& run : searcher.calibrations) {
      if (!(run.milliseconds > 0 && std::isfinite(run.milliseconds)))
        throw input_error(fmt::format("selector model: {} took {} ms on {}, expected a finite time above 0",
                                      searcher.label, run.milliseconds, run.workload));
    }
  }
}

}  // namespace mlmq::selector
