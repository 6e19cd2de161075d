// SPDX-License-Identifier: Apache-2.0
// Teams that work on a parallel heap together: a block, or the grid. A team has rank(), size() and sync(), which orders
// all earlier accesses before all later ones, and returns false in all threads of a block if the run is over.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

class block_team {
 public:
  SIMT_DEVICE u32 rank() const { return simt::thread_in_block(); }
  SIMT_DEVICE u32 size() const { return simt::block_threads(); }
  SIMT_DEVICE bool sync() {
    simt::sync_block();
    return true;
  }
};

/// Team of all threads of all blocks, which are resident together. @tparam Barrier over the grid; wait() returns
/// whether to continue
template <class Barrier>
class grid_team {
 public:
  SIMT_DEVICE explicit grid_team(Barrier& barrier) : barrier_(barrier) {}
  SIMT_DEVICE u32 rank() const { return simt::block_index() * simt::block_threads() + simt::thread_in_block(); }
  SIMT_DEVICE u32 size() const { return simt::grid_blocks() * simt::block_threads(); }
  SIMT_DEVICE bool sync() { return barrier_.wait(); }

 private:
  Barrier& barrier_;
};

}  // namespace mlmq
