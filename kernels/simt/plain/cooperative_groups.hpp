// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, tiles of a warp, the warp as coalesced_threads(), and the grid.
#pragma once

#include "simt/plain/intrinsics.hpp"

namespace cooperative_groups {

class thread_block {
 public:
  void sync(MLMQ_PLACE) const { ::__syncthreads(file, line); }
  static void sync_block(MLMQ_PLACE) { ::__syncthreads(file, line); }
  unsigned long long size() const { return num_threads(); }
  unsigned num_threads() const { return blockDim.x * blockDim.y * blockDim.z; }
  unsigned thread_rank() const { return ::mlmq_cuda::self()->thread_in_block; }
  dim3 group_index() const { return blockIdx; }
  dim3 thread_index() const { return threadIdx; }
  dim3 group_dim() const { return blockDim; }
  dim3 dim_threads() const { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

/// A part of a warp: `count` lanes from lane `first` on.
class lane_group {
 public:
  constexpr lane_group(unsigned first, unsigned count) : first_(first), count_(count) {}
  unsigned long long size() const { return count_; }
  unsigned num_threads() const { return count_; }
  unsigned thread_rank() const { return ::mlmq_cuda::lane() - first_; }
  unsigned mask() const { return count_ == 32 ? 0xFFFFFFFFu : ((1u << count_) - 1u) << first_; }
  void sync(MLMQ_PLACE) const { ::__syncwarp(mask(), file, line); }
  template <class T>
  T shfl(T value, unsigned rank, MLMQ_PLACE) const {
    return ::mlmq_cuda::exchange(mask(), value, first_ + rank % count_, file, line);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, MLMQ_PLACE) const {
    const unsigned rank = thread_rank();
    return ::mlmq_cuda::exchange(mask(), value, first_ + (delta <= rank ? rank - delta : rank), file, line);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, MLMQ_PLACE) const {
    const unsigned rank = thread_rank();
    return ::mlmq_cuda::exchange(mask(), value, first_ + (rank + delta < count_ ? rank + delta : rank), file, line);
  }
  template <class T>
  T shfl_xor(T value, unsigned bits, MLMQ_PLACE) const {
    return ::mlmq_cuda::exchange(mask(), value, first_ + (thread_rank() ^ bits) % count_, file, line);
  }
  unsigned ballot(int value, MLMQ_PLACE) const { return ::__ballot_sync(mask(), value, file, line) >> first_; }
  int any(int value, MLMQ_PLACE) const { return ::__any_sync(mask(), value, file, line); }
  int all(int value, MLMQ_PLACE) const { return ::__all_sync(mask(), value, file, line); }
  template <class T>
  unsigned match_any(T value, MLMQ_PLACE) const {
    return ::__match_any_sync(mask(), value, file, line) >> first_;
  }

 protected:
  unsigned first_;
  unsigned count_;
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public lane_group {
  static_assert(Size != 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has a power of two of lanes, at most 32");

 public:
  thread_block_tile() : lane_group(::mlmq_cuda::lane() & ~(Size - 1), Size) {}
  unsigned long long meta_group_size() const { return (this_thread_block().num_threads() + Size - 1) / Size; }
  unsigned meta_group_rank() const { return this_thread_block().thread_rank() / Size; }
};
template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

using coalesced_group = lane_group;
/// All lanes of the warp that exist; they must all call this.
inline coalesced_group coalesced_threads() {
  const unsigned first = ::mlmq_cuda::self()->warp_in_block * 32;
  const unsigned rest = this_thread_block().num_threads() - first;
  return {0, rest < 32 ? rest : 32};
}

class grid_group {
 public:
  void sync(MLMQ_PLACE) const {
    ::mlmq_cuda::collect(simt::simulator::sync_grid, ::mlmq_cuda::all_lanes, 0, 0, file, line);
  }
  bool is_valid() const { return true; }
  unsigned long long size() const { return num_threads(); }
  unsigned long long num_threads() const { return num_blocks() * this_thread_block().num_threads(); }
  unsigned long long num_blocks() const { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  unsigned long long block_rank() const { return ::mlmq_cuda::self()->block; }
  unsigned long long thread_rank() const {
    return block_rank() * this_thread_block().num_threads() + this_thread_block().thread_rank();
  }
  dim3 group_dim() const { return gridDim; }
};
inline grid_group this_grid() { return {}; }

template <class Group>
void sync(const Group& group, MLMQ_PLACE) {
  group.sync(file, line);
}

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class Group, class T, class Operation>
T reduce(const Group& group, T value, Operation operation, MLMQ_PLACE) {
  T result = group.shfl(value, 0, file, line);
  for (unsigned rank = 1; rank < group.num_threads(); ++rank) {
    result = operation(result, group.shfl(value, rank, file, line));
  }
  return result;
}

}  // namespace cooperative_groups
