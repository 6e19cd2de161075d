// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/written_map.hpp"

#include <algorithm>

namespace mlmq::backends::simulator {

written_map::written_map(std::size_t address_bytes) : table_(address_bytes) { full_.words.fill(15); }

written_map::page* written_map::take() {
  if (spare_.empty()) {
    owned_.push_back(std::make_unique<page>());
    // Reserve space, so that returning a page never allocates memory.
    spare_.reserve(owned_.size());
    return owned_.back().get();
  }
  page* const p = spare_.back();
  spare_.pop_back();
  p->words.fill(0);
  return p;
}

void written_map::mark_range(std::uint64_t offset, std::size_t bytes) {
  const std::uint64_t end = offset + bytes;
  while (offset < end) {
    page*& p = table_.page(offset);
    const std::uint64_t page_end = std::min(end, (offset / page_bytes + 1) * page_bytes);
    if (page_end - offset == page_bytes) {
      if (p != nullptr && p != &full_) spare_.push_back(p);
      p = &full_;
    } else if (p != &full_) {
      if (p == nullptr) p = take();
      for (; offset < page_end && offset % 4 != 0; ++offset) set(*p, offset, 1);
      for (; offset + 4 <= page_end; offset += 4) set(*p, offset, 4);
      for (; offset < page_end; ++offset) set(*p, offset, 1);
    }
    offset = page_end;
  }
}

void written_map::clear_range(std::uint64_t offset, std::size_t bytes) noexcept {
  for (std::uint64_t page_begin = offset / page_bytes * page_bytes; page_begin < offset + bytes;
       page_begin += page_bytes) {
    page*& p = table_.page(page_begin);
    if (p != nullptr && p != &full_) spare_.push_back(p);
    p = nullptr;
  }
}

}  // namespace mlmq::backends::simulator
