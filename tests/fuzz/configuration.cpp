// SPDX-License-Identifier: Apache-2.0
// Values of --config, and configurations as JSON in databases and models.
#include "tuner/configuration.hpp"

#include "base/error.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;
using fuzz::require;

void mlmq::fuzz::configuration(std::string_view text) {
  static const auto parameters = tuner::parameter_set::from_declarations(problems::search_declarations());
  try {
    const tuner::configuration typed = parameters.parse_label(text);
    require(parameters.parse_label(typed.label()) == typed, "a label reads back");
    require(tuner::configuration::from_json(typed.to_json()) == typed, "a configuration reads back from JSON");
    (void)parameters.split(typed);
  } catch (const input_error&) {
  }
  try {
    const tuner::configuration stored = tuner::configuration::from_json(text);
    const tuner::configuration again = tuner::configuration::from_json(stored.to_json());
    require(again == stored && again.hash() == stored.hash(), "JSON reads back");
    (void)parameters.complete(stored, {"results.sqlite", 0});
  } catch (const input_error&) {
  }
}
