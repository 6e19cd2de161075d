// SPDX-License-Identifier: Apache-2.0
// The parameters of shortest paths. Macros, defaults, checks and the reference page are derived from these
// declarations.

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {
namespace {

using tuner::binding;
using tuner::parameter_declaration;
using tuner::value_type;

/// Unit of lengths: the graph's average weight, so that one value suits all graphs.
constexpr const char* average_weight_unit = "average_weight";
constexpr double shortest_length = 1e-3;
constexpr double longest_length = 1e9;
constexpr double smallest_factor = 1e-6;
constexpr double largest_factor = 1e6;
constexpr double largest_degree = 1 << 30;

/// Kernels that read a macro, named by their solver.
const std::vector<std::string> mlmq_alone = {"mlmq"};
const std::vector<std::string> adds_alone = {"adds"};
const std::vector<std::string> frontier_alone = {"near_far", "bellman_ford"};
const std::vector<std::string> partitioned_alone = {"partitioned"};

std::vector<std::string> solver_names() {
  std::vector<std::string> names = solvers_with(&solver_traits::on_grid);
  for (const std::string_view name : cpu::solver_names()) names.emplace_back(name);
  return names;
}

std::vector<parameter_declaration> declare_solver() {
  return {
      {.name = "solver",
       .type = value_type::text,
       .default_value = std::string(default_solver),
       .description = "search method on a GPU: the multi-level queue (mlmq), a competitor, direction-optimizing search "
                      "(push_pull, bfs only), parts of the graph in shared memory (partitioned), or pushing near the "
                      "source and pulling elsewhere (near_pull); on processors: boost_dijkstra, dijkstra, bfs (bfs "
                      "only), delta_stepping",
       .allowed = solver_names(),
       // Older configurations do not name a solver.
       .silent_default = true,
       .symbol = "MLMQ, ADDS; near_far: NF; bellman_ford: H-BF; boost_dijkstra: Boost-CPU"},
  };
}

std::vector<parameter_declaration> declare_upper_levels() {
  return {
      {.name = "l0",
       .type = value_type::text,
       .default_value = "none",
       .description = "per-thread queue, in registers",
       .when = "solver == mlmq",
       .allowed = {"none", "vector"},
       .symbol = "L0V",
       .macro = {.name = "MLMQ_L0", .prefix = "l0_", .kernels = mlmq_alone}},
      {.name = "l0_depth",
       .default_value = 2,
       .description = "elements a thread keeps in registers",
       .unit = "elements",
       .when = "l0 == vector",
       .minimum = 1,
       .maximum = 16,
       .symbol = "capacity of L0",
       .inactive = 1,
       .macro = {.name = "MLMQ_L0_DEPTH", .kernels = mlmq_alone}},
      {.name = "l0_spill",
       .type = value_type::text,
       .default_value = "warp",
       .description =
           "queues that move to L1 when that of any thread is full: those of the whole warp, or the full ones",
       .when = "l0 == vector",
       .allowed = {"warp", "full"},
       // Older configurations do not have this parameter.
       .silent_default = true,
       .symbol = "full: L0 of 3.4",
       .macro = {.name = "MLMQ_L0_SPILLS_FULL", .one_for = "full", .kernels = mlmq_alone}},
      {.name = "l1",
       .type = value_type::text,
       .default_value = "vector",
       .description = "per-warp queue, in shared memory",
       .when = "solver == mlmq",
       .allowed = {"none", "vector", "near_far", "filter", "slf"},
       .symbol = "L1V, L1NF, L1FQ, L1SLF",
       .macro = {.name = "MLMQ_L1", .prefix = "l1_", .kernels = mlmq_alone}},
      {.name = "l1_sharing",
       .type = value_type::text,
       .default_value = "warp",
       .description = "owner of an L1 queue: each warp, or all warps of a block together",
       .when = "l1 != none",
       .allowed = {"warp", "block"},
       .macro = {.name = "MLMQ_L1_SHARING", .prefix = "l1_of_", .kernels = mlmq_alone}},
      {.name = "l1_capacity",
       .default_value = 128,
       .description = "elements of an L1 queue, a power of two; near-far gives half to each side",
       .unit = "elements",
       .when = "l1 != none",
       .minimum = 32,
       .maximum = 16384,
       .symbol = "capacity of L1",
       .inactive = 0,
       .macro = {.name = "MLMQ_L1_CAPACITY", .kernels = mlmq_alone},
       .limits = {{"power_of_two(l1_capacity)", "positions in a ring are computed with a mask"},
                  {"l1 != near_far or l1_capacity >= 64",
                   "each side of near-far gets half, at least 32 elements for a warp"}}},
      {.name = "l1_batch",
       .default_value = 32,
       .description = "maximum number of elements that a warp takes from L1 at a time",
       .unit = "elements",
       .when = "l1 != none",
       .minimum = 1,
       .maximum = 32,
       .symbol = "batch of an L1 read",
       .macro = {.name = "MLMQ_L1_BATCH", .kernels = mlmq_alone}},
      {.name = "l1_spill",
       .type = value_type::text,
       .default_value = "everything",
       .description = "elements that a full or flushed queue moves to L2: all of them, or the back half",
       .when = "l1 != none",
       .allowed = {"everything", "worst"},
       .macro = {.name = "MLMQ_L1_SPILL", .prefix = "spill_", .kernels = mlmq_alone}},
      {.name = "wb",
       .default_value = 0,
       .description = "writes after which the warp's queue is flushed to L2; 0: never",
       .unit = "writes",
       .when = "l1 == vector",
       .minimum = 0,
       .maximum = 1 << 20,
       .symbol = "wb",
       .macro = {.name = "MLMQ_WB", .kernels = mlmq_alone}},
      {.name = "l1_delta",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 4.0,
       .description = "near-far: Δ by which NF is above the shortest far element; filter: F above the shortest element",
       .unit = average_weight_unit,
       .when = "l1 == near_far or l1 == filter",
       .minimum = shortest_length,
       .maximum = longest_length,
       .symbol = "Δ, F",
       .inactive = 0.0},
      {.name = "nf",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 4.0,
       .description = "initial NF, until the far side is split for the first time",
       .unit = average_weight_unit,
       .when = "l1 == near_far",
       .minimum = shortest_length,
       .maximum = longest_length,
       .symbol = "NF",
       .inactive = 0.0},
  };
}

std::vector<parameter_declaration> declare_l2() {
  return {
      {.name = "l2",
       .type = value_type::text,
       .default_value = "bucket",
       .description = "queue shared by the grid, in global memory",
       .when = "solver == mlmq",
       .allowed = {"vector", "bucket", "heap", "multi_heap"},
       .symbol = "L2V, L2DQ, L2PQ, L2MPQ",
       .macro = {.name = "MLMQ_L2", .prefix = "l2_", .kernels = mlmq_alone}},
      {.name = "l2_reader",
       .type = value_type::text,
       .default_value = "dispatcher",
       .description =
           "who reads L2: a dispatcher warp of each block, for all its workers; or every warp whose L1 is empty, "
           "with rings made of blocks of up to l2_batch elements and a heap of its own in the multi-queue",
       .when = "solver == mlmq",
       .allowed = {"dispatcher", "every_warp"},
       // Older configurations do not have this parameter.
       .silent_default = true,
       .symbol = "every_warp: Listings 1 and 3",
       .macro = {.name = "MLMQ_WARPS_READ_L2", .one_for = "every_warp", .kernels = mlmq_alone},
       .limits = {{"l2_reader != every_warp or l1_sharing == warp", "a warp that reads L2 has its own L1 queue"},
                  {"l2_reader != every_warp or delta_mode == fixed", "only dispatchers learn of a new width"},
                  {"l2_reader != every_warp or idle_buckets == 0",
                   "only a dispatcher knows whether its block is idle"}}},
      {.name = "bmax",
       .default_value = 32,
       .description = "number of buckets in the window; a power of two",
       .unit = "buckets",
       .when = "l2 == bucket",
       .minimum = 8,
       .maximum = 32,
       .symbol = "bmax",
       .inactive = 8,
       .macro = {.name = "MLMQ_BMAX", .kernels = mlmq_alone},
       .limits = {{"power_of_two(bmax)", "the ring of a bucket is computed with a mask"}}},
      {.name = "bnum",
       .default_value = 2,
       .description = "number of buckets to take work from, starting at the lowest one with work",
       .unit = "buckets",
       .when = "l2 == bucket",
       .minimum = 1,
       .maximum = 16,
       .symbol = "bnum",
       .inactive = 1,
       .macro = {.name = "MLMQ_BNUM", .kernels = mlmq_alone}},
      {.name = "idle_buckets",
       .default_value = 0,
       .description = "number of buckets that a block checks while all its workers are idle, if more than bnum",
       .unit = "buckets",
       .when = "l2 == bucket",
       .minimum = 0,
       .maximum = 16,
       .macro = {.name = "MLMQ_IDLE_BUCKETS", .kernels = mlmq_alone},
       .limits = {{"max(bnum, idle_buckets) + 2 < bmax",
                   "two buckets below the window are checked too, and the last bucket is not"}}},
      {.name = "delta",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 8.0,
       .description = "width of a bucket",
       .unit = average_weight_unit,
       .when = "l2 == bucket",
       .minimum = shortest_length,
       .maximum = longest_length,
       .symbol = "Δ",
       .inactive = 0.0},
      {.name = "delta_mode",
       .type = value_type::text,
       .default_value = "fixed",
       .description =
           "fixed: buckets keep the width delta; adaptive: the search makes them up to 8 times wider or narrower",
       .when = "l2 == bucket",
       .allowed = {"fixed", "adaptive"},
       // Older configurations do not name a mode.
       .silent_default = true,
       .macro = {.name = "MLMQ_ADAPTS_DELTA", .one_for = "adaptive", .kernels = mlmq_alone}},
      {.name = "pnum",
       .default_value = 4,
       .description = "number of heaps of the multi-queue",
       .unit = "heaps",
       .when = "l2 == multi_heap",
       .minimum = 2,
       .maximum = 32,
       .symbol = "pnum",
       .inactive = 2,
       .macro = {.name = "MLMQ_PNUM", .kernels = mlmq_alone}},
      {.name = "l2_batch",
       .default_value = 32,
       .description = "maximum number of elements that a warp takes from L2 at a time",
       .unit = "elements",
       .when = "solver == mlmq",
       .minimum = 1,
       .maximum = 32,
       .symbol = "batch of an L2 read",
       .macro = {.name = "MLMQ_L2_BATCH", .kernels = mlmq_alone}},
      {.name = "l2_share",
       .default_value = 1,
       .description = "even shares of the waiting elements that a dispatcher claims at a time, at least one for each "
                      "idle worker; 0: as much as l2_batch allows",
       .unit = "shares",
       .when = "(l2 == vector or l2 == bucket) and l2_reader == dispatcher",
       .minimum = 0,
       .maximum = 64,
       .inactive = 0,
       .macro = {.name = "MLMQ_L2_SHARE", .kernels = mlmq_alone}},
  };
}

std::vector<parameter_declaration> declare_rows_and_grid() {
  return {
      {.name = "heavy_degree",
       .default_value = 64,
       .description = "degree from which a whole warp relaxes one vertex; below, edges are dealt to the lanes",
       .unit = "edges",
       .when = no_solver_without(&solver_traits::row_parameters),
       .minimum = 1,
       .maximum = largest_degree,
       .symbol = "TH_V",
       .macro = {.name = "MLMQ_HEAVY_DEGREE", .kernels = solvers_with(&solver_traits::row_parameters)}},
      {.name = "split_degree",
       .default_value = 0,
       .description = "longer rows are split into parts of this many edges, relaxed by different warps; 0: never",
       .unit = "edges",
       .when = "solver == mlmq",
       .minimum = 0,
       .maximum = largest_degree,
       .macro = {.name = "MLMQ_SPLIT_DEGREE", .kernels = mlmq_alone}},
      {.name = "ell_width",
       .default_value = 0,
       .description =
           "width of ELL rows, a power of two: rows of up to this many edges, padded, in addition to the usual layout; "
           "0: none",
       .unit = "edges",
       .when = any_solver_with(&solver_traits::relaxation_parameters),
       .minimum = 0,
       .maximum = 16,
       .macro = {.name = "MLMQ_ELL_WIDTH", .kernels = solvers_with(&solver_traits::relaxation_macros)},
       .limits = {{"ell_width == 0 or ell_width > 1 and power_of_two(ell_width)",
                   "a row is relaxed by as many lanes as it is wide"}}},
      {.name = "ell_overflow",
       .type = value_type::text,
       .default_value = "at_once",
       .description = "edges of a longer row in its ELL overflow rows: relaxed before the next batch, or queued",
       .when = "solver == mlmq and ell_width != 0",
       .allowed = {"at_once", "queued"},
       .macro = {.name = "MLMQ_QUEUE_ELL_OVERFLOW", .one_for = "queued", .kernels = mlmq_alone}},
      {.name = "read_first",
       .type = value_type::boolean,
       .default_value = true,
       .description = "a distance is read before an atomic tries to lower it",
       .when = any_solver_with(&solver_traits::relaxation_parameters),
       .macro = {.name = "MLMQ_READ_FIRST", .kernels = solvers_with(&solver_traits::relaxation_macros)}},
      {.name = "prefetch",
       .type = value_type::boolean,
       .default_value = false,
       .description = "the row of an improved vertex is fetched into the cache at once",
       .when = "solver == mlmq",
       .macro = {.name = "MLMQ_PREFETCH", .kernels = mlmq_alone}},
      {.name = "dispatcher_pause",
       .default_value = 50,
       .description =
           "pause of a block's dispatcher, or of another warp that reads L2, after it has found no work there",
       .unit = "ns",
       .when = "solver == mlmq",
       .minimum = 0,
       .maximum = 1000,
       .macro = {.name = "MLMQ_DISPATCHER_PAUSE", .kernels = mlmq_alone}},
      {.name = "threads",
       .default_value = 256,
       .description = "threads per block, a multiple of 32",
       .unit = "threads",
       .when = no_solver_without(&solver_traits::on_grid),
       .minimum = 64,
       .maximum = 1024,
       .symbol = "BLOCK_SIZE",
       .limits = {tuner::whole_warps()}},
      {.name = "blocks_per_multiprocessor",
       .bind = binding::launch,
       .default_value = 0,
       .description = "resident blocks; 0: as many as fit",
       .unit = "blocks",
       .when = no_solver_without(&solver_traits::row_parameters),
       .minimum = 0,
       .maximum = 32,
       .symbol = "NUM_BLOCK"},
  };
}

/// Moves the declarations of `added` to the end of `joined`.
void append(std::vector<parameter_declaration>& joined, std::vector<parameter_declaration> added) {
  joined.insert(joined.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

}  // namespace

std::vector<parameter_declaration> declare_mlmq() {
  std::vector<parameter_declaration> joined;
  for (const auto group : {declare_upper_levels, declare_l2, declare_rows_and_grid}) append(joined, group());
  return joined;
}

std::vector<parameter_declaration> declare_frontier() {
  return {
      {.name = "one_block",
       .bind = binding::launch,
       .default_value = 256,
       .description = "largest frontier that one block expands alone, without barriers between blocks, at most 3 × "
                      "threads; push_pull: in pieces of rows, at most 4 × threads",
       .unit = "elements",
       .when = any_solver_with(&solver_traits::frontier_parameters),
       .minimum = 0,
       .maximum = 1 << 20},
      {.name = "launches",
       .type = value_type::text,
       .default_value = "one",
       .description =
           "whether one launch runs all supersteps, or each is a launch after which the host reads whether it "
           "was the last",
       .when = "solver == near_far or solver == bellman_ford",
       .allowed = {"one", "each_step"},
       // Older configurations do not have this parameter.
       .silent_default = true,
       .symbol = "each_step: NF, Gunrock",
       .macro = {.name = "MLMQ_LAUNCH_PER_STEP", .one_for = "each_step", .kernels = frontier_alone},
       .limits = {{"launches != each_step or one_block == 0",
                   "with a launch for each superstep, no block continues alone"}}},
      {.name = "delta_rule",
       .type = value_type::text,
       .bind = binding::launch,
       .default_value = "degree",
       .description = "source of Δ: a rule of thumb, or delta_fixed",
       .when = any_solver_with(&solver_traits::delta_rule),
       .allowed = {"degree", "fixed"},
       .symbol = "ADDS: heuristic (4.3)"},
      {.name = "delta_c",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 1.0,
       .description = "C of Δ = C · 32 · average weight / average degree",
       .when = "delta_rule == degree",
       .minimum = smallest_factor,
       .maximum = largest_factor,
       .symbol = "C",
       .inactive = 0.0},
      {.name = "delta_fixed",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 8.0,
       .description = "Δ",
       .unit = average_weight_unit,
       .when = "delta_rule == fixed",
       .minimum = shortest_length,
       .maximum = longest_length,
       .symbol = "Δ",
       .inactive = 0.0},
  };
}

std::vector<parameter_declaration> declare_adds() {
  return {
      {.name = "adds_buckets",
       .default_value = 32,
       .description = "buckets of the circular queue",
       .unit = "buckets",
       .when = "solver == adds",
       .minimum = 2,
       .maximum = 32,
       .symbol = "ADDS: 32; 2-Buckets",
       .macro = {.name = "MLMQ_ADDS_BUCKETS", .kernels = adds_alone}},
      {.name = "adds_delta_mode",
       .type = value_type::text,
       .default_value = "dynamic",
       .description = "whether Δ is adjusted during the search, or stays fixed",
       .when = "solver == adds",
       .allowed = {"dynamic", "static"},
       .symbol = "ADDS: dynamic Δ; Static-Δ",
       .macro = {.name = "MLMQ_ADDS_DYNAMIC", .one_for = "dynamic", .kernels = adds_alone}},
      {.name = "adds_open_mode",
       .type = value_type::text,
       .default_value = "static",
       .description = "whether the number of open buckets is adjusted during the search, or stays fixed",
       .when = "solver == adds",
       .allowed = {"static", "dynamic"},
       // Older configurations do not have this parameter.
       .silent_default = true,
       .symbol = "ADDS: fine-grained adjustments (5.5)",
       .macro = {.name = "MLMQ_ADDS_OPEN_DYNAMIC", .one_for = "dynamic", .kernels = adds_alone}},
      {.name = "adds_load",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 1.0,
       .description = "assigned elements × average degree per thread above which Δ shrinks and buckets close; below "
                      "half of it, Δ grows and buckets open",
       .when = "adds_delta_mode == dynamic or adds_open_mode == dynamic",
       .minimum = smallest_factor,
       .maximum = largest_factor,
       .symbol = "ADDS: limits of utilization",
       .inactive = 0.0},
      {.name = "adds_open",
       .bind = binding::launch,
       .default_value = 4,
       .description =
           "number of highest-priority buckets that are assigned from at the same time; dynamic: the initial number",
       .unit = "buckets",
       .when = "solver == adds",
       .minimum = 1,
       .maximum = 32,
       .symbol = "ADDS: number of high priority buckets (5.5)"},
      {.name = "adds_chunk",
       .bind = binding::launch,
       .default_value = 256,
       .description = "maximum number of elements assigned to a block at a time",
       .unit = "elements",
       .when = "solver == adds",
       .minimum = 8,
       .maximum = 1 << 16},
      {.name = "adds_least",
       .bind = binding::launch,
       .default_value = 8,
       .description = "minimum number of elements assigned to a block, and to each of its warps, if enough are waiting",
       .unit = "elements",
       .when = "solver == adds",
       .minimum = 1,
       .maximum = 32},
  };
}

std::vector<parameter_declaration> declare_delta_stepping() {
  return {
      {.name = "cpu_delta",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 4.0,
       .description = "width of a bucket",
       .unit = average_weight_unit,
       .when = "solver == delta_stepping",
       .minimum = shortest_length,
       .maximum = longest_length,
       .symbol = "Δ"},
      {.name = "lookahead",
       .bind = binding::launch,
       .default_value = 8,
       .description =
           "number of entries whose rows are looked up together: more hide latency, fewer propagate distances sooner",
       .unit = "entries",
       .when = "solver == delta_stepping",
       .minimum = 1,
       .maximum = 32},
      {.name = "fusion",
       .bind = binding::launch,
       .default_value = 1024,
       .description = "a thread continues alone in the current bucket while it has fewer vertices there; 0: never",
       .unit = "vertices",
       .when = "solver == delta_stepping",
       .minimum = 0,
       .maximum = largest_degree},
      {.name = "chunk",
       .bind = binding::launch,
       .default_value = 64,
       .description = "maximum number of vertices of a bucket or level that a thread claims at a time",
       .unit = "vertices",
       .when = any_solver_with(&solver_traits::uses_all_threads),
       .minimum = 1,
       .maximum = 1 << 20},
  };
}

std::vector<parameter_declaration> declare_processor_bfs() {
  return {
      {.name = "pull",
       .bind = binding::launch,
       .default_value = 15,
       .description = "pull (undiscovered vertices look for a neighbour in the level) if the level has more than "
                      "1/pull of their edges; 0: never",
       .when = "solver == bfs",
       .minimum = 0,
       .maximum = 1 << 20},
  };
}

std::vector<parameter_declaration> declare_partitioned() {
  return {
      {.name = "parts",
       .bind = binding::launch,
       .default_value = 0,
       .description = "number of parts of the graph, one per block; 0: one per multiprocessor, fewer for a small graph",
       .unit = "parts",
       .when = "solver == partitioned",
       .minimum = 0,
       .maximum = 4096},
      {.name = "slot_arcs",
       .default_value = 2,
       .description = "arcs that a thread relaxes together; a vertex with more arcs has several slots",
       .unit = "edges",
       .when = "solver == partitioned",
       .minimum = 1,
       .maximum = 8,
       .macro = {.name = "MLMQ_SLOT_ARCS", .kernels = partitioned_alone}},
      {.name = "part_work",
       .type = value_type::text,
       .default_value = "sweeps",
       .description =
           "how vertices to relax are found; sweeps: each thread repeatedly scans all of its vertices; groups: one "
           "flag per 32 vertices; pulled_groups: like groups, with distances within a group computed in registers",
       .when = "solver == partitioned",
       .allowed = {"sweeps", "groups", "pulled_groups"},
       // Older configurations do not have this parameter.
       .silent_default = true,
       .macro = {.name = "MLMQ_PART_WORK", .prefix = "part_", .kernels = partitioned_alone},
       .limits = {{"part_work == sweeps or slot_arcs >= 2", "a group packs at least two arcs into a slot"}}},
      {.name = "arcs",
       .type = value_type::text,
       .default_value = "registers",
       .description = "memory for arcs; shared: shared memory, 4 bytes per arc, for graphs with more arcs",
       .when = "solver == partitioned and part_work == sweeps",
       .allowed = {"registers", "shared"},
       .macro = {.name = "MLMQ_PACKED_ARCS", .one_for = "shared", .kernels = partitioned_alone}},
      {.name = "part_order",
       .type = value_type::text,
       .default_value = "none",
       .description = "order of the waiting vertices of a block; window: vertices far beyond the nearest wait longer",
       .when = "solver == partitioned",
       .allowed = {"none", "window"},
       // Older configurations do not name an order.
       .silent_default = true,
       .macro = {.name = "MLMQ_PART_WINDOW", .one_for = "window", .kernels = partitioned_alone}},
      {.name = "part_window",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 8.0,
       .description = "maximum distance from the nearest waiting vertex of the block at which a vertex is relaxed",
       .unit = average_weight_unit,
       .when = "solver == partitioned and part_order == window",
       .minimum = shortest_length,
       .maximum = longest_length},
      {.name = "hub_degree",
       .bind = binding::launch,
       .default_value = static_cast<std::int64_t>(default_hub_degree),
       .description = "longer rows are spread over the parts of their targets",
       .unit = "edges",
       .when = "solver == partitioned",
       .minimum = 1,
       .maximum = largest_degree,
       // Older configurations do not have this parameter; their graphs have no longer rows.
       .silent_default = true},
  };
}

std::vector<parameter_declaration> declare_push_pull() {
  return {
      {.name = "pull_share",
       .bind = binding::launch,
       .default_value = 4,
       .description = "pull (undiscovered vertices look for a neighbour in the level) if the level has more than "
                      "1/pull_share of the unexamined edges; near_pull: if the vertices below the limit have more "
                      "than 1/pull_share of the other edges; 0: never",
       .when = any_solver_with(&solver_traits::piece_parameters),
       .minimum = 0,
       .maximum = 1 << 20},
      {.name = "pull_edges",
       .bind = binding::launch,
       .default_value = 65536,
       .description = "minimum number of edges of a level for pulling",
       .unit = "edges",
       .when = "solver == push_pull",
       .minimum = 0,
       .maximum = largest_degree},
      {.name = "piece_edges",
       .bind = binding::launch,
       .default_value = 32,
       .description = "maximum number of edges per piece of a long row, which is cut when its vertex is found",
       .unit = "edges",
       .when = any_solver_with(&solver_traits::piece_parameters),
       .minimum = 8,
       .maximum = 1 << 19},
      {.name = "long_row",
       .bind = binding::launch,
       .default_value = 128,
       .description = "rows with more edges than this are long; at least piece_edges",
       .unit = "edges",
       .when = any_solver_with(&solver_traits::piece_parameters),
       .minimum = 8,
       .maximum = 1 << 19},
      {.name = "gather",
       .bind = binding::launch,
       .default_value = 1 << 20,
       .description =
           "minimum number of vertices of a graph for building the sets of a pulled level in a separate step",
       .unit = "vertices",
       .when = "solver == push_pull",
       .minimum = 0,
       .maximum = largest_degree},
      {.name = "one_block_edges",
       .bind = binding::launch,
       .default_value = 2048,
       .description = "maximum number of edges of a frontier that one block expands alone",
       .unit = "edges",
       .when = "solver == push_pull",
       .minimum = 0,
       .maximum = 1 << 20},
      {.name = "one_block_graph",
       .bind = binding::launch,
       .default_value = 16384,
       .description = "maximum number of edges of a graph that a single block searches; 0: none",
       .unit = "edges",
       .when = "solver == push_pull",
       .minimum = 0,
       .maximum = 1 << 20},
      {.name = "read_edges",
       .bind = binding::launch,
       .default_value = 65536,
       .description = "minimum number of edges of a level for reading a distance before an atomic tries to lower it; a "
                      "128th of this for a level that one block expands alone",
       .unit = "edges",
       .when = "solver == push_pull",
       .minimum = 0,
       .maximum = largest_degree},
  };
}

std::vector<parameter_declaration> declare_near_pull() {
  return {
      {.name = "near_limit",
       .type = value_type::real,
       .bind = binding::launch,
       .default_value = 0.35,
       .description = "distance up to which vertices are settled before the others pull; doubled, up to three times, "
                      "while these vertices have too few edges",
       .unit = average_weight_unit,
       .when = "solver == near_pull",
       .minimum = shortest_length,
       .maximum = longest_length},
  };
}

parameter_declaration declared_reduction(std::string condition) {
  return {.name = "reduction",
          .type = value_type::text,
          .bind = binding::launch,
          .default_value = std::string("none"),
          .description =
              "vertices that are removed from the graph before searches, and filled in after each: none; leaves "
              "(trees); leaves and chains of vertices with two neighbours; or core: these, and from what is left "
              "vertices with few neighbours. For whole weights",
          .when = std::move(condition),
          .allowed = {"none", "leaves", "chains", "core"},
          .silent_default = true};
}

std::span<const parameter_declaration> search_declarations() {
  static const std::vector<parameter_declaration> declarations = [] {
    std::vector<parameter_declaration> joined = declare_solver();
    for (const solver_traits& solver : all_solvers()) {
      if (solver.declare != nullptr) append(joined, solver.declare());
    }
    joined.push_back(declared_reduction(any_solver_with(&solver_traits::several_seeds)));
    return joined;
  }();
  return declarations;
}

}  // namespace mlmq::problems
