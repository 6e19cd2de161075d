// SPDX-License-Identifier: Apache-2.0
// A loaded variant in plain CUDA C++: its functions, its variables, and the places of its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/simt/elf_symbols.hpp"
#include "backends/simt/shared_object.hpp"

namespace mlmq::backends::simulator {

/// The memory of a loaded object in which the running block finds its shared variables: its thread-local variables.
struct shared_window {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::size_t dynamic_offset = 0;  ///< of the dynamic shared memory

  [[nodiscard]] bool contains(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin) < bytes;
  }
};

class plain_object {
 public:
  /// Folder of the kernel files in the debug information.
  static constexpr const char* source_folder = "/mlmq-source";

  struct function {
    void (*call)(void* const* arguments) = nullptr;
    std::vector<function_parameter> parameters;
    /// The static __shared__ variables that it may use, sorted by their offset in the window.
    std::vector<elf_symbol> shared_variables;
    std::size_t shared_bytes = 0;  ///< size of the static __shared__ variables
  };
  struct variable {
    std::byte* address = nullptr;
    std::size_t bytes = 0;
    std::string name;
  };

  /// @param content  a shared object that kernel_compiler has made
  /// @param name     name of the kernel file, for messages
  plain_object(std::string content, const std::string& name, std::size_t functions);

  [[nodiscard]] const std::vector<function>& functions() const { return functions_; }
  /// Returns the variables in device memory, sorted by address.
  [[nodiscard]] const std::vector<variable>& variables() const { return variables_; }
  /// Returns whether the address belongs to the object but is none of its variables: code and constants.
  [[nodiscard]] bool contains(const void* address) const;
  /// Returns the window of the calling thread.
  [[nodiscard]] shared_window window() const;
  /// Returns "file:line" of the call that returns to an address in the object's code, or the name of the function if
  /// this machine has no addr2line.
  [[nodiscard]] std::string name_code(const void* return_address) const;

 private:
  /// Returns whether a shared variable belongs to another kernel than this one.
  [[nodiscard]] bool is_of_other_kernel(const elf_symbol& shared_variable, std::uint64_t function_offset) const;

  std::string content_;
  shared_object object_;
  std::uintptr_t load_address_ = 0;
  std::uintptr_t load_end_ = 0;
  std::size_t window_bytes_ = 0;
  std::size_t dynamic_offset_ = 0;  ///< of the dynamic shared memory, in the window
  std::vector<function> functions_;
  std::vector<variable> variables_;
  std::vector<elf_symbol> code_;
};

}  // namespace mlmq::backends::simulator
