// SPDX-License-Identifier: Apache-2.0
// Computes the distances of all vertices of a reduced graph from those of its core, which are integers.
#include "distance.cuh"
#include "fill_in_abi.cuh"
#include "simt/block_owned.cuh"
#include "simt/simt.cuh"

namespace mlmq {

class distance_filler {
 public:
  static constexpr u32 none = ~0u;

  SIMT_DEVICE explicit distance_filler(const fill_arguments& arguments) : arguments_(arguments) {}

  SIMT_DEVICE void fill(u32 vertex) const {
    const simt::quad row = simt::load_readonly_quad(arguments_.rows + vertex);
    u32 distance = lesser(over(row.x, row.z), over(row.y, row.w));
    if (vertex >= arguments_.first_inside && vertex <= arguments_.last_inside) {
      distance = lesser(distance, inside(vertex));
    }
    simt::store(arguments_.distances + vertex, distance);
  }

 private:
  SIMT_DEVICE static u32 lesser(u32 a, u32 b) { return a < b ? a : b; }

  SIMT_DEVICE u32 over(u32 end, u32 length) const {
    const u32 distance = simt::load_readonly(arguments_.of_core + end);
    if (distance == none) return none;
    return integer_distance::extend(integer_distance::extend(distance, arguments_.offset), length);
  }

  SIMT_DEVICE inside_length inside_at(u32 index) const {
    if (arguments_.inside == nullptr) return arguments_.few_inside[index];
    return {simt::load_readonly(&arguments_.inside[index].vertex),
            simt::load_readonly(&arguments_.inside[index].length)};
  }

  /// Looks a vertex up among those of the source's fragment.
  SIMT_DEVICE u32 inside(u32 vertex) const {
    u32 first = 0;
    for (u32 count = arguments_.inside_count; count > 1;) {
      const u32 half = count / 2;
      if (inside_at(first + half).vertex <= vertex) first += half;
      count -= half;
    }
    const inside_length nearest = inside_at(first);
    return nearest.vertex == vertex ? nearest.length : none;
  }

  const fill_arguments& arguments_;
};

}  // namespace mlmq

SIMT_KERNEL(fill_in, mlmq::fill_arguments) {
  const mlmq::distance_filler filler(arguments);
  const u64 threads = u64{simt::grid_blocks()} * simt::block_threads();
  u64 v = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
  for (; v < arguments.vertex_count; v += threads) filler.fill(static_cast<u32>(v));
}
