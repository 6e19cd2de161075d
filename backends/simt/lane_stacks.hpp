// SPDX-License-Identifier: Apache-2.0
// Stacks of the lanes. They are aligned, so that a lane finds its state (kernels/simt/simulator_api.hpp). Below each is
// a guard page, so that a stack overflow crashes instead of producing a wrong answer.
#pragma once

#include <cstddef>
#include <vector>

#include "backends/simt/memory_map.hpp"
#include "kernels/simt/simulator_api.hpp"

namespace mlmq::backends::simulator {

class lane_stacks {
 public:
  static constexpr std::size_t guard_bytes = 4096;

  /// Adds stacks until there are `count`. Existing stacks do not move. @throws work_error
  void grow(std::size_t count);

  /// Returns the lower end of a stack, including the guard page. A stack has simt::simulator::stack_bytes bytes.
  [[nodiscard]] std::byte* stack(std::size_t index) const { return stacks_[index]; }

 private:
  std::vector<memory_map> maps_;
  std::vector<std::byte*> stacks_;
};

}  // namespace mlmq::backends::simulator
