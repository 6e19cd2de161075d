// SPDX-License-Identifier: Apache-2.0
// The identity of what a GPU executes, which edits of a kernel's text often leave as it is.
#pragma once

#include <string>
#include <string_view>

namespace mlmq::backends {

/// Returns a hash of the instructions in machine code, of its constants, and of the sizes of its memory. Names, the
/// order of functions, and offsets of kernel arguments and of addresses do not count: arguments are numbered in the
/// order of their first use. So the hash does not tell which of two arguments an instruction reads. Returns "" for
/// architectures before sm_70, which encode instructions differently. scripts/compare-machine-code compares by the same
/// rules.
/// @throws work_error  if this is no complete 64-bit ELF file
[[nodiscard]] std::string instruction_hash(std::string_view cubin);

}  // namespace mlmq::backends
