// SPDX-License-Identifier: Apache-2.0
// The symbol table of a shared object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::backends::simulator {

enum class symbol_kind { function, variable, thread_local_variable };

struct elf_symbol {
  symbol_kind kind = symbol_kind::function;
  std::uint64_t offset = 0;  ///< from the load address; of a thread-local variable from the begin of the thread's block
  std::uint64_t bytes = 0;
  bool is_exported = false;  ///< whether other objects see it
  std::string mangled_name;
  std::string name;  ///< as in the source
};

/// Returns the functions and the writable variables of a shared object of this machine, sorted by offset.
/// @throws work_error  if this is no complete 64-bit ELF file
[[nodiscard]] std::vector<elf_symbol> read_symbols(std::string_view object);

}  // namespace mlmq::backends::simulator
