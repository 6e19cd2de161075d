// SPDX-License-Identifier: Apache-2.0
// Kernel source to machine code for one GPU architecture: NVRTC, opened at run time, with a cache on disk.
#pragma once

#include <string>

#include "backends/backend.hpp"
#include "backends/kernel_sources.hpp"

namespace mlmq::backends {

struct compiled_variant {
  std::string cubin;
  std::string hash;  ///< variant_hash
  double compile_ms = 0;
  bool from_cache = false;
};

/// "NVRTC 13.0". @throws work_error when NVRTC cannot be opened, saying what to install
[[nodiscard]] std::string nvrtc_version();

/// Any number of threads may call this at the same time.
/// @param architecture "sm_90"
/// @throws compile_error with NVRTC's log
[[nodiscard]] compiled_variant compile_for_gpu(const kernel_source& variant, const std::string& architecture);

/// Removes a variant from the cache: one that is whole, but that the device refuses. @param hash its compiled_variant::hash
void forget_variant(const std::string& hash);

}  // namespace mlmq::backends
