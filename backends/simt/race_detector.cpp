// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/race_detector.hpp"

#include <algorithm>
#include <utility>

namespace mlmq::backends::simulator {
namespace {

constexpr std::uint32_t several = 1u << 28;

/// Returns the mask of the bytes of a word that an access covers.
constexpr std::uint32_t mask_of(std::uint64_t offset, std::uint32_t bytes) {
  return bytes >= 4 ? 15u : ((1u << bytes) - 1u) << (offset & 3);
}

}  // namespace

race_detector::race_detector(std::size_t address_bytes) : table_(address_bytes), read_sets_(1), syncs_(1) {}

void race_detector::begin_launch(std::uint32_t warps, std::uint32_t warps_per_block, std::uint32_t warps_per_cluster) {
  ++launch_;  // words of earlier launches are recognised as outdated by this number
  warps_per_block_ = warps_per_block;
  warps_per_cluster_ = warps_per_cluster;
  clusters_.resize(warps / warps_per_cluster);
  for (cluster_state& c : clusters_) {
    c.arriving.reset(warps);
    c.after_barrier.reset(warps);
  }
  block_begin_ = 0;
  block_begins_.assign(1, 0);
  earlier_blocks_.reset();
  for (std::size_t i = 1; i < syncs_used_; ++i) syncs_[i] = {};
  syncs_used_ = 1;
  read_sets_used_ = 1;
  warps_.resize(warps);
  for (warp_state& w : warps_) {
    w.common.reset(warps);
    w.now = 1;
    w.learned = 0;
  }
  lanes_.assign(std::size_t{warps} * simt::warp_size, {});
  sites_.assign(1, {});
  site_slots_.fill({});
}

void race_detector::begin_block() {
  for (const warp_state& w : warps_) block_begin_ = std::max(block_begin_, w.now + 1);
  block_begins_.push_back(block_begin_);
  earlier_blocks_.reset();
  for (warp_state& w : warps_) {
    w.common.reset(warps_.size());
    w.now = block_begin_;
    w.learned = 0;
  }
  lanes_.assign(lanes_.size(), {});
}

std::uint64_t race_detector::block_of_time(epoch time) const {
  const auto next = std::upper_bound(block_begins_.begin(), block_begins_.end(), time);
  return static_cast<std::uint64_t>(next - block_begins_.begin()) - 1;
}

void race_detector::forget_accesses(std::uint64_t offset, std::size_t bytes) noexcept {
  for (std::uint64_t chunk_begin = offset / chunk_bytes * chunk_bytes; chunk_begin < offset + bytes;
       chunk_begin += chunk_bytes) {
    if (chunk* const c = table_.page(chunk_begin); c != nullptr) c->words.fill({});
  }
}

void race_detector::forget(std::uint64_t offset, std::size_t bytes) noexcept {
  for (std::uint64_t chunk_begin = offset / chunk_bytes * chunk_bytes; chunk_begin < offset + bytes;
       chunk_begin += chunk_bytes) {
    chunk*& c = table_.page(chunk_begin);
    if (c != nullptr) spare_chunks_.push_back(c);
    c = nullptr;
  }
}

race_detector::chunk* race_detector::make_chunk() {
  if (spare_chunks_.empty()) {
    chunks_.push_back(std::make_unique<chunk>());
    spare_chunks_.reserve(chunks_.size());
    return chunks_.back().get();
  }
  chunk* const c = spare_chunks_.back();
  spare_chunks_.pop_back();
  return c;
}

inline race_detector::word& race_detector::touch(std::uint64_t offset) {
  chunk*& c = table_.page(offset);
  if (c == nullptr) c = make_chunk();
  word& w = c->words[offset % chunk_bytes / 4];
  if (w.launch != launch_) {
    w = {};
    w.launch = launch_;
  }
  return w;
}

const race_detector::published& race_detector::published_at(std::uint64_t offset) { return syncs_[touch(offset).sync]; }

race_detector::stamp race_detector::last_update(std::uint64_t offset) {
  const entry& update = touch(offset).atomic_write;
  return {lane_of(update.lane_and_bytes), update.time};
}

std::uint32_t race_detector::intern(call_site site) {
  const std::size_t hash = (reinterpret_cast<std::uintptr_t>(site.file) >> 3) * 31 + site.line;
  site_slot& slot = site_slots_[hash % site_slots_.size()];
  if (slot.site.file != site.file || slot.site.line != site.line) {
    // Sites that share a slot get new numbers on each collision. This wastes numbers but does not change results.
    slot = {site, static_cast<std::uint32_t>(sites_.size())};
    sites_.push_back(site);
  }
  return slot.id;
}

inline bool race_detector::ordered(lane_number me, const entry& earlier) const {
  const lane_number lane = lane_of(earlier.lane_and_bytes);
  if (earlier.time < block_begin_) return earlier_blocks_ && earlier_blocks_->knows(lane, earlier.time);
  const warp_state& mine = warps_[me / simt::warp_size];
  if ((earlier.lane_and_bytes & several) != 0) {
    if (mine.common.knows_warp(lane / simt::warp_size, earlier.time)) return true;
    return lanes_[me].learned && lanes_[me].learned->knows_warp(lane / simt::warp_size, earlier.time);
  }
  return happened_before({lane, earlier.time}, me);
}

inline bool race_detector::collides(lane_number me, const entry& earlier, std::uint32_t bytes_mask) const {
  return earlier.time != 0 && (earlier.lane_and_bytes >> 24 & bytes_mask) != 0 && !ordered(me, earlier);
}

const race_detector::conflict* race_detector::report(access kind, const entry& earlier) {
  conflict_ = {kind, lane_of(earlier.lane_and_bytes), (earlier.lane_and_bytes & several) != 0, sites_[earlier.site],
               block_of_time(earlier.time)};
  return &conflict_;
}

const race_detector::conflict* race_detector::report_readonly(const word& w) {
  conflict_ = {access::readonly_load, 0, true, sites_[w.readonly_site]};
  return &conflict_;
}

inline race_detector::entry race_detector::make_entry(lane_number me, std::uint32_t mask, std::uint32_t site) const {
  return {me | mask << 24, warps_[me / simt::warp_size].now, site};
}

const race_detector::conflict* race_detector::check_readers(lane_number me, const word& w, std::uint32_t mask) {
  if (w.readonly_site != 0) return report_readonly(w);
  if (collides(me, w.read, mask)) return report(access::plain_load, w.read);
  if (w.read_set == 0) return nullptr;
  for (const entry& e : read_sets_[w.read_set]) {
    if (collides(me, e, mask)) return report(access::plain_load, e);
  }
  return nullptr;
}

// Keeps only reads that no later read is ordered after: a write that is ordered after a later read is also ordered
// after the earlier one.
void race_detector::remember_read(lane_number me, word& w, const entry& read) {
  const auto absorb = [&](entry& old) {
    if (old.time == 0 || ordered(me, old)) {
      const std::uint32_t bytes =
          old.time != 0 && lane_of(old.lane_and_bytes) == me ? old.lane_and_bytes & 15u << 24 : 0u;
      old = read;
      old.lane_and_bytes |= bytes;
      return true;
    }
    if (old.time < block_begin_ || lane_of(old.lane_and_bytes) / simt::warp_size != me / simt::warp_size) return false;
    old.lane_and_bytes |= several | (read.lane_and_bytes & 15u << 24);
    old.time = read.time;
    return true;
  };
  if (w.read_set == 0) {
    if (absorb(w.read)) return;
    if (read_sets_used_ == read_sets_.size()) read_sets_.emplace_back();
    w.read_set = static_cast<std::uint32_t>(read_sets_used_++);
    read_sets_[w.read_set].clear();
  } else if (w.read.time >= block_begin_ && lane_of(w.read.lane_and_bytes) / simt::warp_size == me / simt::warp_size) {
    absorb(w.read);
    return;
  }
  std::vector<entry>& set = read_sets_[w.read_set];
  // One read of earlier blocks is enough.
  if (w.read.time < block_begin_) {
    std::erase_if(set, [this](const entry& old) { return old.time < block_begin_; });
  }
  for (entry& old : set) {
    if (absorb(old)) return;
  }
  set.push_back(read);
}

const race_detector::conflict* race_detector::load(lane_number me, std::uint64_t offset, std::uint32_t bytes,
                                                   call_site site) {
  const std::uint32_t id = intern(site);
  const std::uint32_t mask = mask_of(offset, bytes);
  const entry read = make_entry(me, mask, id);
  for (std::uint64_t position = offset; position < offset + bytes; position += 4) {
    word& w = touch(position);
    if (collides(me, w.write, mask)) return report(access::plain_store, w.write);
    if (collides(me, w.atomic_write, mask)) return report(access::atomic_update, w.atomic_write);
    remember_read(me, w, read);
  }
  return nullptr;
}

const race_detector::conflict* race_detector::load_readonly(std::uint64_t offset, std::uint32_t bytes, call_site site) {
  const std::uint32_t id = intern(site);
  for (std::uint64_t position = offset; position < offset + bytes; position += 4) {
    word& w = touch(position);
    if (w.write.time != 0) return report(access::plain_store, w.write);
    if (w.atomic_write.time != 0) return report(access::atomic_update, w.atomic_write);
    if (w.readonly_site == 0) w.readonly_site = id;
  }
  return nullptr;
}

const race_detector::conflict* race_detector::store(lane_number me, std::uint64_t offset, std::uint32_t bytes,
                                                    call_site site) {
  const std::uint32_t id = intern(site);
  const std::uint32_t mask = mask_of(offset, bytes);
  const entry write = make_entry(me, mask, id);
  for (std::uint64_t position = offset; position < offset + bytes; position += 4) {
    word& w = touch(position);
    if (collides(me, w.write, mask)) return report(access::plain_store, w.write);
    if (collides(me, w.atomic_write, mask)) return report(access::atomic_update, w.atomic_write);
    if (collides(me, w.atomic_read, mask)) return report(access::atomic_load, w.atomic_read);
    if (const conflict* const reader = check_readers(me, w, mask)) return reader;
    // Do not merge with bytes that this lane wrote before a barrier, because another lane may write those bytes now.
    if (w.write.time == write.time && lane_of(w.write.lane_and_bytes) == me) {
      const std::uint32_t before = w.write.lane_and_bytes & 15u << 24;
      w.write = write;
      w.write.lane_and_bytes |= before;
    } else {
      w.write = write;
    }
    if (mask == 15) {
      // All recorded accesses are ordered before this write.
      w.read = w.atomic_read = w.atomic_write = {};
      w.read_set = 0;
    }
    if (w.sync != 0) syncs_[w.sync] = {};
  }
  return nullptr;
}

const race_detector::conflict* race_detector::atomic(lane_number me, std::uint64_t offset, std::uint32_t bytes,
                                                     atomic_access operation, call_site site, const published* source) {
  // Acquire first, because a release that this operation reads from happens before the operation itself.
  if (operation.reads) {
    if (source == nullptr) {
      const word& first = touch(offset);
      if (first.sync != 0) source = &syncs_[first.sync];
    }
    if (source != nullptr) acquire(me, *source, operation.acquires);
    if (const entry last = touch(offset).atomic_write; last.time < block_begin_ && earlier_blocks_) {
      // The operation that was read is ordered too, so the last block may reset a counter of blocks.
      if (!earlier_blocks_.unique()) earlier_blocks_ = pool_.copy(*earlier_blocks_);
      earlier_blocks_.change().add(lane_of(last.lane_and_bytes), last.time);
    }
  }
  const entry now = make_entry(me, 15, intern(site));
  for (std::uint64_t position = offset; position < offset + bytes; position += 4) {
    word& w = touch(position);
    if (collides(me, w.write, 15)) return report(access::plain_store, w.write);
    if (operation.writes) {
      if (const conflict* const reader = check_readers(me, w, 15)) return reader;
      w.atomic_write = now;
    } else {
      w.atomic_read = now;
    }
  }
  if (operation.writes) publish(me, touch(offset), operation);
  return nullptr;
}

vector_clock_ref race_detector::snapshot(lane_number me) {
  warp_state& warp = warps_[me / simt::warp_size];
  vector_clock_ref clock = pool_.copy(warp.common);
  if (lanes_[me].learned) clock.change().join(*lanes_[me].learned);
  clock.change().add(me, warp.now);
  // Later accesses of this warp are not covered by the published clock.
  ++warp.now;
  return clock;
}

void race_detector::learn(lane_number me, const vector_clock_ref& clock) {
  if (!clock) return;
  pool_.join(lanes_[me].learned, clock);
  warps_[me / simt::warp_size].learned |= 1u << me % simt::warp_size;
}

void race_detector::acquire(lane_number me, const published& source, bool at_once) {
  // Blocks that run one after the other: an atomic operation is enough, with or without a fence after it.
  if (block_begin_ != 0) pool_.join(earlier_blocks_, source.everyone);
  const std::uint32_t block = block_of(me);
  const bool same_block = source.block_only && source.block == block;
  if (at_once) {
    learn(me, source.everyone);
    if (same_block) learn(me, source.block_only);
    return;
  }
  lane_state& mine = lanes_[me];
  pool_.join(source.everyone_block == block ? mine.pending_block : mine.pending_other, source.everyone);
  if (same_block) pool_.join(mine.pending_block, source.block_only);
}

// A write starts a new release sequence; a read-modify-write continues the old one, so that its readers synchronise
// with both.
void race_detector::publish(lane_number me, word& w, const atomic_access& operation) {
  const lane_state& mine = lanes_[me];
  vector_clock_ref everyone;
  vector_clock_ref block_only;
  if (operation.releases) {
    everyone = snapshot(me);
  } else if (operation.shared) {
    everyone = mine.fence_any;
  } else {
    everyone = mine.fence_device;
    if (!(mine.fence_any == mine.fence_device)) block_only = mine.fence_any;
  }
  const bool nothing = !everyone && !block_only;
  if (!operation.reads && w.sync != 0) syncs_[w.sync] = {};
  if (nothing) return;
  if (w.sync == 0) {
    if (syncs_used_ == syncs_.size()) syncs_.emplace_back();
    w.sync = static_cast<std::uint32_t>(syncs_used_++);
  }
  published& record = syncs_[w.sync];
  const std::uint32_t block = block_of(me);
  if (everyone) {
    record.everyone_block = record.everyone && record.everyone_block != block ? mixed_blocks : block;
    pool_.join(record.everyone, everyone);
  }
  if (block_only) {
    if (record.block != block) record.block_only.reset();
    record.block = block;
    pool_.join(record.block_only, block_only);
  }
}

void race_detector::fence(lane_number me, simt::order order, simt::scope scope) {
  lane_state& mine = lanes_[me];
  if (order == simt::order::acquire || order == simt::order::acq_rel) {
    learn(me, mine.pending_block);
    mine.pending_block.reset();
    if (scope != simt::scope::block) {
      learn(me, mine.pending_other);
      mine.pending_other.reset();
    }
  }
  if (order == simt::order::release || order == simt::order::acq_rel) {
    mine.fence_any = snapshot(me);
    if (scope != simt::scope::block) mine.fence_device = mine.fence_any;
  }
}

void race_detector::warp_barrier(std::uint32_t warp) {
  warp_state& w = warps_[warp];
  const vector_clock* last = nullptr;
  for (std::uint32_t remaining = w.learned; remaining != 0; remaining &= remaining - 1) {
    vector_clock_ref& learned =
        lanes_[warp * simt::warp_size + static_cast<std::uint32_t>(__builtin_ctz(remaining))].learned;
    if (&*learned != last) w.common.join(*learned);
    last = &*learned;
    learned.reset();
  }
  w.learned = 0;
  w.common.warps[warp] = w.now++;
}

void race_detector::block_barrier(std::uint32_t block) {
  const std::uint32_t first = block * warps_per_block_;
  for (std::uint32_t w = first; w < first + warps_per_block_; ++w) warp_barrier(w);
  for (std::uint32_t w = first + 1; w < first + warps_per_block_; ++w) warps_[first].common.join(warps_[w].common);
  for (std::uint32_t w = first + 1; w < first + warps_per_block_; ++w) warps_[w].common = warps_[first].common;
}

void race_detector::cluster_arrival(std::uint32_t warp) {
  warp_barrier(warp);
  clusters_[warp / warps_per_cluster_].arriving.join(warps_[warp].common);
}

void race_detector::cluster_meeting(std::uint32_t cluster) {
  // No warp arrives twice before all have waited, so every warp has already read the clock that is replaced here.
  std::swap(clusters_[cluster].after_barrier, clusters_[cluster].arriving);
  clusters_[cluster].arriving.reset(warps_.size());
}

void race_detector::cluster_wait(std::uint32_t warp) {
  warp_barrier(warp);
  warps_[warp].common.join(clusters_[warp / warps_per_cluster_].after_barrier);
}

}  // namespace mlmq::backends::simulator
