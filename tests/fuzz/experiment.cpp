// SPDX-License-Identifier: Apache-2.0
// Experiment files, and the search spaces of those whose spaces are not large.
#include "base/error.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/sources.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/space_size.hpp"
#include "tests/fuzz/targets.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/search_space.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

void check_space(const tuner::search_space& space) {
  const std::uint64_t count = space.count();
  require(count > 0, "a space is not empty");
  for (const std::uint64_t index : {std::uint64_t{0}, count / 2, count - 1}) {
    const tuner::configuration configuration = space.at(index);
    require(space.contains(configuration), "a space contains its configurations");
    require(tuner::configuration::from_json(configuration.to_json()) == configuration,
            "a configuration reads back from JSON");
  }
}

/// Lists the workloads of an entry; graphs are not generated.
void describe(const tuner::workload_request& request) {
  const bool is_file = request.source == tuner::workload_request::origin::file;
  tuner::workload_input input{.name = request.specifier,
                              .file = is_file ? request.specifier : "",
                              .generated = is_file ? "" : request.specifier};
  try {
    problems::graph_kind().describe(input, request.options);
    require(!input.name.empty() || is_file, "what is generated has a name");
  } catch (const input_error&) {
  }
}

}  // namespace

void mlmq::fuzz::experiment(std::string_view text) {
  try {
    const tuner::experiment_file file = tuner::parse_experiment(std::string(text), "space.yaml");
    require(!file.workloads.empty(), "an experiment has workloads");
    for (const tuner::workload_request& request : file.workloads) describe(request);
    require(!problems::source_rules_of(file.queries).empty(), "there is always a rule");
    constexpr std::uint64_t most = 4096;
    if (fuzz::size_of_product(file.space, most) == most) return;
    const auto declarations = problems::search_declarations();
    check_space(tuner::search_space(file.space, file.problem == "sssp" || file.problem == "bfs"
                                                    ? declarations
                                                    : std::span<const tuner::parameter_declaration>()));
  } catch (const input_error&) {
  }
}
