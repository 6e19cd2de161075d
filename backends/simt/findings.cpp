// SPDX-License-Identifier: Apache-2.0
// Texts of the findings of the simulator.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "backends/simt/engine.hpp"

namespace mlmq::backends::simulator {
namespace {

using simt::simulator::collective;

/// Returns the name of CUDA C++.
const char* name_in_cuda(collective kind) {
  if (kind == simt::simulator::sync_grid) return "grid_group::sync";
  if (kind == simt::simulator::warp_and) return "__reduce_and_sync";
  if (kind == simt::simulator::warp_xor) return "__reduce_xor_sync";
  switch (kind) {
    case collective::sync_warp:
      return "__syncwarp";
    case collective::ballot:
      return "__ballot_sync";
    case collective::any:
      return "__any_sync";
    case collective::all:
      return "__all_sync";
    case collective::shuffle:
      return "a shuffle";
    case collective::match_any:
      return "__match_any_sync";
    case collective::warp_add:
      return "__reduce_add_sync";
    case collective::warp_min:
      return "__reduce_min_sync";
    case collective::warp_max:
      return "__reduce_max_sync";
    case collective::warp_or:
      return "__reduce_or_sync";
    case collective::sync_block:
      return "__syncthreads";
    default:
      return "";
  }
}

const char* name_of(collective kind) {
  if (kind == simt::simulator::arrive_cluster) return "arrive_cluster";
  if (kind == simt::simulator::wait_cluster) return "wait_cluster";
  switch (kind) {
    case collective::none:
      return "";
    case collective::sync_warp:
      return "sync_warp";
    case collective::ballot:
      return "ballot";
    case collective::any:
      return "any";
    case collective::all:
      return "all";
    case collective::shuffle:
      return "shuffle";
    case collective::match_any:
      return "match_any";
    case collective::warp_add:
      return "warp_add";
    case collective::warp_min:
      return "warp_min";
    case collective::warp_max:
      return "warp_max";
    case collective::warp_or:
      return "warp_or";
    case collective::inclusive_scan:
      return "inclusive_scan";
    case collective::sync_block:
      return "sync_block";
  }
  return "";
}

const char* name_of(race_detector::access kind) {
  switch (kind) {
    case race_detector::access::plain_load:
      return "plain load";
    case race_detector::access::readonly_load:
      return "load_readonly";
    case race_detector::access::plain_store:
      return "plain store";
    case race_detector::access::atomic_load:
      return "atomic load";
    case race_detector::access::atomic_update:
      return "atomic update";
  }
  return "";
}

/// Returns "lanes 0-15,31".
std::string name_lanes(std::uint32_t lanes) {
  std::string text = std::popcount(lanes) == 1 ? "lane " : "lanes ";
  const char* separator = "";
  for (std::uint32_t l = 0; l < simt::warp_size; ++l) {
    if ((lanes >> l & 1) == 0) continue;
    std::uint32_t last = l;
    while (last + 1 < simt::warp_size && (lanes >> (last + 1) & 1) != 0) ++last;
    text += separator;
    text += last == l ? fmt::format("{}", l) : fmt::format("{}-{}", l, last);
    separator = ",";
    l = last;
  }
  return text;
}

}  // namespace

std::string engine::name_site(const call_site& site) const {
  if (site.file == nullptr) return "the start of the kernel";
  if (site.line == call_site::in_code) return launch_.plain->object->name_code(site.file);
  return fmt::format("{}:{}", site.file, site.line);
}

void engine::record(const std::string& kind, const std::string& details) {
  if (!finding_) {
    is_out_of_time_ = std::string_view(kind) == "time limit";
    finding_ = fmt::format("simt: {}: kernel '{}' ({}), {}", kind, launch_.name, launch_.identity, details);
  }
  stop_all();
}

void engine::fail(lane_state& lane, const std::string& kind, call_site site, const std::string& details) {
  record(kind, fmt::format("{} at {}: {}", name_lane(lane), name_site(site), details));
  throw launch_stopped{};
}

void engine::violated(lane_state& lane, const char* condition, call_site site) {
  fail(lane, "assertion", site, fmt::format("{} does not hold", condition));
}

void engine::fail_address(lane_state& lane, const void* address, std::uint32_t bytes, const char* description,
                          call_site site) {
  const memory_offset offset = heap_.offset_of(address);
  const auto describe = [&](const std::string& area) {
    return fmt::format("{} of {} bytes at {}", description, bytes, area);
  };
  if (address == nullptr) fail(lane, "out of bounds", site, describe("a null pointer"));
  if (offset < device_heap::shared_limit) {
    const std::uint64_t block = offset / shared_distance_;
    const std::uint64_t inside = offset % shared_distance_;
    if (block == lane.block || (block + 1 == lane.block && inside >= launch_.shared_bytes)) {
      const auto position = static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(lane.shared_start);
      fail(lane, "out of bounds", site,
           describe(fmt::format("byte {} of the block's shared memory, which has {} bytes", position,
                                launch_.shared_bytes)));
    }
    fail(lane, "out of bounds", site, describe("an address in another block's shared memory"));
  }
  const device_heap::allocation* const near = heap_.nearest(offset);
  if (near == nullptr) {
    fail(lane, "out of bounds", site, describe(fmt::format("address {}, where nothing is allocated", address)));
  }
  const std::uint64_t inside = offset - near->start;
  if (!near->live && inside < near->bytes) {
    fail(lane, "use after free", site,
         describe(fmt::format("byte {} of {} ({} bytes), which has been freed", inside, near->name, near->bytes)));
  }
  fail(lane, "out of bounds", site,
       describe(fmt::format("byte {} of {}, which has {} bytes", inside, near->name, near->bytes)));
}

void engine::fail_race(lane_state& lane, place word_place, std::uint32_t bytes, const char* description, call_site site,
                       const race_detector::conflict& earlier) {
  const bool readonly =
      earlier.kind == race_detector::access::readonly_load || std::strcmp(description, "load_readonly") == 0;
  const std::string other =
      earlier.kind == race_detector::access::readonly_load
          ? fmt::format("load_readonly at {}", name_site(earlier.site))
          : fmt::format("{} by {} at {}", name_of(earlier.kind), name_lane(earlier), name_site(earlier.site));
  if (readonly) {
    fail(
        lane, "read-only data written", site,
        fmt::format("{} of {}; the other access of this launch: {}", description, name_place(word_place, lane), other));
  }
  fail(lane, "data race", site,
       fmt::format("{} of {} bytes at {} is not ordered with the {}", description, bytes, name_place(word_place, lane),
                   other));
}

std::string engine::name_place(place word_place, const lane_state& lane) const {
  if (word_place.of_other_block) {
    return fmt::format("byte {} of the shared memory of block {}", word_place.offset % shared_distance_,
                       word_place.offset / shared_distance_);
  }
  if (word_place.shared && launch_.plain != nullptr) return name_window(word_place.offset - lane.shared_start);
  if (word_place.shared) return fmt::format("byte {} of shared memory", word_place.offset - lane.shared_start);
  const device_heap::allocation* const allocation = heap_.nearest(word_place.offset);
  if (allocation == nullptr) return "an unknown address";
  return fmt::format("byte {} of {}", word_place.offset - allocation->start, allocation->name);
}

std::string engine::name_lane(const lane_state& lane) const {
  return fmt::format("block {} warp {} lane {}", lane.block, lane.warp_in_block, lane.lane);
}

std::string engine::name_lane(const race_detector::conflict& access) const {
  const std::uint32_t warp = access.lane / simt::warp_size;
  return fmt::format("block {} warp {} lane {}{}", warp / warps_per_block_ + access.first_block,
                     warp % warps_per_block_, access.lane % simt::warp_size,
                     access.several_lanes ? " and other lanes" : "");
}

std::string engine::name_groups(const warp_state& warp) const {
  std::string text = fmt::format("block {} warp {}:", first_block_ + warp.block, warp.index % warps_per_block_);
  const char* separator = " ";
  std::uint32_t remaining = all_lanes;
  while (remaining != 0) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(remaining));
    const auto state = [&](std::uint32_t l) { return warp.ended >> l & 1; };
    std::uint32_t group = 0;
    for (std::uint32_t l = first; l < simt::warp_size; ++l) {
      const bool same =
          state(l) == state(first) &&
          (state(l) != 0 ||
           (warp.kind[l] == warp.kind[first] && warp.site[l].line == warp.site[first].line &&
            (warp.site[l].file == warp.site[first].file || name_site(warp.site[l]) == name_site(warp.site[first]))));
      if (same && (remaining >> l & 1) != 0) group |= 1u << l;
    }
    if ((group & ~warp.absent) == 0) break;  // the last lanes of the block's last warp do not exist
    text += separator;
    text += name_lanes(group & ~warp.absent);
    if (state(first) != 0) {
      text += " ended";
    } else if (warp.kind[first] != collective::none) {
      text += fmt::format(" at {} ({})",
                          launch_.plain != nullptr ? name_in_cuda(warp.kind[first]) : name_of(warp.kind[first]),
                          name_site(warp.site[first]));
    } else {
      text += fmt::format(" last at {}", name_site(warp.site[first]));
    }
    separator = ", ";
    remaining &= ~group;
  }
  return text;
}

std::string engine::name_waiting() const {
  constexpr int limit = 8;
  std::string text = "where the warps are: ";
  int named = 0;
  int more = 0;
  for (const warp_state& warp : warps_) {
    if (warp.ended == all_lanes) continue;
    if (named == limit) {
      ++more;
      continue;
    }
    if (named != 0) text += "; ";
    text += name_groups(warp);
    ++named;
  }
  if (more != 0) text += fmt::format("; and {} more warps", more);
  return text;
}

}  // namespace mlmq::backends::simulator
