// SPDX-License-Identifier: Apache-2.0
// The simulated GPU's memory: one range of addresses, shared memory of the resident blocks first, then the device's
// allocations. It knows for every address what lies there, and what lay there before it was freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/simt/memory_map.hpp"

namespace mlmq::backends::simulator {

/// Position in the simulated memory: unlike an address, the same in every run.
using memory_offset = std::uint64_t;

class device_heap {
 public:
  struct allocation {
    memory_offset start = 0;
    std::size_t bytes = 0;
    std::string name;
    bool live = false;
    /// Where a GPU would have it, which reuses freed memory: the model's caches and queues go by this, so that they
    /// depend on what is allocated and not on what was.
    memory_offset modelled_start = 0;
  };

  /// Allocations start at multiples of this, with at least as much unused space between two of them.
  static constexpr std::size_t granule = 64 * 1024;
  /// Where device allocations begin; the addresses below hold the blocks' shared memory.
  static constexpr std::size_t shared_limit = std::size_t{1} << 32;

  explicit device_heap(std::uint64_t capacity);

  /// @throws out_of_device_memory
  [[nodiscard]] void* allocate(std::size_t bytes, const std::string& name);
  /// @return what was freed
  const allocation& release(void* address) noexcept;

  [[nodiscard]] memory_offset offset_of(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(map_.base());
  }
  [[nodiscard]] std::byte* address_at(memory_offset offset) const { return map_.base() + offset; }

  /// The live allocation that holds all of [offset, offset+bytes), or nullptr.
  [[nodiscard]] const allocation* find(memory_offset offset, std::size_t bytes) const {
    if (offset >= map_.bytes()) return nullptr;
    const std::uint32_t index = owner_[offset / granule];
    const allocation& candidate = allocations_[index];
    if (!candidate.live || offset < candidate.start || offset - candidate.start + bytes > candidate.bytes)
      return nullptr;
    return &candidate;
  }
  /// What lies at or before `offset`, live or freed; nullptr when there is nothing near.
  [[nodiscard]] const allocation* nearest(memory_offset offset) const;

  /// Makes `blocks` shared memories of `bytes` each usable. @return the distance between two of them
  [[nodiscard]] std::size_t prepare_shared(unsigned blocks, std::size_t bytes);

  [[nodiscard]] std::size_t address_bytes() const { return map_.bytes(); }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }

 private:
  [[nodiscard]] std::size_t find_space(std::size_t granules);
  [[nodiscard]] memory_offset place_in_model(std::size_t bytes);

  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  memory_map map_;
  memory_map owner_map_;
  std::uint32_t* owner_;  // per granule: index into allocations_, 0 for none
  std::vector<allocation> allocations_;
  std::map<memory_offset, std::size_t> model_;  // live allocations: modelled start and bytes
  std::vector<std::uint32_t> unused_;           // entries of allocations_ whose addresses have been given to others
  std::size_t next_ = 0;                        // granule at which the next search for space begins
  std::size_t shared_ready_ = 0;                // bytes from the start that are usable as shared memory
};

}  // namespace mlmq::backends::simulator
