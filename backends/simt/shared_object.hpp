// SPDX-License-Identifier: Apache-2.0
// A loaded shared object, unloaded with the last reference.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace mlmq::backends::simulator {

class shared_object {
 public:
  /// @throws work_error with the loader's message
  explicit shared_object(const std::filesystem::path& file);

  /// nullptr when there is no such symbol.
  [[nodiscard]] void* find(const std::string& symbol) const;

 private:
  struct closer {
    void operator()(void* handle) const noexcept;
  };
  std::unique_ptr<void, closer> handle_;
};

}  // namespace mlmq::backends::simulator
