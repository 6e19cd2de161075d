// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/reduced_search.hpp"

#include <algorithm>
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

}  // namespace

reduced_search::reduced_search(backends::backend& device, const graph::csr_graph& graph, reduced_rows rows,
                               const std::string& name, ring_limits limits)
    : device_(device),
      vertices_(graph.vertex_count()),
      rows_(std::move(rows)),
      starts_(graph, rows_.places()),
      core_(device, rows_.core, "the core of " + name, search_kind::sssp, limits, nullptr),
      fill_kernel_(
          device.compile(device.info().grid ? helper_variant("fill_in", device.info()) : team_variant("fill_in", ""))) {
  const backends::device_memory& of_core = core_.on_device().distances;
  (void)device.measure([&] { device.fill(of_core, 0, of_core.bytes(), 0xFF); });
}

std::pair<tuner::run_report, bool> reduced_search::run(graph::vertex_id source, double time_limit_ms,
                                                       const backends::device_memory& distances,
                                                       std::span<std::byte> destination) {
  const bool on_grid = device_.info().grid;
  const double start_ms = milliseconds_of([&] {
    starts_.find(source);
    if (on_grid) upload_inside(starts_.last());
  });
  const start& begun = starts_.last();
  const auto fill_in = [&] { on_grid ? launch_on_grid(begun, distances) : launch_on_team(begun, distances); };
  if (begun.seeds.empty()) {
    const backends::device_memory& of_core = core_.on_device().distances;
    device_.set_watchdog({});
    tuner::run_report report;
    report.milliseconds = device_.measure([&] {
      device_.fill(of_core, 0, of_core.bytes(), 0xFF);
      fill_in();
    });
    return {std::move(report), false};
  }
  auto [report, is_copied] =
      core_.run(begun.seeds, time_limit_ms, {.queue_work = fill_in, .answer = &distances, .destination = destination});
  report.milliseconds += start_ms;
  return {std::move(report), is_copied};
}

void reduced_search::launch_on_team(const start& begun, const backends::device_memory& distances) {
  const std::span<const graph::distance_bits> of_core(core_.on_device().distances.as<graph::distance_bits>(),
                                                      core_.graph().vertex_count() + std::size_t{1});
  const std::span of_all(distances.as<graph::distance_bits>(), vertices_);
  const graph::reduced_graph& reduced = *rows_.on_processors;
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

void reduced_search::upload_inside(const start& begun) {
  if (begun.inside.size() <= most_few_inside) return;
  static_assert(sizeof begun.inside.front() == sizeof(inside_length));
  const std::size_t bytes = begun.inside.size() * sizeof(inside_length);
  if (inside_.bytes() < bytes) {
    inside_ = {};
    inside_ = device_.allocate(bytes, "the fragment of the source");
  }
  device_.upload(inside_, begun.inside.data(), bytes);
}

void reduced_search::launch_on_grid(const start& begun, const backends::device_memory& distances) {
  fill_arguments arguments{.rows = rows_.on_device.as<fill_row>(),
                           .of_core = core_.on_device().distances.as<u32>(),
                           .distances = distances.as<u32>(),
                           .inside = nullptr,
                           .vertex_count = vertices_,
                           .offset = begun.offset,
                           .inside_count = 0,
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
  launch(vertices_);
  if (begun.inside.empty()) return;
  arguments.inside_count = static_cast<u32>(begun.inside.size());
  if (begun.inside.size() > most_few_inside) {
    arguments.inside = inside_.as<inside_length>();
  } else {
    std::ranges::transform(begun.inside, arguments.few_inside,
                           [](const auto& path) { return inside_length{.vertex = path.first, .length = path.second}; });
  }
  launch(begun.inside.size());
}

}  // namespace mlmq::problems
