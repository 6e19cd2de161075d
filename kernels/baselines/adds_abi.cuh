// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the ADDS kernel: arguments, control words, the layout of shared memory.
#pragma once

#include "search_abi.cuh"

namespace mlmq {

inline constexpr u32 adds_max_buckets = simt::warp_size;  ///< the manager has one lane per bucket
inline constexpr u32 adds_max_workers = 1024;             ///< the manager has 32 bits in each of 32 lanes
inline constexpr u32 adds_max_blocks = 512;               ///< number of storage blocks
/// N, the number of elements that share a word of the record of written elements (ADDS, section 5.2), one bit per
/// element.
inline constexpr u32 adds_segment = 64;

/// The mapping of distances to buckets that workers use. It is one word, so that its parts are always read together.
/// The width of a bucket is the first Δ times 2^exponent.
namespace adds_window {
inline constexpr int exponent_bias = 64;
constexpr u64 make(u32 head, int exponent, u32 base_bits) {
  return static_cast<u64>(base_bits) << 32 | static_cast<u64>(exponent + exponent_bias) << 8 | head;
}
constexpr u32 head(u64 window) { return static_cast<u32>(window) & 0xFF; }  ///< the bucket of the highest priority
constexpr int exponent(u64 window) { return static_cast<int>(static_cast<u32>(window) >> 8) - exponent_bias; }
constexpr u32 base_bits(u64 window) { return static_cast<u32>(window >> 32); }  ///< a float: where the head begins
}  // namespace adds_window

/// A worker's assignment flag: the position of its elements. Consecutive assignments differ by `turn`, so the flag need
/// not be cleared in between; 0 before the first.
namespace adds_assignment {
constexpr u64 make(u32 position, u32 count, bool turn) {
  return static_cast<u64>(position) << 32 | (turn ? 1u << 31 : 0u) | count;
}
constexpr u32 position(u64 flag) { return static_cast<u32>(flag >> 32); }
constexpr u32 count(u64 flag) { return static_cast<u32>(flag) & 0x7FFFFFFFu; }
inline constexpr u64 stop = ~0ull;  ///< the run has ended
}  // namespace adds_assignment

/// All global control words; zero at the start of a query.
struct adds_control {
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
  alignas(128) u64 window;
  /// Worker w flips bit w / 32 of word w % 32 when it has completed an assignment.
  alignas(128) u32 completed[simt::warp_size];
  /// The manager loads all of them at once: no more than one cache sector per array.
  struct alignas(32) bucket_words {
    u32 reserved;  ///< the paper's resv_ptr: elements ever written, modulo 2^32
  } buckets[adds_max_buckets];
  struct alignas(128) flag_words {
    u64 flag;
  } assignments[adds_max_workers];
  /// Storage of block n of a bucket, at index n modulo the size: n in the upper half, the number of the storage block
  /// plus 1 in the lower half.
  u64 table[adds_max_buckets][adds_max_blocks];
  /// Written at the end if the number of open buckets is dynamic.
  struct open_words {
    u64 sum;      ///< open buckets, summed over the manager's turns
    u32 turns;    ///< turns of the manager
    u32 changes;  ///< changes of the number of open buckets
  } open;
};

/// Arguments of the kernel `adds`.
struct adds_arguments {
  const void* offsets;  ///< as in search_arguments
  const void* edges;
  const void* ell_rows;  ///< as in search_arguments
  u32* distances;
  adds_control* control;
  u64* pool;         ///< `blocks` storage blocks of 2^block_shift elements
  u64* written;      ///< for each segment of the pool, bit i: element i of the segment has been written
  u64* counters;     ///< counter_count sums, or null
  u32 blocks;        ///< at most adds_max_blocks
  u32 block_shift;   ///< a storage block holds at least one segment
  u32 chunk;         ///< maximum number of elements per assignment
  u32 least;         ///< minimum number of elements per worker, and per warp of a worker, if enough elements wait
  u32 open_buckets;  ///< number of buckets whose elements are assigned concurrently
  u32 long_row;      ///< degree from which the whole worker block relaxes one vertex; unused with ELL rows
  u32 source;
  float buckets_per_distance;  ///< 1 / the first Δ
  float low_use;               ///< assigned elements below which Δ grows
  float high_use;              ///< assigned elements above which Δ shrinks
  u64 time_limit_ns;
};

/// Elements that a worker warp keeps in shared memory before it writes them to the buckets.
inline constexpr u32 adds_stage = 128;

/// A row that the whole block relaxes.
struct adds_row {
  u64 begin;
  u32 degree;
  u32 distance;
};

/// Shared memory of a worker block, before the memory of its warps.
struct adds_worker_words {
  u64 assignment;
  u32 unused;
  u32 long_rows;  ///< long rows in this assignment, including those that do not fit
  adds_row rows[simt::warp_size];
  u64 translation[adds_max_buckets];  ///< for each bucket, the table entry that was used last
};

/// The manager's record of an assignment.
namespace adds_recent_assignment {
inline constexpr u32 count_bits = 17;  ///< the largest chunk is 2^16
inline constexpr u32 bucket_bits = 5;
static_assert(adds_max_buckets <= 1u << bucket_bits && adds_max_blocks <= 1u << (32 - bucket_bits - count_bits));
constexpr u32 make(u32 block, u32 bucket, u32 count) { return (block << bucket_bits | bucket) << count_bits | count; }
constexpr u32 count(u32 entry) { return entry & ((1u << count_bits) - 1); }
constexpr u32 origin(u32 entry) { return entry >> count_bits; }  ///< storage block and bucket
constexpr u32 bucket(u32 block_and_bucket) { return block_and_bucket & ((1u << bucket_bits) - 1); }
constexpr u32 block(u32 block_and_bucket) { return block_and_bucket >> bucket_bits; }
}  // namespace adds_recent_assignment

/// Shared memory of the manager block. Only the manager touches it.
struct adds_manager_words {
  u32 recent_assignments[2][adds_max_workers];  ///< the last two assignments of each worker, by adds_assignment's turn
  u32 completed_in[adds_max_blocks];            ///< the paper's CWC: completed elements of each storage block
  u32 next_block[adds_max_blocks];              ///< the next storage block of the same bucket
  u32 free_blocks[adds_max_blocks];             ///< stack of the free storage blocks
};

/// Dynamic shared memory of a block of `threads` threads.
constexpr u32 adds_shared_bytes(u32 threads) {
  const u32 warp_bytes =
      simt::warp_size * static_cast<u32>(sizeof(row_entry)) + adds_stage * static_cast<u32>(sizeof(u64));
  const u32 worker = static_cast<u32>(sizeof(adds_worker_words)) + threads / simt::warp_size * warp_bytes;
  const u32 manager = static_cast<u32>(sizeof(adds_manager_words));
  return worker > manager ? worker : manager;
}

}  // namespace mlmq
