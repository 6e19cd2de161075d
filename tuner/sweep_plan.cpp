// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep_plan.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "db/finals.hpp"
#include "db/worker.hpp"
#include "tuner/measurement.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {
namespace {

/// Part of an experiment's identity: what an older program did not know is left out unless it is used.
std::string settings_json(const measurement_settings& settings) {
  nlohmann::json all{{"warmup", settings.warmup},
                     {"repeats", settings.repeats},
                     {"time_limit_ms", settings.time_limit_ms},
                     {"counters", settings.counters},
                     {"seed", settings.seed}};
  if (settings.spread > 0) {
    all["spread"] = settings.spread;
    all["max_repeats"] = settings.max_repeats;
  }
  if (settings.slowdown_limit > 0) {
    all["slowdown_limit"] = settings.slowdown_limit;
    all["slowdown_floor_ms"] = settings.slowdown_floor_ms;
  }
  if (settings.timeline) all["timeline"] = true;
  if (settings.finalists > 0) {
    all["finalists"] = settings.finalists;
    all["final_rounds"] = settings.final_rounds;
  }
  return all.dump();
}

/// One graph of the sweep, without the graph itself.
struct read_input {
  input where;
  db::graph_record record;
  std::vector<std::uint64_t> sources;  ///< ids
  std::vector<std::string> notes;
};

/// Several at a time, but for large ones, which would not fit into memory together.
std::vector<read_input> read_inputs(const std::vector<input>& wanted) {
  constexpr std::uint64_t large = 1U << 24;
  std::vector<read_input> inputs(wanted.size());
  std::vector<std::exception_ptr> failures(wanted.size());
  std::atomic<std::size_t> next = 0;
  std::mutex one_large_at_a_time;
  const auto read_some = [&] {
    for (std::size_t i = next++; i < wanted.size(); i = next++) {
      try {
        std::unique_lock alone(one_large_at_a_time, std::defer_lock);
        if (expected_edges(wanted[i]) >= large) alone.lock();
        loaded_input loaded = load_input(wanted[i]);
        inputs[i] = {wanted[i], std::move(loaded.record), {}, std::move(loaded.notes)};
        for (const graph::vertex_id source : loaded.sources) {
          inputs[i].sources.push_back(loaded.graph.ids().of(source));
        }
      } catch (...) {
        failures[i] = std::current_exception();
        next = wanted.size();
      }
    }
  };
  const std::size_t helpers = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), wanted.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(read_some);
    read_some();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return inputs;
}

}  // namespace

std::vector<std::string> measurements_of(const measurement_settings& settings) {
  std::vector<std::string> all = {"time"};
  if (settings.counters) all.emplace_back("counters");
  if (settings.timeline) all.emplace_back("timeline");
  return all;
}

sweep_plan plan_sweep(const experiment_file& experiment, const problem& what,
                      std::span<const backends::device_info> devices, db::store& store,
                      std::span<const std::string> graphs, const shard& part) {
  const search_space space(experiment.space, what.declarations());
  // A strategy that learns chooses graph by graph, when there are results to choose by.
  std::vector<configuration> configurations;
  if (!experiment.strategy.learns()) configurations = proposals(*make_strategy(experiment.strategy, space));
  std::vector<db::configuration_record> records;
  std::vector<std::string> source_hashes;
  std::vector<std::string> configuration_hashes;
  for (const configuration& c : configurations) {
    records.push_back({.problem = what.name(), .parameters_json = c.to_json(), .label = c.label()});
    source_hashes.push_back(what.source_hash(c));
    configuration_hashes.push_back(records.back().hash());
  }

  sweep_plan plan;
  const auto start = std::chrono::steady_clock::now();
  // Every input is read before anything is recorded: a graph that cannot be read leaves no half experiment.
  const std::vector<read_input> inputs = read_inputs(inputs_of(part, list_inputs(experiment, graphs)));
  plan.load_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  const std::vector<std::int64_t> configuration_rows = store.put_configurations(records);
  for (const backends::device_info& device : devices) {
    plan.devices.push_back(store.put_device(describe_device(device)));
  }
  plan.experiment = store.put_experiment(experiment.name, experiment.text, settings_json(experiment.measurement));
  plan.host = store.put_host({.name = db::host_name()});
  std::vector<db::trial_key> keys;
  std::vector<db::final_key> finals;
  const std::set<std::int64_t> device_rows(plan.devices.begin(), plan.devices.end());
  for (const read_input& read : inputs) {
    const std::int64_t graph = store.put_graph(read.record);
    plan.graphs.push_back({graph, read.record.hash, read.where});
    plan.notes.insert(plan.notes.end(), read.notes.begin(), read.notes.end());
    if (experiment.strategy.learns() && part.has_graph(read.record.hash)) {
      plan.searches.push_back({graph, read.record, read.sources});
    }
    for (const std::int64_t device : device_rows) {
      for (const std::uint64_t source : read.sources) {
        const std::size_t planned = keys.size();
        for (std::size_t c = 0; c < configurations.size(); ++c) {
          if (!part.has(read.record.hash, source, configuration_hashes[c])) continue;
          db::trial_key key{.graph = graph,
                            .configuration = configuration_rows[c],
                            .device = device,
                            .source = source,
                            .kernel_source_hash = source_hashes[c]};
          for (const std::string& measurement : measurements_of(experiment.measurement)) {
            key.measurement = measurement;
            keys.push_back(key);
          }
        }
        if (experiment.measurement.finalists > 0 && keys.size() > planned) finals.push_back({graph, source, device});
      }
    }
  }
  store.plan(plan.experiment, keys);
  db::plan_finals(store, plan.experiment, finals);
  store.release_abandoned();
  return plan;
}

db::device_record describe_device(const backends::device_info& info) {
  return {.name = info.name,
          .kind = info.kind,
          .architecture = info.architecture,
          .memory_bytes = info.memory_bytes,
          .multiprocessors = static_cast<int>(info.multiprocessors),
          .description_json = nlohmann::json{{"warps_per_multiprocessor", info.warp_slots}}.dump()};
}

}  // namespace mlmq::tuner
