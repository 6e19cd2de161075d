// SPDX-License-Identifier: Apache-2.0
// A loaded shared object, which is unloaded when this object is destroyed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mlmq::backends::simulator {

class shared_object {
 public:
  /// Loads a private copy, so that later changes of a file cannot affect the loaded code.
  /// @param name  name for messages
  /// @throws work_error  with the loader's message
  shared_object(std::string_view content, const std::string& name);

  /// Returns the address of a symbol, or nullptr if it does not exist.
  [[nodiscard]] void* find(const std::string& symbol) const;

 private:
  struct closer {
    void operator()(void* handle) const noexcept;
  };
  std::unique_ptr<void, closer> handle_;
};

}  // namespace mlmq::backends::simulator
