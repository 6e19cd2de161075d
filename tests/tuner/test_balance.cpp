// SPDX-License-Identifier: Apache-2.0
// Several devices share the trials of a sweep evenly. Workers are simulated: they claim trials as run_worker() does,
// and time is the cost of the trials, so that the load of the machine has no influence.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace mlmq;

namespace {

/// A graph of a sweep. Times are in seconds.
struct graph_costs {
  std::uint64_t bytes;
  double ready;    ///< time at which it has been generated, and its trials are planned
  double loading;  ///< bringing it to a device
  double trial;    ///< one trial
};

/// Returns graphs of 10^3 to 10^7 vertices with about the times of roads on an H200. All are generated at the same
/// time.
std::vector<graph_costs> graphs_of_all_sizes(std::size_t graphs_per_size) {
  std::vector<graph_costs> graphs;
  for (const double vertices : {1e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7}) {
    for (std::size_t i = 0; i < graphs_per_size; ++i) {
      const double edges = vertices * (2.5 + 3.5 * static_cast<double>(i) / static_cast<double>(graphs_per_size));
      graphs.push_back({.bytes = static_cast<std::uint64_t>(8 * edges),
                        .ready = 1e-3 + 1e-7 * edges,
                        .loading = 1e-3 + 4e-9 * edges,
                        .trial = 5e-3 + 1.2e-8 * edges});
    }
  }
  return graphs;
}

struct simulated_device {
  std::string worker;
  double free_at = 0;
  double idle = 0;       ///< time in which it could claim nothing, although the sweep had not ended
  double last_busy = 0;  ///< end of its last trial
  std::int64_t workload = 0;
  std::set<std::int64_t> resident = {};
};

struct simulated_sweep {
  std::vector<simulated_device> devices;
  double last_claim = 0;
  std::size_t trials = 0;
};

/// Claims like a worker: first on its workload, then on the one with the fewest workers.
std::optional<db::pending_trial> claim(db::store& store, std::int64_t experiment, std::int64_t device,
                                       const simulated_device& claimer) {
  db::claim_options options;
  options.preferred_workload = claimer.workload;
  options.only_preferred = true;
  if (auto trial = store.claim(experiment, device, claimer.worker, options)) return trial;
  options = {};
  options.spread_over_workloads = true;
  return store.claim(experiment, device, claimer.worker, options);
}

simulated_sweep simulate(std::size_t device_count, const std::vector<graph_costs>& graphs, int configurations) {
  const tests::scratch_folder folder;
  auto store = db::store::open(folder / "sweep.sqlite", db::open_mode::read_write_create);
  const std::int64_t device = store.put_device({.name = "GPU", .kind = "cuda", .architecture = "sm_1"});
  const std::int64_t experiment = store.put_experiment("balance", "text", "{}");
  std::vector<db::configuration_record> records;
  for (int i = 0; i < configurations; ++i) {
    records.push_back({.problem = "sssp",
                       .parameters_json = "{\"delta\":" + std::to_string(i) + "}",
                       .label = "delta=" + std::to_string(i)});
  }
  const std::vector<std::int64_t> configuration_rows = store.put_configurations(records);
  std::vector<std::int64_t> rows;
  std::vector<std::size_t> unplanned(graphs.size());
  std::iota(unplanned.begin(), unplanned.end(), std::size_t{0});
  std::ranges::sort(unplanned, {}, [&](std::size_t i) { return -graphs[i].ready; });
  std::map<std::int64_t, graph_costs> costs;
  const auto plan_until = [&](double time) {
    for (; !unplanned.empty() && graphs[unplanned.back()].ready <= time; unplanned.pop_back()) {
      const std::size_t i = unplanned.back();
      const std::int64_t row = store.put_workload({.hash = std::to_string(i),
                                                   .kind = "graph",
                                                   .name = std::to_string(i),
                                                   .workload_class = "road",
                                                   .origin = "",
                                                   .bytes = graphs[i].bytes});
      costs[row] = graphs[i];
      std::vector<db::trial_key> keys;
      for (const std::int64_t configuration : configuration_rows) {
        keys.push_back({.workload = row,
                        .configuration = configuration,
                        .device = device,
                        .query = "source=0",
                        .kernel_source_hash = "code"});
      }
      store.plan(experiment, keys);
    }
  };
  db::trial_result finished;
  finished.result = db::outcome::timeout;  // needs no samples
  simulated_sweep sweep;
  for (std::size_t i = 0; i < device_count; ++i) sweep.devices.push_back({.worker = "host:" + std::to_string(i)});
  std::map<std::string, std::int64_t> running;
  for (;;) {
    simulated_device& next = *std::ranges::min_element(sweep.devices, {}, &simulated_device::free_at);
    if (next.free_at == std::numeric_limits<double>::infinity()) return sweep;
    if (const auto trial = running.find(next.worker); trial != running.end()) {
      REQUIRE(store.finish(trial->second, finished));
      running.erase(trial);
    }
    plan_until(next.free_at);
    const auto trial = claim(store, experiment, device, next);
    if (!trial) {
      const double until = unplanned.empty() ? std::numeric_limits<double>::infinity() : graphs[unplanned.back()].ready;
      if (!unplanned.empty()) next.idle += until - next.free_at;
      next.free_at = until;
      continue;
    }
    ++sweep.trials;
    sweep.last_claim = next.free_at;
    running[next.worker] = trial->id;
    next.workload = trial->workload;
    if (next.resident.insert(trial->workload).second) next.free_at += costs[trial->workload].loading;
    next.free_at += costs[trial->workload].trial;
    next.last_busy = next.free_at;
  }
}

}  // namespace

TEST_CASE("no device is idle before the last trial") {
  constexpr int configurations = 46;
  for (const std::size_t device_count : {2U, 4U, 8U}) {
    CAPTURE(device_count);
    const std::vector<graph_costs> graphs = graphs_of_all_sizes(device_count);
    double work = 0;
    for (const graph_costs& graph : graphs) work += graph.loading + configurations * graph.trial;
    const simulated_sweep sweep = simulate(device_count, graphs, configurations);
    CHECK(sweep.trials == graphs.size() * configurations);
    for (const simulated_device& device : sweep.devices) {
      CHECK(device.idle <= 0.02 * sweep.last_claim);
      CHECK(device.last_busy >= 0.98 * sweep.last_claim);
      // Devices that share a graph load it once more.
      CHECK(device.last_busy <= 1.03 * work / static_cast<double>(device_count));
    }
  }
}
