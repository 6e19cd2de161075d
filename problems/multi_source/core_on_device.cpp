// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/core_on_device.hpp"

#include <algorithm>
#include <iterator>
#include <thread>

namespace mlmq::multi_source {

core_on_device::core_on_device(const solver_input& input, graph::reduction_extent extent)
    : input_(input),
      steps_(problems::reduce(input.device, input.graph, input.on_device, extent, input.reductions)),
      on_device_(input.device, steps_.back().core, "the core", false),
      ell_rows_(input.device, steps_.back().core, false, *on_device_.rows),
      packed_rows_(input.device, steps_.back().core) {}

template <class T>
void core_on_device::upload(problems::growing_memory& memory, const std::vector<T>& values, const char* name) {
  memory.reserve(input_.device, std::max<std::size_t>(1, values.size()) * sizeof(T), name);
  input_.device.upload(memory.memory(), values.data(), values.size() * sizeof(T));
}

void core_on_device::find_starts(std::span<graph::start_finder<graph::distance_bits>> finders,
                                 std::span<const graph::vertex_id> sources, std::span<const numbered_vertex> targets,
                                 std::span<const std::uint8_t> is_target, found_starts& result) {
  for (const graph::vertex_id source : sources) {
    const auto inside_count = [&] { return static_cast<u32>(result.inside.size()); };
    core_search search{
        .seeds_begin = static_cast<u32>(result.seeds.size()), .seeds_end = 0, .of_graph = {}, .outer = {}};
    for (const graph::seed_vertex& seed : graph::find_seeds(finders, source)) {
      result.seeds.push_back({.vertex = seed.vertex, .distance = static_cast<u32>(seed.distance)});
    }
    search.seeds_end = static_cast<u32>(result.seeds.size());
    if (finders.size() > 1) {
      const graph::core_start<graph::distance_bits>& start = finders[1].last();
      search.outer = {.offset = start.offset, .inside_begin = inside_count(), .inside_end = 0};
      for (const auto& [vertex, length] : start.inside) result.inside.push_back({.vertex = vertex, .length = length});
      search.outer.inside_end = inside_count();
    }
    const graph::core_start<graph::distance_bits>& start = finders.front().last();
    search.of_graph = {.offset = start.offset, .inside_begin = inside_count(), .inside_end = 0};
    for (const auto& [vertex, length] : start.inside) {
      if (targets.empty()) result.inside.push_back({.vertex = vertex, .length = length});
      if (targets.empty() || is_target[vertex] == 0) continue;
      for (const auto& [target, number] : std::ranges::equal_range(targets, vertex, {}, &numbered_vertex::first)) {
        result.inside.push_back({.vertex = number, .length = length});
      }
    }
    search.of_graph.inside_end = inside_count();
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
  while (finders_.size() < threads) finders_.push_back(problems::make_start_finders(input_.graph, steps_));
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
  std::vector<search_seed> seeds;
  std::vector<inside_length> inside;
  for (found_starts& part : by_thread) {
    for (core_search& search : part.searches) {
      search.seeds_begin += static_cast<u32>(seeds.size());
      search.seeds_end += static_cast<u32>(seeds.size());
      for (core_start* const start : {&search.of_graph, &search.outer}) {
        start->inside_begin += static_cast<u32>(inside.size());
        start->inside_end += static_cast<u32>(inside.size());
      }
    }
    searches.insert(searches.end(), part.searches.begin(), part.searches.end());
    seeds.insert(seeds.end(), part.seeds.begin(), part.seeds.end());
    inside.insert(inside.end(), part.inside.begin(), part.inside.end());
  }
  upload(starts_, searches, "starts of searches");
  upload(seeds_, seeds, "seeds of searches");
  upload(inside_, inside, "the fragments of the sources");
}

void core_on_device::place_ends(std::span<const numbered_vertex> targets) {
  if (!targets.empty() && fill_rows_.empty()) {
    for (const problems::reduced_rows& step : steps_) {
      std::vector<fill_row>& rows = fill_rows_.emplace_back(step.places().size() * step.rows_per_vertex);
      input_.device.download(rows.data(), step.on_device, rows.size() * sizeof(fill_row));
    }
  }
  std::vector<u32> ends;
  for (const auto& [target, number] : targets) ends.push_back(target);
  for (std::size_t i = 0; i < fill_rows_.size(); ++i) {
    const std::size_t count = steps_[i].rows_per_vertex;
    for (const u32 vertex : std::exchange(ends, {})) {
      for (const fill_row& row : std::span(fill_rows_[i]).subspan(vertex * count, count)) {
        std::ranges::copy_if(row.ends, std::back_inserter(ends),
                             [&](u32 end) { return end < steps_[i].core.vertex_count(); });
      }
    }
    std::ranges::sort(ends);
    ends.erase(std::ranges::unique(ends).begin(), ends.end());
  }
  upload(end_targets_, ends, "ends of targets");
  end_target_count_ = static_cast<u32>(ends.size());
}

core_search_arguments core_on_device::arguments(const multi_source_arguments& general, u32* marks,
                                                u32* outer_distances) const {
  return {general,
          /*core_searches=*/starts_.as<const core_search>(),
          /*seeds=*/seeds_.as<const search_seed>(),
          /*fill_rows=*/steps_.front().on_device.as<const fill_row>(),
          /*outer_rows=*/steps_.back().on_device.as<const fill_row>(),
          /*inside=*/inside_.as<const inside_length>(),
          /*end_targets=*/end_targets_.as<const u32>(),
          /*inside_marks=*/marks,
          /*outer_distances=*/outer_distances,
          /*end_target_count=*/end_target_count_,
          /*graph_size=*/static_cast<u32>(input_.graph.vertex_count()),
          /*outer_size=*/static_cast<u32>(outer_size()),
          /*rows_per_vertex=*/steps_.back().rows_per_vertex};
}

}  // namespace mlmq::multi_source
