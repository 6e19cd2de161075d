// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/device_weights.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/time_limit.hpp"
#include "graph/hierarchy/elimination.hpp"
#include "problems/multi_source/built_hierarchy.hpp"
#include "problems/multi_source/elimination_panels.hpp"
#include "problems/multi_source/hierarchy_pieces.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::multi_source {
namespace {

constexpr double most_ms_of_customization = 60'000;
constexpr unsigned most_warps_per_block = 32;

/// Returns the arc and direction of each edge, see customization_arguments.
std::vector<u32> arcs_of_edges(const graph::csr_graph& graph, const graph::elimination& tree) {
  std::vector<u32> arcs(graph.edge_count(), no_arc);
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const std::uint32_t tail = tree.position_of[v];
    for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + std::size_t{1}]; ++e) {
      const std::uint32_t head = tree.position_of[graph.targets()[e]];
      if (head == tail) continue;
      const auto [above, below] = std::minmax(tail, head);
      arcs[e] = static_cast<u32>(2 * tree.arc_between(below, above) + (tail < head ? 1 : 0));
    }
  }
  return arcs;
}

std::vector<ascent_vertex> vertices_with_all_arcs(const graph::elimination& tree) {
  std::vector<ascent_vertex> vertices(tree.vertices());
  for (std::uint32_t p = 0; p < tree.vertices(); ++p) {
    vertices[p] = {
        .parent = tree.parent[p], .first_arc = static_cast<u32>(tree.first_arc[p]), .arcs = 0, .depth = tree.depth[p]};
  }
  return vertices;
}

unsigned block_warps(const backends::device_info& device) {
  return std::clamp(device.warp_slots, 1U, most_warps_per_block);
}

backends::kernel_source variant_of(const char* name, const backends::device_info& device, bool is_long) {
  return {.file = std::string("hierarchy/") + name + ".cu",
          .entry = name,
          .block_threads = device.warp_size * block_warps(device),
          .defines = {{"MLMQ_LONG_PATHS", is_long ? "1" : "0"}},
          .folder = {}};
}

}  // namespace

weight_kernels weight_kernels_for(const backends::device_info& device, weight_use use, bool is_long) {
  weight_kernels kernels{.finder = variant_of("hierarchy_weights", device, is_long),
                         .writer = variant_of("piece_weights", device, is_long)};
  kernels.finder.defines["MLMQ_NEEDED_ARCS"] = use == weight_use::needed_arcs ? "1" : "0";
  return kernels;
}

device_weights::device_weights(const solver_input& input, const graph::elimination& tree, weight_use use)
    : input_(input), device_(input.device), use_(use) {
  const graph::csr_graph& graph = input.hierarchy.structure();
  constexpr std::uint64_t most_arcs = std::numeric_limits<std::uint32_t>::max() / 2;
  if (tree.heads.size() >= most_arcs || graph.edge_count() >= most_arcs)
    throw backends::launch_error("the hierarchy of this graph has 2^31 arcs or more");
  edges_ = static_cast<std::uint32_t>(graph.edge_count());
  vertex_count_ = tree.vertices();
  arcs_ = static_cast<std::uint32_t>(tree.heads.size());
  const elimination_panels divided = divide_into_panels(tree);
  if (divided.places.size() > std::numeric_limits<std::uint32_t>::max())
    throw backends::launch_error("the hierarchy of this graph has too many supernodes for 32-bit numbers");
  levels_ = divided.levels();
  edge_arcs_ = backends::uploaded(device_, arcs_of_edges(graph, tree), "arcs of edges");
  panels_ = backends::uploaded(device_, divided.panels, "panels of the elimination");
  columns_ = backends::uploaded(device_, divided.columns, "columns of panels");
  rows_ = backends::uploaded(device_, divided.rows, "rows of panels");
  places_ = backends::uploaded(device_, divided.places, "arcs between rows of panels");
  tiles_ = backends::uploaded(device_, divided.tiles, "tiles of panels");
  strips_ = backends::uploaded(device_, divided.strips, "strips of panels");
  level_tiles_ = backends::uploaded(device_, divided.level_tiles, "levels of tiles");
  level_strips_ = backends::uploaded(device_, divided.level_strips, "levels of strips");
  const std::size_t room = std::max<std::size_t>(1, arcs_);
  lengths_ = device_.allocate((use == weight_use::needed_arcs ? 6 : 4) * room * sizeof(u32), "weights of arcs");
  if (use == weight_use::needed_arcs) {
    first_arcs_ =
        backends::uploaded(device_, std::vector<u32>(tree.first_arc.begin(), tree.first_arc.end()), "rows of arcs");
    heads_ = backends::uploaded(device_, tree.heads, "heads of arcs");
    vertices_ = backends::uploaded(device_, vertices_with_all_arcs(tree), "the elimination tree");
    ascent_arcs_ = device_.allocate(room * sizeof(hierarchy_item), "upward arcs");
  }
  control_ = device_.allocate(sizeof(customization_control), "control words");
}

void device_weights::compile(bool is_long) {
  is_long_ = is_long;
  const std::size_t index = is_long ? 1 : 0;
  if (finders_.at(index) != nullptr) return;
  const weight_kernels kernels = weight_kernels_for(device_.info(), use_, is_long);
  finders_.at(index) = device_.compile(kernels.finder);
  if (use_ == weight_use::needed_arcs) writers_.at(index) = device_.compile(kernels.writer);
}

const std::uint32_t* device_weights::edge_weights() {
  if (input_.weights_on_device != nullptr) return input_.weights_on_device->memory.as<const u32>();
  if (edge_weights_.bytes() == 0)
    edge_weights_ = device_.allocate(std::max<std::size_t>(1, edges_) * sizeof(u32), "weights of edges");
  const std::span<const std::uint32_t> weights = input_.graph.weight_bits();
  if (!weights.empty()) device_.upload(edge_weights_, weights.data(), weights.size_bytes());
  return edge_weights_.as<const u32>();
}

void device_weights::find() {
  const bool is_long = input_.hierarchy.has_long_paths();
  compile(is_long);
  const backends::kernel& finder = *finders_.at(is_long ? 1 : 0);
  const customization_arguments arguments{.edge_weights = edge_weights(),
                                          .edge_arcs = edge_arcs_.as<const u32>(),
                                          .first_arcs = first_arcs_.as<const u32>(),
                                          .heads = heads_.as<const u32>(),
                                          .panels = panels_.as<const elimination_panel>(),
                                          .columns = columns_.as<const u32>(),
                                          .rows = rows_.as<const panel_row>(),
                                          .places = places_.as<const u32>(),
                                          .tiles = tiles_.as<const panel_tile>(),
                                          .strips = strips_.as<const panel_strip>(),
                                          .level_tiles = level_tiles_.as<const u32>(),
                                          .level_strips = level_strips_.as<const u32>(),
                                          .within = lengths(0),
                                          .shortest = shortest(),
                                          .needed = use_ == weight_use::needed_arcs ? lengths(2) : arc_lengths{},
                                          .vertices = vertices_.as<ascent_vertex>(),
                                          .ascent_arcs = ascent_arcs_.as<hierarchy_item>(),
                                          .control = control_.as<customization_control>(),
                                          .edges = edges_,
                                          .vertex_count = vertex_count_,
                                          .arcs = arcs_,
                                          .levels = levels_,
                                          .time_limit_ns = time_limit_ns_from_ms(most_ms_of_customization)};
  const std::size_t shared_bytes = customization_shared_bytes(block_warps(device_.info()));
  const unsigned blocks = std::min(finder.resident_blocks(shared_bytes), device_.info().multiprocessors);
  if (blocks == 0) throw backends::launch_error("the weights of a hierarchy: a block does not fit on the device");
  device_.set_watchdog(problems::watchdog_for(
      most_ms_of_customization, [this] { device_.poke(control_, offsetof(customization_control, host_abort), 1); }));
  static_cast<void>(device_.measure([&] {
    device_.fill(control_, 0, control_.bytes(), 0);
    device_.launch(finder, {.grid_blocks = blocks,
                            .shared_bytes = shared_bytes,
                            .arguments = &arguments,
                            .argument_bytes = sizeof arguments});
  }));
  device_.set_watchdog({});
  customization_control control{};
  device_.download(&control, control_, sizeof control);
  if (control.status != static_cast<u32>(run_status::running))
    throw backends::launch_error("the weights of the hierarchy were not found within a minute");
}

void device_weights::write(const backends::device_memory& pieces, std::uint32_t piece_count,
                           const backends::device_memory& drafts, const backends::device_memory& items) {
  const backends::kernel& writer = *writers_.at(is_long_ ? 1 : 0);
  const piece_weights_arguments arguments{.pieces = pieces.as<const sweep_piece>(),
                                          .drafts = drafts.as<const hierarchy_item>(),
                                          .weights = needed_downward(),
                                          .items = items.as<hierarchy_item>(),
                                          .piece_count = piece_count};
  const unsigned blocks = std::max(1U, std::min(writer.resident_blocks(0), 2 * device_.info().multiprocessors));
  static_cast<void>(device_.measure([&] {
    device_.launch(writer, {.grid_blocks = blocks,
                            .shared_bytes = 0,
                            .arguments = &arguments,
                            .argument_bytes = sizeof arguments,
                            .together = false});
  }));
}

}  // namespace mlmq::multi_source
