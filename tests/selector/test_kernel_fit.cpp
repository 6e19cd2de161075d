// SPDX-License-Identifier: Apache-2.0
// Kernel ridge regression, against its definition.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "selector/inference.hpp"
#include "selector/kernel_fit.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

/// A record with two features that matter, one that does not, and one that is constant.
struct small_record {
  dense_matrix rows{30, 4, {}};
  std::vector<double> targets;  ///< targets of two candidates
  std::vector<bool> selected{true, false, true, true};

  small_record() {
    synthetic::random numbers(4);
    for (int i = 0; i < 30; ++i) {
      const double size = std::exp2(20 * numbers.uniform());
      const double share = numbers.uniform();
      rows.values.insert(rows.values.end(),
                         {static_cast<float>(size), static_cast<float>(i), static_cast<float>(share), 7});
      targets.push_back(size > 1000 ? 0.4 : -0.2);
      targets.push_back(share - 0.5);
    }
  }
};

using place = std::vector<std::uint8_t>;

/// Returns the place of a row: only its selected features, without padding.
place place_of(const kernel_fit& fit, const float* row) {
  place result(runtime::padded_place(fit.used.size()));
  runtime::find_place(kernel_blocks(fit).view(), row, result.data());
  result.resize(fit.used.size());
  return result;
}

place place_of(const kernel_fit& fit, const dense_matrix& rows, std::size_t row) {
  return place_of(fit, rows.values.data() + row * rows.columns);
}

std::vector<float> scores_of(const kernel_fit& fit, const dense_matrix& rows, std::size_t row) {
  place row_place = place_of(fit, rows, row);
  row_place.resize(runtime::padded_place(fit.used.size()));
  std::vector<float> scores(fit.candidates, 0.0F);
  runtime::add_similarity(kernel_blocks(fit).view(), row_place.data(), fit.candidates, scores.data());
  return scores;
}

double similarity(const kernel_fit& fit, const place& first, const place& second) {
  double distance = 0;
  for (std::size_t f = 0; f < first.size(); ++f) distance += std::abs(int{first[f]} - int{second[f]});
  return std::pow(1 + distance * double{fit.level} / 4, -4);
}

double weight_of(const kernel_fit& fit, std::size_t point, std::size_t candidate) {
  return double{fit.weights[point * runtime::padded(fit.candidates) + candidate]};
}

}  // namespace

TEST_CASE("positions are near logarithms, and grow with the value") {
  CHECK(runtime::position(0) == 0);
  CHECK(runtime::position(1) == 1);
  CHECK(runtime::position(3) == 2);
  CHECK(runtime::position(0.5F) == 0.5F);
  CHECK(runtime::position(1023) == 10);
  CHECK(runtime::position(-5) == 0);
  CHECK(std::isfinite(runtime::position(std::numeric_limits<float>::infinity())));
  float last = -1;
  for (float value = 0; value < 1e9F; value = value * 1.1F + 0.01F) {
    const float position = runtime::position(value);
    CHECK(position > last);
    CHECK(position == Approx(std::log2(1 + double{value})).margin(0.09));
    last = position;
  }
}

TEST_CASE("the fit solves (K + ridge) weights = targets, and scores are sums over the recorded workloads") {
  const small_record record;
  const kernel_settings settings{.scale = 0.5, .ridge = 0.2};
  const kernel_fit fit = fit_kernel(record.rows, record.selected, record.targets, settings);
  CHECK(fit.used == std::vector<std::uint8_t>{0, 2});
  REQUIRE(fit.point_count() == record.rows.rows);
  double centre = 0;
  for (std::size_t row = 0; row < 30; ++row) centre += int{place_of(fit, record.rows, row)[0]} / 30.0;
  CHECK(centre == Approx(128).margin(0.5));
  for (std::size_t row = 0; row < 30; ++row) {
    const std::vector<float> score = scores_of(fit, record.rows, row);
    for (std::size_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (std::size_t point = 0; point < 30; ++point)
        sum += similarity(fit, place_of(fit, record.rows, row), place_of(fit, record.rows, point)) *
               weight_of(fit, point, c);
      // Similarities and weights are rounded.
      CHECK(double{score[c]} == Approx(sum).margin(1e-3));
      // K w = t - ridge w
      CHECK(sum == Approx(record.targets[row * 2 + c] - 0.2 * weight_of(fit, row, c)).margin(1e-4));
    }
  }
}

TEST_CASE("a small ridge follows the record, a large one does not; unknown features count as average") {
  const small_record record;
  const auto error = [&](double ridge) {
    const kernel_fit fit = fit_kernel(record.rows, record.selected, record.targets, {.scale = 1, .ridge = ridge});
    double sum = 0;
    for (std::size_t row = 0; row < 30; ++row)
      sum += std::abs(double{scores_of(fit, record.rows, row)[0]} - record.targets[2 * row]);
    return sum / 30;
  };
  CHECK(error(1e-4) < 0.001);
  CHECK(error(1e-4) < error(1));
  CHECK(error(1) < error(100));
  CHECK(error(1000) > 0.15);
  const kernel_fit fit = fit_kernel(record.rows, record.selected, record.targets, {});
  const std::array<float, 4> unknown{NAN, 1, NAN, 7};
  CHECK(place_of(fit, unknown.data()) == place{128, 128});
}

TEST_CASE("levels reach to three deviations, and end where a byte does") {
  const small_record record;
  for (const double scale : {0.01, 0.08, 0.5, 3.0}) {
    INFO(scale);
    const kernel_fit fit = fit_kernel(record.rows, record.selected, record.targets, {.scale = scale, .ridge = 0.1});
    // One standard deviation of a feature contributes `scale` to a distance.
    double squares = 0;
    for (std::size_t row = 0; row < 30; ++row)
      squares += std::pow((int{place_of(fit, record.rows, row)[1]} - 128) * double{fit.level}, 2);
    CHECK(std::sqrt(squares / 30) == Approx(scale).epsilon(0.02));
    const double levels = scale / double{fit.level};
    CHECK(levels <= 128.0 / 3);
    CHECK(levels > 128.0 / 6);
    const std::array<float, 4> high{1e38F, 0, 1e38F, 0};
    const std::array<float, 4> low{1e38F, 0, -1e38F, 0};
    CHECK(place_of(fit, high.data()) == place{255, 255});
    CHECK(place_of(fit, low.data())[1] < 128);
  }
}

TEST_CASE("settings of a kernel that make no sense are refused") {
  const small_record record;
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_WITH(fit_kernel(record.rows, record.selected, record.targets, {.scale = bad}), Contains("scale"));
    CHECK_THROWS_WITH(fit_kernel(record.rows, record.selected, record.targets, {.ridge = bad}), Contains("ridge"));
  }
}

TEST_CASE("a kernel model requests only the features it uses, survives its file, and damage is refused") {
  const training_set wide = synthetic::make_wide();
  const model trained = train_model(wide, standard_learning(method::kernel), {});
  REQUIRE(trained.kernel);
  CHECK_FALSE(trained.trees);
  const class selector chooser(trained);
  // The model excludes constant features.
  CHECK(chooser.features() == std::vector<std::string>{"m", "nnz", "avg_nnz", "max_nnz", "dev_nnz", "avg_weight",
                                                       "dev_weight", "max_weight", "hops", "clustering"});
  const model read = model_from_text(model_to_text(trained), "m");
  CHECK(model_to_text(read) == model_to_text(trained));
  const class selector again(read);
  for (const workload_example& workload : wide.workloads)
    CHECK(chooser.predict_all(synthetic::model_inputs(chooser, wide, workload)) ==
          again.predict_all(synthetic::model_inputs(again, wide, workload)));

  const auto check_refused = [&](auto damage) {
    model damaged = trained;
    damage(damaged);
    CHECK_THROWS_AS(check_model(damaged), input_error);
  };
  check_refused([](model& m) { m.kernel->weights.pop_back(); });
  check_refused([](model& m) { m.kernel->points.pop_back(); });
  check_refused([](model& m) { m.kernel->level = 0; });
  check_refused([](model& m) { m.kernel->level = -0.5F; });
  check_refused([](model& m) { m.kernel->level = 0.3F; });
  check_refused([](model& m) { m.kernel->level = NAN; });
  check_refused([](model& m) { m.kernel->scale[0] = INFINITY; });
  check_refused([](model& m) { m.kernel->weights[3] = INFINITY; });
  check_refused([](model& m) { m.kernel->used.back() = 99; });
  check_refused([](model& m) { std::swap(m.kernel->used[0], m.kernel->used[1]); });
  check_refused([](model& m) { m.kernel->candidates = 0; });
  check_refused([](model& m) { m.starts.pop_back(); });
  check_refused([](model& m) { m.starts[0] = NAN; });
  check_refused([](model& m) { m.trees = synthetic::quick_model().trees; });
  check_refused([](model& m) { m.kernel.reset(); });
}

TEST_CASE("a kernel looks at ratios of features, and asks for both") {
  const training_set set = synthetic::make_tailed();
  const model trained = train_model(set, standard_learning(method::kernel), {});
  CHECK(trained.inputs.names() == std::vector<std::string>{"avg_nnz", "degree_p99", "degree_p99/avg_nnz"});
  CHECK(trained.kernel->used == std::vector<std::uint8_t>{0, 1, 2});
  const class selector chooser(trained);
  // The other features are constant.
  CHECK(chooser.features() == std::vector<std::string>{"avg_nnz", "degree_p99"});
  for (std::size_t g = 0; g < set.workloads.size(); ++g) {
    const feature_values inputs = synthetic::model_inputs(chooser, set, set.workloads[g]);
    CHECK(chooser.label(chooser.select(inputs)) == set.candidates[g % 2].label);
  }
  const auto with = chooser.predict_all(feature_values{10, 40});
  CHECK(chooser.predict_all(feature_values{NAN, 40}) != with);
  CHECK(chooser.predict_all(feature_values{20, 40}) != with);
}

TEST_CASE("missing measurements do not count for or against a candidate") {
  training_set set = synthetic::make_wide(12);
  std::erase_if(set.observations,
                [](const observation& measurement) { return measurement.candidate == 2 && measurement.workload > 0; });
  const class selector chooser(train_model(set, standard_learning(method::kernel), {}));
  const performance_matrix performance(set);
  std::size_t place = 0;  // the model's candidates are in the order of their labels
  while (chooser.label(place) != set.candidates[2].label) ++place;
  // Its mean is that of its only measured workload; no other data contradicts it.
  for (const workload_example& workload : set.workloads)
    CHECK(double{chooser.predict_all(synthetic::model_inputs(chooser, set, workload))[place]} ==
          Approx(performance.relative(0, 2)).margin(1e-5));
}

TEST_CASE("a workload with several queries is one point, with the same scores") {
  small_record record;
  const kernel_fit once = fit_kernel(record.rows, record.selected, record.targets, {.scale = 0.5, .ridge = 0.1});
  // The same rows twice, with twice the noise, are as much evidence as once.
  dense_matrix rows = record.rows;
  auto targets = record.targets;
  rows.rows *= 2;
  rows.values.insert(rows.values.end(), record.rows.values.begin(), record.rows.values.end());
  targets.insert(targets.end(), record.targets.begin(), record.targets.end());
  const kernel_fit twice = fit_kernel(rows, record.selected, targets, {.scale = 0.5, .ridge = 0.2});
  CHECK(twice.point_count() == once.point_count());
  for (std::size_t row = 0; row < 30; ++row) {
    const std::vector<float> a = scores_of(once, record.rows, row);
    const std::vector<float> b = scores_of(twice, record.rows, row);
    for (std::size_t c = 0; c < 2; ++c) CHECK(double{a[c]} == Approx(double{b[c]}).margin(1e-3));
  }
}

TEST_CASE("weights are whole numbers of a unit that is as small as the sums of a block permit") {
  kernel_fit fit;
  fit.candidates = 3;
  const auto block_of = [](const kernel_fit& rounded) {
    const kernel_blocks blocks(rounded);
    const runtime::kernel view = blocks.view();
    return std::pair(std::vector<std::int16_t>(view.weights, view.weights + 3 * runtime::points_per_block),
                     double{view.unit} * runtime::largest_similarity);
  };
  // One large weight, and 64 equal ones.
  for (std::size_t point = 0; point < runtime::points_per_block; ++point) {
    fit.weights.insert(fit.weights.end(), {point == 5 ? -3.0F : 0.0F, 1.0F, 0.25F, 0, 0, 0, 0, 0});
  }
  const auto [weights, unit] = block_of(fit);
  std::array<std::int64_t, 3> sums{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t candidate = i / runtime::points_per_block;
    const std::size_t point = i % runtime::points_per_block;
    CHECK(weights[i] * unit == double{fit.weights[point * 8 + candidate]});
    sums.at(candidate) += std::abs(std::int64_t{weights[i]});
  }
  const std::int64_t largest = *std::max_element(sums.begin(), sums.end());
  CHECK(largest <= runtime::largest_block_weight);
  CHECK(2 * largest > runtime::largest_block_weight);
  // Without the equal weights, the largest one determines the unit.
  for (std::size_t i = 1; i < fit.weights.size(); i += 8) fit.weights[i] = fit.weights[i + 1] = 0;
  const auto [alone, smaller_unit] = block_of(fit);
  CHECK(alone[5] * smaller_unit == -3.0);
  CHECK(alone[5] < std::numeric_limits<std::int16_t>::min() / 2);
  for (float& weight : fit.weights) weight = 0;
  CHECK(block_of(fit).second > 0);
}

TEST_CASE("with fewer landmarks, the fit is the best one by these, and worse than with all") {
  const small_record record;
  const auto error_of = [&](std::size_t landmarks) {
    const kernel_fit fit =
        fit_kernel(record.rows, record.selected, record.targets, {.scale = 0.5, .ridge = 0.01, .landmarks = landmarks});
    CHECK(fit.point_count() == std::min<std::size_t>(landmarks, 30));
    double sum = 0;
    for (std::size_t row = 0; row < 30; ++row)
      sum += std::pow(double{scores_of(fit, record.rows, row)[1]} - record.targets[2 * row + 1], 2);
    return sum;
  };
  CHECK(error_of(30) == error_of(1000));
  CHECK(error_of(30) < error_of(15));
  CHECK(error_of(15) < error_of(4));
  // Four landmarks that cover the record, not any four: they explain most of the targets.
  double squares = 0;
  for (std::size_t row = 0; row < 30; ++row) squares += std::pow(record.targets[2 * row + 1], 2);
  CHECK(error_of(4) < squares / 4);
}
