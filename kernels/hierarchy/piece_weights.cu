// SPDX-License-Identifier: Apache-2.0
// Writes the items of pieces (sweep_piece) with the arcs that are needed, and their weights. A warp has one piece at a
// time.
#include "hierarchy/customization_abi.cuh"
#include "hierarchy/lengths.cuh"
#include "simt/simt.cuh"

namespace mlmq::hierarchy {

class piece_writer {
 public:
  /// @param place index of the first item of the piece
  SIMT_DEVICE piece_writer(const piece_weights_arguments& arguments, u32 place)
      : arguments_(arguments), read_(place), written_(place) {}

  /// Warp collective: writes the items of the next vertex.
  SIMT_DEVICE void write_vertex() {
    const hierarchy_item shape = simt::load(arguments_.drafts + read_);
    const hierarchy_item place = simt::load(arguments_.drafts + read_ + 1);
    const hierarchy_item name = simt::load(arguments_.drafts + read_ + 2);
    const u32 header = written_;
    read_ += 3;
    written_ += 3;
    const u32 near = write_arcs(shape.key & 0xFFFF);
    const u32 far = write_arcs(shape.key >> 16);
    if (simt::lane() != 0) return;
    simt::store(arguments_.items + header, hierarchy_item{near | far << 16, shape.value});
    simt::store(arguments_.items + header + 1, place);
    simt::store(arguments_.items + header + 2, name);
  }

 private:
  /// Warp collective. @return how many of the arcs are needed
  SIMT_DEVICE u32 write_arcs(u32 count) {
    const u32 before = written_;
    for (u32 first = 0; first < count; first += simt::warp_size) {
      const bool is_arc = first + simt::lane() < count;
      const hierarchy_item draft =
          is_arc ? simt::load(arguments_.drafts + read_ + first + simt::lane()) : hierarchy_item{0, 0};
      const u32 weight = is_arc ? simt::load(arguments_.weights + draft.value) : no_path;
      const u32 needed_lanes = simt::ballot(weight != no_path);
      if (weight != no_path) {
        simt::store(arguments_.items + written_ + simt::popcount(needed_lanes & simt::lanes_below()),
                    hierarchy_item{draft.key, weight});
      }
      written_ += simt::popcount(needed_lanes);
    }
    read_ += count;
    return written_ - before;
  }

  const piece_weights_arguments& arguments_;
  u32 read_;
  u32 written_;
};

}  // namespace mlmq::hierarchy

SIMT_KERNEL(piece_weights, mlmq::piece_weights_arguments) {
  using namespace mlmq;
  const u32 warps = simt::grid_blocks() * (simt::block_threads() / simt::warp_size);
  for (u32 i = simt::block_index() * (simt::block_threads() / simt::warp_size) + simt::warp_in_block();
       i < arguments.piece_count; i += warps) {
    const u32 vertices = simt::load(&arguments.pieces[i].vertices);
    hierarchy::piece_writer writer(arguments, simt::load(&arguments.pieces[i].first_item));
    for (u32 vertex = 0; vertex < vertices; ++vertex) writer.write_vertex();
  }
}
