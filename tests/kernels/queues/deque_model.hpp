// SPDX-License-Identifier: Apache-2.0
// A double-ended queue on the host, with the ways in which a full one makes room.
#pragma once

#include <algorithm>
#include <deque>

#include "queue_test.hpp"

namespace mlmq::tests {

using deque_model = std::deque<u64>;

inline elements take_front(deque_model& from, std::size_t most) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, from.size()));
  const elements taken(from.begin(), from.begin() + count);
  from.erase(from.begin(), from.begin() + count);
  return taken;
}

inline void put_back(deque_model& to, const elements& some) { to.insert(to.end(), some.begin(), some.end()); }
inline void put_front(deque_model& to, const elements& some) { to.insert(to.begin(), some.begin(), some.end()); }

/// What is behind the first `keep`.
inline elements spill_back(deque_model& from, std::size_t keep) {
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(std::min(keep, from.size()));
  const elements down(first, from.end());
  from.erase(first, from.end());
  return down;
}

/// `spill_everything`: a queue that is too full becomes empty. `spill_worst`: it keeps the front half, or as many as
/// leave room.
enum class spill_policy { everything, worst };

inline elements make_room(deque_model& in, std::size_t capacity, std::size_t count, spill_policy policy) {
  if (in.size() + count <= capacity) return {};
  if (policy == spill_policy::everything) return take_front(in, in.size());
  const std::size_t keep = std::min(capacity / 2, capacity - count);
  return spill_back(in, keep);
}

}  // namespace mlmq::tests
