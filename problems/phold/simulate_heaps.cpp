// SPDX-License-Identifier: Apache-2.0
// PHOLD with one thread and heaps.
#include <algorithm>
#include <functional>
#include <vector>

#include "problems/phold/simulation.hpp"

namespace mlmq::phold {
namespace {

constexpr std::uint64_t events_between_looks = 256;

/// A heap with four children per node: half as deep as a binary heap; the children share one or two cache lines.
template <class Item>
class four_heap {
 public:
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] const Item& least() const { return items_.front(); }

  void insert(Item item) {
    std::size_t hole = items_.size();
    items_.push_back(item);
    while (hole != 0) {
      const std::size_t above = (hole - 1) / 4;
      if (!(item < items_[above])) break;
      items_[hole] = items_[above];
      hole = above;
    }
    items_[hole] = item;
  }

  /// Replaces the least item, which is the most frequent operation.
  void replace_least(Item item) { sink(item); }

  void remove_least() {
    const Item last = items_.back();
    items_.pop_back();
    if (!items_.empty()) sink(last);
  }

 private:
  void sink(Item item) {
    const std::size_t size = items_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 4 * hole + 1) {
      std::size_t best = child;
      const std::size_t end = std::min(child + 4, size);
      for (std::size_t other = child + 1; other < end; ++other) {
        if (items_[other] < items_[best]) best = other;
      }
      if (!(items_[best] < item)) break;
      items_[hole] = items_[best];
      hole = best;
    }
    items_[hole] = item;
  }

  std::vector<Item> items_;
};

struct addressed_event {
  std::uint64_t event;
  std::uint32_t entity;
  bool operator<(const addressed_event& other) const { return event < other.event; }
};

}  // namespace

trace simulate_one_heap(const model_settings& settings, std::uint64_t end, cpu::stop_signal& stop) {
  const model m = model_of(settings);
  four_heap<addressed_event> queue;
  for (std::uint64_t i = 0; i < settings.population(); ++i) {
    const event_draw drawn = initial_draw(m, static_cast<u32>(i));
    queue.insert({initial_event(drawn), drawn.target});
  }
  std::vector<std::uint32_t> next_index(settings.entities, 0);
  trace executed;
  while (time_of(queue.least().event) < end) {
    const addressed_event first = queue.least();
    const event_draw drawn = draw(m, first.entity, next_index[first.entity]++);
    ++executed.events;
    executed.hash += hash_of(first.event, drawn);
    queue.replace_least({created_event(m, first.event, drawn), drawn.target});
    if (executed.events % events_between_looks == 0 && stop.poll()) return executed;
  }
  executed.finished = true;
  return executed;
}

trace simulate_heaps(const model_settings& settings, std::uint64_t end, cpu::stop_signal& stop) {
  const model m = model_of(settings);
  const auto entities = static_cast<std::uint32_t>(settings.entities);
  std::vector<four_heap<std::uint64_t>> queues(entities);
  std::vector<std::uint64_t> least(entities, no_event);
  const auto insert = [&](std::uint32_t entity, std::uint64_t event) {
    queues[entity].insert(event);
    least[entity] = queues[entity].least();
  };
  for (std::uint64_t i = 0; i < settings.population(); ++i) {
    const event_draw drawn = initial_draw(m, static_cast<u32>(i));
    insert(drawn.target, initial_event(drawn));
  }
  std::vector<std::uint32_t> next_index(entities, 0);
  trace executed;
  for (;;) {
    const std::uint64_t first = *std::min_element(least.begin(), least.end());
    if (time_of(first) >= end) break;
    const std::uint64_t bound = least_at(std::min<std::uint64_t>(time_of(first) + m.lookahead, end));
    ++executed.windows;
    for (std::uint32_t entity = 0; entity < entities; ++entity) {
      while (least[entity] < bound) {
        const std::uint64_t event = least[entity];
        queues[entity].remove_least();
        least[entity] = queues[entity].empty() ? no_event : queues[entity].least();
        const event_draw drawn = draw(m, entity, next_index[entity]++);
        ++executed.events;
        executed.hash += hash_of(event, drawn);
        // The created event is not before the bound, so it belongs to a later window.
        insert(drawn.target, created_event(m, event, drawn));
      }
      if (entity % events_between_looks == 0 && stop.poll()) return executed;
    }
  }
  executed.finished = true;
  return executed;
}

}  // namespace mlmq::phold
