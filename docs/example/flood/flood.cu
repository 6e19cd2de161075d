// SPDX-License-Identifier: Apache-2.0
// A parallel flood fill with priorities: how high the water stands in each cell of a height map when it comes in from
// the border and rises. Water that has reached a cell at a level floods each neighbour at the higher of that level and
// the neighbour's height; a cell keeps the lowest level that any way from the border gives it. Cells are best looked at
// from the lowest level up; any other order is right as well, and repeats work.
//
// An L1 vector of each warp above an L2 bucket queue of the grid. The element is a cell with the level that it got.

#include "flood_abi.cuh"
#include "queues/l1_vector.cuh"
#include "queues/l2_bucket.cuh"
#include "queues/multi_queue.cuh"
#include "queues/none.cuh"
#include "queues/order.cuh"

namespace {

/// How the queues are instantiated.
struct flood_traits {
  using order = mlmq::key_above_item<mlmq::integer_key>;  // the key is the level
  using storage = flood_arguments;
  // L1
  static constexpr u32 l1_capacity = flood_l1_capacity;
  static constexpr u32 l1_batch = 32;
  static constexpr u32 wb = 16;
  using spill = mlmq::spill_everything;
  // L2
  static constexpr u32 bmax = flood_buckets;
  static constexpr u32 bnum = 2;
  static constexpr u32 idle_buckets = 4;
  static constexpr bool adapts_delta = false;
  static constexpr bool calls_l2 = false;
  // dispatcher and manager
  static constexpr u32 l2_batch = 32;
  static constexpr u32 l2_share = 1;
  static constexpr u32 dispatcher_backoff_ns = 50;
  static constexpr bool warps_read_l2 = false;
  static constexpr u32 manager_backoff_ns = 20;
};

using counters = mlmq::no_counters;
using flood_queue =
    mlmq::multi_queue<flood_traits, mlmq::l0_none<flood_traits, counters>, mlmq::l1_vector<flood_traits, counters>,
                      mlmq::l2_bucket<flood_traits, counters>, counters>;
using element = flood_queue::element;

/// What one worker warp does.
class flooding {
  using order = flood_traits::order;

 public:
  SIMT_DEVICE flooding(const flood_arguments& arguments, u64* /*scratch*/, flood_queue::worker& queue, counters&)
      : arguments_(arguments), queue_(queue) {}

  SIMT_DEVICE void run() {
    element e = 0;
    bool valid = false;
    while (queue_.read(e, valid)) spread(e, valid);
  }

 private:
  /// Warp collective: floods the neighbours of the cell of every lane with `valid`.
  SIMT_DEVICE void spread(element e, bool valid) {
    const u32 cell = order::item_of(e);
    const u32 level = order::key_of(e);
    // A cell that has got a lower level since has another element in the queue. (A level that is seen late is too
    // high.)
    const bool current =
        valid && simt::load_atomic<simt::order::relaxed, simt::scope::device>(arguments_.levels + cell) >= level;
    const u32 x = cell % arguments_.width;
    const u32 y = cell / arguments_.width;
    flood(cell - 1, level, current && x != 0);
    flood(cell + 1, level, current && x + 1 != arguments_.width);
    flood(cell - arguments_.width, level, current && y != 0);
    flood(cell + arguments_.width, level, current && y + 1 != arguments_.height);
  }

  /// Warp collective, for the lanes with `active`.
  SIMT_DEVICE void flood(u32 cell, u32 level, bool active) {
    bool lower = false;
    if (active) {
      const u32 height = simt::load_readonly(arguments_.heights + cell);
      level = level > height ? level : height;
      u32* const stored_level = arguments_.levels + cell;
      lower = level < simt::load_atomic<simt::order::relaxed, simt::scope::device>(stored_level) &&
              level < simt::atomic_min<simt::order::relaxed, simt::scope::device>(stored_level, level);
    }
    queue_.write(order::make(cell, level), lower);
  }

  const flood_arguments& arguments_;
  flood_queue::worker& queue_;
};

/// The problem: the border is where the water comes in; it ends when no cell waits.
struct flood_problem : mlmq::until_empty {
  using process = flooding;
  using scratch = u64;
  static constexpr u32 scratch_count = 0;

  SIMT_DEVICE static u32 recorded(const flood_arguments&) { return 0; }
  SIMT_DEVICE static void finish(const flood_arguments&, counters&) {}

  /// Warp collective: every cell of the border, at its own height.
  template <class L2>
  SIMT_DEVICE static void seed(const flood_arguments& arguments, L2& l2) {
    const u32 cells = arguments.width * arguments.height;
    for (u32 first = 0; first < cells; first += simt::warp_size) {
      const u32 cell = first + simt::lane();
      const u32 x = cell % arguments.width;
      const u32 y = cell / arguments.width;
      const bool border = cell < cells && (x == 0 || x + 1 == arguments.width || y == 0 || y + 1 == arguments.height);
      u32 level = 0;
      if (border) {
        level = simt::load_readonly(arguments.heights + cell);
        simt::store_atomic<simt::order::relaxed, simt::scope::device>(arguments.levels + cell, level);
      }
      l2.write(flood_traits::order::make(cell, level), border);
    }
  }
};

}  // namespace

static_assert(flood_queue::shared_bytes<flood_problem>(flood_threads) == flood_shared_bytes);

SIMT_KERNEL(flood, flood_arguments) { flood_queue::run<flood_problem>(arguments); }
