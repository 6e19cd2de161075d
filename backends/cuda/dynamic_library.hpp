// SPDX-License-Identifier: Apache-2.0
// Shared library that is opened on demand and may be missing.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace mlmq::backends {

class dynamic_library {
 public:
  /// Opens the first of `names` that can be opened. @throws work_error with the reason for each name
  explicit dynamic_library(const std::vector<std::string>& names);

  /// Returns the address of a symbol. @throws work_error naming the symbol if it is missing
  [[nodiscard]] void* symbol(const char* name) const;

  /// Sets a function pointer to the symbol `name`.
  template <class Function>
  void bind(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

  /// Returns the name under which the library was opened.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct closer {
    void operator()(void* handle) const noexcept;
  };
  std::unique_ptr<void, closer> handle_;
  std::string name_;
};

}  // namespace mlmq::backends
