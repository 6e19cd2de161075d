// SPDX-License-Identifier: Apache-2.0
// Memory accesses of plain CUDA C++, which the kernel performs itself after they have been checked.
#include <fmt/format.h>

#include <algorithm>

#include "backends/simt/engine.hpp"
#include "base/stop.hpp"

namespace mlmq::backends::simulator {
namespace {

constexpr std::uint64_t sector_bytes = 32;
/// Time in which a multiprocessor transfers a sector: 18 bytes per cycle, its part of 4.8 TB/s.
constexpr ticks sector_service = 28;
constexpr ticks ticks_per_step = 4 * ticks_per_cycle;

/// Changes the lower bits of a number by its upper ones, so that arrays at equal distances do not compete for the same
/// entries of a table. Different numbers stay different.
constexpr std::uint64_t mix_lower_bits(std::uint64_t number) { return number ^ number >> 10 ^ number >> 20; }

}  // namespace

void engine::throw_if_stopped_here(lane_state& lane, call_site site) {
  lane.in->site[lane.lane] = site;
  if (accesses_until_check_-- != 0) return;
  accesses_until_check_ = 1u << 14;
  const bool is_interrupted = interrupted_.load(std::memory_order_relaxed);
  if (stopping_ || (!is_interrupted && !is_launch_stopped_.load(std::memory_order_relaxed))) return;
  failure_ = is_interrupted ? std::make_exception_ptr(interrupted()) : std::make_exception_ptr(stopped_error());
  stop_all();
  throw launch_stopped{};
}

// A basic block of code takes a few cycles, so that loops cost time even if they do not access memory.
void engine::take_steps(lane_state& lane) {
  const std::uint32_t steps = lane.steps;
  lane.steps = 0;
  if (steps >= simt::simulator::step_limit) throw_if_stopped_here(lane, lane.in->site[lane.lane]);
  if (steps != 0) charge(lane, steps * ticks_per_step, lane.in->site[lane.lane]);
}

engine::place engine::locate_shared(lane_state& lane, std::size_t in_window, std::uint64_t bytes,
                                    const char* description, call_site site) {
  const plain_launch& plain = *launch_.plain;
  const memory_offset offset = lane.shared_start + in_window;
  const place result{offset, offset, true};
  const std::size_t in_dynamic = in_window - plain.window.dynamic_offset;
  if (in_dynamic < simt::simulator::max_dynamic_shared_bytes) {
    if (in_dynamic + bytes <= plain.dynamic_bytes) return result;
  } else {
    const auto& variables = plain.function->shared_variables;
    auto variable =
        std::upper_bound(variables.begin(), variables.end(), in_window,
                         [](std::size_t position, const elf_symbol& symbol) { return position < symbol.offset; });
    if (variable != variables.begin()) {
      --variable;
      if (in_window + bytes <= variable->offset + variable->bytes) return result;
    }
  }
  fail(lane, "out of bounds", site, fmt::format("{} of {} bytes at {}", description, bytes, name_window(in_window)));
}

std::string engine::name_window(std::size_t in_window) const {
  const plain_launch& plain = *launch_.plain;
  const std::size_t in_dynamic = in_window - plain.window.dynamic_offset;
  if (in_dynamic < simt::simulator::max_dynamic_shared_bytes) {
    return fmt::format("byte {} of the dynamic shared memory, which has {} bytes", in_dynamic, plain.dynamic_bytes);
  }
  const elf_symbol* nearest = nullptr;
  for (const elf_symbol& symbol : plain.function->shared_variables) {
    if (symbol.offset <= in_window) nearest = &symbol;
  }
  if (nearest == nullptr) return "an address in shared memory";
  return fmt::format("byte {} of {}, which has {} bytes", in_window - nearest->offset, nearest->name, nearest->bytes);
}

engine::place engine::locate_plain(lane_state& lane, const void* address, std::uint64_t bytes, std::uint32_t alignment,
                                   const char* description, call_site site) {
  const plain_launch& plain = *launch_.plain;
  place result{};
  if (plain.window.contains(address)) {
    const auto in_window = static_cast<std::size_t>(static_cast<const std::byte*>(address) - plain.window.begin);
    result = locate_shared(lane, in_window, bytes, description, site);
  } else {
    memory_offset offset = heap_.offset_of(address);
    const auto variable =
        std::upper_bound(plain.variables->begin(), plain.variables->end(), static_cast<const std::byte*>(address),
                         [](const std::byte* byte, const placed_variable& v) { return byte < v.address; });
    if (variable != plain.variables->begin()) {
      // An access beyond the end of a variable is one beyond the end of its representative.
      const placed_variable& before = *(variable - 1);
      const auto inside = static_cast<std::size_t>(static_cast<const std::byte*>(address) - before.address);
      if (inside < before.bytes || (inside < before.bytes + 64 && plain.object->contains(address))) {
        offset = before.offset + inside;
      }
    }
    const device_heap::allocation* const in = heap_.find(offset, bytes);
    if (in == nullptr) [[unlikely]]
      fail_address(lane, address == nullptr ? nullptr : heap_.address_at(offset), static_cast<std::uint32_t>(bytes),
                   description, site);
    result = {offset, in->modelled_start + (offset - in->start), false};
  }
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) [[unlikely]] {
    fail(lane, "misaligned access", site,
         fmt::format("{} of {} bytes at {}, which is not a multiple of {}", description, bytes,
                     name_place(result, lane), alignment));
  }
  return result;
}

void engine::access(lane_state& lane, const void* address, std::uint64_t bytes, std::uint32_t alignment, bool write,
                    call_site site) {
  if (bytes == 0) return;
  const plain_launch& plain = *launch_.plain;
  take_steps(lane);
  throw_if_stopped_here(lane, site);
  ++(write ? statistics_.stores : statistics_.loads);
  const char* const description = write ? "store" : "load";
  // Constants of the program are no memory of the device.
  if (!write && plain.object->contains(address)) {
    const auto* const first = static_cast<const std::byte*>(address);
    const auto variable = std::upper_bound(plain.variables->begin(), plain.variables->end(), first,
                                           [](const std::byte* a, const placed_variable& v) { return a < v.address; });
    if (variable == plain.variables->begin() || first >= (variable - 1)->address + (variable - 1)->bytes + 64) return;
  }
  const place word_place = locate_plain(lane, address, bytes, alignment, description, site);
  // The detector and the map take whole words, or parts of one.
  for (std::uint64_t done = 0; done < bytes;) {
    const memory_offset offset = word_place.offset + done;
    const std::uint64_t rest = bytes - done;
    std::uint64_t piece = 0;
    if (offset % 4 == 0 && rest >= 4) {
      piece = std::min<std::uint64_t>(rest / 4 * 4, 16);
    } else {
      piece = std::min<std::uint64_t>(rest, 4 - offset % 4);
      if (piece == 3) piece = offset % 2 == 0 ? 2 : 1;
      if (piece == 2 && offset % 2 != 0) piece = 1;
    }
    const auto size = static_cast<std::uint32_t>(piece);
    const place part{offset, word_place.modelled + done, word_place.shared};
    if (!write) check_written(lane, part, size, site);
    if (races_) {
      const race_detector::conflict* const earlier = write ? races_->store(number_of(lane), offset, size, site)
                                                           : races_->load(number_of(lane), offset, size, site);
      if (earlier != nullptr) [[unlikely]]
        fail_race(lane, part, size, description, site, *earlier);
    }
    if (write && settings_.detect_unwritten) written_.mark(offset, size);
    done += piece;
  }
  note_change(lane);
  charge_access(lane, word_place, bytes, write, site);
}

// Loads come through the cache of the multiprocessor. Every sector that it transfers occupies its connection to the
// device memory, so loads and stores of neighbouring lanes to neighbouring words are cheaper than scattered ones. Lanes
// run far ahead of each other between collectives; therefore the occupied time is only added up, for run_blocks().
void engine::charge_access(lane_state& lane, place word_place, std::uint64_t bytes, bool write, call_site site) {
  if (word_place.shared) {
    charge(lane, write ? cost::shared_store : cost::shared_load, site);
    return;
  }
  const std::uint32_t multiprocessor = lane.in->multiprocessor;
  ticks latency = write ? cost::global_store : cost::l1_hit;
  for (std::uint64_t sector = word_place.modelled / sector_bytes;
       sector <= (word_place.modelled + bytes - 1) / sector_bytes; ++sector) {
    if (!write) {
      const ticks cached = caches_[multiprocessor].load(mix_lower_bits(sector / 4) * 4 * sector_bytes, clock_of(lane));
      if (cached == cost::l1_hit) continue;
      // The lane that loads the line may have run ahead.
      latency = std::max(latency, std::min(cached, cost::global_load));
    }
    // One transfer serves all lanes of a warp that access a sector between two collectives.
    const std::uint64_t transfer = sector * 2 + (write ? 1 : 0);
    const std::uint64_t key = transfer << 24 ^ std::uint64_t{lane.in->collectives} << 10 ^ lane.in->index;
    std::uint64_t& last = transfers_[mix_lower_bits(transfer) % transfers_.size()];
    if (last == key) continue;
    last = key;
    transfer_time_[multiprocessor] += sector_service;
  }
  charge(lane, latency, site);
}

void engine::access_volatile(lane_state& lane, const void* address, std::uint32_t bytes, bool write, call_site site) {
  if (bytes != 4 && bytes != 8) {
    access(lane, address, bytes, bytes, write, site);
    return;
  }
  take_steps(lane);
  throw_if_stopped_here(lane, site);
  visible(lane, site);
  ++statistics_.atomics;
  const char* const description = write ? "volatile store" : "volatile load";
  const place word_place = locate_plain(lane, address, bytes, bytes, description, site);
  if (!write) check_written(lane, word_place, bytes, site);
  if (races_) {
    const race_detector::conflict* const earlier =
        races_->atomic(number_of(lane), word_place.offset, bytes,
                       {.reads = !write, .writes = write, .shared = word_place.shared}, site);
    if (earlier != nullptr) [[unlikely]]
      fail_race(lane, word_place, bytes, description, site, *earlier);
  }
  if (write) {
    note_change(lane);
    if (settings_.detect_unwritten) written_.mark(word_place.offset, bytes);
  }
  charge(lane,
         word_place.shared ? (write ? cost::shared_store : cost::shared_load)
                           : (write ? cost::global_store : cost::global_load),
         site);
}

}  // namespace mlmq::backends::simulator
