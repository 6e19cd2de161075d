// SPDX-License-Identifier: Apache-2.0
// Files model.json, and the choices of those models that could be read.
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "selector/inference.hpp"
#include "selector/model_file.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

using namespace mlmq;
using fuzz::require;

void mlmq::fuzz::model(std::string_view text) {
  try {
    const selector::model model = selector::model_from_text(text, "model.json");
    const std::string written = selector::model_to_text(model);
    require(selector::model_to_text(selector::model_from_text(written, "model.json")) == written, "a model reads back");
    const selector::selector chooser(model);
    for (const double value : {0.0, 1.0, 1e6, -1e300, std::numeric_limits<double>::quiet_NaN()}) {
      const std::vector<double> features(chooser.features().size(), value);
      const std::size_t first = chooser.select(features);
      require(first < chooser.candidates().size(), "one of the candidates is chosen");
      require(chooser.ranked(features).front().candidate == first, "the first in the ranking is chosen");
      (void)chooser.expected_best_ms(features, 1e6, 4e6);
    }
  } catch (const input_error&) {
  }
}
