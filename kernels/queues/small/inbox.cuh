// SPDX-License-Identifier: Apache-2.0
// Elements on their way to a small queue: any thread of the grid appends, the owner of the queue takes them out later.
//
// Appending takes a position with one atomic and writes the element there. A barrier of the grid or the end of a launch
// must separate all appends from the owner emptying the inbox, and the emptying from later appends; if the latter is
// not possible, use two inboxes alternately.
#pragma once

#include "queues/small/group.cuh"
#include "queues/small/layout.cuh"
#include "queues/small/storage.cuh"

namespace mlmq {

/// @tparam Element u32 or u64
/// @tparam Group of the owner
/// @tparam Layout of the slots (layout.cuh)
template <class Element, class Group, class Layout>
class inbox {
 public:
  using element = Element;

  /// Called by any thread, for itself. @return false if the inbox is full and the element is not in it
  SIMT_DEVICE static bool append(const inbox_storage<element>& storage, u32 queue, element e) {
    const u32 position = simt::atomic_add<simt::order::relaxed, simt::scope::device>(storage.counts + queue, 1u);
    if (position >= storage.capacity) return false;
    simt::store_atomic<simt::order::relaxed, simt::scope::device>(slot(storage, queue, position), e);
    return true;
  }

  /// Returns the number of elements that wait for the owner. If it is the capacity, more may have been appended and
  /// refused.
  SIMT_DEVICE static u32 size(const inbox_storage<element>& storage, u32 queue) {
    const u32 count = simt::load_atomic<simt::order::relaxed, simt::scope::device>(storage.counts + queue);
    return count < storage.capacity ? count : storage.capacity;
  }

  /// Collective of the owner's group: inserts all waiting elements into `queue`, which has the number `number`, and
  /// empties the inbox. @return false if some did not fit into the queue
  template <class Queue>
  SIMT_DEVICE static bool empty_into(const inbox_storage<element>& storage, u32 number, Queue& queue, Group owner,
                                     bool enabled = true) {
    const u32 count = enabled ? size(storage, number) : 0;
    bool fits = true;
    for (u32 done = 0; owner.any_in_step(done < count); done += Group::size) {
      const u32 position = done + owner.rank();
      const bool has_element = position < count;
      element e = no_element<element>;
      if (has_element)
        e = simt::load_atomic<simt::order::relaxed, simt::scope::device>(slot(storage, number, position));
      if (!queue.insert_many(e, has_element)) fits = false;
    }
    // Every lane has read the count before one clears it.
    owner.sync();
    if (count != 0 && owner.rank() == 0) {
      simt::store_atomic<simt::order::relaxed, simt::scope::device>(storage.counts + number, 0u);
    }
    return fits;
  }

 private:
  SIMT_DEVICE static element* slot(const inbox_storage<element>& storage, u32 queue, u32 position) {
    return storage.elements + Layout::template first<Group::size>(queue, storage.capacity) +
           Layout::template offset<Group::size>(position);
  }
};

}  // namespace mlmq
