// SPDX-License-Identifier: Apache-2.0
// Small queue: a splay tree by one thread, top-down (Sleator, Tarjan 1985; the paper's section 3.4). Insertion splits
// the tree around the new element on the way down, which becomes the root. Removal brings the least element to the
// root, takes it off, and brings the next least up, so that it is known.
//
// An operation follows a path of links: amortised O(log n), each step a dependent access that also writes. Insertions
// near the last used element are fast. Nodes come from an allocator: next fit, as in the paper, searches the nodes from
// the last allocated one; a free list takes one step.
#pragma once

#include "queues/small/small_queue.cuh"

namespace mlmq {

/// Allocator that searches the nodes. An unused node has no element; the search for one starts at the last node found
/// and wraps around.
struct allocator_next_fit {
  static constexpr bool is_list = false;
};
/// Allocator with a list of the freed nodes.
struct allocator_free_list {
  static constexpr bool is_list = true;
};

/// Memory: small_splay_shape; nodes are numbered from 1, link 0 leads nowhere. State: root, size, nodes that have ever
/// been used, and the allocator's word (the node found last, or the first free one).
/// @tparam Traits those of all small queues, with a group of one thread; allocator
template <class Traits, class Counters>
class small_splay : public small_queue<small_splay<Traits, Counters>, Traits, Counters> {
  using base = small_queue<small_splay<Traits, Counters>, Traits, Counters>;
  using base::size_, base::capacity_;
  static_assert(base::lanes == 1, "one thread owns a tree");

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

  static constexpr small_queue_shape shape(u32 capacity) {
    return small_splay_shape(capacity, static_cast<u32>(sizeof(element)));
  }

  SIMT_DEVICE small_splay(const small_queue_storage<element>& storage, u32 queue, group owner, void* /*scratch*/,
                          Counters& counters)
      : base(storage, queue, owner, counters) {
    root_ = base::load_state(0);
    size_ = base::load_state(1);
    touched_ = base::load_state(2);
    free_ = base::load_state(3);
    if (root_ != 0) splay_least();
  }

  SIMT_DEVICE void save() {
    base::store_state(0, root_);
    base::store_state(1, size_);
    base::store_state(2, touched_);
    base::store_state(3, free_);
  }

  SIMT_DEVICE void clear() { root_ = size_ = touched_ = free_ = 0, least_ = none; }
  SIMT_DEVICE element least() const { return least_; }

  SIMT_DEVICE bool insert(element e, bool enabled = true) {
    if (!enabled) return true;
    if (size_ == capacity_) return false;
    const u32 node = take_node();
    const links split = split_around(e);
    store_key(node, e);
    store_links(node, split);
    root_ = node;
    ++size_;
    if (e < least_) least_ = e;
    return true;
  }

  SIMT_DEVICE element remove_least(bool enabled = true) {
    if (!enabled || size_ == 0) return none;
    splay_least();
    const element removed = least_;
    const u32 node = root_;
    root_ = load_links(node).right;
    free_node(node);
    --size_;
    least_ = none;
    if (root_ != 0) splay_least();
    return removed;
  }

 private:
  struct links {
    u32 left;
    u32 right;
  };
  static constexpr u32 words = small_splay_words(static_cast<u32>(sizeof(element)));

  SIMT_DEVICE element load_key(u32 node) const { return base::load_place((node - 1) * words); }
  SIMT_DEVICE void store_key(u32 node, element e) { base::store_place((node - 1) * words, e); }
  SIMT_DEVICE links load_links(u32 node) const {
    const u32 place = (node - 1) * words + 1;
    if constexpr (sizeof(element) == sizeof(u64)) {
      const u64 packed = base::load_place(place);
      return {static_cast<u32>(packed), static_cast<u32>(packed >> 32)};
    } else {
      return {base::load_place(place), base::load_place(place + 1)};
    }
  }
  SIMT_DEVICE void store_links(u32 node, links new_links) {
    const u32 place = (node - 1) * words + 1;
    if constexpr (sizeof(element) == sizeof(u64)) {
      base::store_place(place, static_cast<u64>(new_links.right) << 32 | new_links.left);
    } else {
      base::store_place(place, new_links.left);
      base::store_place(place + 1, new_links.right);
    }
  }
  SIMT_DEVICE void set_left(u32 node, u32 child) { store_links(node, {child, load_links(node).right}); }
  SIMT_DEVICE void set_right(u32 node, u32 child) { store_links(node, {load_links(node).left, child}); }

  /// Splits the tree into elements up to e and elements above it. Both are splayed on the way. @return their roots
  SIMT_DEVICE links split_around(element e) {
    links trees = {0, 0};
    u32 left_end = 0;   // node of the left tree whose right link is open
    u32 right_end = 0;  // node of the right tree whose left link is open
    u32 node = root_;
    while (node != 0) {
      const bool above = is_above(node, e);
      links node_links = load_links(node);
      u32 child = above ? node_links.left : node_links.right;
      if (child != 0 && is_above(child, e) == above) {
        // Two steps to the same side: rotate, which halves the depth of the path.
        links child_links = load_links(child);
        (above ? node_links.left : node_links.right) = above ? child_links.right : child_links.left;
        store_links(node, node_links);
        (above ? child_links.right : child_links.left) = node;
        store_links(child, child_links);
        node = child;
        node_links = child_links;
        child = above ? node_links.left : node_links.right;
      }
      if (above) {
        if (right_end != 0)
          set_left(right_end, node);
        else
          trees.right = node;
        right_end = node;
      } else {
        if (left_end != 0)
          set_right(left_end, node);
        else
          trees.left = node;
        left_end = node;
      }
      node = child;
    }
    if (left_end != 0) set_right(left_end, 0);
    if (right_end != 0) set_left(right_end, 0);
    return trees;
  }
  SIMT_DEVICE bool is_above(u32 node, element e) {
    base::count_comparisons(1);
    return e < load_key(node);
  }

  /// Brings the least element to the root, like split_around() for an element that is less than all.
  SIMT_DEVICE void splay_least() {
    u32 right_tree = 0;
    u32 right_end = 0;
    u32 node = root_;
    links node_links = load_links(node);
    while (node_links.left != 0) {
      const u32 child = node_links.left;
      links child_links = load_links(child);
      node_links.left = child_links.right;
      store_links(node, node_links);
      child_links.right = node;
      if (child_links.left == 0) {
        node = child;
        node_links = child_links;
        break;
      }
      store_links(child, child_links);
      if (right_end != 0)
        set_left(right_end, child);
      else
        right_tree = child;
      right_end = child;
      node = child_links.left;
      node_links = load_links(node);
    }
    if (right_end != 0) {
      // The right subtree of the least node goes below the nodes that were passed.
      set_left(right_end, node_links.right);
      node_links.right = right_tree;
    }
    store_links(node, node_links);
    root_ = node;
    least_ = load_key(node);
  }

  /// Takes a free node, which must exist.
  SIMT_DEVICE u32 take_node() {
    if constexpr (Traits::allocator::is_list) {
      if (free_ == 0) return ++touched_;
      const u32 node = free_;
      free_ = load_links(node).left;
      return node;
    } else {
      for (u32 tried = 0; tried < capacity_; ++tried) {
        free_ = free_ == capacity_ ? 1 : free_ + 1;
        if (free_ > touched_) {
          touched_ = free_;
          break;
        }
        if (load_key(free_) == none) break;
      }
      return free_;
    }
  }
  SIMT_DEVICE void free_node(u32 node) {
    if constexpr (Traits::allocator::is_list) {
      store_links(node, {free_, 0});
      free_ = node;
    } else {
      store_key(node, none);
    }
  }

  u32 root_ = 0;
  u32 touched_ = 0;
  u32 free_ = 0;
  element least_ = none;
};

}  // namespace mlmq
