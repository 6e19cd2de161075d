// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/vector_clock.hpp"

namespace mlmq::backends::simulator {

void vector_clock::join(const vector_clock& other) {
  for (std::size_t i = 0; i < warps.size(); ++i) warps[i] = std::max(warps[i], other.warps[i]);
  for (const auto& [lane, when] : other.lanes) {
    if (warps[lane / simt::warp_size] < when) add(lane, when);
  }
  // Remove lanes whose accesses are already covered by their warp's entry.
  std::erase_if(lanes, [this](const auto& entry) { return warps[entry.first / simt::warp_size] >= entry.second; });
}

vector_clock_ref vector_clock_pool::make() {
  if (free_ == nullptr) {
    nodes_.push_back(std::make_unique<vector_clock_ref::node>());
    nodes_.back()->pool = this;
    return vector_clock_ref(nodes_.back().get());
  }
  vector_clock_ref::node* const node = free_;
  free_ = node->next;
  return vector_clock_ref(node);
}

void vector_clock_pool::join(vector_clock_ref& into, const vector_clock_ref& other) {
  if (!other || into == other) return;
  if (!into) {
    into = other;
    return;
  }
  if (!into.unique()) into = copy(*into);
  into.change().join(*other);
}

}  // namespace mlmq::backends::simulator
