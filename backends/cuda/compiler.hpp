// SPDX-License-Identifier: Apache-2.0
// Kernel source to machine code for one GPU architecture: NVRTC, opened at run time, with a cache on disk.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "backends/backend.hpp"
#include "backends/kernel_sources.hpp"
#include "backends/registry.hpp"

namespace mlmq::backends {

struct compiled_variant {
  std::string cubin;
  std::string hash;  ///< variant_hash
  double compile_ms = 0;
  bool from_cache = false;  ///< it was there: in the cache, or shipped with the program (shipped_code.hpp)
};

/// "NVRTC 13.0". NVRTC is $MLMQ_NVRTC, else the first that is found.
/// @throws work_error when NVRTC cannot be opened, saying what to install
[[nodiscard]] std::string nvrtc_version();

/// The compiler that variants for an architecture belong to: nvrtc_version(), and where there is no NVRTC the one that
/// made what is shipped. @throws work_error as nvrtc_version() when nothing is shipped either
[[nodiscard]] std::string compiler_for(const std::string& architecture);

/// Any number of threads may call this at the same time.
/// @param architecture "sm_90"
/// @throws compile_error with NVRTC's log
/// @throws work_error where there is no NVRTC, unless the variant is in the cache or shipped
[[nodiscard]] compiled_variant compile_for_gpu(const kernel_source& variant, const std::string& architecture);

/// Removes a variant from the cache, and no longer takes what is shipped of it: one that is whole, but that the device
/// refuses. @param hash its compiled_variant::hash
void forget_variant(const std::string& hash);

/// Compiles `kernels` for `architecture` and writes them to its file in `folder`, where shipped_code.hpp finds them.
/// @param threads that compile; 0: one for each processor
/// @throws as compile_for_gpu(), work_error naming the file
[[nodiscard]] shipment ship_for_gpu(std::span<const kernel_source> kernels, const std::string& architecture,
                                    const std::filesystem::path& folder, unsigned threads);

}  // namespace mlmq::backends
