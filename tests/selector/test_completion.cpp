// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "selector/completion.hpp"
#include "selector/evaluate.hpp"
#include "selector/method.hpp"

using namespace mlmq;
using namespace mlmq::selector;

namespace {

constexpr std::size_t candidate_count = 14;

/// Time of a candidate on a workload with these features: each candidate is best at another place.
double time_of(std::size_t candidate, double a, double b) {
  const double place = static_cast<double>(candidate) / candidate_count;
  return std::exp(a + 2 * std::abs(place - b));
}

/// `complete` workloads have times of all candidates but the last one, `partial` ones of the last ten.
training_set record_of(std::size_t complete, std::size_t partial) {
  training_set set;
  set.features = {"size", "shape"};
  for (std::size_t c = 0; c < candidate_count; ++c) {
    const std::string name = (c < 10 ? "0" : "") + std::to_string(c);
    set.candidates.push_back({.label = "c=" + name, .parameters = {{"c", name}}});
  }
  std::mt19937 bits(3);
  for (std::size_t w = 0; w < complete + partial; ++w) {
    const double size = static_cast<double>(bits() % 1000) / 250;
    const double shape = static_cast<double>(bits() % 1000) / 1000;
    set.workloads.push_back({.name = "w" + std::to_string(1000 + w),
                             .group = "g" + std::to_string(w % 40),
                             .workload_class = "road",
                             .features = {std::exp(size), shape}});
    for (std::size_t c = 0; c < candidate_count; ++c) {
      if (w < complete ? c + 1 == candidate_count : c < 4) continue;
      set.observations.push_back({.workload = w, .candidate = c, .milliseconds = time_of(c, size, shape), .ok = true});
    }
  }
  return set;
}

}  // namespace

TEST_CASE("times that workloads lack are estimated from those that they have") {
  const training_set record = record_of(80, 40);
  CHECK(complete_workloads(record).size() == 80);
  const training_set full = complete_missing_times(record);
  REQUIRE(full.workloads.size() == 120);
  REQUIRE(full.candidates.size() == candidate_count - 1);  // the complete ones lack the last one
  CHECK(full.observations.size() == 120 * (candidate_count - 1));
  std::vector<double> errors;
  for (const observation& measured_time : full.observations) {
    const feature_values& features = full.workloads[measured_time.workload].features;
    const double exact = time_of(measured_time.candidate, std::log(features[0]), features[1]);
    REQUIRE(measured_time.ok);
    if (full.workloads[measured_time.workload].name < "w1080") {
      CHECK(measured_time.milliseconds == Approx(exact));
    } else {
      errors.push_back(std::abs(std::log(measured_time.milliseconds / exact)));
    }
  }
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() / 2] < 0.02);
  CHECK(errors[errors.size() * 9 / 10] < 0.1);
  CHECK(errors.back() > 0);
}

TEST_CASE("estimates do not depend on the order of the record") {
  training_set record = record_of(50, 10);
  const std::string first = hash_of(complete_missing_times(record));
  std::mt19937 bits(1);
  std::shuffle(record.observations.begin(), record.observations.end(), bits);
  CHECK(hash_of(complete_missing_times(record)) == first);
}

TEST_CASE("a small set, and one without gaps, stay as they are") {
  for (const training_set& record : {record_of(31, 0), record_of(10, 15), record_of(60, 0)}) {
    const training_set same = complete_missing_times(record);
    CHECK(complete_workloads(record).size() == record.workloads.size());
    CHECK(same.observations.size() == record.observations.size());
    CHECK(same.candidates.size() == candidate_count);
  }
}

TEST_CASE("workloads with few times are left out, those with none that are right too") {
  training_set record = record_of(60, 2);
  // The first partial workload keeps seven times, and the second has failures only.
  std::erase_if(record.observations, [](const observation& measured_time) {
    return measured_time.workload == 60 && measured_time.candidate < 7;
  });
  for (observation& measured_time : record.observations)
    measured_time.ok = measured_time.ok && measured_time.workload != 61;
  const training_set full = complete_missing_times(record);
  CHECK(full.workloads.size() == 60);
}

TEST_CASE("only complete workloads are evaluated on, and none is learned from while its group is held out") {
  training_set record = record_of(80, 40);
  const evaluation_report with =
      evaluate(record, std::vector{standard_learning(method::kernel)}, {.folds = 5, .cover_tolerance = std::nullopt});
  CHECK(with.workloads.size() == 80);
  CHECK(with.training_only == 40);
  // 120 workloads in 40 groups: every fold learns from four fifths of both kinds.
  CHECK(with.mean_training_workloads == Approx(96).margin(1));
}
