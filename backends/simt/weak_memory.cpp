// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/weak_memory.hpp"

#include <algorithm>

namespace mlmq::backends::simulator {

void weak_memory::begin_launch(std::uint64_t seed) {
  histories_.clear();
  unused_ = none;
  buckets_.fill(none);
  random_ = fast_stream(seed ^ 0x77EA4D0CA1F3B925ull);
  stores_ = 0;
  key_ = std::uint64_t{random_.next()} << 32 | random_.next();
  // Share of slow words in eighths: none, few, half or most.
  constexpr std::array<std::uint64_t, 8> slow_eighths = {0, 1, 2, 4, 4, 4, 6, 7};
  constexpr std::array<std::uint32_t, 4> late_warps = {64, 128, 192, 240};
  slow_words_ = slow_eighths[random_.below(slow_eighths.size())] << 29;
  late_warps_ = late_warps[random_.below(late_warps.size())];
  delay_ = longest_delay_ >> random_.below(4);
}

bool weak_memory::happened_before(const past_store& past, lane_number me) const {
  if (clocks_.happened_before(past.writer, me)) return true;
  return std::any_of(past.readers.begin(), past.readers.end(),
                     [&](const race_detector::stamp& reader) { return clocks_.happened_before(reader, me); });
}

void weak_memory::note_reader(past_store& past, lane_number me) {
  if (past.readers.size() < most_readers) {
    past.readers.push_back(clocks_.now(me));
  } else {
    past.visible_from = 0;
  }
}

weak_memory::history* weak_memory::find(const word& key, std::uint64_t newest, ticks now) {
  history* match = nullptr;
  for (std::uint32_t* link = &buckets_[bucket_of(key.offset)]; *link != none;) {
    const std::uint32_t index = *link;
    history& h = histories_[index];
    std::size_t visible = h.stores.size() - 1;
    while (visible != 0 && h.stores[visible].visible_from > now) --visible;
    const bool is_it = h.offset == key.offset && h.bytes == key.bytes;
    const bool overlaps = !is_it && h.offset < key.offset + key.bytes && key.offset < h.offset + h.bytes;
    // A plain store comes after all stores in the history, and a store by the host is visible immediately.
    const bool overwritten = is_it && h.stores.back().value != newest;
    if (visible + 1 == h.stores.size() || overlaps || overwritten) {
      *link = h.next;
      h.stores.clear();
      h.next = unused_;
      unused_ = index;
      continue;
    }
    if (visible != 0) h.stores.erase(h.stores.begin(), h.stores.begin() + static_cast<std::ptrdiff_t>(visible));
    if (is_it) match = &h;
    link = &h.next;
  }
  return match;
}

weak_memory::history& weak_memory::add(const word& key) {
  std::uint32_t index = unused_;
  if (index == none) {
    index = static_cast<std::uint32_t>(histories_.size());
    histories_.emplace_back();
  } else {
    unused_ = histories_[index].next;
  }
  history& h = histories_[index];
  std::uint32_t& bucket = buckets_[bucket_of(key.offset)];
  h.offset = key.offset;
  h.bytes = key.bytes;
  h.next = bucket;
  bucket = index;
  return h;
}

bool weak_memory::reached(const past_store& past, const actor& me) const {
  fast_stream drawn(mix64(key_ + past.number + golden_step) + me.lane / simt::warp_size);
  if ((drawn.next() >> 24) >= late_warps_) return true;
  return past.written_at + drawn.below(static_cast<std::uint32_t>(past.visible_from - past.written_at)) <= me.now;
}

bool weak_memory::choose(const actor& me, const word& key, std::uint64_t newest, load_result& seen) {
  history* const h = find(key, newest, me.now);
  if (h == nullptr) return false;
  for (std::size_t i = h->stores.size() - 1;; --i) {
    past_store& past = h->stores[i];
    const bool is_known = i == 0 || happened_before(past, me.lane);
    if (!is_known && !reached(past, me)) continue;
    if (!is_known) note_reader(past, me.lane);
    seen = {past.value, &past.publication};
    return true;
  }
}

void weak_memory::store(const word& key, std::uint64_t before, const race_detector::published& before_by,
                        std::uint64_t value, ticks now) {
  history* h = find(key, before, now);
  if (h == nullptr) {
    h = &add(key);
    h->stores.push_back({.value = before, .publication = before_by});
  }
  if (h->stores.size() == longest_history) h->stores.erase(h->stores.begin());
  h->stores.push_back({.value = value,
                       .writer = clocks_.last_update(key.offset),
                       .number = ++stores_,
                       .written_at = now,
                       .visible_from = now + std::max<ticks>(delay_ >> random_.below(4), 1),
                       .publication = clocks_.published_at(key.offset),
                       .readers = {}});
}

}  // namespace mlmq::backends::simulator
