// SPDX-License-Identifier: Apache-2.0
// Computes a quantity of each search of a batch from its distances to some vertices: sums, the farthest vertex, or the
// nearest vertices.
//
// A task is a piece of the entries, for 32 adjacent columns with a lane for each, or for one column whose entries the
// lanes share. Each lane has its own words, so that the lanes do not wait for each other: in registers, or in shared
// memory if there are many. At the end of a task they are combined with the result in global memory.
#include "reductions/batch_words.cuh"
#include "reductions/reductions_abi.cuh"

namespace mlmq::reductions {

inline constexpr reduction_kind kind = reduction_kind::MLMQ_REDUCTION;
inline constexpr bool has_decay = kind == reduction_kind::exponential_sum || kind == reduction_kind::gaussian_sum ||
                                  kind == reduction_kind::linear_sum;
/// Distances that a lane loads together.
inline constexpr u32 loaded_together = 8;

SIMT_DEVICE constexpr bool is_integer(integer_distance) { return true; }
template <class Distance>
SIMT_DEVICE constexpr bool is_integer(Distance) {
  return false;
}
/// Whether sums of distances are kept as digits.
inline constexpr bool has_digits = kind == reduction_kind::distance_sum && !is_integer(MLMQ_DISTANCE());

class worker {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param words `width` words of shared memory for each lane of the warp
  /// @param limits in shared memory: those of the arguments, then the largest word up to `limit_count`
  SIMT_DEVICE worker(const reduction_arguments& arguments, u64* words, const word* limits, u32 limit_count)
      : arguments_(arguments), words_(words), limits_(limits), limit_count_(limit_count) {}

  SIMT_DEVICE void run() {
    const distance_batch& batch = arguments_.batch;
    const u32 warps = simt::grid_blocks() * simt::block_threads() / simt::warp_size;
    const u32 warp = simt::block_index() * simt::block_threads() / simt::warp_size + simt::warp_in_block();
    const u32 pieces = (arguments_.entries + arguments_.piece_entries - 1) / arguments_.piece_entries;
    const bool shares_column = batch.group_columns < simt::warp_size;
    // Neighbouring warps read the columns of a group from the same rows, which are adjacent in memory.
    const u32 group_sets = shares_column ? 1 : batch.group_columns / simt::warp_size;
    const u32 groups = shares_column ? batch.columns : (batch.columns + batch.group_columns - 1) / batch.group_columns;
    for (u64 task = warp; task < u64{groups} * group_sets * pieces; task += warps) {
      const u32 group_piece = static_cast<u32>(task / group_sets);
      const u32 column_set = group_piece / pieces * group_sets + static_cast<u32>(task % group_sets);
      const u32 first = group_piece % pieces * arguments_.piece_entries;
      const u32 remaining = arguments_.entries - first;
      const u32 end = first + (remaining < arguments_.piece_entries ? remaining : arguments_.piece_entries);
      clear();
      if (shares_column) {
        read_column(column_set, first, end);
        add_shared_results(search_of(batch, column_set));
      } else {
        const u32 column = column_set * simt::warp_size + simt::lane();
        read_columns(column, first, end);
        if (column < batch.columns) add_results(search_of(batch, column));
      }
    }
    if (has_saturated_) simt::store_atomic<order::relaxed, scope::device>(arguments_.saturated_flag, 1u);
  }

 private:
  /// Whether the words of a lane are registers.
  static constexpr bool has_registers =
      kind != reduction_kind::binned_sums && kind != reduction_kind::nearest && !has_digits;

  /// An entry in registers.
  struct entry_data {
    u32 row;
    u64 value;
  };

  SIMT_DEVICE u64* lane_word(u32 index) const { return words_ + index * simt::warp_size + simt::lane(); }

  SIMT_DEVICE void clear() {
    sums_[0] = 0;
    sums_[1] = 0;
    for (u32 i = 0; !has_registers && i < arguments_.width; ++i)
      simt::store(lane_word(i), kind == reduction_kind::nearest ? no_result : u64{0});
  }
  SIMT_DEVICE u64 result(u32 index) const {
    if constexpr (has_registers) return index == 0 ? sums_[0] : sums_[1];
    return simt::load(lane_word(index));
  }

  SIMT_DEVICE entry_data load_entry(u32 entry) const {
    const u32 row = row_of(arguments_.batch, simt::load_readonly(arguments_.vertices + entry));
    const bool has_values = arguments_.values != nullptr;
    return {row, has_values ? simt::load_readonly(arguments_.values + entry) : u64{1}};
  }

  /// Warp collective: the lanes share the entries of one column.
  SIMT_DEVICE void read_column(u32 column, u32 first, u32 end) {
    const word* const words = column_words(arguments_.batch, column);
    for (u32 i = first + simt::lane(); i < end; i += loaded_together * simt::warp_size) {
      entry_data entries[loaded_together];
      word distances[loaded_together];
      for (u32 k = 0; k < loaded_together; ++k) {
        const u32 entry = i + k * simt::warp_size < end ? i + k * simt::warp_size : i;
        entries[k] = load_entry(entry);
        distances[k] = simt::load(words + u64{entries[k].row} * arguments_.batch.group_columns);
      }
      if (!is_any_in_reach(distances)) continue;
      u32 bins[loaded_together];
      for (u32 k = 0; k < loaded_together; ++k) bins[k] = bin_of(distances[k]);
      for (u32 k = 0; k < loaded_together; ++k) {
        if (i + k * simt::warp_size < end) add(i + k * simt::warp_size, entries[k].value, distances[k], bins[k]);
      }
    }
  }

  /// Warp collective: each lane reads all entries of its column. The lanes load 32 entries together and pass them on.
  /// @param column the lane has none if this is too large
  SIMT_DEVICE void read_columns(u32 column, u32 first, u32 end) {
    const bool has_column = column < arguments_.batch.columns;
    const word* const words = column_words(arguments_.batch, has_column ? column : 0);
    for (u32 begin = first; begin < end; begin += simt::warp_size) {
      const entry_data own_entry = load_entry(begin + simt::lane() < end ? begin + simt::lane() : begin);
      const u32 count = end - begin < simt::warp_size ? end - begin : simt::warp_size;
      for (u32 i = 0; i < count; i += loaded_together) {
        word distances[loaded_together];
        for (u32 k = 0; k < loaded_together; ++k) {
          const u32 row = simt::shuffle(own_entry.row, i + k < count ? i + k : i);
          distances[k] = has_column ? simt::load(words + u64{row} * arguments_.batch.group_columns) : width::none;
        }
        if (!simt::any(is_any_in_reach(distances))) continue;
        u32 bins[loaded_together];
        for (u32 k = 0; k < loaded_together; ++k) bins[k] = bin_of(distances[k]);
        for (u32 k = 0; k < loaded_together; ++k) {
          const u64 value = arguments_.values == nullptr ? 1 : simt::shuffle(own_entry.value, i + k);
          if (has_column && i + k < count) add(begin + i + k, value, distances[k], bins[k]);
        }
      }
    }
  }

  SIMT_DEVICE bool is_any_in_reach(const word (&distances)[loaded_together]) const {
    word nearest = distances[0];
    for (u32 k = 1; k < loaded_together; ++k) nearest = distances[k] < nearest ? distances[k] : nearest;
    return nearest <= arguments_.batch.farthest;
  }

  /// @param bin bin_of(distance)
  SIMT_DEVICE void add(u32 entry, u64 value, word distance, u32 bin) {
    if (distance > arguments_.batch.farthest) return;
    has_saturated_ = has_saturated_ || distance == arguments_.saturated;
    if constexpr (kind == reduction_kind::nearest) {
      insert(entry, distance);
    } else if constexpr (kind == reduction_kind::farthest) {
      if (distance > sums_[0]) sums_[0] = distance;
    } else if constexpr (has_digits) {
      const float_digits<word> number(distance);
      for (u32 k = 0; k < 3; ++k) {
        if (number.digits[k] != 0) add_to_lane(number.first + k, number.digits[k]);
      }
      add_to_lane(float_digits<word>::count, 1);
    } else if constexpr (kind == reduction_kind::distance_sum) {
      sums_[0] += distance;
      ++sums_[1];
    } else if constexpr (has_decay) {
      sums_[0] += reduction_term<kind>(value, number_of(MLMQ_DISTANCE(), distance), arguments_.rate);
    } else {
      if (bin < arguments_.width) add_to_lane(bin, value);
    }
  }

  SIMT_DEVICE void add_to_lane(u32 index, u64 value) const {
    simt::store(lane_word(index), simt::load(lane_word(index)) + value);
  }

  /// Returns the index of the first limit that is at least `distance`; only for binned_sums. Found before the first of
  /// several distances is added, so that the searches overlap.
  SIMT_DEVICE u32 bin_of(word distance) const {
    if constexpr (kind != reduction_kind::binned_sums) return 0;
    u32 bin = 0;
    for (u32 step = limit_count_ / 2; step > 0; step /= 2) {
      if (simt::load(limits_ + bin + step - 1) < distance) bin += step;
    }
    return simt::load(limits_ + bin) < distance ? bin + 1 : bin;
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
    for (u32 i = 0; i < arguments_.width; ++i) combine(results + i, result(i));
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
        u64 value = result(i);
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
  const word* limits_;
  u32 limit_count_;
  u64 sums_[2] = {};  ///< the words of the lane, if they are registers
  bool has_saturated_ = false;
};

}  // namespace mlmq::reductions

SIMT_KERNEL(reduce_distances, mlmq::reduction_arguments) {
  using namespace mlmq::reductions;
  u64* const words = reinterpret_cast<u64*>(simt::shared_memory());
  word* const limits = reinterpret_cast<word*>(words + arguments.width * simt::block_threads());
  u32 limit_count = 0;
  if constexpr (kind == mlmq::reduction_kind::binned_sums) {
    limit_count = 1;
    while (limit_count < arguments.width) limit_count *= 2;
    for (u32 i = simt::thread_in_block(); i < limit_count; i += simt::block_threads()) {
      const bool is_limit = i < arguments.width;
      simt::store(limits + i, is_limit ? static_cast<word>(simt::load_readonly(arguments.limits + i)) : width::none);
    }
    simt::sync_block();
  }
  worker(arguments, words + simt::warp_in_block() * arguments.width * simt::warp_size, limits, limit_count).run();
}
