// SPDX-License-Identifier: Apache-2.0
// Conditions over parameters, evaluated for several values of them.
#include "tuner/expression.hpp"

#include <array>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

tuner::symbol_table some_symbols() {
  tuner::symbol_table symbols;
  for (const char* const text : {"none", "vector", "near-far"}) symbols.add_text(text);
  symbols.add_parameter("l1", tuner::value_type::text);
  symbols.add_parameter("wb", tuner::value_type::integer);
  symbols.add_parameter("delta", tuner::value_type::real);
  symbols.add_parameter("pull", tuner::value_type::boolean);
  return symbols;
}

}  // namespace

void mlmq::fuzz::expression(std::string_view input) {
  static const tuner::symbol_table symbols = some_symbols();
  constexpr double largest = std::numeric_limits<double>::max();
  using numbers = std::array<tuner::exact_number, 4>;
  static const std::array values = {numbers{0.0, 0.0, 0.0, 0.0}, numbers{1.0, 16.0, 0.5, 1.0},
                                    numbers{2.0, -1.0, -largest, 1.0}, numbers{1.0, 9007199254740992.0, largest, 0.0}};
  const std::string text(input);
  try {
    const tuner::expression condition({text, {"space.yaml", 7}}, symbols);
    for (const std::size_t slot : condition.mentions()) require(slot < 4, "an expression mentions parameters");
    for (const auto& slots : values) {
      require(condition.holds(slots) == condition.holds(slots), "the same values give the same truth");
    }
    // Conditions are negated and joined in this way, which must not change the meaning of each.
    const tuner::expression negated({"not (" + text + ")", {"space.yaml", 7}}, symbols);
    const tuner::expression doubled({"(" + text + ") and (" + text + ")", {"space.yaml", 7}}, symbols);
    for (const auto& slots : values) {
      require(!(condition.holds(slots) && negated.holds(slots)), "not turns true into false");
    }
    (void)doubled;
  } catch (const input_error&) {
  }
}
