// SPDX-License-Identifier: Apache-2.0
// Experiment files, and the search spaces of those that are not large.
#include "base/error.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "tests/fuzz/require.hpp"
#include "tuner/search_space.hpp"
#include "tuner/experiment_file.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

/// The most configurations that there can be, or the limit.
std::uint64_t size_of_product(const tuner::space_definition& space, std::uint64_t limit) {
  std::uint64_t size = 1;
  for (const tuner::parameter_request& parameter : space.parameters) {
    size *= parameter.values.size();
    if (size >= limit) return limit;
  }
  return size;
}

void check_space(const tuner::search_space& space) {
  const std::uint64_t count = space.count();
  require(count > 0, "a space is not empty");
  for (const std::uint64_t index : {std::uint64_t{0}, count / 2, count - 1}) {
    const tuner::configuration one = space.at(index);
    require(space.contains(one), "a space contains its configurations");
    require(tuner::configuration::from_json(one.to_json()) == one, "a configuration reads back from JSON");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tuner::experiment_file file = tuner::parse_experiment(std::string(fuzz::as_text(data, size)), "space.yaml");
    require(!file.graphs.empty(), "an experiment has graphs");
    (void)tuner::count_of(file.sources);
    constexpr std::uint64_t most = 4096;
    if (size_of_product(file.space, most) == most) return 0;
    const auto known = problems::search_declarations();
    check_space(tuner::search_space(file.space, file.problem == "sssp" || file.problem == "bfs"
                                                    ? known
                                                    : std::span<const tuner::parameter_declaration>()));
  } catch (const input_error&) {
  }
  return 0;
}
