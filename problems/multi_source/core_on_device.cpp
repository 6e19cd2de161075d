// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/core_on_device.hpp"

#include <algorithm>
#include <thread>

namespace mlmq::multi_source {

core_on_device::core_on_device(const solver_input& input, graph::reduction_extent extent)
    : input_(input),
      rows_(problems::reduce(input.device, input.graph, input.on_device, extent, input.reductions)),
      on_device_(input.device, rows_.core, "the core", false),
      ell_rows_(input.device, rows_.core, false, *on_device_.rows),
      packed_rows_(input.device, rows_.core) {}

template <class T>
void core_on_device::upload(problems::growing_memory& memory, const std::vector<T>& values, const char* name) {
  memory.reserve(input_.device, std::max<std::size_t>(1, values.size()) * sizeof(T), name);
  input_.device.upload(memory.memory(), values.data(), values.size() * sizeof(T));
}

void core_on_device::find_starts(graph::start_finder<graph::distance_bits>& finder,
                                 std::span<const graph::vertex_id> sources, std::span<const numbered_vertex> targets,
                                 std::span<const std::uint8_t> is_target, found_starts& result) {
  for (const graph::vertex_id source : sources) {
    const graph::core_start<graph::distance_bits>& start = finder.find(source);
    core_search search{.source = ~0U,
                       .second_source = ~0U,
                       .second_distance = 0,
                       .offset = start.offset,
                       .inside_begin = static_cast<u32>(result.inside.size()),
                       .inside_end = 0};
    if (!start.seeds.empty()) search.source = start.seeds.front().vertex;
    if (start.seeds.size() > 1) {
      search.second_source = start.seeds[1].vertex;
      search.second_distance = static_cast<u32>(start.seeds[1].distance);
    }
    for (const auto& [vertex, length] : start.inside) {
      if (targets.empty()) result.inside.push_back({.vertex = vertex, .length = length});
      if (targets.empty() || is_target[vertex] == 0) continue;
      for (const auto& [target, number] : std::ranges::equal_range(targets, vertex, {}, &numbered_vertex::first)) {
        result.inside.push_back({.vertex = number, .length = length});
      }
    }
    search.inside_end = static_cast<u32>(result.inside.size());
    result.searches.push_back(search);
  }
}

void core_on_device::place(const search_request& request) {
  std::vector<numbered_vertex> targets;
  for (u32 i = 0; i < request.targets.size(); ++i) targets.emplace_back(request.targets[i], i);
  std::ranges::sort(targets);
  place_starts(request.sources, targets);
  place_ends(targets);
}

void core_on_device::place_starts(std::span<const graph::vertex_id> sources, std::span<const numbered_vertex> targets) {
  std::vector<std::uint8_t> is_target(targets.empty() ? 0 : input_.graph.vertex_count());
  for (const auto& [target, number] : targets) is_target[target] = 1;
  constexpr std::size_t sources_of_thread = 64;
  const std::size_t threads =
      std::clamp<std::size_t>(sources.size() / sources_of_thread, 1, std::max(1U, std::thread::hardware_concurrency()));
  while (finders_.size() < threads) finders_.emplace_back(input_.graph, rows_.places());
  std::vector<found_starts> by_thread(threads);
  const std::size_t share = (sources.size() + threads - 1) / threads;
  const auto find = [&](std::size_t i) {
    const std::size_t first = std::min(i * share, sources.size());
    find_starts(finders_[i], sources.subspan(first, std::min(share, sources.size() - first)), targets, is_target,
                by_thread[i]);
  };
  if (threads == 1) {
    find(0);
  } else {
    if (team_ == nullptr) team_ = std::make_unique<thread_team>(0U);
    team_->run(threads, find);
  }
  std::vector<core_search> searches;
  std::vector<inside_length> inside;
  for (found_starts& part : by_thread) {
    for (core_search& search : part.searches) {
      search.inside_begin += static_cast<u32>(inside.size());
      search.inside_end += static_cast<u32>(inside.size());
    }
    searches.insert(searches.end(), part.searches.begin(), part.searches.end());
    inside.insert(inside.end(), part.inside.begin(), part.inside.end());
  }
  upload(starts_, searches, "starts of searches");
  upload(inside_, inside, "the fragments of the sources");
}

void core_on_device::place_ends(std::span<const numbered_vertex> targets) {
  if (!targets.empty() && fill_rows_.empty()) {
    fill_rows_.resize(input_.graph.vertex_count());
    input_.device.download(fill_rows_.data(), rows_.on_device, rows_.on_device.bytes());
  }
  std::vector<u32> ends;
  for (const auto& [target, number] : targets) {
    for (const u32 end : fill_rows_[target].ends) {
      if (end < vertex_count()) ends.push_back(end);
    }
  }
  std::ranges::sort(ends);
  ends.erase(std::ranges::unique(ends).begin(), ends.end());
  upload(end_targets_, ends, "ends of targets");
  end_target_count_ = static_cast<u32>(ends.size());
}

core_search_arguments core_on_device::arguments(const multi_source_arguments& general, u32* marks) const {
  return {general,
          /*core_searches=*/starts_.as<const core_search>(),
          /*fill_rows=*/rows_.on_device.as<const fill_row>(),
          /*inside=*/inside_.as<const inside_length>(),
          /*end_targets=*/end_targets_.as<const u32>(),
          /*inside_marks=*/marks,
          /*end_target_count=*/end_target_count_,
          /*graph_size=*/static_cast<u32>(input_.graph.vertex_count())};
}

}  // namespace mlmq::multi_source
