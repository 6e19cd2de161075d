// SPDX-License-Identifier: Apache-2.0
// Compiles and loads kernel variants, and caches them on disk.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "backends/kernel_sources.hpp"
#include "backends/simt/host_compiler.hpp"
#include "backends/simt/plain_object.hpp"
#include "backends/simt/shared_object.hpp"
#include "base/code_cache.hpp"

namespace mlmq::backends::simulator {

/// A variant loaded into memory.
struct loaded_kernel {
  shared_object object;
  void (*entry)(const void* arguments) = nullptr;
  std::size_t argument_bytes = 0;
  kernel_properties properties;
};

/// A variant in plain CUDA C++.
struct loaded_plain_kernel {
  plain_object object;
  kernel_properties properties;
};

/// Thread-safe.
class kernel_compiler {
 public:
  /// @param kernels   folder of kernel files without a folder of their own
  /// @param includes  folder that is searched for their includes after `kernels`
  kernel_compiler(std::filesystem::path kernels, std::filesystem::path includes);

  /// @throws compile_error, input_error for an unknown file or entry, work_error without a compiler
  [[nodiscard]] std::shared_ptr<const loaded_kernel> compile(const kernel_source& source) const;

  /// Like compile(), for a file in plain CUDA C++.
  /// @throws launch_error  if the file uses a feature of CUDA that the simulator does not support
  [[nodiscard]] std::shared_ptr<const loaded_plain_kernel> compile_plain(const kernel_source& source) const;

  /// Returns "c++ 12.2.0", or "" if there is no compiler.
  [[nodiscard]] std::string name() const;

 private:
  /// Returns the folders to search, in this order. The file itself is in the first.
  [[nodiscard]] std::vector<std::string> folders_for(const kernel_source& source) const;
  [[nodiscard]] std::vector<std::string> command(const kernel_source& source) const;
  [[nodiscard]] std::string make(const kernel_source& source) const;
  void require_compiler() const;
  [[nodiscard]] std::vector<std::string> plain_command(const kernel_sources& sources) const;
  [[nodiscard]] std::string make_plain(const kernel_source& source, const kernel_sources& sources) const;

  std::filesystem::path kernels_;
  std::filesystem::path includes_;
  code_cache cache_{"simt", ".so"};
  std::optional<host_compiler> compiler_;
};

}  // namespace mlmq::backends::simulator
