// SPDX-License-Identifier: Apache-2.0
// A table with one entry per page of the simulated memory. Only the accessed parts use memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/simt/memory_map.hpp"

namespace mlmq::backends::simulator {

/// @tparam Page  content of a page; owned by the user of the table
template <class Page, std::size_t page_bytes>
class paged_table {
 public:
  explicit paged_table(std::size_t address_bytes)
      : map_((address_bytes / page_bytes + 1) * sizeof(Page*), true), pages_(reinterpret_cast<Page**>(map_.base())) {}

  [[nodiscard]] Page*& page(std::uint64_t offset) { return pages_[offset / page_bytes]; }

 private:
  memory_map map_;
  Page** pages_;
};

}  // namespace mlmq::backends::simulator
