// SPDX-License-Identifier: Apache-2.0
// A loaded shared object, unloaded with the last reference.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mlmq::backends::simulator {

class shared_object {
 public:
  /// Loads a private copy in memory, so that what happens to a file later cannot harm the loaded code.
  /// @param name for messages. @throws work_error with the loader's message
  shared_object(std::string_view content, const std::string& name);

  /// nullptr when there is no such symbol.
  [[nodiscard]] void* find(const std::string& symbol) const;

 private:
  struct closer {
    void operator()(void* handle) const noexcept;
  };
  std::unique_ptr<void, closer> handle_;
};

}  // namespace mlmq::backends::simulator
