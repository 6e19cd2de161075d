// SPDX-License-Identifier: Apache-2.0
// A vector whose new elements have no value until they are assigned. For large arrays that several threads fill: when
// one thread zeroes them first, that takes longer than filling them.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace mlmq {

/// Like std::allocator, but elements without an initial value are default-initialised.
template <class T>
struct uninitialized_allocator : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = uninitialized_allocator<Other>;
  };

  template <class Element>
  void construct(Element* place) {
    ::new (static_cast<void*>(place)) Element;
  }
  template <class Element, class... Values>
  void construct(Element* place, Values&&... values) {
    ::new (static_cast<void*>(place)) Element(std::forward<Values>(values)...);
  }
};

/// After resize(), new elements of a simple type are indeterminate.
template <class T>
using uninitialized_vector = std::vector<T, uninitialized_allocator<T>>;

}  // namespace mlmq
