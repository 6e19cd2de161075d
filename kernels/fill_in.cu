// SPDX-License-Identifier: Apache-2.0
// Computes the distances of all vertices of a reduced graph from those of its core, which are integers, and lowers
// those in the fragment of the source: in the same launch if it has few vertices, otherwise in a second one.
#include "distance.cuh"
#include "fill_in_abi.cuh"
#include "simt/block_owned.cuh"
#include "simt/simt.cuh"

namespace mlmq {

class distance_filler {
 public:
  SIMT_DEVICE explicit distance_filler(const fill_arguments& arguments) : arguments_(arguments) {}

  SIMT_DEVICE void fill(u32 vertex) const {
    const fill_row* const rows = arguments_.rows + u64{vertex} * arguments_.rows_per_vertex;
    u32 distance = none;
    for (u32 i = 0; i < arguments_.rows_per_vertex; ++i) {
      const simt::quad row = simt::load_readonly_quad(rows + i);
      distance = lesser(distance, lesser(over(row.x, row.z), over(row.y, row.w)));
    }
    if (vertex - arguments_.first_inside <= arguments_.last_inside - arguments_.first_inside) {
      for (u32 i = 0; i < arguments_.inside_count; ++i) {
        if (arguments_.few_inside[i].vertex == vertex) distance = lesser(distance, arguments_.few_inside[i].length);
      }
    }
    simt::store(arguments_.distances + vertex, distance);
  }

  SIMT_DEVICE void lower(u32 index) const {
    const inside_length path = inside_at(index);
    u32* const distance = arguments_.distances + path.vertex;
    simt::store(distance, lesser(simt::load(distance), path.length));
  }

 private:
  static constexpr u32 none = ~0u;

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

  const fill_arguments& arguments_;
};

}  // namespace mlmq

SIMT_KERNEL(fill_in, mlmq::fill_arguments) {
  const mlmq::distance_filler filler(arguments);
  const u64 threads = u64{simt::grid_blocks()} * simt::block_threads();
  u64 i = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
  if (arguments.vertex_count != 0) {
    for (; i < arguments.vertex_count; i += threads) filler.fill(static_cast<u32>(i));
  } else {
    for (; i < arguments.inside_count; i += threads) filler.lower(static_cast<u32>(i));
  }
}
