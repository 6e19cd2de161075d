// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/reduced_search.hpp"

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.hpp"
#include "backends/cpu/searches/thread_team.hpp"
#include "base/stopwatch.hpp"
#include "problems/graphs/helper_kernels.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/team_run.hpp"

namespace mlmq::problems {
namespace {

/// The kernel waits for memory, so more blocks do not help.
constexpr unsigned fill_blocks_per_multiprocessor = 8;
/// Comparisons of vertices with those inside a fragment that take less time than another launch.
constexpr std::size_t most_comparisons = std::size_t{1} << 24;

}  // namespace

reduced_search::reduced_search(backends::backend& device, const graph::csr_graph& graph,
                               std::vector<reduced_rows> steps, const std::string& name, ring_limits limits)
    : device_(device),
      steps_(std::move(steps)),
      starts_(make_start_finders(graph, steps_)),
      core_(device, steps_.back().core, "the core of " + name, search_kind::sssp, limits, nullptr),
      fill_kernel_(
          device.compile(device.info().grid ? helper_variant("fill_in", device.info()) : team_variant("fill_in", ""))),
      inside_(steps_.size()) {
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
    // Behind the last vertex is one that is not reached, as in the distances of a search.
    const std::size_t words = steps_[i].core.vertex_count() + std::size_t{1};
    distances_.push_back(device.allocate(words * sizeof(u32), "the distances of a core"));
  }
  (void)device.measure([&] {
    const backends::device_memory& of_core = core_.on_device().distances;
    device.fill(of_core, 0, of_core.bytes(), 0xFF);
    for (const backends::device_memory& memory : distances_) device.fill(memory, 0, memory.bytes(), 0xFF);
  });
}

std::pair<tuner::run_report, bool> reduced_search::run(graph::vertex_id source, double time_limit_ms,
                                                       const backends::device_memory& distances,
                                                       std::span<std::byte> destination) {
  std::span<const graph::seed_vertex> seeds;
  const double start_ms = milliseconds_of([&] {
    seeds = graph::find_seeds<graph::distance_bits>(starts_, source);
    if (!device_.info().grid) return;
    for (std::size_t step = 0; step < steps_.size(); ++step) upload_inside(step);
  });
  const backends::device_memory& of_core = core_.on_device().distances;
  const auto fill_all = [&] {
    for (std::size_t step = steps_.size(); step-- > 0;) {
      fill_in(step, step + 1 == steps_.size() ? of_core : distances_[step],
              step == 0 ? distances : distances_[step - 1]);
    }
  };
  if (seeds.empty()) {
    device_.set_watchdog({});
    tuner::run_report report;
    report.milliseconds = device_.measure([&] {
      device_.fill(of_core, 0, of_core.bytes(), 0xFF);
      fill_all();
    });
    return {std::move(report), false};
  }
  auto [report, is_copied] =
      core_.run(seeds, time_limit_ms, {.queue_work = fill_all, .answer = &distances, .destination = destination});
  report.milliseconds += start_ms;
  return {std::move(report), is_copied};
}

void reduced_search::fill_in(std::size_t step, const backends::device_memory& of_core,
                             const backends::device_memory& distances) {
  if (device_.info().grid) return launch_on_grid(step, of_core, distances);
  launch_on_team(step, of_core, distances);
}

void reduced_search::launch_on_team(std::size_t step, const backends::device_memory& of_core_memory,
                                    const backends::device_memory& distances) {
  const graph::core_start<graph::distance_bits>& begun = starts_[step].last();
  const graph::reduced_graph& reduced = *steps_[step].on_processors;
  const std::span<const graph::distance_bits> of_core(of_core_memory.as<graph::distance_bits>(),
                                                      reduced.core().vertex_count() + std::size_t{1});
  const std::span of_all(distances.as<graph::distance_bits>(), steps_[step].places().size());
  const backends::team_work work = [&](cpu::thread_team& team) {
    // A thread fills a small graph before others have begun.
    constexpr std::size_t least_shared = 16'384;
    if (of_all.size() < least_shared) {
      reduced.fill_in(begun, of_core, of_all, 0, of_all.size());
    } else {
      team.run([&](unsigned rank) {
        const auto slice = team.slice_of(rank, of_all.size(), sizeof(graph::distance_bits));
        reduced.fill_in(begun, of_core, of_all, slice.first, slice.last);
      });
    }
    graph::reduced_graph::fill_in_fragment(begun, of_all);
  };
  device_.launch(*fill_kernel_,
                 {.grid_blocks = 1, .shared_bytes = 0, .arguments = &work, .argument_bytes = sizeof work});
}

void reduced_search::upload_inside(std::size_t step) {
  const graph::core_start<graph::distance_bits>& begun = starts_[step].last();
  backends::device_memory& memory = inside_[step];
  if (begun.inside.size() <= most_few_inside) return;
  static_assert(sizeof begun.inside.front() == sizeof(inside_length));
  const std::size_t bytes = begun.inside.size() * sizeof(inside_length);
  if (memory.bytes() < bytes) {
    memory = {};
    memory = device_.allocate(bytes, "the fragment of the source");
  }
  device_.upload(memory, begun.inside.data(), bytes);
}

void reduced_search::launch_on_grid(std::size_t step, const backends::device_memory& of_core,
                                    const backends::device_memory& distances) {
  const graph::core_start<graph::distance_bits>& begun = starts_[step].last();
  const auto vertices = static_cast<u32>(steps_[step].places().size());
  fill_arguments arguments{.rows = steps_[step].on_device.as<fill_row>(),
                           .of_core = of_core.as<u32>(),
                           .distances = distances.as<u32>(),
                           .inside = nullptr,
                           .vertex_count = vertices,
                           .rows_per_vertex = steps_[step].rows_per_vertex,
                           .offset = begun.offset,
                           .inside_count = 0,
                           .first_inside = 0,
                           .last_inside = 0,
                           .few_inside = {}};
  const auto launch = [&](std::size_t items) {
    const unsigned threads = helper_threads(device_.info());
    const unsigned most = std::clamp(fill_kernel_->resident_blocks(0), 1U,
                                     fill_blocks_per_multiprocessor * std::max(1U, device_.info().multiprocessors));
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((items + threads - 1) / threads, 1, most));
    device_.launch(*fill_kernel_, {.grid_blocks = blocks,
                                   .shared_bytes = 0,
                                   .arguments = &arguments,
                                   .argument_bytes = sizeof arguments,
                                   .together = false});
  };
  const std::size_t count = begun.inside.size();
  const auto pass_inside = [&] {
    arguments.inside_count = static_cast<u32>(count);
    if (count > most_few_inside) {
      arguments.inside = inside_[step].as<inside_length>();
    } else {
      std::ranges::transform(begun.inside, arguments.few_inside, [](const auto& path) {
        return inside_length{.vertex = path.first, .length = path.second};
      });
    }
  };
  if (count != 0 && count <= most_few_inside) {
    const auto [first, last] = std::ranges::minmax(std::views::keys(begun.inside));
    if (count * (last - first + std::size_t{1}) <= most_comparisons) {
      arguments.first_inside = first;
      arguments.last_inside = last;
      pass_inside();
      return launch(vertices);
    }
  }
  launch(vertices);
  if (count == 0) return;
  arguments.vertex_count = 0;
  pass_inside();
  launch(count);
}

}  // namespace mlmq::problems
