// SPDX-License-Identifier: Apache-2.0
// Vector clock: the accesses that happened before a lane's next operation. It has two parts, because all lanes of a
// warp synchronise with each other at every barrier and differ only between two barriers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/simt/types.cuh"

namespace mlmq::backends::simulator {

using epoch = std::uint32_t;        ///< time of a warp, which counts its barriers and releases; 0: never
using lane_number = std::uint32_t;  ///< number of a lane within the grid

struct vector_clock {
  /// Per warp of the grid: all accesses of its lanes up to this epoch are known.
  std::vector<epoch> warps;
  /// Additional knowledge about single lanes, sorted by number: all accesses of the lane up to this epoch are known.
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
  void join(const vector_clock& other);

 private:
  [[nodiscard]] std::vector<std::pair<lane_number, epoch>>::const_iterator find(lane_number lane) const {
    return std::lower_bound(lanes.begin(), lanes.end(), lane,
                            [](const auto& entry, lane_number number) { return entry.first < number; });
  }
};

class vector_clock_pool;

/// A reference-counted pointer. It is not shared between threads, so the count is a plain integer.
class vector_clock_ref {
 public:
  vector_clock_ref() = default;
  vector_clock_ref(const vector_clock_ref& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) ++node_->references;
  }
  vector_clock_ref(vector_clock_ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  vector_clock_ref& operator=(vector_clock_ref other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~vector_clock_ref() { reset(); }

  void reset() noexcept;
  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const vector_clock_ref& other) const { return node_ == other.node_; }
  const vector_clock& operator*() const { return node_->content; }
  const vector_clock* operator->() const { return &node_->content; }
  [[nodiscard]] bool unique() const { return node_->references == 1; }
  /// Returns the content for modification. May be called only if unique().
  [[nodiscard]] vector_clock& change() { return node_->content; }

 private:
  friend class vector_clock_pool;
  struct node {
    vector_clock content;
    std::uint32_t references = 0;
    vector_clock_pool* pool = nullptr;
    node* next = nullptr;
  };
  explicit vector_clock_ref(node* n) : node_(n) { ++node_->references; }
  node* node_ = nullptr;
};

/// Pool of vector clocks: reuses those that are no longer referenced, with their memory. Must outlive all references.
class vector_clock_pool {
 public:
  [[nodiscard]] vector_clock_ref make();
  [[nodiscard]] vector_clock_ref copy(const vector_clock& original) {
    vector_clock_ref result = make();
    result.node_->content = original;
    return result;
  }
  /// Joins `other` into `into`. An empty reference is an empty clock.
  void join(vector_clock_ref& into, const vector_clock_ref& other);

 private:
  friend class vector_clock_ref;
  std::vector<std::unique_ptr<vector_clock_ref::node>> nodes_;
  vector_clock_ref::node* free_ = nullptr;
};

inline void vector_clock_ref::reset() noexcept {
  if (node_ != nullptr && --node_->references == 0) {
    node_->next = node_->pool->free_;
    node_->pool->free_ = node_;
  }
  node_ = nullptr;
}

}  // namespace mlmq::backends::simulator
