// SPDX-License-Identifier: Apache-2.0
// A double-ended queue on the host, and the policies by which a full queue makes room.
#pragma once

#include <algorithm>
#include <deque>

#include "queue_test.hpp"

namespace mlmq::tests {

using deque_model = std::deque<u64>;

inline elements take_front(deque_model& model, std::size_t most) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, model.size()));
  const elements taken(model.begin(), model.begin() + count);
  model.erase(model.begin(), model.begin() + count);
  return taken;
}

inline void put_back(deque_model& model, const elements& some) { model.insert(model.end(), some.begin(), some.end()); }
inline void put_front(deque_model& model, const elements& some) {
  model.insert(model.begin(), some.begin(), some.end());
}

/// Removes and returns the elements behind the first `keep`.
inline elements spill_back(deque_model& model, std::size_t keep) {
  const auto first = model.begin() + static_cast<std::ptrdiff_t>(std::min(keep, model.size()));
  const elements down(first, model.end());
  model.erase(first, model.end());
  return down;
}

/// Policy of a queue without enough room. `everything`: all elements are spilled. `worst`: the front half stays, or as
/// many elements as leave the required room.
enum class spill_policy { everything, worst };

inline elements make_room(deque_model& in, std::size_t capacity, std::size_t count, spill_policy policy) {
  if (in.size() + count <= capacity) return {};
  if (policy == spill_policy::everything) return take_front(in, in.size());
  const std::size_t keep = std::min(capacity / 2, capacity - count);
  return spill_back(in, keep);
}

}  // namespace mlmq::tests
