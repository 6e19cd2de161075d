// SPDX-License-Identifier: Apache-2.0
// The stacks of the lanes: aligned, so that a lane finds itself (kernels/simt/simulator_api.hpp), and each with a
// page below it that no access survives, so that a stack overflow is a crash and not a wrong answer.
#pragma once

#include <cstddef>
#include <vector>

#include "backends/simt/memory_map.hpp"
#include "kernels/simt/simulator_api.hpp"

namespace mlmq::backends::simulator {

class lane_stacks {
 public:
  static constexpr std::size_t guard_bytes = 4096;

  /// Makes more stacks; those made before stay where they are. @throws work_error
  void grow(std::size_t count);

  /// Lower end of stack `index`, guard included; simt::simulator::stack_bytes long.
  [[nodiscard]] std::byte* stack(std::size_t index) const { return stacks_[index]; }

 private:
  std::vector<memory_map> maps_;
  std::vector<std::byte*> stacks_;
};

}  // namespace mlmq::backends::simulator
