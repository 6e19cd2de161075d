// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::multi_source {
namespace {

using tuner::parameter_declaration;
using tuner::value_type;

const std::string kernel_alone = "solver == block or solver == group or solver == hierarchy or solver == supernode";
const std::string block_alone = "solver == block";
const std::string hierarchy_alone = "solver == hierarchy";
const std::vector<std::string> frontier_kernels = {"block", "group"};

std::vector<parameter_declaration> all_declarations() {
  return {
      {.name = "solver",
       .type = value_type::text,
       .default_value = std::string("block"),
       .description = "block: one GPU block per search; group: one part of the grid per 32 concurrent searches; "
                      "hierarchy: sweeps down an elimination hierarchy; supernode: the same with all of the GPU for a "
                      "few searches; on processors: cpu_dijkstra, one thread per "
                      "search; cpu_hierarchy, one thread per 16 searches of a hierarchy",
       .allowed = {"block", "group", "hierarchy", "supernode", "cpu_dijkstra", "cpu_hierarchy"}},
      {.name = "threads",
       .default_value = 256,
       .description = "threads per block, a multiple of 32",
       .when = kernel_alone,
       .minimum = 32,
       .maximum = 1024,
       .limits = {tuner::whole_warps()}},
      {.name = "blocks",
       .default_value = 4,
       .description = "resident blocks per multiprocessor; more blocks leave fewer registers per thread",
       .when = kernel_alone,
       .minimum = 1,
       .maximum = 24,
       .macro = {.name = "MLMQ_BLOCKS"}},
      {.name = "delta",
       .type = value_type::real,
       .bind = tuner::binding::launch,
       .default_value = 8.0,
       .description = "increase of the threshold between near and far",
       .unit = "average_weight",
       .when = block_alone,
       .minimum = 1.0 / 1024,
       .maximum = 1e9,
       .symbol = "Δ"},
      {.name = "near_items",
       .default_value = 1024,
       .description = "elements of a frontier that are kept in shared memory; the others are in global memory",
       .unit = "elements",
       .when = block_alone,
       .minimum = 32,
       .maximum = 8192,
       .macro = {.name = "MLMQ_NEAR_ITEMS", .kernels = frontier_kernels}},
      {.name = "ell_width",
       .default_value = 0,
       .description = "edges stored in place per row (ELL rows): 4, 8 or 16; 0: none, rows are found by their bounds",
       .unit = "edges",
       .when = block_alone,
       .minimum = 0,
       .maximum = 16,
       .macro = {.name = "MLMQ_ELL_WIDTH", .kernels = frontier_kernels},
       .limits = {{"ell_width == 0 or ell_width > 2 and power_of_two(ell_width)", "the width is 0, 4, 8 or 16"}}},
      {.name = "packed_rows",
       .type = value_type::boolean,
       .default_value = false,
       .description = "store an edge in place in 32 bits: its weight and the difference of its vertex numbers; rows "
                      "that do not fit are found by their bounds. Integer weights only",
       .when = "solver == block and ell_width > 0",
       .macro = {.name = "MLMQ_PACKED_ROWS", .kernels = frontier_kernels}},
      {.name = "order",
       .type = value_type::text,
       .bind = tuner::binding::launch,
       .default_value = std::string("given"),
       .description = "order of the vertices in device memory; given: by number; place: neighbours next to each other, "
                      "with concurrent searches from nearby sources",
       .when = block_alone,
       .allowed = {"given", "place"}},
      {.name = "heavy_degree",
       .default_value = 64,
       .description = "rows with at least this many edges are relaxed by a whole warp",
       .unit = "edges",
       .when = block_alone,
       .minimum = 8,
       .maximum = 1 << 20,
       .macro = {.name = "MLMQ_HEAVY_DEGREE", .kernels = frontier_kernels}},
      {.name = "parts",
       .bind = tuner::binding::launch,
       .default_value = 4,
       .description = "parts of the grid, each with a group of 32 searches",
       .when = "solver == group",
       .minimum = 1,
       .maximum = 1024},
      {.name = "concurrent",
       .bind = tuner::binding::launch,
       .default_value = 0,
       .description = "maximum number of concurrent searches; 0: as many as fit on the device",
       .unit = "searches",
       .when = block_alone,
       .minimum = 0,
       .maximum = 1 << 20},
      {.name = "lane_searches",
       .default_value = 4,
       .description = "searches of each lane of a warp; more need more registers and shared memory",
       .unit = "searches",
       .when = hierarchy_alone,
       .minimum = 1,
       .maximum = 8,
       .macro = {.name = "MLMQ_LANE_SEARCHES", .kernels = {"hierarchy"}},
       .limits = {{"power_of_two(lane_searches)", "a lane has 1, 2, 4 or 8 searches"}}},
      {.name = "slots",
       .bind = tuner::binding::launch,
       .default_value = 24,
       .description = "ancestors of a vertex whose distances a warp keeps in shared memory",
       .unit = "vertices",
       .when = hierarchy_alone,
       .minimum = 2,
       .maximum = 1024},
      {.name = "piece_vertices",
       .bind = tuner::binding::launch,
       .default_value = 256,
       .description = "maximum size of a piece of the elimination tree, which a warp sweeps without a barrier",
       .unit = "vertices",
       .when = hierarchy_alone,
       .minimum = 1,
       .maximum = 1 << 20},
      {.name = "round_groups",
       .bind = tuner::binding::launch,
       .default_value = 128,
       .description = "groups of searches that are swept in a round; the top of the tree is swept one round ahead",
       .unit = "groups",
       .when = hierarchy_alone,
       .minimum = 1,
       .maximum = 4096},
      {.name = "columns",
       .default_value = 1,
       .description = "searches that are swept together, so that each arc is read once for all of them",
       .unit = "searches",
       .when = "solver == supernode",
       .minimum = 1,
       .maximum = 4,
       .macro = {.name = "MLMQ_COLUMNS", .kernels = {"supernode"}},
       .limits = {{"power_of_two(columns)", "1, 2 or 4 searches are swept together"}}},
      {.name = "added_arcs",
       .bind = tuner::binding::launch,
       .default_value = 8,
       .description = "maximum number of arcs that are added to a vertex so that it belongs to the supernode of its "
                      "parent: more make fewer levels, but more work",
       .unit = "arcs",
       .when = "solver == supernode",
       .minimum = 0,
       .maximum = 64},
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
bool has_hierarchy(const std::string& solver) {
  return solver == "hierarchy" || solver == "supernode" || solver == "cpu_hierarchy";
}
bool is_kernel(const std::string& solver) { return !solver.starts_with("cpu_"); }
std::string kernel_file(const std::string& solver) {
  return (has_hierarchy(solver) ? "hierarchy/" : "multi_source/") + solver + "_search.cu";
}

hierarchy_parameters::hierarchy_parameters(const tuner::configuration& chosen)
    : threads(values_of(chosen).whole("threads")),
      blocks(values_of(chosen).whole("blocks")),
      lane_searches(values_of(chosen).whole("lane_searches")),
      slots(values_of(chosen).whole("slots")),
      piece_vertices(values_of(chosen).whole("piece_vertices")),
      round_groups(values_of(chosen).whole("round_groups")) {}

supernode_parameters::supernode_parameters(const tuner::configuration& chosen)
    : threads(values_of(chosen).whole("threads")),
      blocks(values_of(chosen).whole("blocks")),
      columns(values_of(chosen).whole("columns")),
      added_arcs(values_of(chosen).whole("added_arcs")) {}

host_parameters::host_parameters(const tuner::configuration& chosen)
    : solver(solver_of(chosen)),
      threads(values_of(chosen).whole("threads")),
      blocks(values_of(chosen).whole("blocks")),
      delta(values_of(chosen).real("delta")),
      near_items(values_of(chosen).whole("near_items")),
      ell_width(values_of(chosen).whole("ell_width")),
      packed_rows(values_of(chosen).flag("packed_rows")),
      by_place(values_of(chosen).text("order") == "place"),
      parts(values_of(chosen).whole("parts")),
      concurrent(values_of(chosen).whole("concurrent")) {}

backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                       graph::weight_type weights, bool count, bool has_long_paths) {
  const host_parameters numbers(chosen);
  if (numbers.packed_rows && weights == graph::weight_type::float64) {
    throw backends::launch_error("packed_rows: only whole weights can be packed");
  }
  if (numbers.packed_rows && kind == problems::search_kind::bfs) {
    throw backends::launch_error("packed_rows: without weights an edge takes 32 bits anyway");
  }
  backends::kernel_source source{.file = kernel_file(numbers.solver),
                                 .entry = numbers.solver + "_search",
                                 .block_threads = numbers.threads,
                                 .defines = values_of(chosen).macros(numbers.solver),
                                 .folder = {}};
  source.defines.emplace("MLMQ_COUNTERS", count ? "1" : "0");
  if (has_hierarchy(numbers.solver)) {
    source.defines.emplace("MLMQ_LONG_PATHS", has_long_paths ? "1" : "0");
    return source;
  }
  source.defines.emplace("MLMQ_DISTANCE", problems::distance_class(weights));
  source.defines.emplace("MLMQ_EDGES", problems::edge_class(kind, weights));
  return source;
}

}  // namespace mlmq::multi_source
