// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "selector/evaluate_place.hpp"
#include "tests/selector/synthetic_times.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

place_report evaluated(const transfer_cost& transfer, const processor_record& processors) {
  evaluation_options options;
  options.folds = 4;
  options.cover_tolerance = 0.03;
  return evaluate_place(synthetic::device_record(), processors, standard_learning(method::kernel), options, transfer);
}

double mean(const evaluation_report& report, std::string_view strategy) {
  return score_of(report, report.strategy(strategy)).value().mean_relative.value;
}

constexpr transfer_cost pcie{.array_ms = 0.01, .byte_ms = 4e-8};

}  // namespace

TEST_CASE("where to search is judged on workloads that were not seen, the transfer counted") {
  const processor_record processors = synthetic::processors_record();
  const place_report report = evaluated(pcie, processors);
  CHECK(report.costs.workloads.size() == 96);
  CHECK(report.workloads_left_out == 0);
  // Workloads that are tiny, or long and thin.
  CHECK(report.on_processors > 20);
  CHECK(report.on_processors < 76);
  CHECK(mean(report.costs, place_oracle) == 1);
  CHECK(mean(report.right, place_oracle) == 1);
  const double share = static_cast<double>(report.on_processors) / 96;
  CHECK(mean(report.right, place_processors) == Approx(share));
  CHECK(mean(report.right, place_device) == Approx(1 - share));
  CHECK(mean(report.right, place_by_features) > 0.9);
  CHECK(mean(report.costs, place_by_features) > mean(report.costs, place_by_size));
  for (const std::string_view always : {place_device, place_processors})
    CHECK(mean(report.costs, place_by_steps) > mean(report.costs, always));
  REQUIRE(report.errors.size() == 3);
  for (const place_report::error& error : report.errors) {
    CAPTURE(error.label);
    CHECK(error.workloads == 96);
    CHECK(error.by_features >= 1);
    CHECK(error.by_features <= error.by_size);
  }
  const std::string table = to_table(report);
  for (const char* const part : {"10 us per array and 25 GB/s", "as the library", "always processors", "by features",
                                 "the device's best", "threads", "96 workloads"})
    CHECK_THAT(table, Contains(part));
}

TEST_CASE("the dearer the transfer, the more workloads are for processors") {
  const processor_record processors = synthetic::processors_record();
  const std::size_t cheap = evaluated({}, processors).on_processors;
  const std::size_t usual = evaluated(pcie, processors).on_processors;
  const place_report dear = evaluated({.array_ms = 1e6, .byte_ms = 0}, processors);
  CHECK(cheap < usual);
  CHECK(dear.on_processors == 96);
  CHECK(mean(dear.right, place_by_steps) == 1);
}

TEST_CASE("processors that fail on a workload are not the faster place for it") {
  // Only searches of up to 0.1 ms have succeeded.
  const processor_record processors = synthetic::processors_record(96, 0.1);
  const place_report report = evaluated({.array_ms = 1e6, .byte_ms = 0}, processors);
  CHECK(report.on_processors < 60);
  // A workload without an answer counts as 0.
  CHECK(mean(report.costs, place_processors) < 0.7);
}

TEST_CASE("workloads that only one place has on record are left out, and too few are an error") {
  processor_record processors = synthetic::processors_record(90);
  processors.set.workloads[0].name = "another";
  const place_report report = evaluated(pcie, processors);
  CHECK(report.costs.workloads.size() == 89);
  CHECK(report.workloads_left_out == 96 + 90 - 2 * 89);
  for (workload_example& workload : processors.set.workloads) workload.name += " of others";
  CHECK_THROWS_WITH(evaluated(pcie, processors), Contains("no workload is on record for both"));
  CHECK_THROWS_WITH(evaluated(pcie, synthetic::processors_record(8)), Contains("too few trials"));
}
