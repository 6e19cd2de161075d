// SPDX-License-Identifier: Apache-2.0
// Compiles kernel sources to machine code for one GPU architecture with NVRTC, which is opened at run time. Caches the
// results on disk.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "backends/kernel_sources.hpp"
#include "backends/registry.hpp"

namespace mlmq::backends {

struct compiled_variant {
  std::string cubin;
  std::vector<std::string> functions = {};   ///< names of kernel_source::functions in the machine code
  std::vector<std::string> signatures = {};  ///< mangled names, or types, with the types of their parameters
  std::string hash;                          ///< see variant_hash()
  double compile_ms = 0;
  bool from_cache = false;  ///< whether it was not compiled now but cached or shipped with the program
                            ///< (shipped_code.hpp)
};

/// Returns the version of NVRTC: "NVRTC 13.0". NVRTC is the library in $MLMQ_NVRTC, or else the first one found.
/// @throws work_error  if NVRTC cannot be opened, saying what to install
[[nodiscard]] std::string nvrtc_version();

/// Returns the compiler that is part of the identity of variants for an architecture: nvrtc_version(), or without NVRTC
/// the compiler of the shipped code.
/// @throws work_error  like nvrtc_version(), if no code is shipped either
[[nodiscard]] std::string compiler_for(const std::string& architecture);

/// Compiles a variant, or takes it from the cache or the shipped code. Thread-safe.
/// @param architecture  "sm_90"
/// @throws compile_error  with NVRTC's log
/// @throws work_error  without NVRTC, unless the variant is cached or shipped
[[nodiscard]] compiled_variant compile_for_gpu(const kernel_source& variant, const std::string& architecture);

/// Calls serve_compilations() (compile_processes.hpp), which compiles by NVRTC in this process. @return exit status
[[nodiscard]] int serve_gpu_compilations();

/// Removes a variant from the cache and stops using its shipped code. Called if the device rejects an undamaged binary.
/// @param hash  compiled_variant::hash
void forget_variant(const std::string& hash);

/// Compiles `kernels` for `architecture` and writes them to the architecture's file in `folder`, which shipped_code.hpp
/// reads.
/// @param threads  number of compiling threads; 0: one per processor
/// @throws  like compile_for_gpu(); work_error naming the file
[[nodiscard]] shipment ship_for_gpu(std::span<const kernel_source> kernels, const std::string& architecture,
                                    const std::filesystem::path& folder, unsigned threads);

/// Returns a hash of the instructions in machine code, of its constants, and of the sizes of its memory. Names, the
/// order of functions, and offsets of kernel arguments and of addresses do not count: arguments are numbered in the
/// order of their first use. So the hash does not tell which of two arguments an instruction reads. Returns "" for
/// architectures before sm_70, which encode instructions differently. scripts/compare-machine-code compares by the same
/// rules.
/// @throws work_error  if this is no complete 64-bit ELF file
[[nodiscard]] std::string instruction_hash(std::string_view cubin);

}  // namespace mlmq::backends
