// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/parameters.hpp"

#include <algorithm>

#include "problems/shortest_paths/solvers/solvers.hpp"
#include "search_abi.cuh"
#include "tuner/parameter_values.hpp"

namespace mlmq::problems {
namespace {

tuner::parameter_values values_of(const tuner::configuration& chosen) {
  return tuner::parameter_values(search_declarations(), chosen);
}

}  // namespace

search_configuration::search_configuration(const tuner::configuration& chosen)
    : threads(values_of(chosen).whole("threads")),
      l1_sharing(values_of(chosen).text("l1_sharing")),
      l1_capacity(values_of(chosen).whole("l1_capacity")),
      l1_delta(values_of(chosen).real("l1_delta")),
      nf(values_of(chosen).real("nf")),
      l2(values_of(chosen).text("l2")),
      l2_reader(values_of(chosen).text("l2_reader")),
      bmax(values_of(chosen).whole("bmax")),
      pnum(values_of(chosen).whole("pnum")),
      delta(values_of(chosen).real("delta")),
      adapts_delta(values_of(chosen).text("delta_mode") == "adaptive"),
      split_degree(values_of(chosen).whole("split_degree")),
      ell_width(values_of(chosen).whole("ell_width")),
      blocks_per_multiprocessor(values_of(chosen).whole("blocks_per_multiprocessor")) {}

unsigned search_configuration::parts() const {
  if (l2 == "bucket") return bmax;
  if (l2 == "multi_heap") return pnum;
  return 1;
}

bool search_configuration::l1_is_shared() const { return l1_sharing == "block"; }

std::size_t search_configuration::shared_bytes() const {
  const u32 words_before = l1_is_shared() ? static_cast<u32>(sizeof(l1_block_words) / sizeof(u64)) : 0;
  // Without a dispatcher there is one more worker.
  const u32 threads_with_dispatcher = threads + (warps_read_l2() ? simt::warp_size : 0);
  return block_shared_bytes(threads_with_dispatcher, l1_capacity + words_before, l1_is_shared());
}

bool search_configuration::warps_read_l2() const { return l2_reader == "every_warp"; }

bool search_configuration::has_heaps() const { return l2 == "heap" || l2 == "multi_heap"; }

processor_numbers::processor_numbers(const tuner::configuration& chosen)
    : delta(values_of(chosen).real("cpu_delta")),
      lookahead(values_of(chosen).whole("lookahead")),
      fusion(values_of(chosen).whole("fusion")),
      chunk(values_of(chosen).whole("chunk")),
      pull(values_of(chosen).whole("pull")) {}

baseline_numbers::baseline_numbers(const tuner::configuration& chosen)
    : threads(values_of(chosen).whole("threads")),
      heavy_degree(values_of(chosen).whole("heavy_degree")),
      blocks_per_multiprocessor(values_of(chosen).whole("blocks_per_multiprocessor")),
      one_block(values_of(chosen).whole("one_block")),
      launches_steps(values_of(chosen).text("launches") == "each_step"),
      delta_c(values_of(chosen).real("delta_c")),
      delta_fixed(values_of(chosen).real("delta_fixed")),
      adds_load(values_of(chosen).real("adds_load")),
      adds_open(values_of(chosen).whole("adds_open")),
      adapts_open(values_of(chosen).text("adds_open_mode") == "dynamic"),
      adds_chunk(values_of(chosen).whole("adds_chunk")),
      adds_least(values_of(chosen).whole("adds_least")),
      ell_width(values_of(chosen).whole("ell_width")) {}

namespace {

arc_layout layout_of(const tuner::configuration& chosen) {
  const std::string work = values_of(chosen).text("part_work");
  if (work == "groups") return arc_layout::groups;
  if (work == "pulled_groups") return arc_layout::pulled_groups;
  return values_of(chosen).text("arcs") == "shared" ? arc_layout::shared : arc_layout::registers;
}

}  // namespace

partitioned_numbers::partitioned_numbers(const tuner::configuration& chosen)
    : threads(values_of(chosen).whole("threads")),
      parts(values_of(chosen).whole("parts")),
      shape{.slot_arcs = values_of(chosen).whole("slot_arcs"),
            .layout = layout_of(chosen),
            .hub_degree = values_of(chosen).whole("hub_degree")},
      window(values_of(chosen).real("part_window")) {}

push_pull_numbers::push_pull_numbers(const tuner::configuration& chosen)
    : threads(values_of(chosen).whole("threads")),
      blocks_per_multiprocessor(values_of(chosen).whole("blocks_per_multiprocessor")),
      one_block(values_of(chosen).whole("one_block")),
      one_block_edges(values_of(chosen).whole("one_block_edges")),
      one_block_graph(values_of(chosen).whole("one_block_graph")),
      pull_share(values_of(chosen).whole("pull_share")),
      pull_edges(values_of(chosen).whole("pull_edges")),
      gather(values_of(chosen).whole("gather")),
      piece_edges(values_of(chosen).whole("piece_edges")),
      long_row(values_of(chosen).whole("long_row")),
      read_edges(values_of(chosen).whole("read_edges")) {}

near_pull_numbers::near_pull_numbers(const tuner::configuration& chosen)
    : threads(values_of(chosen).whole("threads")),
      pull_share(values_of(chosen).whole("pull_share")),
      piece_edges(values_of(chosen).whole("piece_edges")),
      long_row(values_of(chosen).whole("long_row")),
      near_limit(values_of(chosen).real("near_limit")) {}

double baseline_numbers::delta(double average_weight, double average_degree) const {
  constexpr double warp_width = 32;
  if (delta_fixed > 0) return delta_fixed * average_weight;
  return delta_c * warp_width * average_weight / std::max(average_degree, 1.0);
}

const char* distance_class(graph::weight_type weights) {
  switch (weights) {
    case graph::weight_type::uint32:
      return "integer_distance";
    case graph::weight_type::float32:
      return "float_distance";
    case graph::weight_type::float64:
      break;
  }
  return "double_distance";
}

const char* edge_class(search_kind kind, graph::weight_type weights) {
  if (kind == search_kind::bfs) return "unit_edges";
  return weights == graph::weight_type::float64 ? "wide_edges" : "weighted_edges";
}

std::optional<graph::reduction_extent> reduction_of(const tuner::configuration& chosen) {
  const tuner::value* const value = chosen.find("reduction");
  if (value == nullptr) return std::nullopt;
  using graph::reduction_extent;
  for (const reduction_extent extent : {reduction_extent::leaves, reduction_extent::chains, reduction_extent::core}) {
    if (std::get<std::string>(*value) == graph::name_of(extent)) return extent;
  }
  return std::nullopt;
}

std::map<std::string, std::string> common_defines(const variant_traits& traits) {
  std::map<std::string, std::string> macros = {{"MLMQ_OFFSET", traits.wide_offsets ? "u64" : "u32"},
                                               {"MLMQ_DISTANCE", distance_class(traits.weights)},
                                               {"MLMQ_EDGES", edge_class(traits.kind, traits.weights)},
                                               {"MLMQ_COUNTERS", traits.counters ? "1" : "0"}};
  // Only defined for timelines, so that the other variants keep their identity.
  if (traits.timeline) macros.emplace("MLMQ_TIMELINE", "1");
  return macros;
}

std::map<std::string, std::string> defines_of(const tuner::configuration& chosen, const variant_traits& traits) {
  std::map<std::string, std::string> macros = common_defines(traits);
  const std::string solver = solver_of(chosen);
  macros.merge(values_of(chosen).macros(solver));
  if (const auto add_macros = solver_named(solver).add_macros) add_macros(traits, macros);
  if (reduction_of(chosen)) macros.emplace("MLMQ_SEVERAL_SEEDS", "1");
  return macros;
}

}  // namespace mlmq::problems
