// SPDX-License-Identifier: Apache-2.0
// What a lane knows to have happened before: a vector clock in two parts, because all lanes of a warp learn everything
// of each other at every barrier, and only between two barriers do they differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/simt/types.cuh"

namespace mlmq::backends::simulator {

using epoch = std::uint32_t;        ///< of a warp; counts its barriers and releases; 0: never
using lane_number = std::uint32_t;  ///< within the grid

struct knowledge {
  /// Per warp of the grid: accesses by any of its lanes up to this epoch are known.
  std::vector<epoch> warps;
  /// In addition, single lanes, sorted by number: accesses of the lane up to the epoch are known.
  std::vector<std::pair<lane_number, epoch>> lanes;

  void reset(std::size_t warp_count) {
    warps.assign(warp_count, 0);
    lanes.clear();
  }
  [[nodiscard]] bool knows_warp(std::uint32_t warp, epoch time) const { return warps[warp] >= time; }
  [[nodiscard]] bool knows(lane_number lane, epoch time) const {
    if (warps[lane / simt::warp_size] >= time) return true;
    if (lanes.empty()) return false;
    const auto entry = find(lane);
    return entry != lanes.end() && entry->first == lane && entry->second >= time;
  }
  void add(lane_number lane, epoch time) {
    const auto entry = find(lane);
    if (entry != lanes.end() && entry->first == lane) {
      lanes[static_cast<std::size_t>(entry - lanes.begin())].second = std::max(entry->second, time);
    } else {
      lanes.insert(entry, {lane, time});
    }
  }
  void join(const knowledge& other);

 private:
  [[nodiscard]] std::vector<std::pair<lane_number, epoch>>::const_iterator find(lane_number lane) const {
    return std::lower_bound(lanes.begin(), lanes.end(), lane,
                            [](const auto& entry, lane_number number) { return entry.first < number; });
  }
};

class knowledge_pool;

/// A counted reference. Not shared between threads, so the count is a plain number.
class knowledge_ref {
 public:
  knowledge_ref() = default;
  knowledge_ref(const knowledge_ref& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) ++node_->references;
  }
  knowledge_ref(knowledge_ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  knowledge_ref& operator=(knowledge_ref other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~knowledge_ref() { reset(); }

  void reset() noexcept;
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const knowledge_ref& other) const { return node_ == other.node_; }
  const knowledge& operator*() const { return node_->content; }
  const knowledge* operator->() const { return &node_->content; }
  [[nodiscard]] bool unique() const { return node_->references == 1; }
  /// Only while unique().
  [[nodiscard]] knowledge& change() { return node_->content; }

 private:
  friend class knowledge_pool;
  struct node {
    knowledge content;
    std::uint32_t references = 0;
    knowledge_pool* pool = nullptr;
    node* next = nullptr;
  };
  explicit knowledge_ref(node* n) : node_(n) { ++node_->references; }
  node* node_ = nullptr;
};

/// Keeps what is no longer referenced for the next use, with its memory. Outlives all references.
class knowledge_pool {
 public:
  [[nodiscard]] knowledge_ref make();
  [[nodiscard]] knowledge_ref copy(const knowledge& original) {
    knowledge_ref result = make();
    result.node_->content = original;
    return result;
  }
  /// `into` becomes what either knows. Nothing known is an empty reference.
  void join(knowledge_ref& into, const knowledge_ref& other);

 private:
  friend class knowledge_ref;
  std::vector<std::unique_ptr<knowledge_ref::node>> nodes_;
  knowledge_ref::node* free_ = nullptr;
};

inline void knowledge_ref::reset() noexcept {
  if (node_ != nullptr && --node_->references == 0) {
    node_->next = node_->pool->free_;
    node_->pool->free_ = node_;
  }
  node_ = nullptr;
}

}  // namespace mlmq::backends::simulator
