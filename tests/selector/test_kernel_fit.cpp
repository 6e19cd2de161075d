// SPDX-License-Identifier: Apache-2.0
// Kernel ridge regression, against its definition.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "selector/importance.hpp"
#include "selector/inference.hpp"
#include "selector/kernel_fit.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

/// Two features that count, one that does not, and one that is the same for all.
struct small_record {
  std::vector<std::vector<float>> rows;
  std::vector<double> targets;  ///< of two candidates
  std::vector<bool> wanted{true, false, true, true};

  small_record() {
    synthetic::random numbers(4);
    for (int i = 0; i < 30; ++i) {
      const double size = std::exp2(20 * numbers.uniform());
      const double share = numbers.uniform();
      rows.push_back({static_cast<float>(size), static_cast<float>(i), static_cast<float>(share), 7});
      targets.push_back(size > 1000 ? 0.4 : -0.2);
      targets.push_back(share - 0.5);
    }
  }
};

double likeness(const kernel_fit& fit, const std::vector<float>& a, const std::vector<float>& b) {
  const auto left = fit.place(a);
  const auto right = fit.place(b);
  double distance = 0;
  for (std::size_t f = 0; f < left.size(); ++f) distance += std::abs(int{left[f]} - int{right[f]});
  return std::pow(1 + distance * double{fit.level} / 4, -4);
}

}  // namespace

TEST_CASE("positions are near logarithms, and grow with the value") {
  CHECK(feature_position(0) == 0);
  CHECK(feature_position(1) == 1);
  CHECK(feature_position(3) == 2);
  CHECK(feature_position(0.5F) == 0.5F);
  CHECK(feature_position(1023) == 10);
  CHECK(feature_position(-5) == 0);
  CHECK(std::isfinite(feature_position(std::numeric_limits<float>::infinity())));
  float last = -1;
  for (float value = 0; value < 1e9F; value = value * 1.1F + 0.01F) {
    const float position = feature_position(value);
    CHECK(position > last);
    CHECK(position == Approx(std::log2(1 + double{value})).margin(0.09));
    last = position;
  }
}

TEST_CASE("the fit solves (K + ridge) weights = targets, and scores are sums over the recorded graphs") {
  const small_record record;
  const kernel_settings settings{.scale = 0.5, .ridge = 0.2};
  const kernel_fit fit = fit_kernel(record.rows, record.wanted, record.targets, settings);
  CHECK(fit.features == std::vector<std::size_t>{0, 2});
  REQUIRE(fit.point_count() == record.rows.size());
  double centre = 0;
  for (const auto& row : record.rows) centre += int{fit.place(row)[0]} / 30.0;
  CHECK(centre == Approx(128).margin(0.5));
  for (std::size_t g = 0; g < record.rows.size(); ++g) {
    std::vector<float> score(2, 0.0F);
    fit.add(fit.place(record.rows[g]), score);
    for (std::size_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (std::size_t point = 0; point < record.rows.size(); ++point)
        sum += likeness(fit, record.rows[g], record.rows[point]) * double{fit.weights[point * 2 + c]};
      CHECK(double{score[c]} == Approx(sum).margin(1e-5));
      // K w = t - ridge w
      CHECK(sum == Approx(record.targets[g * 2 + c] - 0.2 * double{fit.weights[g * 2 + c]}).margin(1e-4));
    }
  }
}

TEST_CASE("a small ridge follows the record, a large one does not; unknown features count as average") {
  const small_record record;
  const auto error = [&](double ridge) {
    const kernel_fit fit = fit_kernel(record.rows, record.wanted, record.targets, {.scale = 1, .ridge = ridge});
    double sum = 0;
    for (std::size_t g = 0; g < record.rows.size(); ++g) {
      std::vector<float> score(2, 0.0F);
      fit.add(fit.place(record.rows[g]), score);
      sum += std::abs(double{score[0]} - record.targets[2 * g]);
    }
    return sum / 30;
  };
  CHECK(error(1e-4) < 0.001);
  CHECK(error(1e-4) < error(1));
  CHECK(error(1) < error(100));
  CHECK(error(1000) > 0.15);
  const kernel_fit fit = fit_kernel(record.rows, record.wanted, record.targets, {});
  CHECK(fit.place(std::vector<float>{NAN, 1, NAN, 7}) == kernel_place{128, 128});
}

TEST_CASE("levels reach to three deviations, and end where a byte does") {
  const small_record record;
  for (const double scale : {0.01, 0.08, 0.5, 3.0}) {
    INFO(scale);
    const kernel_fit fit = fit_kernel(record.rows, record.wanted, record.targets, {.scale = scale, .ridge = 0.1});
    // A deviation of a feature is `scale` in a distance.
    double squares = 0;
    for (const auto& row : record.rows) squares += std::pow((int{fit.place(row)[1]} - 128) * double{fit.level}, 2);
    CHECK(std::sqrt(squares / 30) == Approx(scale).epsilon(0.02));
    const double levels = scale / double{fit.level};
    CHECK(levels <= 128.0 / 3);
    CHECK(levels > 128.0 / 6);
    CHECK(fit.place(std::vector<float>{1e38F, 0, 1e38F, 0}) == kernel_place{255, 255});
    CHECK(fit.place(std::vector<float>{1e38F, 0, -1e38F, 0})[1] < 128);
  }
}

TEST_CASE("settings of a kernel that make no sense are refused") {
  const small_record record;
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_WITH(fit_kernel(record.rows, record.wanted, record.targets, {.scale = bad}), Contains("scale"));
    CHECK_THROWS_WITH(fit_kernel(record.rows, record.wanted, record.targets, {.ridge = bad}), Contains("ridge"));
  }
}

TEST_CASE("a kernel model asks for what it looks at, survives its file, and damage to it is refused") {
  const training_set wide = synthetic::make_wide();
  const model trained = train_model(wide, standard_learning(method::kernel), {});
  REQUIRE(trained.members.size() == 1);
  REQUIRE(trained.members[0].kernel);
  const class selector chooser(trained);
  // Not the average degree, nor weights' sizes, nor what is the same for all graphs.
  CHECK(chooser.features() == std::vector<std::string>{"m", "nnz", "max_nnz", "dev_nnz", "hops", "clustering"});
  const model read = model_from_text(model_to_text(trained), "m");
  CHECK(model_to_text(read) == model_to_text(trained));
  const class selector again(read);
  for (const graph_example& graph : wide.graphs)
    CHECK(chooser.predict_all(synthetic::known(chooser, wide, graph)) ==
          again.predict_all(synthetic::known(again, wide, graph)));

  const auto refused = [&](auto damage) {
    model damaged = trained;
    damage(damaged);
    CHECK_THROWS_AS(make_scorer(damaged), input_error);
  };
  refused([](model& m) { m.members[0].kernel->weights.pop_back(); });
  refused([](model& m) { m.members[0].kernel->points.pop_back(); });
  refused([](model& m) { m.members[0].kernel->level = 0; });
  refused([](model& m) { m.members[0].kernel->level = -0.5F; });
  refused([](model& m) { m.members[0].kernel->level = 0.3F; });
  refused([](model& m) { m.members[0].kernel->level = NAN; });
  refused([](model& m) { m.members[0].kernel->scale[0] = INFINITY; });
  refused([](model& m) { m.members[0].kernel->weights[3] = INFINITY; });
  refused([](model& m) { m.members[0].kernel->features.back() = 99; });
  refused([](model& m) { std::swap(m.members[0].kernel->features[0], m.members[0].kernel->features[1]); });
  refused([](model& m) { m.members[0].kernel->candidates = 0; });
  refused([](model& m) { m.members[0].starts.pop_back(); });
  refused([](model& m) { m.members[0].starts[0] = NAN; });
  refused([](model& m) { m.members[0].weight = 2; });
  refused([](model& m) { m.members.push_back(m.members[0]); });
  refused([](model& m) { m.members.push_back(synthetic::quick_model().members[0]); });
  refused([](model& m) { m.members.insert(m.members.begin(), synthetic::quick_model().members[0]); });
}

TEST_CASE("points of a kernel in a file are bytes") {
  const std::string whole = model_to_text(train_model(synthetic::make_wide(), standard_learning(method::kernel), {}));
  const std::string before = "\"points\":[";
  const std::size_t first = whole.find(before) + before.size();
  REQUIRE(first > before.size());
  for (const std::string bad : {"256", "-1", "1.5", "1e300"}) {
    INFO(bad);
    std::string damaged = whole;
    damaged.replace(first, damaged.find(',', first) - first, bad);
    CHECK_THROWS_WITH(model_from_text(damaged, "m"), Contains("expected 0 to 255"));
  }
}

TEST_CASE("a kernel looks at ratios of features, and asks for both") {
  const training_set set = synthetic::make_tailed();
  const model trained = train_model(set, standard_learning(method::kernel), {});
  CHECK(trained.members.at(0).kernel->features == std::vector<std::size_t>{1, 4});
  const class selector chooser(trained);
  // The average by itself is only asked for; what is in no ratio of the two, not even that.
  CHECK(chooser.features() == std::vector<std::string>{"avg_nnz", "degree_p99"});
  for (std::size_t g = 0; g < set.graphs.size(); ++g) {
    const graph_features known = synthetic::known(chooser, set, set.graphs[g]);
    CHECK(chooser.label(chooser.select(known)) == set.candidates[g % 2].label);
  }
  // Unknown without its denominator, so nothing but the tail tells.
  const auto with = chooser.predict_all(graph_features{10, 40});
  CHECK(chooser.predict_all(graph_features{NAN, 40}) != with);
  CHECK(chooser.predict_all(graph_features{0, 40}) == chooser.predict_all(graph_features{NAN, 40}));
  CHECK(chooser.predict_all(graph_features{20, 40}) != with);
}

TEST_CASE("what was not measured does not count for or against a candidate") {
  training_set set = synthetic::make_wide(12);
  std::erase_if(set.observations, [](const observation& one) { return one.candidate == 2 && one.graph > 0; });
  const class selector chooser(train_model(set, standard_learning(method::kernel), {}));
  const performance_matrix performance(set);
  std::size_t place = 0;  // the model's candidates are in the order of their labels
  while (chooser.label(place) != set.candidates[2].label) ++place;
  // Its mean is that of the one graph where it was measured, and nothing says that others differ.
  for (const graph_example& graph : set.graphs)
    CHECK(double{chooser.predict_all(synthetic::known(chooser, set, graph))[place]} ==
          Approx(performance.relative(0, 2)).margin(1e-5));
}

TEST_CASE("a graph from several vertices is one point, with the same scores") {
  small_record record;
  const kernel_fit once = fit_kernel(record.rows, record.wanted, record.targets, {.scale = 0.5, .ridge = 0.1});
  // Twice the same with twice the noise is as much evidence as once.
  auto rows = record.rows;
  auto targets = record.targets;
  rows.insert(rows.end(), record.rows.begin(), record.rows.end());
  targets.insert(targets.end(), record.targets.begin(), record.targets.end());
  const kernel_fit twice = fit_kernel(rows, record.wanted, targets, {.scale = 0.5, .ridge = 0.2});
  CHECK(twice.point_count() == once.point_count());
  for (const auto& row : record.rows) {
    std::vector<float> a(2, 0.0F);
    std::vector<float> b(2, 0.0F);
    once.add(once.place(row), a);
    twice.add(twice.place(row), b);
    for (std::size_t c = 0; c < 2; ++c) CHECK(double{a[c]} == Approx(double{b[c]}).margin(1e-4));
  }
}
