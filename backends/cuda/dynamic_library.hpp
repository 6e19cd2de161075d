// SPDX-License-Identifier: Apache-2.0
// A shared library that is opened when it is needed and may be absent.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace mlmq::backends {

class dynamic_library {
 public:
  /// Opens the first of `names` that can be opened. @throws work_error with the reason for each
  explicit dynamic_library(const std::vector<std::string>& names);

  /// @throws work_error naming the symbol
  [[nodiscard]] void* symbol(const char* name) const;

  /// Sets a function pointer to the symbol `name`.
  template <class Function>
  void bind(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

  /// The name it was opened by.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct closer {
    void operator()(void* handle) const noexcept;
  };
  std::unique_ptr<void, closer> handle_;
  std::string name_;
};

}  // namespace mlmq::backends
