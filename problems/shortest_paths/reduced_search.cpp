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

reduced_search::reduced_search(backends::backend& device, const graph::csr_graph& graph, const std::string& name,
                               graph::reduction_extent extent, graph::lazily_reduced_graphs& reductions,
                               ring_limits limits)
    : device_(device),
      reduced_(reduced(graph, extent, reductions, device.info())),
      core_(device, reduced_->core(), "the core of " + name, search_kind::sssp, limits, nullptr) {
  const backends::device_memory& of_core = core_.on_device().distances;
  (void)device.measure([&] { device.fill(of_core, 0, of_core.bytes(), 0xFF); });
  if (device.info().grid) {
    const auto& rows = reduced_->lengths<graph::distance_bits>().rows;
    static_assert(sizeof rows.front() == sizeof(fill_row));
    rows_ = device_.allocate(std::max<std::size_t>(1, rows.size()) * sizeof(fill_row), "the eliminated vertices");
    device_.upload(rows_, rows.data(), rows.size() * sizeof(fill_row));
    fill_kernel_ = device_.compile(helper_variant("fill_in", device_.info()));
  } else {
    fill_kernel_ = device_.compile(team_variant("fill_in", ""));
  }
}

std::pair<tuner::run_report, bool> reduced_search::run(graph::vertex_id source, double time_limit_ms,
                                                       const backends::device_memory& distances,
                                                       std::span<std::byte> destination) {
  start begun;
  const double start_ms = milliseconds_of([&] { begun = reduced_->start_from<graph::distance_bits>(source); });
  const bool on_grid = device_.info().grid;
  const fill_arguments arguments = on_grid ? arguments_for(begun, distances) : fill_arguments();
  const auto fill_in = [&] { on_grid ? launch_on_grid(arguments) : launch_on_team(begun, distances); };
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
  if (!on_grid) report.milliseconds += start_ms;
  return {std::move(report), is_copied};
}

void reduced_search::launch_on_team(const start& begun, const backends::device_memory& distances) {
  const std::span<const graph::distance_bits> of_core(core_.on_device().distances.as<graph::distance_bits>(),
                                                      core_.graph().vertex_count() + std::size_t{1});
  const std::span of_all(distances.as<graph::distance_bits>(), reduced_->structure().vertex_count());
  const backends::team_work work = [&](cpu::thread_team& team) {
    // A thread fills a small graph before others have begun.
    constexpr std::size_t least_shared = 16'384;
    if (of_all.size() < least_shared) {
      reduced_->fill_in(begun, of_core, of_all, 0, of_all.size());
    } else {
      team.run([&](unsigned rank) {
        const auto slice = team.slice_of(rank, of_all.size(), sizeof(graph::distance_bits));
        reduced_->fill_in(begun, of_core, of_all, slice.first, slice.last);
      });
    }
    reduced_->fill_in_fragment(begun, of_all);
  };
  device_.launch(*fill_kernel_,
                 {.grid_blocks = 1, .shared_bytes = 0, .arguments = &work, .argument_bytes = sizeof work});
}

fill_arguments reduced_search::arguments_for(const start& begun, const backends::device_memory& distances) {
  fill_arguments arguments{.rows = rows_.as<fill_row>(),
                           .of_core = core_.on_device().distances.as<u32>(),
                           .distances = distances.as<u32>(),
                           .inside = nullptr,
                           .vertex_count = reduced_->structure().vertex_count(),
                           .offset = begun.offset,
                           .inside_count = static_cast<u32>(begun.inside.size()),
                           .first_inside = 1,
                           .last_inside = 0,
                           .few_inside = {}};
  if (begun.inside.empty()) return arguments;
  std::vector<inside_length> inside;
  for (std::size_t i = 0; i < begun.inside.size(); ++i) {
    inside.push_back(
        {.vertex = reduced_->structure().eliminated()[begun.first_position + i], .length = begun.inside[i]});
  }
  std::ranges::sort(inside, {}, &inside_length::vertex);
  arguments.first_inside = inside.front().vertex;
  arguments.last_inside = inside.back().vertex;
  if (inside.size() <= most_few_inside) {
    std::ranges::copy(inside, arguments.few_inside);
    return arguments;
  }
  if (inside_.bytes() < inside.size() * sizeof(inside_length)) {
    inside_ = {};
    inside_ = device_.allocate(reduced_->structure().eliminated_count() * sizeof(inside_length),
                               "the fragment of the source");
  }
  device_.upload(inside_, inside.data(), inside.size() * sizeof(inside_length));
  arguments.inside = inside_.as<inside_length>();
  return arguments;
}

void reduced_search::launch_on_grid(const fill_arguments& arguments) {
  const unsigned threads = helper_threads(device_.info());
  const unsigned most = std::clamp(fill_kernel_->resident_blocks(0), 1U,
                                   fill_blocks_per_multiprocessor * std::max(1U, device_.info().multiprocessors));
  const unsigned blocks = std::clamp((arguments.vertex_count + threads - 1) / threads, 1U, most);
  device_.launch(*fill_kernel_, {.grid_blocks = blocks,
                                 .shared_bytes = 0,
                                 .arguments = &arguments,
                                 .argument_bytes = sizeof arguments,
                                 .together = false});
}

}  // namespace mlmq::problems
