// SPDX-License-Identifier: Apache-2.0
// What the engine knows about a launch of plain CUDA C++ in addition to engine_launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/simt/device_heap.hpp"
#include "backends/simt/plain_object.hpp"

namespace mlmq::backends::simulator {

/// A variable of the object, which lives outside of the simulated memory, and the addresses there that represent it in
/// the race detector and in the map of written bytes.
struct placed_variable {
  const std::byte* address = nullptr;
  std::size_t bytes = 0;
  memory_offset offset = 0;
};

struct plain_launch {
  const plain_object* object = nullptr;
  const plain_object::function* function = nullptr;
  const std::vector<placed_variable>* variables = nullptr;  ///< sorted by address
  shared_window window;                                     ///< of the thread that runs the launch
  extent grid;
  extent block;
  std::size_t dynamic_bytes = 0;
  bool is_cooperative = false;
  unsigned blocks_per_multiprocessor = 1;  ///< number of blocks that are resident at once
  unsigned turns = 1;                      ///< warps of a block per slot of a multiprocessor, rounded up
};

}  // namespace mlmq::backends::simulator
