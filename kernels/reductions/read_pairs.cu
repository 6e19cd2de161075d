// SPDX-License-Identifier: Apache-2.0
// Reads the distances of pairs of a search and a vertex from a batch: a warp for the pairs of each column.
#include "reductions/batch_words.cuh"
#include "reductions/reductions_abi.cuh"

SIMT_KERNEL(read_pairs, mlmq::pair_arguments) {
  using namespace mlmq::reductions;
  const mlmq::distance_batch& batch = arguments.batch;
  const u32 warps = simt::grid_blocks() * simt::block_threads() / simt::warp_size;
  u32 column = simt::block_index() * simt::block_threads() / simt::warp_size + simt::warp_in_block();
  bool has_saturated = false;
  for (; column < batch.columns; column += warps) {
    const u32 search = search_of(batch, column);
    const word* const words = column_words(batch, column);
    const u32 end = simt::load_readonly(arguments.first_pair + search + 1);
    for (u32 pair = simt::load_readonly(arguments.first_pair + search) + simt::lane(); pair < end;
         pair += simt::warp_size) {
      const u32 row = row_of(batch, simt::load_readonly(arguments.vertices + pair));
      const word distance = simt::load(words + u64{row} * batch.group_columns);
      const bool is_reached = distance <= batch.farthest;
      has_saturated = has_saturated || (is_reached && distance == arguments.saturated);
      simt::store(arguments.results + pair, is_reached ? u64{distance} : mlmq::no_result);
    }
  }
  if (has_saturated) simt::store_atomic<simt::order::relaxed, simt::scope::device>(arguments.saturated_flag, 1u);
}
