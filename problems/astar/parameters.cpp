// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "astar/astar_abi.cuh"
#include "tuner/parameter_values.hpp"

namespace mlmq::astar {
namespace {

using tuner::parameter_declaration;
using tuner::value_type;

const std::string kernels_alone = "solver == warp or solver == phases or solver == parallel_heap";
const std::string lists_alone = "solver == warp or solver == phases";  // an open list per search
const std::string warp_alone = "solver == warp";
const std::string cells_alone = "solver == warp and algorithm == astar";
const std::string ring_alone = "solver == warp and open == bucket_ring";
const std::string queue_alone = "open == small_queue";

std::vector<parameter_declaration> all_declarations() {
  return {
      {.name = "solver",
       .type = value_type::text,
       .default_value = std::string("warp"),
       .description =
           "warp: A* on a GPU, one warp per search; phases: as the paper has it, a launch expands the cells "
           "of all searches with eight threads a cell, and one works on their queues; parallel_heap: one heap "
           "for all searches; cpu_…: one processor thread per search",
       .allowed = {"warp", std::string(phases_solver), std::string(heap_solver), "cpu_astar", "cpu_jps",
                   "cpu_dijkstra"},
       .symbol = "A*"},
      {.name = "algorithm",
       .type = value_type::text,
       .default_value = std::string("astar"),
       .description = "astar: A* cell by cell; jump: jump point search with a table of walk lengths",
       .when = warp_alone,
       .allowed = {"astar", "jump"},
       .macro = {.name = "MLMQ_JUMP", .one_for = "jump"}},
      {.name = "mode",
       .type = value_type::text,
       .default_value = std::string("exact"),
       .description =
           "exact: shortest paths; paper: half-precision floats, no cell is opened twice, ends when the goal is taken",
       .when = cells_alone,
       .allowed = {"exact", "paper"},
       .symbol = "half-floats",
       .macro = {.name = "MLMQ_EXACT", .one_for = "exact"}},
      {.name = "cells",
       .default_value = 8,
       .description = "number of cells that a search expands at once",
       .when = lists_alone,
       .minimum = 1,
       .maximum = 32,
       .symbol = "n",
       .macro = {.name = "MLMQ_CELLS"},
       .limits = {{"solver != phases or cells == 4 or cells == 8 or cells == 16 or cells == 32",
                   "with solver=phases, whole warps expand the cells of a search: 4, 8, 16 or 32"}}},
      {.name = "open",
       .type = value_type::text,
       .default_value = std::string("bucket_ring"),
       .description = "open list of a search: a ring of buckets, or the small queue that the parameter queue selects",
       .when = lists_alone,
       .allowed = {"bucket_ring", "small_queue"},
       .macro = {.name = "MLMQ_OPEN_RING", .one_for = "bucket_ring"},
       .limits = {{"solver != phases or open == small_queue", "solver=phases has small queues; set open=small_queue"}}},
      {.name = "bucket_bits",
       .default_value = 14,
       .description = "width of a bucket: 2^bits of the 80782 parts of a straight step",
       .when = ring_alone,
       .minimum = 13,
       .maximum = 20,
       .macro = {.name = "MLMQ_BUCKET_BITS"}},
      {.name = "near_items",
       .default_value = 16,
       .description = "items of each bucket that are kept in shared memory; the others are in global memory",
       .unit = "items",
       .when = ring_alone,
       .minimum = 0,
       .maximum = 512,
       .macro = {.name = "MLMQ_NEAR_ITEMS"}},
      {.name = "table",
       .type = value_type::text,
       .default_value = std::string("global"),
       .description = "memory for the per-cell state of a search; shared fits only small maps",
       .when = cells_alone,
       .allowed = {"shared", "global"},
       .macro = {.name = "MLMQ_TABLE_SHARED", .one_for = "shared"}},
      {.name = "moves",
       .type = value_type::text,
       .default_value = std::string("global"),
       .description = "memory for the legal steps from each cell, one byte per cell; shared: one copy per block",
       .when = warp_alone,
       .allowed = {"shared", "global"},
       .macro = {.name = "MLMQ_MOVES_SHARED", .one_for = "shared"}},
      {.name = "threads",
       .default_value = 128,
       .description = "threads per block, a multiple of 32",
       .when = kernels_alone,
       .minimum = 32,
       .maximum = 1024,
       .symbol = "block size",
       .limits = {tuner::whole_warps(),
                  {"solver != phases or threads % (8 * cells) == 0",
                   "with solver=phases, a block expands the cells of whole searches"}}},
      {.name = "blocks",
       .bind = tuner::binding::launch,
       .default_value = 0,
       .description = "maximum number of resident blocks per multiprocessor; 0: as many as fit",
       .when = warp_alone,
       .minimum = 0,
       .maximum = 64},
      {.name = "concurrency",
       .bind = tuner::binding::launch,
       .default_value = 0,
       .description = "number of searches at a time: a search that has finished makes room for the next of the list; "
                      "0: as many as "
                      "the blocks or, with solver=phases, the memory of the device hold. A query may say it, too",
       .unit = "searches",
       .when = kernels_alone,
       .minimum = 0,
       .maximum = 1 << 20,
       // Older configurations do not have this parameter.
       .silent_default = true,
       .symbol = "number of parallel searches",
       .limits = {{"concurrency == 0 or blocks == 0", "both say how many searches run at a time"},
                  {"solver != warp or concurrency == 0 or concurrency % (threads / 32) == 0",
                   "each warp of a block has a search"}}},
      {.name = "node_items",
       .bind = tuner::binding::launch,
       .default_value = 16384,
       .description = "items of a node of the parallel heap, a power of two",
       .unit = "items",
       .when = "solver == parallel_heap",
       .minimum = 32,
       .maximum = 1 << 20,
       .limits = {{"power_of_two(node_items)", "a node is sorted by a network for powers of two"}}},
      {.name = "paths",
       .type = value_type::boolean,
       .default_value = false,
       .description = "whether paths are written in addition to lengths",
       .when = warp_alone,
       .macro = {.name = "MLMQ_PATHS"}},
  };
}

/// Returns the number of buckets, like bucket_ring in the kernel.
unsigned buckets_of(unsigned bucket_bits, bool jumps) {
  if (jumps) return 32;
  return std::max(4U, std::bit_ceil((2 * diagonal_step >> bucket_bits) + 2));
}

}  // namespace

std::span<const parameter_declaration> declared_parameters() {
  static const std::vector<parameter_declaration> declarations = [] {
    std::vector<parameter_declaration> joined = all_declarations();
    for (parameter_declaration& declared : problems::small_queue_declarations(queue_alone)) {
      if (declared.name == "queue") {
        declared.limits.push_back(
            {"queue != bucket",
             "the keys in this queue must be within 1024 of each other, but those of open cells are not; choose "
             "open=bucket_ring"});
      }
      if (declared.name == "lanes")
        declared.limits.push_back({"lanes <= 32 or solver == phases and threads == lanes",
                                   "one warp holds the open list of a search, or with solver=phases a block"});
      joined.push_back(std::move(declared));
    }
    return joined;
  }();
  return declarations;
}

std::string solver_of(const tuner::configuration& chosen) {
  return tuner::parameter_values(declared_parameters(), chosen).text("solver");
}

bool is_kernel(const std::string& solver) { return !solver.starts_with("cpu_"); }

kernel_numbers::kernel_numbers(const tuner::configuration& chosen)
    : kernel_numbers(tuner::parameter_values(declared_parameters(), chosen)) {}

kernel_numbers::kernel_numbers(const tuner::parameter_values& values) : queue(values) {
  jumps = values.text("algorithm") == "jump";
  exact = values.text("mode") == "exact";
  paths = values.flag("paths");
  table_in_shared = values.text("table") == "shared";
  moves_in_shared = values.text("moves") == "shared";
  threads = values.whole("threads");
  blocks = values.whole("blocks");
  concurrency = values.whole("concurrency");
  // With one heap for all searches, a search expands one cell at a time, for which a warp has lanes enough.
  const bool has_heap = values.text("solver") == heap_solver;
  cells = has_heap ? 4 : values.whole("cells");
  node_items = values.whole("node_items");
  has_ring = values.text("open") == "bucket_ring";
  buckets = buckets_of(values.whole("bucket_bits"), jumps);
  near_items = values.whole("near_items");
  macros = values.macros("astar");
  if (has_heap) macros["MLMQ_CELLS"] = std::to_string(cells);
}

std::uint64_t kernel_numbers::concurrency_for(std::uint64_t of_query) const {
  if (of_query != 0 && concurrency != 0 && of_query != concurrency) {
    throw backends::launch_error(
        fmt::format("the query has {} searches at a time, but the configuration has {}", of_query, concurrency));
  }
  return of_query != 0 ? of_query : concurrency;
}

std::size_t kernel_numbers::open_bytes(unsigned item_bytes) const {
  return has_ring ? warps() * ring_bytes(item_bytes) : queue.shared_bytes(threads);
}

std::size_t kernel_numbers::ring_bytes(unsigned item_bytes) const {
  if (!has_ring) return 0;
  return buckets * sizeof(std::uint32_t) + (std::size_t{buckets} * near_items * item_bytes + 15) / 16 * 16;
}

}  // namespace mlmq::astar
