// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "selector/packed_numbers.hpp"
#include "tests/selector/synthetic_times.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> names{"m", "nnz", "max_nnz", "dev_nnz"};

double expected(const time_model& times, const workload_example& workload) {
  std::vector<float> values;
  for (const double value : pick_features(times.features, synthetic::features, workload.features))
    values.push_back(static_cast<float>(value));
  return times.by_features.milliseconds(values, workload.features[0] + workload.features[1]);
}

double expected_by_size(const time_model& times, double vertices, double edges) {
  const std::array<float, 2> size{static_cast<float>(vertices), static_cast<float>(edges)};
  return times.by_size.milliseconds(size, vertices + edges);
}

double factor(double a, double b) { return std::max(a / b, b / a); }

}  // namespace

TEST_CASE("times of workloads that it has not seen are expected from their features, and roughly from their size") {
  const auto times = fit_times(synthetic::device_record(), names, "sssp");
  REQUIRE(times);
  CHECK(times->problem == "sssp");
  CHECK(times->features == names);
  CHECK(times->by_features.landmark_count() > 10);
  CHECK(times->by_size.landmark_count() == 0);
  double sum = 0;
  double sum_by_size = 0;
  int count = 0;
  for (const workload_example& workload : synthetic::workloads_of_all_sizes(64, 99)) {
    const double real = synthetic::device_ms(workload);
    const double predicted = expected(*times, workload);
    const double rough = expected_by_size(*times, workload.features[0], workload.features[1]);
    sum += std::log(factor(predicted, real));
    sum_by_size += std::log(factor(rough, real));
    ++count;
    // A long and thin workload looks ordinary by its size alone.
    if (workload.features[4] == 0 && workload.features[0] > 10'000) CHECK(rough < predicted);
  }
  CHECK(std::exp(sum / count) < 1.2);
  CHECK(std::exp(sum_by_size / count) < 5);
  CHECK(sum < 0.5 * sum_by_size);
}

TEST_CASE("errors of expected times are those of workloads that were not learned from") {
  const auto errors = cross_validate_times(synthetic::device_record(), 4, 1);
  REQUIRE(errors);
  CHECK(errors->by_features > 1);
  CHECK(errors->by_features < 1.5);
  CHECK(errors->by_features < errors->by_size);
  const std::array<std::size_t, 12> few{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  CHECK_FALSE(cross_validate_times(keep_workloads(synthetic::device_record(), few), 4, 1));
}

TEST_CASE("outside the record, times grow with the workload, and never fall below those of the smallest") {
  const auto times = fit_times(synthetic::device_record(), names, "sssp");
  REQUIRE(times);
  workload_example workload = synthetic::workloads_of_all_sizes(2)[1];
  const auto sized = [&](double vertices) {
    workload.features[0] = vertices;
    workload.features[1] = 8 * vertices;
    return expected(*times, workload);
  };
  const double large = sized(0x1p26);
  CHECK(sized(0x1p29) == Approx(8 * large));
  CHECK(sized(2) == Approx(sized(16)));
  CHECK(expected_by_size(*times, 1, 0) == Approx(expected_by_size(*times, 16, 16)));
  // Unknown features count as average.
  const float unknown = std::nanf("");
  const std::array<float, 4> nothing{unknown, unknown, unknown, unknown};
  const double some = times->by_features.milliseconds(nothing, 1e5);
  CHECK((some > 0 && some < 100));
  // Infinite features exceed all thresholds.
  const std::array<float, 4> infinite{INFINITY, INFINITY, INFINITY, INFINITY};
  CHECK(std::isfinite(times->by_features.milliseconds(infinite, 1e5)));
}

TEST_CASE("a record of few workloads, or of workloads whose size is not known, gives no times") {
  const std::array<std::size_t, 9> few{0, 1, 2, 3, 4, 5, 6, 7, 8};
  CHECK_FALSE(fit_times(keep_workloads(synthetic::device_record(), few), names, "sssp"));
  const std::vector<std::string> other{"nnz", "max_nnz"};
  CHECK_FALSE(fit_times(keep_features(synthetic::device_record(), other), other, "sssp"));
}

TEST_CASE("how large weights are is not looked at") {
  const auto times = fit_times(synthetic::device_record(), synthetic::features, "sssp");
  REQUIRE(times);
  CHECK(times->features == std::vector<std::string>{"m", "nnz", "avg_nnz", "max_nnz", "dev_nnz"});
}

TEST_CASE("the order of the record does not matter to a byte") {
  model trained = synthetic::model_with_times();
  const std::string text = model_to_text(trained);
  training_set set = synthetic::device_record();
  std::vector<std::size_t> backwards;
  for (std::size_t g = set.workloads.size(); g-- > 0;) backwards.push_back(g);
  const std::array<std::size_t, 2> swapped{1, 0};
  set = keep_candidates(keep_workloads(set, backwards), swapped);
  std::reverse(set.observations.begin(), set.observations.end());
  trained.times = fit_times(set, trained.inputs.features, "sssp");
  CHECK(model_to_text(trained) == text);
}

TEST_CASE("times survive their file, and inconsistent ones are refused") {
  const model trained = synthetic::model_with_times();
  REQUIRE(trained.times);
  const std::string text = model_to_text(trained);
  const model loaded = model_from_text(text, "m.json");
  CHECK(model_to_text(loaded) == text);
  const class selector before(trained);
  const class selector after(loaded);
  for (const workload_example& workload : synthetic::workloads_of_all_sizes(20, 3)) {
    const feature_values inputs = pick_features(before.features(), synthetic::features, workload.features);
    CHECK(before.expected_best_ms(inputs, workload.features[0], workload.features[1]).value() ==
          after.expected_best_ms(inputs, workload.features[0], workload.features[1]).value());
    CHECK(before.expected_best_ms(workload.features[0], workload.features[1]).value() ==
          after.expected_best_ms(workload.features[0], workload.features[1]).value());
  }
  const auto check_refused = [&](const std::string& pointer, const nlohmann::json& value, const std::string& reason) {
    auto document = nlohmann::json::parse(text);
    document[nlohmann::json::json_pointer("/times" + pointer)] = value;
    CHECK_THROWS_WITH(model_from_text(document.dump(), "m.json"), Contains("m.json: ") && Contains(reason));
  };
  check_refused("", nlohmann::json(), "not a selector model");
  check_refused("/by_size/weights", pack(std::vector<float>{1}), "are inconsistent");
  check_refused("/by_features/landmarks", 1, "not a selector model");
  const auto with_number = [&](const char* name, std::size_t place, float value) {
    auto numbers = unpack<float>(nlohmann::json::parse(text)["times"]["by_features"][name].get<std::string>());
    numbers.at(place) = value;
    return pack(numbers);
  };
  check_refused("/by_features/axes/0/feature", 99, "are inconsistent");
  check_refused("/by_features/weights", with_number("weights", 3, INFINITY), "not finite");
  check_refused("/by_features/most", -1000, "the range of its expected times");
  check_refused("/by_size/least_items", 1e300, "not finite");
  check_refused("/features/0", "avg_weight", "'avg_weight', which its choice does not use");

  auto document = nlohmann::ordered_json::parse(text);
  document.erase("times");
  const class selector without(model_from_text(document.dump(), "m.json"));
  CHECK(without.times() == nullptr);
  CHECK_FALSE(without.expected_best_ms(10, 10));
}
