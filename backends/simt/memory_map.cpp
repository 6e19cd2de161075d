// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/memory_map.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace mlmq::backends::simulator {

memory_map::memory_map(std::size_t bytes, bool accessible) {
  void* const address = ::mmap(nullptr, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw work_error(
        fmt::format("simt: cannot reserve {} MiB of addresses: {}; check the limit on virtual memory "
                    "(ulimit -v)",
                    bytes >> 20, std::strerror(errno)));
  }
  base_ = static_cast<std::byte*>(address);
  bytes_ = bytes;
}

memory_map::~memory_map() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
}

bool memory_map::allow(std::size_t offset, std::size_t bytes) const {
  return bytes == 0 || ::mprotect(base_ + offset, bytes, PROT_READ | PROT_WRITE) == 0;
}

void memory_map::forbid(std::size_t offset, std::size_t bytes) const noexcept {
  if (bytes == 0) return;
  // Mapping the range again drops the pages and the access rights in one call.
  ::mmap(base_ + offset, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace mlmq::backends::simulator
