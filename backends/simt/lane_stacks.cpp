// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/lane_stacks.hpp"

#include <cstdint>

#include "base/error.hpp"

namespace mlmq::backends::simulator {

void lane_stacks::grow(std::size_t count) {
  constexpr std::size_t bytes = simt::simulator::stack_bytes;
  if (count <= stacks_.size()) return;
  const std::size_t added = count - stacks_.size();
  // Map one additional stack for alignment.
  const memory_map& map = maps_.emplace_back((added + 1) * bytes, false);
  const std::size_t skip = (bytes - reinterpret_cast<std::uintptr_t>(map.base()) % bytes) % bytes;
  for (std::size_t i = 0; i < added; ++i) {
    const std::size_t offset = skip + i * bytes;
    if (!map.allow(offset + guard_bytes, bytes - guard_bytes)) {
      throw work_error("simt: this machine does not have enough memory for the stacks of the lanes");
    }
    stacks_.push_back(map.base() + offset);
  }
}

}  // namespace mlmq::backends::simulator
