// SPDX-License-Identifier: Apache-2.0
// Texts that many rows of a database have in common, each stored once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace mlmq::db {

/// Its views are valid as long as the pool, which can be moved.
class text_pool {
 public:
  text_pool() = default;
  text_pool(text_pool&&) = default;
  text_pool& operator=(text_pool&&) = default;

  /// Returns the stored text that equals this one.
  std::string_view share(std::string_view text) {
    const auto stored = texts_.find(text);
    return stored != texts_.end() ? *stored : *texts_.emplace(text).first;
  }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }

 private:
  struct hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_set<std::string, hash, std::equal_to<>> texts_;
};

}  // namespace mlmq::db
