// SPDX-License-Identifier: Apache-2.0
// The longest lists of cases are split into shares: scripts/test runs one share, and another share after each commit.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace mlmq::tests {

/// The cases whose number modulo `count` is `index`.
struct test_share {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  /// @param text "1/3"
  /// @throws std::invalid_argument for any other format
  static test_share parse(std::string_view text) {
    test_share share;
    const char* const end = text.data() + text.size();
    const auto [slash, failure] = std::from_chars(text.data(), end, share.index);
    if (failure != std::errc() || slash == end || *slash != '/') throw std::invalid_argument("MLMQ_TEST_SHARE");
    const auto [rest, second_failure] = std::from_chars(slash + 1, end, share.count);
    if (second_failure != std::errc() || rest != end || share.index >= share.count) {
      throw std::invalid_argument("MLMQ_TEST_SHARE");
    }
    return share;
  }
  /// Returns the share in $MLMQ_TEST_SHARE, or all cases if it is not set.
  static test_share of_this_run() {
    const char* const text = std::getenv("MLMQ_TEST_SHARE");
    return text == nullptr ? test_share() : parse(text);
  }

  [[nodiscard]] bool has(std::uint64_t number) const { return number % count == index; }
};

[[nodiscard]] inline bool in_share(std::uint64_t number) { return test_share::of_this_run().has(number); }

/// Returns the cases of this run, at least one. The shares of all runs together are `cases`.
template <class T>
[[nodiscard]] std::vector<T> share_of(std::vector<T> cases, test_share share = test_share::of_this_run()) {
  share.count = std::min<std::uint64_t>(share.count, std::max<std::size_t>(cases.size(), 1));
  share.index %= share.count;
  std::vector<T> chosen;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (share.has(i)) chosen.push_back(std::move(cases[i]));
  }
  return chosen;
}

}  // namespace mlmq::tests
