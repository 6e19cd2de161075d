// SPDX-License-Identifier: Apache-2.0
// Computes a quantity of each search of a batch from its distances to some vertices: sums, the farthest vertex, or the
// nearest vertices.
//
// A task is a piece of the entries, for 32 adjacent columns with a lane for each, or for one column whose entries the
// lanes share. Each lane has its own words in shared memory, so that the lanes do not wait for each other. At the end
// of a task they are combined with the result in global memory.
#include "reductions/batch_words.cuh"
#include "reductions/reductions_abi.cuh"

namespace mlmq::reductions {

inline constexpr reduction_kind kind = reduction_kind::MLMQ_REDUCTION;
/// Distances that a lane loads together.
inline constexpr u32 loaded_together = 8;

class worker {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param words `width` words of shared memory for each lane of the warp
  SIMT_DEVICE worker(const reduction_arguments& arguments, u64* words) : arguments_(arguments), words_(words) {}

  SIMT_DEVICE void run() {
    const distance_batch& batch = arguments_.batch;
    const u32 warps = simt::grid_blocks() * simt::block_threads() / simt::warp_size;
    const u32 warp = simt::block_index() * simt::block_threads() / simt::warp_size + simt::warp_in_block();
    const u32 pieces = (arguments_.entries + arguments_.piece_entries - 1) / arguments_.piece_entries;
    const bool shares_column = batch.group_columns == 1;
    const u32 column_sets = shares_column ? batch.columns : (batch.columns + simt::warp_size - 1) / simt::warp_size;
    for (u64 task = warp; task < u64{column_sets} * pieces; task += warps) {
      const u32 column_set = static_cast<u32>(task / pieces);
      const u32 first = static_cast<u32>(task % pieces) * arguments_.piece_entries;
      const u32 remaining = arguments_.entries - first;
      const u32 end = first + (remaining < arguments_.piece_entries ? remaining : arguments_.piece_entries);
      for (u32 i = 0; i < arguments_.width; ++i)
        simt::store(lane_word(i), kind == reduction_kind::nearest ? no_result : u64{0});
      if (shares_column) {
        read(column_set, first + simt::lane(), end, simt::warp_size);
        add_shared_results(search_of(batch, column_set));
      } else {
        const u32 column = column_set * simt::warp_size + simt::lane();
        if (column >= batch.columns) continue;
        read(column, first, end, 1);
        add_results(search_of(batch, column));
      }
    }
    if (has_saturated_) simt::store_atomic<order::relaxed, scope::device>(arguments_.saturated_flag, 1u);
  }

 private:
  SIMT_DEVICE u64* lane_word(u32 index) const { return words_ + index * simt::warp_size + simt::lane(); }

  /// Visits every `step`th entry of a column, from `first` on.
  SIMT_DEVICE void read(u32 column, u32 first, u32 end, u32 step) {
    for (u32 i = first; i < end; i += loaded_together * step) {
      word distances[loaded_together];
      for (u32 k = 0; k < loaded_together; ++k) {
        const u32 entry = i + k * step < end ? i + k * step : i;
        const u32 row = row_of(arguments_.batch, simt::load_readonly(arguments_.vertices + entry));
        distances[k] = load_word(arguments_.batch, row, column);
      }
      for (u32 k = 0; k < loaded_together; ++k) {
        if (i + k * step < end && distances[k] <= arguments_.batch.farthest) add(i + k * step, distances[k]);
      }
    }
  }

  SIMT_DEVICE void add(u32 entry, word distance) {
    has_saturated_ = has_saturated_ || distance == arguments_.saturated;
    if constexpr (kind == reduction_kind::nearest) {
      insert(entry, distance);
    } else if constexpr (kind == reduction_kind::farthest) {
      if (distance > simt::load(lane_word(0))) simt::store(lane_word(0), u64{distance});
    } else {
      const u64 value = arguments_.values == nullptr ? 1 : simt::load_readonly(arguments_.values + entry);
      const double number = number_of(MLMQ_DISTANCE(), distance);
      const u64 term = reduction_term<kind>(value, number, arguments_.rate);
      if constexpr (kind == reduction_kind::binned_sums) {
        const u32 bin = bin_of(distance);
        if (bin < arguments_.width) simt::store(lane_word(bin), simt::load(lane_word(bin)) + term);
      } else {
        simt::store(lane_word(0), simt::load(lane_word(0)) + term);
        if constexpr (kind == reduction_kind::distance_sum) simt::store(lane_word(1), simt::load(lane_word(1)) + 1);
      }
    }
  }

  /// Returns the index of the first limit that is at least `distance`.
  SIMT_DEVICE u32 bin_of(word distance) const {
    u32 begin = 0;
    for (u32 end = arguments_.width; begin < end;) {
      const u32 middle = (begin + end) / 2;
      if (simt::load_readonly(arguments_.limits + middle) < distance) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  [[nodiscard]] SIMT_DEVICE u32 count() const { return arguments_.width / 2; }

  /// Returns whether a distance and its entry come before another pair.
  SIMT_DEVICE static bool is_nearer(u64 distance, u64 entry, u64 other_distance, u64 other_entry) {
    return distance < other_distance || (distance == other_distance && entry < other_entry);
  }

  /// Inserts an entry into the lane's ascending list if it is among the nearest.
  SIMT_DEVICE void insert(u32 entry, word distance) {
    u32 place = count();
    for (; place > 0; --place) {
      const u64 other_distance = simt::load(lane_word(place - 1));
      const u64 other_entry = simt::load(lane_word(count() + place - 1));
      if (!is_nearer(distance, entry, other_distance, other_entry)) break;
      if (place == count()) continue;
      simt::store(lane_word(place), other_distance);
      simt::store(lane_word(count() + place), other_entry);
    }
    if (place == count()) return;
    simt::store(lane_word(place), u64{distance});
    simt::store(lane_word(count() + place), u64{entry});
  }

  /// Combines the lane's words with the results of its search.
  SIMT_DEVICE void add_results(u32 search) const {
    u64* const results = arguments_.results + u64{search} * arguments_.width;
    for (u32 i = 0; i < arguments_.width; ++i) combine(results + i, simt::load(lane_word(i)));
  }

  SIMT_DEVICE static void combine(u64* result, u64 value) {
    if constexpr (kind == reduction_kind::nearest) {
      simt::store(result, value);  // there is only one piece
    } else if constexpr (kind == reduction_kind::farthest) {
      u64 largest = simt::load_atomic<order::relaxed, scope::device>(result);
      while (largest < value) {
        const u64 seen = simt::atomic_compare_exchange<order::relaxed, scope::device>(result, largest, value);
        if (seen == largest) return;
        largest = seen;
      }
    } else if (value != 0) {
      simt::reduce_add<order::relaxed, scope::device>(result, value);
    }
  }

  /// Warp collective: combines the words of all lanes with the results of one search.
  SIMT_DEVICE void add_shared_results(u32 search) const {
    u64* const results = arguments_.results + u64{search} * arguments_.width;
    if constexpr (kind == reduction_kind::nearest) {
      merge_lists(results);
    } else {
      for (u32 i = 0; i < arguments_.width; ++i) {
        u64 value = simt::load(lane_word(i));
        for (u32 distance = simt::warp_size / 2; distance > 0; distance /= 2) {
          const u64 other = simt::shuffle(value, simt::lane() ^ distance);
          if constexpr (kind == reduction_kind::farthest) {
            if (other > value) value = other;
          } else {
            value += other;
          }
        }
        if (simt::lane() == 0) combine(results + i, value);
      }
    }
  }

  /// Warp collective: writes the nearest entries of all lanes' lists.
  SIMT_DEVICE void merge_lists(u64* results) const {
    u32 taken = 0;  // from the list of this lane
    for (u32 i = 0; i < count(); ++i) {
      const bool has_more = taken < count();
      const u64 own_entry = has_more ? simt::load(lane_word(count() + taken)) : no_result;
      u64 distance = has_more ? simt::load(lane_word(taken)) : no_result;
      u64 entry = own_entry;
      for (u32 offset = simt::warp_size / 2; offset > 0; offset /= 2) {
        const u64 other_distance = simt::shuffle(distance, simt::lane() ^ offset);
        const u64 other_entry = simt::shuffle(entry, simt::lane() ^ offset);
        if (is_nearer(other_distance, other_entry, distance, entry)) {
          distance = other_distance;
          entry = other_entry;
        }
      }
      if (entry == own_entry) ++taken;
      if (simt::lane() == 0) {
        simt::store(results + i, distance);
        simt::store(results + count() + i, entry);
      }
    }
  }

  const reduction_arguments& arguments_;
  u64* words_;
  bool has_saturated_ = false;
};

}  // namespace mlmq::reductions

SIMT_KERNEL(reduce_distances, mlmq::reduction_arguments) {
  u64* const words = reinterpret_cast<u64*>(simt::shared_memory());
  mlmq::reductions::worker(arguments, words + simt::warp_in_block() * arguments.width * simt::warp_size).run();
}
