// SPDX-License-Identifier: Apache-2.0
// Access to the implementation of a handle, such as mlmq::digraph. Only the library uses it; other code uses
// library/conversions.hpp.
#pragma once

#include <memory>
#include <utility>

namespace mlmq::detail {

/// Converts between handles and their implementation.
struct access {
  template <class Handle, class Data>
  [[nodiscard]] static Handle make(std::shared_ptr<Data> data) {
    return Handle(std::move(data));
  }
  template <class Handle>
  [[nodiscard]] static const auto& get(const Handle& handle) {
    return *handle.data_;
  }
  template <class Handle>
  [[nodiscard]] static auto share(const Handle& handle) {
    return handle.data_;
  }
};

}  // namespace mlmq::detail
