// SPDX-License-Identifier: Apache-2.0
// The device that `mlmq solve` uses for --device auto.
#pragma once

#include <string>

namespace mlmq::cli {

/// Code that runs the search.
enum class search_code {
  any,         ///< the library may choose
  kernels,     ///< options or the configuration need kernels
  processors,  ///< the configuration is a search on processors
};

/// Note for a search on processors that replace a GPU.
inline constexpr const char* no_gpu_note = "no GPU found: searching on processors (--device simt simulates a GPU)";

struct solving_device {
  std::string selector;
  bool replaces_gpu = false;  ///< whether the processors replace a missing GPU
};

/// @param device value of --device
/// @throws input_error for several devices: only the first would search, and its times would be called those of all
void require_one_device(const std::string& device);

/// Returns the device for the search. Without a GPU these are the processors, or the simulator for kernels.
/// @param device value of --device
/// @throws input_error for a missing device
[[nodiscard]] solving_device solving_device_for(const std::string& device, search_code code);

}  // namespace mlmq::cli
