// SPDX-License-Identifier: Apache-2.0
// The upward search from one source, by a warp: along the path to the root, each lane relaxes up to four arcs together.
#pragma once

#include "hierarchy/configuration.cuh"

namespace mlmq::hierarchy {

class ascent {
 public:
  /// @param distances shared memory for the distances of ancestors; those of deeper ancestors are in global memory
  /// @param words     size of this memory
  SIMT_DEVICE ascent(const hierarchy_arguments& arguments, u32* distances, u32 words, counters& counts)
      : arguments_(arguments), distances_(distances), words_(words), counts_(counts) {}

  /// Warp collective.
  SIMT_DEVICE void run(u32 column) {
    u32* const results = arguments_.from_below + u64{column / columns} * arguments_.height * columns + column % columns;
    const u32 position = simt::load(arguments_.source_positions + column);
    const ascent_vertex source = load_vertex(position);
    if (source.depth < words_) {
      climb(position, source, [this](u32 depth) { return distances_ + depth; });
    } else {
      climb(position, source,
            [&](u32 depth) { return depth < words_ ? distances_ + depth : results + u64{depth} * columns; });
    }
    for (u32 i = simt::lane(); i <= source.depth && i < words_; i += simt::warp_size)
      simt::store(results + u64{i} * columns, simt::load(distances_ + i));
    simt::sync_warp();
    if (simt::lane() == 0)
      simt::reduce_add<simt::order::release, simt::scope::device>(arguments_.ascended + column / columns, 1u);
  }

 private:
  static constexpr u32 lane_arcs = 4;
  static constexpr u32 warp_arcs = lane_arcs * simt::warp_size;

  /// Arcs of one vertex that a warp relaxes together.
  struct arc_batch {
    hierarchy_item arcs[lane_arcs];
  };

  /// Warp collective. @param distance_of returns where the distance of the ancestor at a depth is
  template <class DistanceOf>
  SIMT_DEVICE void climb(u32 position, ascent_vertex vertex, const DistanceOf& distance_of) {
    for (u32 i = simt::lane(); i <= vertex.depth; i += simt::warp_size)
      simt::store(distance_of(i), i == vertex.depth ? 0u : no_path);
    simt::sync_warp();
    arc_batch batch = load_arcs(vertex, 0);
    for (;;) {
      // These are in flight while arcs are relaxed: the parent, the next arcs, and finally the first arcs of the
      // parent.
      const bool is_root = vertex.parent == position;
      const ascent_vertex parent = load_vertex(vertex.parent);
      const u32 distance = simt::load(distance_of(vertex.depth));
      const u32 arcs = distance < no_path ? vertex.arcs : 0;
      for (u32 first = warp_arcs; first < arcs; first += warp_arcs) {
        const arc_batch next = load_arcs(vertex, first);
        relax(distance, batch, distance_of);
        batch = next;
      }
      const arc_batch next = load_arcs(parent, 0);
      if (arcs > 0) relax(distance, batch, distance_of);
      if (simt::lane() == 0) counts_.add(counter::relaxations, arcs);
      simt::sync_warp();
      if (is_root) break;
      position = vertex.parent;
      vertex = parent;
      batch = next;
    }
  }

  SIMT_DEVICE ascent_vertex load_vertex(u32 position) const {
    const simt::quad words = simt::load(reinterpret_cast<const simt::quad*>(arguments_.vertices) + position);
    return {words.x, words.y, words.z, words.w};
  }

  /// Returns the arcs of a vertex from the `first` on. Those after the last one have no length.
  SIMT_DEVICE arc_batch load_arcs(const ascent_vertex& vertex, u32 first) const {
    arc_batch batch;
    for (u32 k = 0; k < lane_arcs; ++k) {
      const u32 i = first + k * simt::warp_size + simt::lane();
      batch.arcs[k] =
          i < vertex.arcs ? simt::load(arguments_.ascent_arcs + vertex.first_arc + i) : hierarchy_item{0, no_path};
    }
    return batch;
  }

  /// The arcs of a vertex lead to different ancestors, so lanes write different words.
  template <class DistanceOf>
  SIMT_DEVICE static void relax(u32 distance, const arc_batch& batch, const DistanceOf& distance_of) {
    u32 lengths[lane_arcs];
    bool is_shorter[lane_arcs];
    for (u32 k = 0; k < lane_arcs; ++k) {
      lengths[k] = path_length(distance, batch.arcs[k].value);
      is_shorter[k] = batch.arcs[k].value < no_path && lengths[k] < simt::load(distance_of(batch.arcs[k].key));
    }
    for (u32 k = 0; k < lane_arcs; ++k) {
      if (is_shorter[k]) simt::store(distance_of(batch.arcs[k].key), lengths[k]);
    }
  }

  const hierarchy_arguments& arguments_;
  u32* distances_;
  u32 words_;
  counters& counts_;
};

}  // namespace mlmq::hierarchy
