// SPDX-License-Identifier: Apache-2.0
// The downward sweep of one piece for a single search, by a warp whose lanes share the arcs of each vertex.
#pragma once

#include "hierarchy/configuration.cuh"

namespace mlmq::hierarchy {

/// Reads items one after the other into a ring in shared memory. The next 256 items are already in registers, because a
/// single search has nothing else to do while it waits for memory.
class item_ring {
 public:
  /// Warp collective. @param ring ring_items items of shared memory
  SIMT_DEVICE item_ring(const hierarchy_item* items, hierarchy_item* ring) : items_(items), ring_(ring) { load(); }

  /// Warp collective: makes the next 64 items available.
  SIMT_DEVICE void fill() {
    if (end_ - position_ >= 2 * simt::warp_size) return;
    simt::sync_warp();  // all lanes have read the items that are overwritten
    for (u32 i = 0; i < lane_items; ++i)
      simt::store(ring_ + (end_ + i * simt::warp_size + simt::lane()) % ring_items, next_[i]);
    end_ += chunk_items;
    items_ += chunk_items;
    load();
    simt::sync_warp();
  }
  /// @param index less than 64
  SIMT_DEVICE hierarchy_item peek(u32 index) const { return simt::load(ring_ + (position_ + index) % ring_items); }
  SIMT_DEVICE void skip(u32 count) { position_ += count; }

 private:
  static constexpr u32 chunk_items = ring_items / 2;
  static constexpr u32 lane_items = chunk_items / simt::warp_size;

  /// The arrays are longer by read_ahead_items, so no end has to be checked.
  SIMT_DEVICE void load() {
    for (u32 i = 0; i < lane_items; ++i) next_[i] = simt::load(items_ + i * simt::warp_size + simt::lane());
  }

  const hierarchy_item* items_;
  hierarchy_item* ring_;
  hierarchy_item next_[lane_items];
  u32 position_ = 0;
  u32 end_ = 0;
};

class shared_search {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param slots distances of ancestors in shared memory, one word each
  SIMT_DEVICE shared_search(const hierarchy_arguments& arguments, hierarchy_item* ring, u32* slots, counters& counts)
      : arguments_(arguments), ring_(ring), slots_(slots), counts_(counts) {}

  /// Warp collective. @return false if the run is over
  SIMT_DEVICE bool run(u32 piece_index, u32 search, const run_watch<run_status>& watch) {
    const auto* const quads = reinterpret_cast<const simt::quad*>(arguments_.pieces + piece_index);
    const simt::quad first = simt::load(quads);
    const simt::quad second = simt::load(quads + 1);
    const sweep_piece piece = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    item_ring items(arguments_.items + piece.first_item, ring_);
    search_ = search;
    source_ = simt::load(arguments_.source_positions + search);
    rows_ = arguments_.rows + u64{search} * arguments_.row_count;
    next_row_ = piece.first_row;
    const u32* const awaited = piece.parent != no_piece
                                   ? arguments_.is_swept + u64{search} * arguments_.piece_count + piece.parent
                                   : arguments_.ascended + search;
    if (!wait_for(awaited, 1, watch)) return false;
    for (u32 i = simt::lane(); i < piece.boundary_rows; i += simt::warp_size)
      simt::store(slots_ + i, simt::load(rows_ + simt::load(arguments_.boundaries + piece.first_boundary + i)));
    simt::sync_warp();
    digest_ = 0;
    reached_ = 0;
    farthest_ = 0;
    for (u32 i = 0; i < piece.vertices; ++i) visit(items);
    if (simt::lane() == 0) {
      if (arguments_.answers != nullptr && reached_ > 0) add_answer();
      counts_.add(counter::pops, piece.vertices);
      simt::store_atomic<order::release, scope::device>(
          arguments_.is_swept + u64{search} * arguments_.piece_count + piece_index, 1u);
      simt::reduce_add<order::release, scope::device>(arguments_.swept + search, 1u);
    }
    return true;
  }

 private:
  /// Warp collective: finds the distance of the next vertex.
  SIMT_DEVICE void visit(item_ring& items) {
    items.fill();
    const hierarchy_item shape = items.peek(0);
    const hierarchy_item place = items.peek(1);
    const hierarchy_item name = items.peek(2);
    items.skip(3);
    u32 nearest = no_path;
    if (source_ - place.key < place.value)  // the source is in the subtree
      nearest = simt::load(arguments_.from_below + u64{search_} * arguments_.height + name.value);
    nearest = relax(items, shape.key & 0xFFFF, slots_, nearest);
    nearest = relax(items, shape.key >> 16, rows_, nearest);
    nearest = simt::warp_min(nearest);
    simt::sync_warp();  // all lanes have read the slot that this vertex overwrites
    if (simt::lane() == 0) {
      counts_.add(counter::relaxations, (shape.key & 0xFFFF) + (shape.key >> 16));
      simt::store(slots_ + (shape.value & ~is_stored_row), nearest);
      if ((shape.value & is_stored_row) != 0) simt::store(rows_ + next_row_, nearest);
    }
    if ((shape.value & is_stored_row) != 0) ++next_row_;
    simt::sync_warp();
    if (nearest >= no_path || nearest > arguments_.cutoff) return;
    digest_ += digest_of(name.key, nearest);
    ++reached_;
    if (nearest > farthest_) farthest_ = nearest;
  }

  /// Warp collective: relaxes the next `count` arcs. @param distances those of the tails
  SIMT_DEVICE u32 relax(item_ring& items, u32 count, const u32* distances, u32 nearest) const {
    for (u32 remaining = count; remaining > 0;) {
      const u32 together = smaller(remaining, simt::warp_size);
      items.fill();
      if (simt::lane() < together) {
        const hierarchy_item arc = items.peek(simt::lane());
        nearest = smaller(nearest, path_length(simt::load(distances + arc.key), arc.value));
      }
      items.skip(together);
      remaining -= together;
    }
    return nearest;
  }

  /// The lanes have the same sums.
  SIMT_DEVICE void add_answer() const {
    multi_source_answer* const sum = arguments_.answers + simt::load(arguments_.column_searches + search_);
    simt::reduce_add<order::relaxed, scope::device>(&sum->digest, digest_);
    simt::reduce_add<order::relaxed, scope::device>(&sum->reached, reached_);
    raise(&sum->farthest, farthest_);
  }

  const hierarchy_arguments& arguments_;
  hierarchy_item* ring_;
  u32* slots_;
  counters& counts_;
  u32 search_ = 0;
  u32 source_ = 0;
  u32* rows_ = nullptr;  ///< the rows of the search
  u32 next_row_ = 0;
  u64 digest_ = 0;
  u32 reached_ = 0;
  u32 farthest_ = 0;
};

}  // namespace mlmq::hierarchy
