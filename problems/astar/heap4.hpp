// SPDX-License-Identifier: Apache-2.0
// A min-heap of words with four children per node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlmq::astar {

class heap4 {
 public:
  void clear() noexcept { words_.clear(); }
  [[nodiscard]] bool is_empty() const noexcept { return words_.empty(); }

  void add(std::uint64_t word) {
    std::size_t hole = words_.size();
    words_.push_back(word);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (words_[parent] <= word) break;
      words_[hole] = words_[parent];
      hole = parent;
    }
    words_[hole] = word;
  }

  /// Removes the least word. The heap must not be empty.
  std::uint64_t take() {
    const std::uint64_t least = words_.front();
    const std::uint64_t last = words_.back();
    words_.pop_back();
    if (words_.empty()) return least;
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = 4 * hole + 1;
      if (first >= words_.size()) break;
      const auto begin = words_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = words_.begin() + static_cast<std::ptrdiff_t>(std::min(first + 4, words_.size()));
      const auto child = std::min_element(begin, end);
      if (*child >= last) break;
      words_[hole] = *child;
      hole = static_cast<std::size_t>(child - words_.begin());
    }
    words_[hole] = last;
    return least;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace mlmq::astar
