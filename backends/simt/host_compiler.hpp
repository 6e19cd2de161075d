// SPDX-License-Identifier: Apache-2.0
// The C++ compiler of this machine, which compiles kernels for the simulator.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mlmq::backends::simulator {

struct host_compiler {
  std::vector<std::string> command;  ///< program with its first arguments
  std::string version;               ///< "12.2.0"

  /// Returns "c++ 12.2.0".
  [[nodiscard]] std::string name() const;
};

/// Runs a command of the compiler. Time, memory and written bytes are limited.
/// @param file name of the source in messages
/// @return the compiler's messages if it rejects the source
/// @throws compile_error  if the source needs more than the limits
/// @throws work_error     if the machine is the cause: no space left, no memory, or a killed compiler
[[nodiscard]] std::optional<std::string> run_compiler(const std::vector<std::string>& command, const std::string& file);

/// Returns $CXX (which may have arguments) or the first of c++, g++ and clang++ in PATH. Returns nothing if no compiler
/// works.
[[nodiscard]] std::optional<host_compiler> find_host_compiler();

}  // namespace mlmq::backends::simulator
