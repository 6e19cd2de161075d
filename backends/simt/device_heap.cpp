// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/device_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "backends/backend.hpp"

namespace mlmq::backends::simulator {
namespace {

constexpr std::size_t granules_of(std::size_t bytes) {
  return (bytes + device_heap::granule - 1) / device_heap::granule;
}

/// Returns the modelled memory of an allocation: whole blocks of the device's alignment.
constexpr std::size_t modelled_bytes(std::size_t bytes) {
  constexpr std::size_t alignment = 512;
  return (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
}

}  // namespace

// The address range is much larger than the memory, so that the addresses of a freed allocation are not reused for a
// long time and a late access to them is recognised.
device_heap::device_heap(std::uint64_t capacity)
    : capacity_(capacity),
      map_(shared_limit + std::max<std::size_t>(8 * capacity, std::size_t{1} << 32), false),
      owner_map_(map_.bytes() / granule * sizeof(std::uint32_t), true),
      owner_(reinterpret_cast<std::uint32_t*>(owner_map_.base())),
      allocations_(1),
      model_gaps_{{shared_limit, std::numeric_limits<std::size_t>::max() - shared_limit}},
      next_(shared_limit / granule) {}

void* device_heap::allocate(std::size_t bytes, const std::string& name) {
  if (bytes > capacity_ - used_) {
    throw out_of_device_memory(
        fmt::format("simt: {} needs {} bytes, but {} of {} bytes of the simulated device's memory are free", name,
                    bytes, capacity_ - used_, capacity_));
  }
  const std::size_t granules = std::max<std::size_t>(1, granules_of(bytes));
  const std::size_t first = find_space(granules);
  if (first == 0 || !map_.allow(first * granule, granules * granule)) {
    throw out_of_device_memory(
        fmt::format("simt: {} needs {} bytes, but this machine does not have enough memory", name, bytes));
  }
  std::uint32_t index = 0;
  if (unused_.empty()) {
    index = static_cast<std::uint32_t>(allocations_.size());
    allocations_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  allocations_[index] = {
      .start = first * granule, .bytes = bytes, .name = name, .live = true, .modelled_start = place_in_model(bytes)};
  std::fill_n(owner_ + first, granules, index);
  used_ += bytes;
  next_ = first + granules + 1;
  return address_at(first * granule);
}

// Takes the first gap that is large enough. There are few gaps, but there may be many allocations.
memory_offset device_heap::place_in_model(std::size_t bytes) {
  const std::size_t needed = modelled_bytes(bytes);
  auto gap = model_gaps_.begin();
  while (gap->second < needed) ++gap;
  const auto [begin, length] = *gap;
  gap = model_gaps_.erase(gap);
  if (length > needed) model_gaps_.emplace_hint(gap, begin + needed, length - needed);
  return begin;
}

void device_heap::free_in_model(const allocation& freed) {
  memory_offset begin = freed.modelled_start;
  std::size_t length = modelled_bytes(freed.bytes);
  auto after = model_gaps_.lower_bound(begin);
  if (after != model_gaps_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      begin = before->first;
      length += before->second;
      model_gaps_.erase(before);
    }
  }
  if (after != model_gaps_.end() && freed.modelled_start + modelled_bytes(freed.bytes) == after->first) {
    length += after->second;
    after = model_gaps_.erase(after);
  }
  model_gaps_.emplace_hint(after, begin, length);
}

// Searches from the last allocation onwards, so that freed addresses are reused as late as possible.
std::size_t device_heap::find_space(std::size_t granules) {
  const std::size_t limit = map_.bytes() / granule;
  for (const bool second_pass : {false, true}) {
    std::size_t first = second_pass ? shared_limit / granule : next_;
    std::size_t free = 0;
    for (std::size_t i = first; i + 1 < limit; ++i) {
      const allocation& neighbour = allocations_[owner_[i]];
      if (neighbour.live) {
        free = 0;
        // One granule after every allocation stays empty.
        first = i + 2;
        i += 1;
        continue;
      }
      if (++free <= granules) continue;
      // `granules` granules and the one after them are free. Forget their former owners.
      for (std::size_t j = first; j < first + granules; ++j) {
        const std::uint32_t former = owner_[j];
        if (former == 0) continue;
        std::fill_n(owner_ + allocations_[former].start / granule,
                    std::max<std::size_t>(1, granules_of(allocations_[former].bytes)), 0u);
        unused_.push_back(former);
      }
      return first;
    }
  }
  return 0;
}

const device_heap::allocation& device_heap::release(void* address) noexcept {
  const std::uint32_t index = owner_[offset_of(address) / granule];
  allocation& freed = allocations_[index];
  freed.live = false;
  used_ -= freed.bytes;
  free_in_model(freed);
  map_.forbid(freed.start, std::max<std::size_t>(1, granules_of(freed.bytes)) * granule);
  return freed;
}

const device_heap::allocation* device_heap::nearest(memory_offset offset) const {
  if (offset < shared_limit || offset >= map_.bytes()) return nullptr;
  // An access beyond the end of an allocation is in the empty granule after it.
  for (std::size_t back = 0; back < 17; ++back) {
    const std::size_t at_granule = offset / granule - back;
    if (at_granule < shared_limit / granule) return nullptr;
    if (const std::uint32_t index = owner_[at_granule]; index != 0) return &allocations_[index];
  }
  return nullptr;
}

std::size_t device_heap::prepare_shared(unsigned blocks, std::size_t bytes) {
  const std::size_t distance = (granules_of(bytes) + 1) * granule;
  const std::size_t needed = distance * blocks;
  if (needed > shared_limit) throw launch_error("simt: too much shared memory in one launch");
  if (needed > shared_ready_) {
    if (!map_.allow(0, needed))
      throw launch_error("simt: this machine does not have enough memory for the shared memory of the blocks");
    shared_ready_ = needed;
  }
  return distance;
}

}  // namespace mlmq::backends::simulator
