// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include "problems/betweenness/solver.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::betweenness {
namespace {

using tuner::parameter_declaration;
using tuner::value_type;

const std::string kernel_alone = "solver == block";

/// Returns the declaration of a parameter that means the same for searches.
parameter_declaration declared_by_searches(std::string_view name) {
  parameter_declaration declared =
      *std::ranges::find(multi_source::declared_parameters(), name, &parameter_declaration::name);
  declared.when = kernel_alone;
  return declared;
}

std::vector<parameter_declaration> all_declarations() {
  return {
      {.name = "solver",
       .type = value_type::text,
       .default_value = std::string("block"),
       .description = "block: one GPU block per source; cpu_brandes: one processor thread per source",
       .allowed = {"block", "cpu_brandes"}},
      {.name = "search",
       .type = value_type::text,
       .bind = tuner::binding::launch,
       .default_value = std::string("auto"),
       .description = "solver that computes the distances, as in a batch with its first default configuration for the "
                      "graph; auto: block, or group if the degrees of the vertices vary widely",
       .when = kernel_alone,
       .allowed = {"auto", "block", "group"}},
      declared_by_searches("threads"),
      declared_by_searches("blocks"),
      {.name = "heavy_degree",
       .default_value = 32,
       .description = "rows with at least this many edges are read by a whole warp",
       .unit = "edges",
       .when = kernel_alone,
       .minimum = 8,
       .maximum = 1 << 20,
       .macro = {.name = "MLMQ_HEAVY_DEGREE"}},
      {.name = "concurrent",
       .bind = tuner::binding::launch,
       .default_value = 0,
       .description = "maximum number of sources whose paths are counted concurrently; 0: as many as fit on the device",
       .unit = "sources",
       .when = kernel_alone,
       .minimum = 0,
       .maximum = 1 << 20},
  };
}

tuner::parameter_values values_of(const tuner::configuration& chosen) {
  return tuner::parameter_values(declared_parameters(), chosen);
}

}  // namespace

std::span<const parameter_declaration> declared_parameters() {
  static const std::vector<parameter_declaration> declarations = all_declarations();
  return declarations;
}

std::string solver_of(const tuner::configuration& chosen) { return values_of(chosen).text("solver"); }
bool is_kernel(const std::string& solver) { return solver == "block"; }

betweenness_numbers::betweenness_numbers(const tuner::configuration& chosen)
    : solver(solver_of(chosen)),
      search(values_of(chosen).text("search")),
      threads(values_of(chosen).whole("threads")),
      blocks(values_of(chosen).whole("blocks")),
      concurrent(values_of(chosen).whole("concurrent")) {}

backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                       graph::weight_type weights, bool count) {
  backends::kernel_source source{.file = kernel_file,
                                 .entry = "betweenness",
                                 .block_threads = betweenness_numbers(chosen).threads,
                                 .defines = values_of(chosen).macros("block"),
                                 .folder = {}};
  source.defines.emplace("MLMQ_DISTANCE", problems::distance_class(weights));
  source.defines.emplace("MLMQ_EDGES", problems::edge_class(kind, weights));
  source.defines.emplace("MLMQ_COUNTERS", count ? "1" : "0");
  // Macros of the code shared with the searches: rows are read between their bounds, and there is no frontier.
  source.defines.emplace("MLMQ_ELL_WIDTH", "0");
  source.defines.emplace("MLMQ_NEAR_ITEMS", "0");
  source.defines.emplace("MLMQ_PACKED_ROWS", "0");
  return source;
}

}  // namespace mlmq::betweenness
