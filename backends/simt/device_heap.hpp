// SPDX-License-Identifier: Apache-2.0
// Memory of the simulated GPU: one address range with the shared memory of the resident blocks first, followed by the
// device's allocations. For every address it knows the current allocation and the one that was freed there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/simt/memory_map.hpp"

namespace mlmq::backends::simulator {

/// Offset in the simulated memory. Unlike an address, it is the same in every run.
using memory_offset = std::uint64_t;

class device_heap {
 public:
  struct allocation {
    memory_offset start = 0;
    std::size_t bytes = 0;
    std::string name;
    bool live = false;
    /// Offset that the allocation would have on a GPU, which reuses freed memory. The modelled caches and queues use
    /// this offset, so that they depend only on the current allocations and not on earlier ones.
    memory_offset modelled_start = 0;
  };

  /// Alignment of allocations, and minimum unused space between two of them.
  static constexpr std::size_t granule = 64 * 1024;
  /// Offset of the first device allocation. The addresses below hold the shared memory of the blocks.
  static constexpr std::size_t shared_limit = std::size_t{1} << 32;

  explicit device_heap(std::uint64_t capacity);

  /// @throws out_of_device_memory
  [[nodiscard]] void* allocate(std::size_t bytes, const std::string& name);
  /// Frees an allocation and returns its description.
  const allocation& release(void* address) noexcept;

  [[nodiscard]] memory_offset offset_of(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(map_.base());
  }
  [[nodiscard]] std::byte* address_at(memory_offset offset) const { return map_.base() + offset; }

  /// Returns the live allocation that contains [offset, offset+bytes), or nullptr.
  [[nodiscard]] const allocation* find(memory_offset offset, std::size_t bytes) const {
    if (offset >= map_.bytes()) return nullptr;
    const std::uint32_t index = owner_[offset / granule];
    const allocation& candidate = allocations_[index];
    if (!candidate.live || offset < candidate.start || offset - candidate.start + bytes > candidate.bytes)
      return nullptr;
    return &candidate;
  }
  /// Returns the last allocation at or before `offset`, live or freed, or nullptr if there is none nearby.
  [[nodiscard]] const allocation* nearest(memory_offset offset) const;

  /// Makes `blocks` shared memories of `bytes` bytes each usable. Returns the distance between two of them.
  [[nodiscard]] std::size_t prepare_shared(unsigned blocks, std::size_t bytes);

  [[nodiscard]] std::size_t address_bytes() const { return map_.bytes(); }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t free_bytes() const { return capacity_ - used_; }

 private:
  [[nodiscard]] std::size_t find_space(std::size_t granules);
  [[nodiscard]] memory_offset place_in_model(std::size_t bytes);
  void free_in_model(const allocation& freed);

  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  memory_map map_;
  memory_map owner_map_;
  std::uint32_t* owner_;  // per granule: index into allocations_; 0: none
  std::vector<allocation> allocations_;
  std::map<memory_offset, std::size_t> model_gaps_;  // modelled memory that no live allocation has: size by start
  std::vector<std::uint32_t> unused_;                // entries of allocations_ whose addresses now belong to other
                                                     // allocations
  std::size_t next_ = 0;                             // granule at which the next search for space begins
  std::size_t shared_ready_ = 0;                     // number of bytes at the start that are usable as shared memory
};

}  // namespace mlmq::backends::simulator
