// SPDX-License-Identifier: Apache-2.0
// Makes and loads kernel variants, and keeps them on disk for the next process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "backends/simt/host_compiler.hpp"
#include "backends/simt/shared_object.hpp"
#include "base/code_cache.hpp"

namespace mlmq::backends::simulator {

/// One variant in memory.
struct loaded_kernel {
  shared_object object;
  void (*entry)(const void* arguments) = nullptr;
  std::size_t argument_bytes = 0;
  kernel_properties properties;
};

/// Any number of threads may call compile().
class kernel_compiler {
 public:
  /// @param kernels where files are found that name no folder of their own
  /// @param includes searched after it for what they include
  kernel_compiler(std::filesystem::path kernels, std::filesystem::path includes);

  /// @throws compile_error, input_error for an unknown file or entry, work_error without a compiler
  [[nodiscard]] std::shared_ptr<const loaded_kernel> compile(const kernel_source& source) const;

  /// "c++ 12.2.0", or "" when there is none.
  [[nodiscard]] std::string name() const;

 private:
  /// Searched in this order; the file itself is in the first.
  [[nodiscard]] std::vector<std::string> folders_for(const kernel_source& source) const;
  [[nodiscard]] std::vector<std::string> command(const kernel_source& source) const;
  [[nodiscard]] std::string make(const kernel_source& source) const;

  std::filesystem::path kernels_;
  std::filesystem::path includes_;
  code_cache cache_{"simt", ".so"};
  std::optional<host_compiler> compiler_;
};

}  // namespace mlmq::backends::simulator
