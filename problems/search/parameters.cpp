// SPDX-License-Identifier: Apache-2.0
#include "problems/search/parameters.hpp"

#include <vector>

#include "cpu_solvers/search.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

using tuner::binding;
using tuner::parameter_declaration;
using tuner::value;
using tuner::value_type;

parameter_declaration choice(const char* name, std::vector<std::string> allowed, const char* standard,
                             const char* description, const char* when = "") {
  return {.name = name,
          .type = value_type::text,
          .bind = binding::compile,
          .default_value = value(std::string(standard)),
          .description = description,
          .when = when,
          .allowed = std::move(allowed)};
}

/// A length in units of the graph's average weight, so that one value serves all graphs.
parameter_declaration distance(const char* name, double standard, const char* when, const char* description) {
  return {.name = name,
          .type = value_type::real,
          .bind = binding::launch,
          .default_value = value(standard),
          .description = description,
          .unit = "average_weight",
          .when = when,
          .minimum = 1e-3,
          .maximum = 1e9};
}

parameter_declaration count(const char* name, binding bind, std::int64_t standard, double minimum, double maximum,
                            const char* when, const char* description) {
  return {.name = name,
          .type = value_type::integer,
          .bind = bind,
          .default_value = value(standard),
          .description = description,
          .when = when,
          .minimum = minimum,
          .maximum = maximum};
}

/// What is true of all solvers that run as a grid of blocks.
constexpr const char* on_grid =
    "solver != delta_stepping and solver != dijkstra and solver != boost_dijkstra and solver != bfs";

std::vector<std::string> solver_names() {
  std::vector<std::string> all = {"mlmq", "near_far", "bellman_ford", "adds"};
  for (const std::string_view name : cpu::solver_names()) all.emplace_back(name);
  return all;
}

parameter_declaration factor(const char* name, double standard, const char* when, const char* description) {
  return {.name = name,
          .type = value_type::real,
          .bind = binding::launch,
          .default_value = value(standard),
          .description = description,
          .when = when,
          .minimum = 1e-6,
          .maximum = 1e6};
}

parameter_declaration launched(parameter_declaration declaration) {
  declaration.bind = binding::launch;
  return declaration;
}

std::vector<parameter_declaration> declare() {
  std::vector<parameter_declaration> all = {
      choice("solver", solver_names(), "mlmq",
             "what searches: the multi-level queue or a competitor; from delta_stepping on those for processors"),
      choice("l0", {"none", "vector"}, "none", "queue of a thread, in registers", "solver == mlmq"),
      count("l0_depth", binding::compile, 2, 1, 16, "l0 == vector", "elements a thread keeps in registers"),
      choice("l1", {"none", "vector", "near_far", "filter", "slf"}, "vector", "queue of a warp, in shared memory",
             "solver == mlmq"),
      choice("l1_sharing", {"warp", "block"}, "warp", "who has an L1 queue: each warp, or all warps of a block one",
             "l1 != none"),
      count("l1_capacity", binding::compile, 128, 32, 16384, "l1 != none",
            "elements of an L1 queue, a power of two; near-far gives half to each side"),
      count("l1_batch", binding::compile, 32, 1, 32, "l1 != none", "most elements a warp takes from L1 at a time"),
      choice("l1_spill", {"everything", "worst"}, "everything",
             "what a queue that is full or flushed moves to L2: all of it, or the back half", "l1 != none"),
      count("wb", binding::compile, 0, 0, 1 << 20, "l1 == vector",
            "writes after which the warp's queue is flushed to L2; 0: never"),
      distance("l1_delta", 4.0, "l1 == near_far or l1 == filter",
               "near-far: Δ by which NF is above the shortest far element; filter: F above the shortest element"),
      distance("nf", 4.0, "l1 == near_far", "NF before the far side is split for the first time"),
      choice("l2", {"vector", "bucket", "heap", "multi_heap"}, "bucket", "queue of the grid, in global memory",
             "solver == mlmq"),
      count("bnum", binding::compile, 32, 8, 32, "l2 == bucket", "buckets of the window, a power of two"),
      count("open_buckets", binding::compile, 2, 1, 16, "l2 == bucket",
            "buckets that are read at the same time, from the lowest that holds work"),
      count("idle_buckets", binding::compile, 0, 0, 16, "l2 == bucket",
            "buckets that a block reads from while none of its workers has work, where that is more"),
      distance("delta", 8.0, "l2 == bucket", "width of a bucket"),
      count("pnum", binding::compile, 4, 2, 32, "l2 == multi_heap", "heaps of the multi-queue"),
      count("l2_batch", binding::compile, 32, 1, 32, "solver == mlmq", "most elements a warp takes from L2 at a time"),
      count(
          "l2_share", binding::compile, 1, 0, 64, "l2 == vector or l2 == bucket",
          "how many even shares of what waits in a queue the courier of one block takes at a time, but one element for "
          "each idle worker; 0: as much as l2_batch allows"),
      count("heavy_degree", binding::compile, 64, 1, 1 << 30, on_grid,
            "degree from which a whole warp relaxes one vertex; below, edges are dealt to the lanes"),
      count("split_degree", binding::compile, 0, 0, 1 << 30, "solver == mlmq",
            "rows of more edges are relaxed in parts of so many, by different warps; 0: never"),
      count("row_slots", binding::compile, 0, 0, 16, "solver == mlmq or solver == adds",
            "rows of up to so many edges, a power of two, lie in place, padded, besides their usual layout; 0: none"),
      choice("further_rows", {"at_once", "queued"}, "at_once",
             "what of a longer row lies in further rows in place is relaxed before the next batch, or queued",
             "solver == mlmq and row_slots != 0"),
      {.name = "read_first",
       .type = value_type::boolean,
       .bind = binding::compile,
       .default_value = value(true),
       .description = "a distance is read before an atomic tries to lower it",
       .when = "solver == mlmq or solver == adds"},
      {.name = "prefetch",
       .type = value_type::boolean,
       .bind = binding::compile,
       .default_value = value(false),
       .description = "the row of an improved vertex is fetched into the cache at once",
       .when = "solver == mlmq"},
      count("courier_pause", binding::compile, 50, 0, 1000, "solver == mlmq",
            "nanoseconds that a block's courier rests when it has found no work in L2"),
      count("threads", binding::compile, 256, 64, 1024, on_grid, "threads of a block, a multiple of 32"),
      count("blocks_per_multiprocessor", binding::launch, 0, 0, 32, on_grid, "resident blocks; 0: as many as fit"),
      count("one_block", binding::launch, 256, 0, 1 << 20, "solver == near_far or solver == bellman_ford",
            "largest frontier that one block expands alone, without barriers between blocks, at most 3 × threads"),
      launched(choice("delta_rule", {"degree", "fixed"}, "degree",
                      "where Δ comes from: a rule of thumb, or delta_fixed", "solver == near_far or solver == adds")),
      factor("delta_c", 1.0, "delta_rule == degree", "C of Δ = C · 32 · average weight / average degree"),
      distance("delta_fixed", 8.0, "delta_rule == fixed", "Δ"),
      count("adds_buckets", binding::compile, 32, 2, 32, "solver == adds", "buckets of the circular queue"),
      choice("adds_delta", {"dynamic", "static"}, "dynamic",
             "whether Δ is adjusted while the search runs, or stays as it began", "solver == adds"),
      factor("adds_load", 0.1, "adds_delta == dynamic",
             "assigned elements × average degree for each thread above which Δ shrinks; below half of it Δ grows"),
      count("adds_open", binding::launch, 4, 1, 32, "solver == adds",
            "buckets of the highest priorities that are assigned from at the same time"),
      count("adds_chunk", binding::launch, 256, 8, 1 << 16, "solver == adds",
            "most elements that a block is assigned at a time"),
      count("adds_least", binding::launch, 8, 1, 32, "solver == adds",
            "fewest elements that a block, and a warp of it, is assigned while there are more"),
      distance("cpu_delta", 4.0, "solver == delta_stepping", "width of a bucket"),
      count("lookahead", binding::launch, 8, 1, 32, "solver == delta_stepping",
            "entries whose rows are looked for together: more hide latency, fewer pass distances on sooner"),
      count("fusion", binding::launch, 1024, 0, 1 << 30, "solver == delta_stepping",
            "a thread goes on alone in the present bucket while it has fewer vertices there; 0: never"),
      count("chunk", binding::launch, 64, 1, 1 << 20, "solver == delta_stepping or solver == bfs",
            "most vertices of a bucket or level that a thread claims at a time"),
      count("pull", binding::launch, 15, 0, 1 << 20, "solver == bfs",
            "vertices not yet found look for a level with more than this part (1/pull) of their edges; 0: never"),
  };
  // Before there were other solvers, no configuration named one.
  all.front().silent_default = true;
  return all;
}

double real(const tuner::configuration& chosen, const char* name) {
  const value* const found = chosen.find(name);
  return found == nullptr ? 0.0 : std::get<double>(*found);
}

std::string text(const tuner::configuration& chosen, const char* name, const char* otherwise) {
  const value* const found = chosen.find(name);
  return found == nullptr ? otherwise : std::get<std::string>(*found);
}

bool flag(const tuner::configuration& chosen, const char* name) {
  const value* const found = chosen.find(name);
  return found != nullptr && std::get<bool>(*found);
}

unsigned whole(const tuner::configuration& chosen, const char* name, unsigned otherwise) {
  const value* const found = chosen.find(name);
  return found == nullptr ? otherwise : static_cast<unsigned>(std::get<std::int64_t>(*found));
}

}  // namespace

std::span<const parameter_declaration> search_declarations() {
  static const std::vector<parameter_declaration> all = declare();
  return all;
}

search_configuration::search_configuration(const tuner::configuration& chosen)
    : threads(whole(chosen, "threads", 256)),
      l0(text(chosen, "l0", "none")),
      l0_depth(whole(chosen, "l0_depth", 1)),
      l1(text(chosen, "l1", "none")),
      l1_sharing(text(chosen, "l1_sharing", "warp")),
      l1_capacity(whole(chosen, "l1_capacity", 0)),
      l1_batch(whole(chosen, "l1_batch", 32)),
      wb(whole(chosen, "wb", 0)),
      l1_spill(text(chosen, "l1_spill", "everything")),
      l1_delta(real(chosen, "l1_delta")),
      nf(real(chosen, "nf")),
      l2(text(chosen, "l2", "vector")),
      bnum(whole(chosen, "bnum", 8)),
      pnum(whole(chosen, "pnum", 2)),
      open_buckets(whole(chosen, "open_buckets", 1)),
      idle_buckets(whole(chosen, "idle_buckets", 0)),
      delta(real(chosen, "delta")),
      l2_batch(whole(chosen, "l2_batch", 32)),
      l2_share(whole(chosen, "l2_share", 0)),
      heavy_degree(whole(chosen, "heavy_degree", 64)),
      split_degree(whole(chosen, "split_degree", 0)),
      row_slots(whole(chosen, "row_slots", 0)),
      further_rows(text(chosen, "further_rows", "at_once")),
      read_first(flag(chosen, "read_first")),
      prefetch(flag(chosen, "prefetch")),
      courier_pause(whole(chosen, "courier_pause", 50)),
      blocks_per_multiprocessor(whole(chosen, "blocks_per_multiprocessor", 0)),
      cpu_delta(real(chosen, "cpu_delta")),
      lookahead(whole(chosen, "lookahead", 8)),
      fusion(whole(chosen, "fusion", 1024)),
      chunk(whole(chosen, "chunk", 0)),
      pull(whole(chosen, "pull", 0)) {}

unsigned search_configuration::parts() const {
  if (l2 == "bucket") return bnum;
  if (l2 == "multi_heap") return pnum;
  return 1;
}

bool search_configuration::l1_is_shared() const { return l1_sharing == "block"; }

std::size_t search_configuration::shared_bytes() const {
  const u32 words_before = l1_is_shared() ? static_cast<u32>(sizeof(l1_block_words) / sizeof(u64)) : 0;
  return block_shared_bytes(threads, l1_capacity + words_before, l1_is_shared());
}

bool search_configuration::has_heaps() const { return l2 == "heap" || l2 == "multi_heap"; }

std::map<std::string, std::string> search_configuration::defines(const variant_traits& traits) const {
  std::map<std::string, std::string> all = common_defines(traits);
  all.insert({
      {"MLMQ_L0", "l0_" + l0},
      {"MLMQ_L0_DEPTH", std::to_string(l0_depth)},
      {"MLMQ_L1", "l1_" + l1},
      {"MLMQ_L1_CAPACITY", std::to_string(l1_capacity)},
      {"MLMQ_L1_SHARING", "l1_of_" + l1_sharing},
      {"MLMQ_L1_BATCH", std::to_string(l1_batch)},
      {"MLMQ_WB", std::to_string(wb)},
      {"MLMQ_L1_SPILL", "spill_" + l1_spill},
      {"MLMQ_L2", "l2_" + l2},
      {"MLMQ_BNUM", std::to_string(bnum)},
      {"MLMQ_PNUM", std::to_string(pnum)},
      {"MLMQ_CONCURRENT_BUCKETS", std::to_string(open_buckets)},
      {"MLMQ_IDLE_BUCKETS", std::to_string(idle_buckets)},
      {"MLMQ_L2_BATCH", std::to_string(l2_batch)},
      {"MLMQ_L2_SHARE", std::to_string(l2_share)},
      {"MLMQ_HEAVY_DEGREE", std::to_string(heavy_degree)},
      {"MLMQ_ROW_SLOTS", std::to_string(row_slots)},
      {"MLMQ_QUEUE_FURTHER_ROWS", further_rows == "queued" ? "1" : "0"},
      {"MLMQ_READ_FIRST", read_first ? "1" : "0"},
      {"MLMQ_PREFETCH", prefetch ? "1" : "0"},
      {"MLMQ_COURIER_PAUSE", std::to_string(courier_pause)},
      {"MLMQ_SPLIT_DEGREE", std::to_string(split_degree)},
  });
  return all;
}

baseline_numbers::baseline_numbers(const tuner::configuration& chosen)
    : solver(text(chosen, "solver", "mlmq")),
      threads(whole(chosen, "threads", 256)),
      heavy_degree(whole(chosen, "heavy_degree", 64)),
      blocks_per_multiprocessor(whole(chosen, "blocks_per_multiprocessor", 0)),
      one_block(whole(chosen, "one_block", 0)),
      delta_c(real(chosen, "delta_c")),
      delta_fixed(real(chosen, "delta_fixed")),
      adds_buckets(whole(chosen, "adds_buckets", 0)),
      adds_dynamic(text(chosen, "adds_delta", "static") == "dynamic"),
      adds_load(real(chosen, "adds_load")),
      adds_open(whole(chosen, "adds_open", 0)),
      adds_chunk(whole(chosen, "adds_chunk", 0)),
      adds_least(whole(chosen, "adds_least", 1)),
      row_slots(whole(chosen, "row_slots", 0)),
      read_first(chosen.find("read_first") == nullptr || flag(chosen, "read_first")) {}

double baseline_numbers::delta(double average_weight, double average_degree) const {
  constexpr double warp_width = 32;
  if (delta_fixed > 0) return delta_fixed * average_weight;
  return delta_c * warp_width * average_weight / std::max(average_degree, 1.0);
}

std::map<std::string, std::string> baseline_numbers::defines(const variant_traits& traits) const {
  std::map<std::string, std::string> all = common_defines(traits);
  all.emplace("MLMQ_HEAVY_DEGREE", std::to_string(heavy_degree));
  all.emplace("MLMQ_READ_FIRST", read_first ? "1" : "0");
  all.emplace("MLMQ_ROW_SLOTS", std::to_string(row_slots));
  if (solver == "adds") {
    all.emplace("MLMQ_ADDS_BUCKETS", std::to_string(adds_buckets));
    all.emplace("MLMQ_ADDS_DYNAMIC", adds_dynamic ? "1" : "0");
  }
  return all;
}

std::map<std::string, std::string> common_defines(const variant_traits& traits) {
  std::map<std::string, std::string> all = {
      {"MLMQ_OFFSET", traits.wide_offsets ? "u64" : "u32"},
      {"MLMQ_DISTANCE", traits.weights == graph::weight_type::uint32 ? "integer_distance" : "float_distance"},
      {"MLMQ_EDGES", traits.kind == search_kind::bfs ? "unit_edges" : "weighted_edges"},
      {"MLMQ_COUNTERS", traits.counters ? "1" : "0"}};
  // Absent elsewhere, so that other variants are the same as without timelines.
  if (traits.timeline) all.emplace("MLMQ_TIMELINE", "1");
  return all;
}

}  // namespace mlmq::problems
