// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "selector/packed_numbers.hpp"
#include "selector/time_model_json.hpp"
#include "tests/selector/synthetic_times.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> names{"m", "nnz", "max_nnz", "dev_nnz"};

std::vector<double> expected(const time_model& times, const workload_example& workload) {
  std::vector<float> values;
  for (const double value : pick_features(times.features, synthetic::features, workload.features))
    values.push_back(static_cast<float>(value));
  return times.by_features.milliseconds(values, workload.features[0] + workload.features[1]);
}

std::vector<double> expected_by_size(const time_model& times, double vertices, double edges) {
  const std::array<float, 2> size{static_cast<float>(vertices), static_cast<float>(edges)};
  return times.by_size.milliseconds(size, vertices + edges);
}

double factor(double a, double b) { return std::max(a / b, b / a); }

}  // namespace

TEST_CASE("times of workloads that it has not seen are expected from their features, and roughly from their size") {
  const processor_record processors = synthetic::processors_record();
  const auto times = fit_times(synthetic::device_record(), &processors, names, "sssp");
  REQUIRE(times);
  CHECK(times->problem == "sssp");
  CHECK(times->features == names);
  CHECK(times->processors == "some processors");
  CHECK(times->processor_threads == 6);
  REQUIRE(times->searchers.size() == 2);
  CHECK(times->searchers[0].label == "one");
  CHECK(times->searchers[1].label == "threads");
  CHECK(times->by_features.landmark_count() > 10);
  CHECK(times->by_size.landmark_count() == 0);
  double sum = 0;
  double sum_by_size = 0;
  int count = 0;
  for (const workload_example& workload : synthetic::workloads_of_all_sizes(64, 99)) {
    const std::array<double, 3> real{synthetic::device_ms(workload), synthetic::one_thread_ms(workload),
                                     synthetic::threads_ms(workload)};
    const std::vector<double> predicted = expected(*times, workload);
    const std::vector<double> rough = expected_by_size(*times, workload.features[0], workload.features[1]);
    REQUIRE(predicted.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      sum += std::log(factor(predicted[i], real[i]));
      sum_by_size += std::log(factor(rough[i], real[i]));
      ++count;
    }
    // A long and thin workload looks ordinary by its size alone.
    if (workload.features[4] == 0 && workload.features[0] > 10'000) {
      CHECK(predicted[0] > 5 * predicted[1]);
      CHECK(rough[0] < predicted[0]);
    }
  }
  CHECK(std::exp(sum / count) < 1.2);
  CHECK(std::exp(sum_by_size / count) < 2.5);
  CHECK(sum < 0.5 * sum_by_size);
}

TEST_CASE("outside the record, times grow with the workload, and never fall below those of the smallest") {
  const auto times = fit_times(synthetic::device_record(), nullptr, names, "sssp");
  REQUIRE(times);
  workload_example workload = synthetic::workloads_of_all_sizes(2)[1];
  const auto sized = [&](double vertices) {
    workload.features[0] = vertices;
    workload.features[1] = 8 * vertices;
    return expected(*times, workload)[0];
  };
  const double large = sized(0x1p26);
  CHECK(sized(0x1p29) == Approx(8 * large));
  CHECK(sized(2) == Approx(sized(16)));
  CHECK(expected_by_size(*times, 1, 0)[0] == Approx(expected_by_size(*times, 16, 16)[0]));
  // Unknown features count as average.
  const float unknown = std::nanf("");
  const std::array<float, 4> nothing{unknown, unknown, unknown, unknown};
  const double some = times->by_features.milliseconds(nothing, 1e5)[0];
  CHECK((some > 0 && some < 100));
  // Infinite features exceed all thresholds.
  const std::array<float, 4> infinite{INFINITY, INFINITY, INFINITY, INFINITY};
  CHECK(std::isfinite(times->by_features.milliseconds(infinite, 1e5)[0]));
}

TEST_CASE("a record without trials on processors gives times of the device only") {
  const auto times = fit_times(synthetic::device_record(), nullptr, names, "sssp");
  REQUIRE(times);
  CHECK(times->searchers.empty());
  CHECK(times->processors.empty());
  CHECK(times->by_size.places() == 1);
}

TEST_CASE("failed searches and rarely measured ones are not learned from") {
  // One thread fails on all large workloads, and a third solver on nearly everything.
  processor_record processors = synthetic::processors_record(96, 5);
  processors.set.candidates.push_back({"rare", {}});
  for (std::size_t g = 0; g < 9; ++g) processors.set.observations.push_back({g, 2, 1.0, true});
  const auto times = fit_times(synthetic::device_record(), &processors, names, "sssp");
  REQUIRE(times);
  REQUIRE(times->searchers.size() == 2);
  workload_example large = synthetic::workloads_of_all_sizes(2)[1];
  large.features[0] = 0x1p22;
  large.features[1] = 0x1p25;
  CHECK(factor(expected(*times, large)[1], synthetic::one_thread_ms(large)) < 2.5);
}

TEST_CASE("a record of few workloads, or of workloads whose size is not known, gives no times") {
  const std::array<std::size_t, 9> few{0, 1, 2, 3, 4, 5, 6, 7, 8};
  CHECK_FALSE(fit_times(keep_workloads(synthetic::device_record(), few), nullptr, names, "sssp"));
  const std::vector<std::string> other{"nnz", "max_nnz"};
  CHECK_FALSE(fit_times(keep_features(synthetic::device_record(), other), nullptr, other, "sssp"));
}

TEST_CASE("how large weights are is not looked at") {
  const auto times = fit_times(synthetic::device_record(), nullptr, synthetic::features, "sssp");
  REQUIRE(times);
  CHECK(times->features == std::vector<std::string>{"m", "nnz", "avg_nnz", "max_nnz", "dev_nnz"});
}

TEST_CASE("a machine is compared by two workloads, each with the first query on record") {
  const processor_record processors = synthetic::processors_record();
  const auto times = fit_times(synthetic::device_record(), &processors, names, "sssp");
  REQUIRE(times);
  const auto& calibrations = times->searchers[0].calibrations;
  REQUIRE(calibrations.size() == 2);
  CHECK(calibrations[0].workload == "road12");
  CHECK(calibrations[0].query == "source=4");
  CHECK(calibrations[0].milliseconds == synthetic::one_thread_ms(processors.set.workloads[1]));
  CHECK(calibrations[1].workload == "rmat12");
  CHECK(calibrations[1].query == "source=5");
}

TEST_CASE("the order of the record does not matter to a byte") {
  processor_record processors = synthetic::processors_record();
  training_set device = synthetic::device_record();
  const std::string text = times_to_json(*fit_times(device, &processors, names, "sssp")).dump();
  for (training_set* const set : {&device, &processors.set}) {
    std::vector<std::size_t> backwards;
    for (std::size_t g = set->workloads.size(); g-- > 0;) backwards.push_back(g);
    const std::array<std::size_t, 2> swapped{1, 0};
    *set = keep_candidates(keep_workloads(*set, backwards), swapped);
    std::reverse(set->observations.begin(), set->observations.end());
  }
  std::reverse(processors.calibrations.begin(), processors.calibrations.end());
  CHECK(times_to_json(*fit_times(device, &processors, names, "sssp")).dump() == text);
}

TEST_CASE("times survive their file, and inconsistent ones are refused") {
  const processor_record processors = synthetic::processors_record();
  const model trained = synthetic::model_with_times(&processors);
  REQUIRE(trained.times);
  const std::string text = model_to_text(trained);
  const model loaded = model_from_text(text, "m.json");
  CHECK(model_to_text(loaded) == text);
  const class selector before(trained);
  const class selector after(loaded);
  for (const workload_example& workload : synthetic::workloads_of_all_sizes(20, 3)) {
    const feature_values inputs = pick_features(before.features(), synthetic::features, workload.features);
    CHECK(before.expected(inputs, workload.features[0], workload.features[1]) ==
          after.expected(inputs, workload.features[0], workload.features[1]));
    CHECK(before.expected_by_size(workload.features[0], workload.features[1]).size() == 3);
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
  check_refused("/by_features/most", with_number("most", 0, -1000), "the range of its expected times");
  check_refused("/searchers/0/calibrations/0/ms", 0, "one took 0 ms on road12");
  check_refused("/searchers", nlohmann::json::array(), "are inconsistent");
  check_refused("/features/0", "avg_weight", "'avg_weight', which its choice does not use");

  auto document = nlohmann::ordered_json::parse(text);
  document.erase("times");
  const class selector without(model_from_text(document.dump(), "m.json"));
  CHECK(without.times() == nullptr);
  CHECK(without.expected_by_size(10, 10).empty());
}
