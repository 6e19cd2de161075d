// SPDX-License-Identifier: Apache-2.0
// The downward sweep of one piece for one group of searches, by a warp. Each lane works on its own columns only, so
// there is no barrier between vertices.
#pragma once

#include "hierarchy/configuration.cuh"
#include "hierarchy/item_stream.cuh"
#include "hierarchy/lane_distances.cuh"

namespace mlmq::hierarchy {

/// A lane's part of the answers of its searches.
struct lane_answers {
  u64 digests[lane_searches] = {};
  u32 reached[lane_searches] = {};
  u32 farthest[lane_searches] = {};
};

/// Rows of ancestors that a lane loads together.
inline constexpr u32 far_together = lane_searches < 8 ? 16 / lane_searches : 4;

class sweep {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param slots distances of ancestors in shared memory
  SIMT_DEVICE sweep(const hierarchy_arguments& arguments, hierarchy_item* buffer, u32* slots, counters& counts)
      : arguments_(arguments), buffer_(buffer), slots_(slots), counts_(counts) {}

  /// Warp collective. @return false if the run is over
  SIMT_DEVICE bool run(u32 piece_index, u32 group, const run_watch<run_status>& watch) {
    const auto* const quads = reinterpret_cast<const simt::quad*>(arguments_.pieces + piece_index);
    const simt::quad first = simt::load(quads);
    const simt::quad second = simt::load(quads + 1);
    const sweep_piece piece = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    item_stream items(arguments_.items + piece.first_item, buffer_);
    group_ = group;
    bool has_source = false;
    for (u32 i = 0; i < lane_searches; ++i) {
      sources_[i] = simt::load(arguments_.source_positions + group * columns + column_of(i));
      has_source = has_source || sources_[i] - piece.first_position < piece.positions;
    }
    has_source_ = simt::any(has_source);
    rows_ = arguments_.rows + u64{group} * arguments_.row_count * columns;
    if (piece.parent != no_piece) {
      if (!wait_for(arguments_.is_swept + u64{group} * arguments_.piece_count + piece.parent, 1, watch)) return false;
    } else {
      const u32 searches = smaller(columns, arguments_.searches - group * columns);
      if (!wait_for(arguments_.ascended + group, searches, watch)) return false;
    }
    for (u32 i = 0; i < piece.boundary_rows; ++i)
      store_distances(slot(i), load_distances(row(simt::load(arguments_.boundaries + piece.first_boundary + i))));

    next_row_ = piece.first_row;
    lane_answers answers;
    for (u32 i = 0; i < piece.vertices; ++i) visit(items, answers);
    add_answers(answers);
    simt::sync_warp();
    if (simt::lane() == 0) {
      counts_.add(counter::pops, piece.vertices);
      simt::store_atomic<order::release, scope::device>(
          arguments_.is_swept + u64{group} * arguments_.piece_count + piece_index, 1u);
      simt::reduce_add<order::release, scope::device>(arguments_.swept + group, 1u);
    }
    return true;
  }

 private:
  SIMT_DEVICE u32* slot(u32 index) const { return slots_ + index * columns; }
  SIMT_DEVICE u32* row(u32 index) const { return rows_ + u64{index} * columns; }

  /// Warp collective: finds the distances of the next vertex.
  SIMT_DEVICE void visit(item_stream& items, lane_answers& answers) {
    const hierarchy_item shape = items.read();
    const hierarchy_item place = items.read();
    const hierarchy_item name = items.read();
    lane_distances nearest;
    for (u32 i = 0; i < lane_searches; ++i) nearest.words[i] = no_path;
    if (has_source_) {
      for (u32 i = 0; i < lane_searches; ++i) {
        if (sources_[i] - place.key < place.value) {  // the source is in the subtree
          nearest.words[i] = simt::load(arguments_.from_below +
                                        (u64{group_} * arguments_.height + name.value) * columns + column_of(i));
        }
      }
    }
    u32 near = shape.key & 0xFFFF;
    u32 far = shape.key >> 16;
    if (simt::lane() == 0) counts_.add(counter::relaxations, near + far);
    while (near > 0) {
      const u32 count = items.available(near);
#pragma unroll 4
      for (u32 i = 0; i < count; ++i) {
        const hierarchy_item arc = items.peek(i);
        relax(nearest, load_distances(slot(arc.key)), arc.value);
      }
      items.skip(count);
      near -= count;
    }
    while (far > 0) {
      const u32 count = items.available(far);
      for (u32 i = 0; i < count; i += far_together) {
        // All loads are in flight before the first result is used. The last arc may be relaxed several times.
        lane_distances tails[far_together];
        for (u32 k = 0; k < far_together; ++k)
          tails[k] = load_distances(row(items.peek(smaller(i + k, count - 1)).key));
        for (u32 k = 0; k < far_together; ++k) relax(nearest, tails[k], items.peek(smaller(i + k, count - 1)).value);
      }
      items.skip(count);
      far -= count;
    }
    store_distances(slot(shape.value & ~is_stored_row), nearest);
    if ((shape.value & is_stored_row) != 0) store_distances(row(next_row_++), nearest);
    if (arguments_.answers != nullptr) count_vertex(answers, name.key, nearest);
  }

  SIMT_DEVICE static void relax(lane_distances& nearest, const lane_distances& distances, u32 weight) {
    for (u32 i = 0; i < lane_searches; ++i)
      nearest.words[i] = smaller(nearest.words[i], path_length(distances.words[i], weight));
  }

  SIMT_DEVICE void count_vertex(lane_answers& answers, u32 vertex, const lane_distances& distances) const {
    // A factor of 1 with sums_only. A mask is 2 to 3 % faster than a branch.
    const u64 factor = (digest_factor(vertex) & (u64{arguments_.sums_only} - 1)) | 1;
    for (u32 i = 0; i < lane_searches; ++i) {
      const u32 distance = distances.words[i];
      if (distance > arguments_.cutoff) continue;
      answers.digests[i] += digest_summand(factor, distance);
      ++answers.reached[i];
      if (distance > answers.farthest[i]) answers.farthest[i] = distance;
    }
  }

  SIMT_DEVICE void add_answers(const lane_answers& answers) const {
    if (arguments_.answers == nullptr) return;
    for (u32 i = 0; i < lane_searches; ++i) {
      const u32 column = group_ * columns + column_of(i);
      if (answers.reached[i] == 0 || column >= arguments_.searches) continue;
      multi_source_answer* const sum = arguments_.answers + simt::load(arguments_.column_searches + column);
      simt::reduce_add<order::relaxed, scope::device>(&sum->digest, answers.digests[i]);
      simt::reduce_add<order::relaxed, scope::device>(&sum->reached, answers.reached[i]);
      raise(&sum->farthest, answers.farthest[i]);
    }
  }

  const hierarchy_arguments& arguments_;
  hierarchy_item* buffer_;
  u32* slots_;
  counters& counts_;
  u32 group_ = 0;
  u32 sources_[lane_searches];
  bool has_source_ = false;  ///< whether the piece is on the path of any source of the group
  u32* rows_ = nullptr;      ///< the rows of the group
  u32 next_row_ = 0;
};

}  // namespace mlmq::hierarchy
