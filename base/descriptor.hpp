// SPDX-License-Identifier: Apache-2.0
// Owner of a descriptor of an open file or folder. The destructor closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace mlmq {

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  /// Returns the descriptor; negative if nothing is open.
  [[nodiscard]] int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace mlmq
