// SPDX-License-Identifier: Apache-2.0
// Random configurations over the declared ranges: those that the declared limits allow compile, and the others are
// refused before they reach a compiler.
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "problems/registry.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;

namespace {

/// Returns for each kind of workload the smallest workload that has any work.
const std::map<std::string, std::string>& small_workloads() {
  static const std::map<std::string, std::string> names = {
      {"graph", "road6"}, {"grid", "grid16"}, {"phold", "phold:entities=8"}};
  return names;
}

/// Draws a number. Powers of two, the ends of the range and the default are drawn more often than other numbers.
std::int64_t drawn_integer(const tuner::parameter_declaration& declared, random_stream& random) {
  const auto low = static_cast<std::int64_t>(declared.minimum.value_or(0));
  const auto high = static_cast<std::int64_t>(declared.maximum.value_or(1 << 20));
  const std::int64_t any = low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  switch (random.below(4)) {
    case 0:
      return std::get<std::int64_t>(declared.default_value);
    case 1:
      return random.below(2) == 0 ? low : high;
    case 2:
      return std::max(low, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(any))));
    default:
      return any;
  }
}

tuner::value drawn_value(const tuner::parameter_declaration& declared, random_stream& random) {
  switch (declared.type) {
    case tuner::value_type::boolean:
      return random.below(2) == 0;
    case tuner::value_type::integer:
      return drawn_integer(declared, random);
    case tuner::value_type::text:
      return declared.allowed[random.below(declared.allowed.size())];
    case tuner::value_type::real:
      break;
  }
  return declared.default_value;
}

/// Draws a value for every active parameter, whether or not the values respect the limits.
tuner::configuration drawn_configuration(const tuner::parameter_set& parameters, random_stream& random) {
  tuner::parameter_set::decisions state = parameters.undecided();
  tuner::configuration drawn;
  for (const std::size_t slot : parameters.order()) {
    const tuner::parameter_declaration& declared = parameters.parameters()[slot].declared;
    const tuner::expression* const condition = parameters.active_when(slot);
    if (condition != nullptr &&
        !(tuner::parameter_set::all_active(*condition, state) && condition->holds(state.numbers)))
      continue;
    const tuner::value v = drawn_value(declared, random);
    state.active[slot] = 1;
    state.numbers[slot] = parameters.symbols().number(v);
    drawn.set(declared.name, v);
  }
  return drawn;
}

struct draw_counts {
  int refused = 0;
  int unsuitable = 0;  ///< configurations unsuitable for this device or workload, which a limit cannot know
  int compiled = 0;
};

draw_counts try_configurations(const tuner::problem& problem, backends::backend& device, int compile_count) {
  tuner::workload_input input;
  input.generated = small_workloads().at(problem.workloads().name());
  problem.workloads().describe(input, {});
  const std::unique_ptr<tuner::workload> workload = problem.workloads().load(input);
  const std::unique_ptr<tuner::problem_instance> instance = problem.load(device, *workload);
  const auto parameters = tuner::parameter_set::from_declarations(problem.declarations());
  random_stream random({problem.name().size(), 7});
  draw_counts counts;
  while (counts.compiled < compile_count) {
    const tuner::configuration drawn = drawn_configuration(parameters, random);
    CAPTURE(problem.name(), drawn.label());
    tuner::configuration chosen;
    try {
      chosen = parameters.complete(drawn);
    } catch (const input_error& error) {
      CHECK_THAT(error.what(), Catch::Contains(" violates the limit '"));
      ++counts.refused;
      continue;
    }
    CHECK(parameters.broken_limit(chosen).empty());
    try {
      const backends::kernel_source source = instance->variant(chosen, tuner::instrumentation::none);
      CHECK_NOTHROW(device.compile(source));
      ++counts.compiled;
    } catch (const backends::launch_error&) {
      ++counts.unsuitable;
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("configurations within the declared limits compile, and others never reach a compiler") {
  const auto device = backends::open_device("simt:2x8");
  for (const char* const name : {"sssp", "phold", "astar", "sssp_batch"}) {
    CAPTURE(name);
    const auto problem = problems::make_problem(name);
    const draw_counts counts = try_configurations(*problem, *device, name == std::string("sssp") ? 10 : 3);
    CHECK(counts.refused > 0);
  }
}
