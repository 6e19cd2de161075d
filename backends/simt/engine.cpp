// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <stop_token>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"

namespace mlmq::backends::simulator {

using simt::simulator::lane_view;
using simt::simulator::stack_bytes;
using simt::simulator::view_bytes;

/// Table of the functions that kernels call. Each of them finds the engine of its lane.
struct engine_calls {
  static lane_state& lane_of(lane_view* view) { return *static_cast<lane_state*>(view); }

  static void load(lane_view* view, const void* address, u32 bytes, u32 alignment, bool readonly, const char* file,
                   u32 line) {
    lane_of(view).owner->load(lane_of(view), address, bytes, alignment, readonly, {file, line});
  }
  static void store(lane_view* view, void* address, const void* value, u32 bytes, u32 alignment, const char* file,
                    u32 line) {
    lane_of(view).owner->store(lane_of(view), address, value, bytes, alignment, {file, line});
  }
  static u64 atomic(lane_view* view, u32 code, void* address, u64 value, u64 expected, const char* file, u32 line) {
    simt::simulator::atomic_code unpacked(simt::simulator::atomic_operation::load, simt::order::relaxed,
                                          simt::scope::block, 0);
    unpacked.bits = code;
    return lane_of(view).owner->atomic(lane_of(view), unpacked, address, value, expected, {file, line});
  }
  static void load_quad(lane_view* view, const simt::quad* address, simt::quad* value, const char* file, u32 line) {
    lane_of(view).owner->load_quad(lane_of(view), address, value, {file, line});
  }
  static void fence(lane_view* view, simt::order o, simt::scope s, const char* file, u32 line) {
    lane_of(view).owner->fence(lane_of(view), o, s, {file, line});
  }
  static u64 collect(lane_view* view, simt::simulator::collective kind, u64 value, u32 from_lane, const char* file,
                     u32 line) {
    return lane_of(view).owner->collect(lane_of(view), kind, value, from_lane, {file, line});
  }
  static u64 clock_ns(lane_view* view) { return lane_of(view).owner->clock_ns(lane_of(view)); }
  static void backoff(lane_view* view, u32 nanoseconds, const char* file, u32 line) {
    lane_of(view).owner->backoff(lane_of(view), nanoseconds, {file, line});
  }
  static void violated(lane_view* view, const char* condition, const char* file, u32 line) {
    lane_of(view).owner->violated(lane_of(view), condition, {file, line});
  }

  static void access(simt::simulator::plain_lane_view* view, const void* address, u64 bytes, u32 alignment, bool write,
                     const void* code) {
    lane_of(view).owner->access(lane_of(view), address, bytes, alignment, write, call_site::of_code(code));
  }
  static void access_volatile(simt::simulator::plain_lane_view* view, const void* address, u32 bytes, bool write,
                              const void* code) {
    lane_of(view).owner->access_volatile(lane_of(view), address, bytes, write, call_site::of_code(code));
  }
  static u64 collect_plain(simt::simulator::plain_lane_view* view, simt::simulator::collective kind, u32 mask,
                           u64 value, u32 from_lane, const char* file, u32 line) {
    return lane_of(view).owner->collect_plain(lane_of(view), kind, mask, value, from_lane, {file, line});
  }
  static void take_steps(simt::simulator::plain_lane_view* view) { lane_of(view).owner->take_steps(lane_of(view)); }

  static constexpr simt::simulator::plain_functions plain_table = {&access, &access_volatile, &collect_plain,
                                                                   &take_steps};
  static constexpr simt::simulator::functions table = {&load,    &store,    &atomic,  &load_quad, &fence,
                                                       &collect, &clock_ns, &backoff, &violated};
};

namespace {

/// Allocator for Boost that does nothing, because the stacks belong to lane_stacks.
struct no_allocator {
  static void deallocate(boost::context::stack_context& /*stack*/) noexcept {}
};

ticks saturating_add(ticks a, ticks b) { return a > clock_tree::never - b ? clock_tree::never : a + b; }

}  // namespace

engine::engine(const simulator_settings& settings, unsigned multiprocessors)
    : settings_(settings),
      multiprocessors_(multiprocessors),
      heap_(settings.memory_bytes),
      written_(heap_.address_bytes()),
      caches_(multiprocessors),
      random_(settings.seed),
      run_ahead_(settings.run_ahead_cycles * ticks_per_cycle),
      time_limit_(ticks_of_ns(settings.time_limit_ms * 1e6)),
      livelock_(settings.livelock_cycles * ticks_per_cycle) {
  if (settings.detect_races) races_ = std::make_unique<race_detector>(heap_.address_bytes());
  if (settings.weak_memory_cycles != 0) {
    if (!races_) throw input_error("simt: weak_memory_cycles needs detect_races, which tracks synchronisation");
    if (settings.weak_memory_cycles > settings.livelock_cycles / 10) {
      throw input_error(fmt::format("simt: weak_memory_cycles={} is more than a tenth of livelock_cycles={}",
                                    settings.weak_memory_cycles, settings.livelock_cycles));
    }
    weak_ = std::make_unique<weak_memory>(*races_, settings.weak_memory_cycles * ticks_per_cycle);
  }
  const ticks spread = std::min(settings.jitter_percent, 90u) * 256 / 100;
  jitter_base_ = 256 - spread;
  jitter_range_ = 2 * spread;
}

// Every lane waits in lane_ended() or has never begun. It holds no resources, so its stack is simply unmapped.
// (Destroying the fibers would unwind each of them by an exception.)
engine::~engine() {
  for (lane_state* const lane : lanes_) lane->stack.end();
}

void engine::note_written(memory_offset offset, std::size_t bytes) {
  if (settings_.detect_unwritten) written_.mark_range(offset, bytes);
}

void engine::forget(memory_offset offset, std::size_t bytes) noexcept {
  if (settings_.detect_unwritten) written_.clear_range(offset, bytes);
  if (races_) races_->forget(offset, bytes);
}

void engine::make_lanes(std::size_t count) {
  stacks_.grow(count);
  while (lanes_.size() < count) {
    std::byte* const stack = stacks_.stack(lanes_.size());
    std::byte* const view = stack + stack_bytes - view_bytes;
    lane_state* const lane = new (view) lane_state();
    lane->call = &engine_calls::table;
    lane->plain = &engine_calls::plain_table;
    lane->owner = this;
    // The stacks begin at different distances from a page boundary; otherwise they would compete for the same cache
    // lines.
    std::byte* const top = view - 64 * (lanes_.size() % 29);
    const auto size = static_cast<std::size_t>(top - stack) - lane_stacks::guard_bytes;
    boost::context::stack_context context;
    context.sp = top;
    context.size = size;
    lane->stack.set_range(stack + lane_stacks::guard_bytes, size);
    host_stack_.begin_construction(lane->stack);
    lane->suspended = boost::context::fiber(
        std::allocator_arg, boost::context::preallocated(top, size, context), no_allocator{},
        [this, lane](boost::context::fiber&& previous) { return run_lane(*lane, std::move(previous)); });
    host_stack_.end_construction(lane->stack);
    lanes_.push_back(lane);
  }
}

void engine::prepare(const engine_launch& launch) {
  launch_ = launch;
  warps_per_block_ = (launch.block_threads + simt::warp_size - 1) / simt::warp_size;
  warp_count_ = launch.blocks * warps_per_block_;
  make_lanes(std::size_t{warp_count_} * simt::warp_size);
  shared_distance_ = heap_.prepare_shared(launch.blocks, launch.shared_bytes);
  statistics_ = {};
  random_ = fast_stream(launch.seed);
  contention_.reset();
  for (line_cache& cache : caches_) cache.reset();
  if (weak_) weak_->begin_launch(launch.seed);
  if (races_) {
    races_->begin_launch(warp_count_, warps_per_block_, launch.plain != nullptr ? warp_count_ : warps_per_cluster());
  }
  first_block_ = 0;
  exchanges_windows_ = launch.plain != nullptr && launch.blocks > 1;
  stopping_ = false;
  finding_.reset();
  failure_ = nullptr;
  if (launch.plain == nullptr) prepare_lanes();
}

// Prepares the lanes of the blocks that run side by side.
void engine::prepare_lanes() {
  if (settings_.detect_unwritten && launch_.shared_bytes != 0) {
    for (std::uint32_t b = 0; b < launch_.blocks; ++b) written_.clear_range(b * shared_distance_, launch_.shared_bytes);
  }
  blocks_.assign(launch_.blocks, {});
  clusters_.assign(launch_.blocks / launch_.cluster_blocks, {});
  warps_.resize(warp_count_);
  order_.reset(warp_count_);
  live_lanes_ = 0;
  // Warps begin within a microsecond of each other; those of a single block, of which the multiprocessor has others
  // that run, at once.
  const ticks most_start = (launch_.plain == nullptr ? 1000 : 20) * ticks_per_cycle;
  for (std::uint32_t i = 0; i < warp_count_; ++i) {
    warp_state& warp = warps_[i];
    warp = {};
    warp.index = i;
    warp.block = i / warps_per_block_;
    warp.multiprocessor = static_cast<std::uint32_t>((first_block_ + warp.block) % multiprocessors_);
    const std::uint32_t first_thread = i % warps_per_block_ * simt::warp_size;
    const std::uint32_t threads = std::min(launch_.block_threads - first_thread, simt::warp_size);
    warp.absent = warp.ended = threads == simt::warp_size ? 0 : all_lanes << threads;
    warp.runnable = ~warp.absent;
    live_lanes_ += threads;
    const ticks start = random_.below(static_cast<std::uint32_t>(most_start));
    warp.clock.fill(start);
    warp.floor = start;
    order_.set(i, start);
    for (std::uint32_t l = 0; l < simt::warp_size; ++l) {
      lane_state& lane = *lanes_[i * simt::warp_size + l];
      lane.in = &warp;
      lane.shared_start = warp.block * shared_distance_;
      lane.shared_memory = reinterpret_cast<u8*>(heap_.address_at(lane.shared_start));
      lane.lane = l;
      lane.warp_in_block = i % warps_per_block_;
      lane.thread_in_block = first_thread + l;
      lane.block = static_cast<std::uint32_t>(first_block_ + warp.block);
      lane.grid_blocks = launch_.blocks;
      lane.block_in_cluster = warp.block % launch_.cluster_blocks;
      lane.cluster_blocks = launch_.cluster_blocks;
      lane.shared_distance = shared_distance_;
      if (launch_.plain != nullptr) place_lane(lane);
      warp.lanes[l] = &lane;
    }
  }
  current_ = nullptr;
  last_change_ = 0;
  next_progress_check_ = livelock_;
}

void engine::run(const engine_launch& launch) {
  if (interrupted_.load(std::memory_order_relaxed)) throw interrupted();
  throw_if_stopped();
  is_launch_stopped_.store(false, std::memory_order_relaxed);
  const std::stop_callback on_stop(stop_token_of_thread(),
                                   [this] { is_launch_stopped_.store(true, std::memory_order_relaxed); });
  prepare(launch);
  if (launch.plain != nullptr) {
    run_blocks();
  } else {
    run_lanes();
    ticks end = 0;
    for (const warp_state& warp : warps_) end = std::max(end, *std::max_element(warp.clock.begin(), warp.clock.end()));
    statistics_.modelled_ns = ns_of_ticks(end);
  }
  if (failure_) std::rethrow_exception(failure_);
  // Kernels for the simulator end themselves at their time limits; plain CUDA C++ knows none.
  if (finding_) throw kernel_fault(*finding_, false, launch.plain != nullptr && is_out_of_time_);
}

// Runs all lanes to their ends.
void engine::run_lanes() {
  lane_state* const first = choose();
  leaving_ = &host_;
  host_stack_.leave_for(first->stack);
  boost::context::fiber last = std::move(first->suspended).resume();
  host_stack_.arrive();
  *leaving_ = std::move(last);
}

boost::context::fiber engine::run_lane(lane_state& lane, boost::context::fiber&& previous) {
  lane.stack.arrive();
  *leaving_ = std::move(previous);
  for (;;) {
    try {
      lane.in->started |= 1u << lane.lane;
      launch_.entry(launch_.arguments);
    } catch (const launch_stopped&) {
      // The launch ends early, and so does this lane.
    } catch (const std::exception&) {
      failure_ = std::current_exception();
      stop_all();
    }
    lane_ended(lane);
  }
}

// Ends the lane's part in a launch. Returns when the next launch starts.
void engine::lane_ended(lane_state& lane) {
  warp_state& warp = *lane.in;
  const std::uint32_t bit = 1u << lane.lane;
  warp.runnable &= ~bit;
  warp.ended |= bit;
  --live_lanes_;
  if (!stopping_) {
    note_change(lane);
    if (launch_.plain != nullptr) {
      settle_plain(warp);
    } else if ((warp.arrived | warp.ended) == all_lanes) {
      settle(warp);
    }
  }
  switch_from(lane, choose());
}

engine::candidate engine::earliest(const warp_state& warp) {
  // Among equal clocks, which are common after a collective, the seed decides.
  const std::uint32_t rotation = random_.next() >> 27;
  candidate best{clock_tree::never, clock_tree::never, 0};
  for (std::uint32_t remaining = std::rotr(warp.runnable, static_cast<int>(rotation)); remaining != 0;
       remaining &= remaining - 1) {
    const std::uint32_t l = (static_cast<std::uint32_t>(std::countr_zero(remaining)) + rotation) % simt::warp_size;
    const ticks clock = warp.clock[l];
    best.second = std::min(best.second, std::max(clock, best.first));
    if (clock < best.first) {
      best.first = clock;
      best.lane = l;
    }
    // Two lanes have not moved since the last collective, so no lane is earlier.
    if (best.second == warp.floor) break;
  }
  return best;
}

// Returns the lane with the earliest clock, which runs next, or nullptr if all lanes have ended and the host continues.
lane_state* engine::choose() {
  for (;;) {
    if (current_ != nullptr) {
      const candidate best = earliest(*current_);
      if (best.first != clock_tree::never && best.first <= order_.first_clock()) return let_run(best);
      order_.set(current_->index, best.first);
      current_ = nullptr;
    }
    if (order_.first_clock() != clock_tree::never) {
      current_ = &warps_[order_.first()];
      order_.set(current_->index, clock_tree::never);
      return let_run(earliest(*current_));
    }
    if (live_lanes_ == 0) return nullptr;
    record("deadlock", "no lane can continue; " + name_waiting());
  }
}

lane_state* engine::let_run(const candidate& best) {
  set_horizon(std::min(best.second, order_.first_clock()));
  if (exchanges_windows_ && current_->block != resident_window_) [[unlikely]]
    exchange_window(*current_->lanes[best.lane]);
  return current_->lanes[best.lane];
}

void engine::set_horizon(ticks next) { horizon_ = stopping_ ? clock_tree::never : saturating_add(next, run_ahead_); }

void engine::switch_from(lane_state& lane, lane_state* next) {
  if (next == &lane) return;
  ++statistics_.switches;
  leaving_ = &lane.suspended;
  boost::context::fiber target = std::move(next == nullptr ? host_ : next->suspended);
  lane.stack.leave_for(next == nullptr ? host_stack_ : next->stack);
  boost::context::fiber previous = std::move(target).resume();
  lane.stack.arrive();
  // Another lane or the host has switched back to this lane and has set where to store its own fiber.
  *leaving_ = std::move(previous);
}

void engine::yield_lane(lane_state& lane) {
  const bool is_interrupted = interrupted_.load(std::memory_order_relaxed);
  if ((is_interrupted || is_launch_stopped_.load(std::memory_order_relaxed)) && !stopping_) [[unlikely]] {
    failure_ = is_interrupted ? std::make_exception_ptr(interrupted()) : std::make_exception_ptr(stopped_error());
    stop_all();
    throw launch_stopped{};
  }
  switch_from(lane, choose());
  if (stopping_) throw launch_stopped{};
}

// Stops all lanes. Lanes that have begun run once more, to unwind; the others count as ended.
void engine::stop_all() noexcept {
  stopping_ = true;
  live_lanes_ = 0;
  for (warp_state& warp : warps_) {
    warp.ended |= ~warp.started;
    warp.runnable = ~warp.ended;
    warp.arrived = 0;
    live_lanes_ += static_cast<std::uint32_t>(std::popcount(warp.runnable));
    if (&warp != current_) order_.set(warp.index, warp.runnable == 0 ? clock_tree::never : 0);
  }
  horizon_ = clock_tree::never;
}

void engine::stall(lane_state& lane) {
  if (random_.below(settings_.stall_every) != 0) return;
  clock_of(lane) += random_.below(settings_.stall_cycles + 1) * ticks_per_cycle;
}

}  // namespace mlmq::backends::simulator
