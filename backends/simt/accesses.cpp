// SPDX-License-Identifier: Apache-2.0
// Memory accesses, fences and time. If an operation is visible to other lanes, those with earlier clocks run first. It
// is then checked and performed at the lane's current clock, and its cost is added afterwards.
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "backends/simt/engine.hpp"

namespace mlmq::backends::simulator {
namespace {

using simt::order;
using simt::scope;
using simt::simulator::atomic_code;
using simt::simulator::atomic_operation;
using simt::simulator::plain_atomic;

constexpr bool acquires(order o) { return o == order::acquire || o == order::acq_rel; }
constexpr bool releases(order o) { return o == order::release || o == order::acq_rel; }

const char* name_of(atomic_operation operation) {
  switch (operation) {
    case atomic_operation::load:
      return "atomic load";
    case atomic_operation::store:
      return "atomic store";
    case atomic_operation::add:
      return "atomic_add";
    case atomic_operation::min:
      return "atomic_min";
    case atomic_operation::bit_or:
      return "atomic_or";
    case atomic_operation::exchange:
      return "atomic_exchange";
    case atomic_operation::compare_exchange:
      return "atomic_compare_exchange";
    case atomic_operation::reduce_add:
      return "reduce_add";
  }
  switch (static_cast<plain_atomic>(operation)) {
    case plain_atomic::max:
    case plain_atomic::max_signed:
      return "atomic_max";
    case plain_atomic::min_signed:
      return "atomic_min";
    case plain_atomic::bit_and:
      return "atomic_and";
    case plain_atomic::bit_xor:
      return "atomic_xor";
    case plain_atomic::add_real:
      return "atomic_add";
    case plain_atomic::increment:
      return "atomic_inc";
    case plain_atomic::decrement:
      return "atomic_dec";
  }
  return "";
}

/// Returns the value of the word after the operation.
template <class T>
T updated(atomic_operation operation, T old, T value, T expected) {
  switch (operation) {
    case atomic_operation::load:
      return old;
    case atomic_operation::store:
    case atomic_operation::exchange:
      return value;
    case atomic_operation::add:
    case atomic_operation::reduce_add:
      return old + value;
    case atomic_operation::min:
      return value < old ? value : old;
    case atomic_operation::bit_or:
      return old | value;
    case atomic_operation::compare_exchange:
      return old == expected ? value : old;
  }
  switch (static_cast<plain_atomic>(operation)) {
    case plain_atomic::max:
      return value > old ? value : old;
    case plain_atomic::bit_and:
      return old & value;
    case plain_atomic::bit_xor:
      return old ^ value;
    case plain_atomic::min_signed:
      return static_cast<std::make_signed_t<T>>(value) < static_cast<std::make_signed_t<T>>(old) ? value : old;
    case plain_atomic::max_signed:
      return static_cast<std::make_signed_t<T>>(value) > static_cast<std::make_signed_t<T>>(old) ? value : old;
    case plain_atomic::add_real: {
      using real = std::conditional_t<sizeof(T) == 4, float, double>;
      return std::bit_cast<T>(std::bit_cast<real>(old) + std::bit_cast<real>(value));
    }
    case plain_atomic::increment:
      return old >= value ? 0 : old + 1;
    case plain_atomic::decrement:
      return old == 0 || old > value ? value : old - 1;
  }
  return old;
}

}  // namespace

inline engine::place engine::locate(lane_state& lane, const void* address, std::uint32_t bytes, std::uint32_t alignment,
                                    const char* description, call_site site) {
  if (launch_.plain != nullptr) [[unlikely]]
    return locate_plain(lane, address, bytes, alignment, description, site);
  const memory_offset offset = heap_.offset_of(address);
  const std::uint64_t in_shared = offset - lane.shared_start;
  place word_place{offset, offset, in_shared < launch_.shared_bytes && in_shared + bytes <= launch_.shared_bytes};
  if (!word_place.shared && launch_.cluster_blocks != 1 && in_cluster(lane, offset, bytes, site)) {
    word_place.shared = word_place.of_other_block = true;
  } else if (!word_place.shared) {
    const device_heap::allocation* const in = heap_.find(offset, bytes);
    if (in == nullptr) [[unlikely]]
      fail_address(lane, address, bytes, description, site);
    word_place.modelled = in->modelled_start + (offset - in->start);
  }
  if (offset % alignment != 0) [[unlikely]] {
    fail(lane, "misaligned access", site,
         std::string(description) + " of " + std::to_string(bytes) + " bytes at " + name_place(word_place, lane) +
             ", which is not a multiple of " + std::to_string(alignment));
  }
  return word_place;
}

bool engine::in_cluster(lane_state& lane, memory_offset offset, std::uint32_t bytes, call_site site) {
  if (offset >= launch_.blocks * shared_distance_) return false;
  const auto block = static_cast<std::uint32_t>(offset / shared_distance_);
  if (cluster_of(block) != cluster_of(lane.block) || offset % shared_distance_ + bytes > launch_.shared_bytes) {
    return false;
  }
  const auto describe = [&](const char* reason) {
    return "the shared memory of block " + std::to_string(block) + ", which " + reason;
  };
  if (lane.in->barriers_passed == 0) {
    fail(lane, "early access to another block", site, describe("may not have begun before a barrier of the cluster"));
  }
  if (blocks_[block].ended_warps == warps_per_block_) {
    fail(lane, "late access to another block", site, describe("has ended"));
  }
  return true;
}

inline void engine::check_written(lane_state& lane, place word_place, std::uint32_t bytes, call_site site) {
  if (!settings_.detect_unwritten || written_.is_written(word_place.offset, bytes)) [[likely]]
    return;
  fail(lane, word_place.shared ? "unwritten shared memory" : "unwritten device memory", site,
       "reads " + std::to_string(bytes) + " unwritten bytes: " + name_place(word_place, lane));
}

void engine::load(lane_state& lane, const void* address, std::uint32_t bytes, std::uint32_t alignment, bool readonly,
                  call_site site) {
  ++statistics_.loads;
  const char* const description = readonly ? "load_readonly" : "plain load";
  const place word_place = locate(lane, address, bytes, alignment, description, site);
  check_written(lane, word_place, bytes, site);
  if (readonly) {
    if (word_place.shared) {
      fail(lane, "wrong memory space", site,
           "load_readonly reads global memory, but this is " + name_place(word_place, lane));
    }
    // The launch makes progress even if no word changes.
    note_change(lane);
  }
  if (races_) {
    const race_detector::conflict* const earlier = readonly
                                                       ? races_->load_readonly(word_place.offset, bytes, site)
                                                       : races_->load(number_of(lane), word_place.offset, bytes, site);
    if (earlier != nullptr) [[unlikely]]
      fail_race(lane, word_place, bytes, description, site, *earlier);
  }
  if (word_place.shared) {
    charge(lane, word_place.of_other_block ? cost::cluster_load : cost::shared_load, site);
  } else if (readonly) {
    charge(lane, caches_[lane.in->multiprocessor].load(word_place.modelled, clock_of(lane)), site);
  } else {
    charge(lane, cost::global_load, site);
  }
}

void engine::store(lane_state& lane, void* address, const void* value, std::uint32_t bytes, std::uint32_t alignment,
                   call_site site) {
  ++statistics_.stores;
  const place word_place = locate(lane, address, bytes, alignment, "plain store", site);
  if (races_) {
    const race_detector::conflict* const earlier = races_->store(number_of(lane), word_place.offset, bytes, site);
    if (earlier != nullptr) [[unlikely]]
      fail_race(lane, word_place, bytes, "plain store", site, *earlier);
  }
  if (std::memcmp(address, value, bytes) != 0) {
    std::memcpy(address, value, bytes);
    note_change(lane);
  }
  if (settings_.detect_unwritten) written_.mark(word_place.offset, bytes);
  charge(lane,
         word_place.of_other_block ? cost::cluster_store
         : word_place.shared       ? cost::shared_store
                                   : cost::global_store,
         site);
}

std::uint64_t engine::atomic(lane_state& lane, atomic_code code, void* address, std::uint64_t value,
                             std::uint64_t expected, call_site site) {
  if (launch_.plain != nullptr) [[unlikely]]
    take_steps(lane);
  visible(lane, site);
  if (code.bytes() == 4) {
    return atomic_on<u32>(lane, code, static_cast<u32*>(address), static_cast<u32>(value), static_cast<u32>(expected),
                          site);
  }
  return atomic_on<u64>(lane, code, static_cast<u64*>(address), value, expected, site);
}

template <class T>
std::uint64_t engine::atomic_on(lane_state& lane, atomic_code code, T* address, T value, T expected, call_site site) {
  ++statistics_.atomics;
  const atomic_operation operation = code.operation();
  const place word_place = locate(lane, address, sizeof(T), sizeof(T), name_of(operation), site);
  if (word_place.of_other_block) [[unlikely]] {
    fail(lane, "wrong memory space", site,
         std::string(name_of(operation)) + " of " + name_place(word_place, lane) +
             ": other blocks may only load and store it");
  }
  if (word_place.shared != (code.memory_scope() == scope::block) && launch_.plain == nullptr) [[unlikely]] {
    fail(lane, "wrong memory space", site,
         std::string(name_of(operation)) + " at " + (word_place.shared ? "device or system" : "block") +
             " scope: words of block scope lie in shared memory, all others in global memory; this is " +
             name_place(word_place, lane));
  }
  const bool reads = operation != atomic_operation::store;
  if (reads) check_written(lane, word_place, sizeof(T), site);
  T old = *address;
  const weak_memory::word word{word_place.offset, word_place.modelled, sizeof(T)};
  weak_memory::load_result seen;
  if (weak_ && operation == atomic_operation::load && weak_->load(actor_of(lane), word, old, seen)) {
    old = static_cast<T>(seen.value);
  }
  const T now = updated(operation, old, value, expected);
  const bool writes =
      operation != atomic_operation::load && (operation != atomic_operation::compare_exchange || old == expected);
  // The first store to a word is never delayed, because the word has no earlier value that a load could return.
  const bool slow = weak_ && launch_.plain == nullptr && writes && weak_->is_slow(word) &&
                    (!settings_.detect_unwritten || written_.is_written(word_place.offset, sizeof(T)));
  race_detector::published before;  // what readers learn from the replaced store
  if (slow) before = races_->published_at(word_place.offset);
  if (races_) {
    const order o = code.memory_order();
    const race_detector::conflict* const earlier = races_->atomic(number_of(lane), word_place.offset, sizeof(T),
                                                                  {.reads = reads,
                                                                   .writes = writes,
                                                                   .acquires = acquires(o),
                                                                   .releases = releases(o) && writes,
                                                                   .shared = word_place.shared},
                                                                  site, seen.publication);
    if (earlier != nullptr) [[unlikely]]
      fail_race(lane, word_place, sizeof(T), name_of(operation), site, *earlier);
  }
  if (writes && now != old) {
    *address = now;
    note_change(lane);
  }
  if (slow) {
    weak_->store(word, old, before, now, clock_of(lane));
  } else if (weak_ && launch_.plain == nullptr && operation == atomic_operation::compare_exchange) {
    weak_->note_newest(actor_of(lane), word, old);
  }
  if (!reads && settings_.detect_unwritten) written_.mark(word_place.offset, sizeof(T));
  trace(lane, word_place.modelled << 4 | static_cast<std::uint64_t>(operation), now);
  charge_atomic(lane, code, word_place, site);
  return old;
}

void engine::charge_atomic(lane_state& lane, atomic_code code, place word_place, call_site site) {
  const atomic_operation operation = code.operation();
  const order o = code.memory_order();
  const bool device = !word_place.shared;
  ticks& clock = clock_of(lane);
  if (releases(o)) clock += jittered(device ? cost::fence_device : cost::fence_block);
  const std::uint64_t word = word_place.modelled >> 2;
  const bool result = operation != atomic_operation::store && operation != atomic_operation::reduce_add;
  ticks cost = 0;
  if (operation == atomic_operation::load) {
    cost = device ? cost::global_load : cost::shared_load;
    if (device) {
      const std::uint64_t convoy = (std::uint64_t{lane.in->index} + 1) << 32 | lane.in->collectives;
      clock = contention_.serve_load(word, clock, cost::load_service, convoy);
    }
  } else {
    const ticks begin = contention_.serve(word, clock, device ? cost::global_service : cost::shared_service);
    if (result) {
      clock = begin;
      cost = device ? cost::global_atomic : cost::shared_atomic;
    } else {
      // The lane does not wait, unless too many reductions are in flight.
      if (begin > clock + cost::reduce_backlog) clock = begin - cost::reduce_backlog;
      cost = operation == atomic_operation::reduce_add && device ? cost::reduce_issue
             : device                                            ? cost::global_store
                                                                 : cost::shared_store;
    }
  }
  if (acquires(o) && device) cost += cost::acquire_device;
  charge(lane, cost, site);
}

void engine::load_quad(lane_state& lane, const simt::quad* address, simt::quad* value, call_site site) {
  visible(lane, site);
  ++statistics_.atomics;
  const place word_place = locate(lane, address, sizeof(simt::quad), sizeof(simt::quad), "load_quad", site);
  if (word_place.shared) {
    fail(lane, "wrong memory space", site,
         "load_quad reads global memory, but this is " + name_place(word_place, lane));
  }
  check_written(lane, word_place, sizeof(simt::quad), site);
  *value = *address;
  const std::array<u32*, 4> words = {&value->x, &value->y, &value->z, &value->w};
  if (races_) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const place word{word_place.offset + 4 * i, word_place.modelled + 4 * i, false};
      weak_memory::load_result seen;
      if (weak_ && weak_->load(actor_of(lane), {word.offset, word.modelled, 4}, *words[i], seen)) {
        *words[i] = static_cast<u32>(seen.value);
      }
      const race_detector::conflict* const earlier =
          races_->atomic(number_of(lane), word.offset, 4, {.reads = true}, site, seen.publication);
      if (earlier != nullptr) [[unlikely]]
        fail_race(lane, word, 4, "load_quad", site, *earlier);
    }
  }
  trace(lane, word_place.modelled << 4 | 15,
        std::uint64_t{value->x} << 32 ^ std::uint64_t{value->y} << 16 ^ std::uint64_t{value->z} << 8 ^ value->w);
  charge_atomic(lane, atomic_code(atomic_operation::load, order::relaxed, scope::device, 4), word_place, site);
}

void engine::fence(lane_state& lane, order o, scope s, call_site site) {
  visible(lane, site);
  ++statistics_.fences;
  if (races_) races_->fence(number_of(lane), o, s);
  charge(lane, s == scope::block ? cost::fence_block : cost::fence_device, site);
}

std::uint64_t engine::clock_ns(lane_state& lane) {
  charge(lane, cost::clock_read, lane.in->site[lane.lane]);
  return launch_.start_ns + static_cast<std::uint64_t>(ns_of_ticks(clock_of(lane)));
}

void engine::backoff(lane_state& lane, std::uint32_t nanoseconds, call_site site) {
  visible(lane, site);
  ++statistics_.backoffs;
  charge(lane, ticks_of_ns(nanoseconds) + ticks_per_cycle, site);
  lane.in->last_backoff = clock_of(lane);
}

// Detects a launch whose warps all wait for an event that cannot occur any more.
void engine::check_progress(lane_state& lane) {
  const ticks now = clock_of(lane);
  const ticks idle = now > last_change_ ? now - last_change_ : 0;
  if (idle <= livelock_) {
    next_progress_check_ = last_change_ + livelock_;
    return;
  }
  next_progress_check_ = now + livelock_ / 4;
  bool all_wait = true;
  for (const warp_state& warp : warps_) {
    const bool ended = warp.ended == all_lanes;
    all_wait = all_wait && (ended || warp.at_barrier || warp.last_backoff > last_change_);
  }
  if (!all_wait && idle <= 10 * livelock_) return;
  fail(lane, "livelock", lane.in->site[lane.lane],
       "no word has changed and no lane has ended for " + std::to_string(idle / ticks_per_cycle) +
           " modelled cycles; " + name_waiting());
}

void engine::over_time(lane_state& lane, call_site site) {
  fail(lane, "time limit", site,
       "the launch has taken more than " + std::to_string(settings_.time_limit_ms) + " modelled ms; " + name_waiting());
}

}  // namespace mlmq::backends::simulator
