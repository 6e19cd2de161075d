// SPDX-License-Identifier: Apache-2.0
// The upward search from one source, by a warp: along the path to the root, each lane relaxes one arc.
#pragma once

#include "hierarchy/configuration.cuh"

namespace mlmq::hierarchy {

class ascent {
 public:
  /// @param distances `height` words of shared memory
  SIMT_DEVICE ascent(const hierarchy_arguments& arguments, u32* distances, counters& counts)
      : arguments_(arguments), distances_(distances), counts_(counts) {}

  /// Warp collective.
  SIMT_DEVICE void run(u32 column) {
    u32 position = simt::load(arguments_.source_positions + column);
    ascent_vertex vertex = load_vertex(position);
    const u32 depth = vertex.depth;
    for (u32 i = simt::lane(); i <= depth; i += simt::warp_size) simt::store(distances_ + i, i == depth ? 0u : no_path);
    simt::sync_warp();
    hierarchy_item arc = first_arc(vertex);
    for (;;) {
      // The parent is loaded while the arcs of this vertex are relaxed, and its arcs before the next iteration.
      const bool is_root = vertex.parent == position;
      const ascent_vertex parent = load_vertex(vertex.parent);
      const u32 distance = simt::load(distances_ + vertex.depth);
      if (distance < no_path) {
        if (simt::lane() < vertex.arcs) relax(distance, arc);
        for (u32 i = simt::warp_size + simt::lane(); i < vertex.arcs; i += simt::warp_size)
          relax(distance, simt::load(arguments_.ascent_arcs + vertex.first_arc + i));
        if (simt::lane() == 0) counts_.add(counter::relaxations, vertex.arcs);
      }
      simt::sync_warp();
      if (is_root) break;
      position = vertex.parent;
      vertex = parent;
      arc = first_arc(vertex);
    }
    u32* const results = arguments_.from_below + u64{column / columns} * arguments_.height * columns + column % columns;
    for (u32 i = simt::lane(); i <= depth; i += simt::warp_size)
      simt::store(results + u64{i} * columns, simt::load(distances_ + i));
    simt::sync_warp();
    if (simt::lane() == 0)
      simt::reduce_add<simt::order::release, simt::scope::device>(arguments_.ascended + column / columns, 1u);
  }

 private:
  SIMT_DEVICE ascent_vertex load_vertex(u32 position) const {
    const simt::quad words = simt::load(reinterpret_cast<const simt::quad*>(arguments_.vertices) + position);
    return {words.x, words.y, words.z, words.w};
  }

  SIMT_DEVICE hierarchy_item first_arc(const ascent_vertex& vertex) const {
    if (simt::lane() >= vertex.arcs) return {0, no_path};
    return simt::load(arguments_.ascent_arcs + vertex.first_arc + simt::lane());
  }

  /// The arcs of a vertex lead to different ancestors, so lanes write different words.
  SIMT_DEVICE void relax(u32 distance, const hierarchy_item& arc) {
    const u32 length = path_length(distance, arc.value);
    if (length < simt::load(distances_ + arc.key)) simt::store(distances_ + arc.key, length);
  }

  const hierarchy_arguments& arguments_;
  u32* distances_;
  counters& counts_;
};

}  // namespace mlmq::hierarchy
