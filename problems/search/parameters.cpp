// SPDX-License-Identifier: Apache-2.0
#include "problems/search/parameters.hpp"

#include <vector>

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

std::vector<parameter_declaration> declare() {
  std::vector<parameter_declaration> all = {
      choice("l0", {"none", "vector"}, "none", "queue of a thread, in registers"),
      count("l0_depth", binding::compile, 2, 1, 16, "l0 == vector", "elements a thread keeps in registers"),
      choice("l1", {"none", "vector", "near_far", "filter", "slf"}, "vector", "queue of a warp, in shared memory"),
      count("l1_capacity", binding::compile, 128, 32, 2048, "l1 != none",
            "elements of the warp's queue, a power of two; near-far gives half to each side"),
      choice("l1_spill", {"everything", "worst"}, "everything",
             "what a full queue of a warp moves to L2: all of it, or the back half", "l1 != none"),
      count("wb", binding::compile, 0, 0, 1 << 20, "l1 == vector",
            "writes after which the warp's queue is flushed to L2; 0: never"),
      distance("l1_delta", 4.0, "l1 == near_far or l1 == filter",
               "near-far: Δ by which NF is above the shortest far element; filter: F above the shortest element"),
      distance("nf", 4.0, "l1 == near_far", "NF before the far side is split for the first time"),
      choice("l2", {"vector", "bucket", "heap", "multi_heap"}, "bucket", "queue of the grid, in global memory"),
      count("bnum", binding::compile, 32, 8, 32, "l2 == bucket", "buckets of the window, a power of two"),
      count("open_buckets", binding::compile, 2, 1, 16, "l2 == bucket",
            "buckets that are read at the same time, from the lowest that holds work"),
      distance("delta", 8.0, "l2 == bucket", "width of a bucket"),
      count("pnum", binding::compile, 4, 2, 32, "l2 == multi_heap", "heaps of the multi-queue"),
      count("l2_batch", binding::compile, 32, 1, 32, "", "most elements a warp takes from L2 at a time"),
      count("heavy_degree", binding::compile, 64, 1, 1 << 30, "",
            "degree from which a whole warp relaxes one vertex; below, edges are dealt to the lanes"),
      count("threads", binding::compile, 256, 64, 1024, "", "threads of a block, a multiple of 32"),
      count("blocks_per_multiprocessor", binding::launch, 0, 0, 32, "", "resident blocks; 0: as many as fit"),
  };
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
      l1_capacity(whole(chosen, "l1_capacity", 0)),
      wb(whole(chosen, "wb", 0)),
      l1_spill(text(chosen, "l1_spill", "everything")),
      l1_delta(real(chosen, "l1_delta")),
      nf(real(chosen, "nf")),
      l2(text(chosen, "l2", "vector")),
      bnum(whole(chosen, "bnum", 8)),
      pnum(whole(chosen, "pnum", 2)),
      open_buckets(whole(chosen, "open_buckets", 1)),
      delta(real(chosen, "delta")),
      l2_batch(whole(chosen, "l2_batch", 32)),
      heavy_degree(whole(chosen, "heavy_degree", 64)),
      blocks_per_multiprocessor(whole(chosen, "blocks_per_multiprocessor", 0)) {}

unsigned search_configuration::parts() const {
  if (l2 == "bucket") return bnum;
  if (l2 == "multi_heap") return pnum;
  return 1;
}

bool search_configuration::has_heaps() const { return l2 == "heap" || l2 == "multi_heap"; }

std::map<std::string, std::string> search_configuration::defines(const variant_traits& traits) const {
  return {
      {"MLMQ_OFFSET", traits.wide_offsets ? "u64" : "u32"},
      {"MLMQ_DISTANCE", traits.weights == graph::weight_type::uint32 ? "integer_distance" : "float_distance"},
      {"MLMQ_EDGES", traits.unit_weights ? "unit_edges" : "weighted_edges"},
      {"MLMQ_L0", "l0_" + l0},
      {"MLMQ_L0_DEPTH", std::to_string(l0_depth)},
      {"MLMQ_L1", "l1_" + l1},
      {"MLMQ_L1_CAPACITY", std::to_string(l1_capacity)},
      {"MLMQ_WB", std::to_string(wb)},
      {"MLMQ_L1_SPILL", "spill_" + l1_spill},
      {"MLMQ_L2", "l2_" + l2},
      {"MLMQ_BNUM", std::to_string(bnum)},
      {"MLMQ_PNUM", std::to_string(pnum)},
      {"MLMQ_CONCURRENT_BUCKETS", std::to_string(open_buckets)},
      {"MLMQ_L2_BATCH", std::to_string(l2_batch)},
      {"MLMQ_HEAVY_DEGREE", std::to_string(heavy_degree)},
      {"MLMQ_COUNTERS", traits.counters ? "1" : "0"},
  };
}

}  // namespace mlmq::problems
