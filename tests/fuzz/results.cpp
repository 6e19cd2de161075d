// SPDX-License-Identifier: Apache-2.0
// Results and spaces of other auto-tuners, as `mlmq db import` reads them.
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"
#include "tuner/results_file.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

void check(const tuner::foreign_result& result) {
  require(result.milliseconds.has_value() == (result.outcome == db::outcome::ok), "a success has a time");
  for (const double number :
       {result.milliseconds.value_or(0), result.compile_ms, result.check_ms, result.measure_ms, result.other_ms}) {
    require(std::isfinite(number) && number >= 0, "durations are finite");
  }
  for (const double sample : result.samples_ms) require(std::isfinite(sample) && sample >= 0, "samples are finite");
}

}  // namespace

void mlmq::fuzz::results(std::string_view content) {
  static memory_file file;
  file.set(content);
  try {
    const tuner::results_file read = tuner::read_results_file(file.path());
    for (const auto& [configuration, result] : read.results) {
      require(tuner::configuration::from_json(configuration.to_json()) == configuration, "a configuration reads back");
      check(result);
    }
  } catch (const input_error& error) {
    require(std::string_view(error.what()).find(file.path().string()) != std::string_view::npos,
            "an error names the file");
  }
  try {
    (void)tuner::read_t1_input(file.path());
  } catch (const input_error&) {
  }
}
