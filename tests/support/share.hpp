// SPDX-License-Identifier: Apache-2.0
// The longest lists of cases are run in shares: scripts/test runs one share, another one after every commit.
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

/// Of all cases those whose number is `which` modulo `of`.
struct test_share {
  std::uint64_t which = 0;
  std::uint64_t of = 1;

  /// @param text "1/3"
  /// @throws std::invalid_argument for anything else
  static test_share from(std::string_view text) {
    test_share share;
    const char* const end = text.data() + text.size();
    const auto [slash, failure] = std::from_chars(text.data(), end, share.which);
    if (failure != std::errc() || slash == end || *slash != '/') throw std::invalid_argument("MLMQ_TEST_SHARE");
    const auto [rest, second_failure] = std::from_chars(slash + 1, end, share.of);
    if (second_failure != std::errc() || rest != end || share.which >= share.of) {
      throw std::invalid_argument("MLMQ_TEST_SHARE");
    }
    return share;
  }
  /// $MLMQ_TEST_SHARE; all cases when it is not set.
  static test_share of_this_run() {
    const char* const text = std::getenv("MLMQ_TEST_SHARE");
    return text == nullptr ? test_share() : from(text);
  }

  [[nodiscard]] bool has(std::uint64_t number) const { return number % of == which; }
};

[[nodiscard]] inline bool in_share(std::uint64_t number) { return test_share::of_this_run().has(number); }

/// The cases of this run, at least one; the shares of all runs together are `all`.
template <class T>
[[nodiscard]] std::vector<T> share_of(std::vector<T> all, test_share share = test_share::of_this_run()) {
  share.of = std::min<std::uint64_t>(share.of, std::max<std::size_t>(all.size(), 1));
  share.which %= share.of;
  std::vector<T> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (share.has(i)) chosen.push_back(std::move(all[i]));
  }
  return chosen;
}

}  // namespace mlmq::tests
