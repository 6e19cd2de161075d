// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/knowledge.hpp"

namespace mlmq::backends::simulator {

void knowledge::join(const knowledge& other) {
  for (std::size_t i = 0; i < warps.size(); ++i) warps[i] = std::max(warps[i], other.warps[i]);
  for (const auto& [lane, when] : other.lanes) {
    if (warps[lane / simt::warp_size] < when) add(lane, when);
  }
  // A lane says nothing new once its warp is known as far.
  std::erase_if(lanes, [this](const auto& entry) { return warps[entry.first / simt::warp_size] >= entry.second; });
}

knowledge_ref knowledge_pool::make() {
  if (free_ == nullptr) {
    nodes_.push_back(std::make_unique<knowledge_ref::node>());
    nodes_.back()->pool = this;
    return knowledge_ref(nodes_.back().get());
  }
  knowledge_ref::node* const node = free_;
  free_ = node->next;
  return knowledge_ref(node);
}

void knowledge_pool::join(knowledge_ref& into, const knowledge_ref& other) {
  if (!other || into == other) return;
  if (!into) {
    into = other;
    return;
  }
  if (!into.unique()) into = copy(*into);
  into.change().join(*other);
}

}  // namespace mlmq::backends::simulator
