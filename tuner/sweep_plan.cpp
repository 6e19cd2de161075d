// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "db/finals.hpp"
#include "db/outdated.hpp"
#include "db/worker.hpp"
#include "tuner/measurement.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {
namespace {

/// Returns the measurement settings as JSON. It is part of the experiment's identity: newer settings are left out
/// unless used.
std::string settings_json(const measurement_settings& settings) {
  nlohmann::json document{{"warmup", settings.warmup},
                          {"repeats", settings.repeats},
                          {"time_limit_ms", settings.time_limit_ms},
                          {"counters", settings.counters},
                          {"seed", settings.seed}};
  if (settings.spread > 0) {
    document["spread"] = settings.spread;
    document["max_repeats"] = settings.max_repeats;
  }
  if (settings.slowdown_limit > 0) {
    document["slowdown_limit"] = settings.slowdown_limit;
    document["slowdown_floor_ms"] = settings.slowdown_floor_ms;
  }
  if (settings.timeline) document["timeline"] = true;
  if (!settings.hardware_counters.empty()) document["hardware_counters"] = settings.hardware_counters;
  if (settings.energy) document["energy"] = true;
  if (settings.finalists > 0) {
    document["finalists"] = settings.finalists;
    document["final_rounds"] = settings.final_rounds;
  }
  return document.dump();
}

void show_progress(const planning_settings& settings, const std::string& message) {
  if (settings.on_progress) settings.on_progress("planning: " + message);
}

/// @throws input_error if there is no query
std::vector<query> queries_for(const problem& problem, const workload& workload, const workload_input& input) {
  std::vector<query> queries = problem.choose_queries(workload, input.queries);
  if (queries.empty()) {
    throw input_error(fmt::format("{}problem {}: the rules under 'queries' give no query for {}", input.place.prefix(),
                                  problem.name(), input.name));
  }
  return queries;
}

/// Returns the workload if an earlier sweep read it with the same queries, else null.
const loaded_workload* find_loaded(const workload_cache* cache, const workload_input& input) {
  if (cache == nullptr) return nullptr;
  const auto place = std::find_if(cache->begin(), cache->end(), [&](const loaded_workload& loaded) {
    return loaded.input == input && loaded.input.queries == input.queries;
  });
  return place == cache->end() ? nullptr : &*place;
}

struct read_workloads_result {
  std::vector<loaded_workload> inputs;
  std::vector<workload_input> left_out;
};

/// Reads workloads in parallel, except for large ones, which are read one at a time to limit memory.
/// @throws input_error also if no workload is left
read_workloads_result read_workloads(const problem& problem, const std::vector<workload_input>& inputs,
                                     const planning_settings& settings) {
  const workload_kind& kind = problem.workloads();
  constexpr std::uint64_t large = 1U << 24;
  std::vector<loaded_workload> entries(inputs.size());
  std::vector<std::exception_ptr> failures(inputs.size());
  std::vector<std::string> reasons(inputs.size());  // why a workload is left out; "" if it is not left out
  std::atomic<std::size_t> next = 0;
  std::mutex one_large_at_a_time;
  std::mutex progress_mutex;
  std::size_t read = 0;
  const auto read_some = [&] {
    for (std::size_t i = next++; i < inputs.size(); i = next++) {
      if (const loaded_workload* const cached = find_loaded(settings.cache, inputs[i])) {
        entries[i] = *cached;
        continue;
      }
      try {
        std::unique_lock alone(one_large_at_a_time, std::defer_lock);
        if (kind.expected_size(inputs[i]) >= large) alone.lock();
        const std::unique_ptr<workload> loaded = kind.load(inputs[i]);
        std::vector<std::string> queries;
        for (const query& query : queries_for(problem, *loaded, inputs[i])) queries.push_back(query.text());
        entries[i] = {inputs[i], std::move(loaded->record), std::move(queries), std::move(loaded->notes)};
        const std::lock_guard telling(progress_mutex);
        show_progress(settings, fmt::format("{} of {} workloads read", ++read, inputs.size()));
      } catch (const input_error& error) {
        if (settings.leave_out && settings.leave_out(error)) {
          reasons[i] = error.what();
          continue;
        }
        failures[i] = std::current_exception();
        next = inputs.size();
      } catch (...) {
        failures[i] = std::current_exception();
        next = inputs.size();
      }
    }
  };
  const std::size_t helpers = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), inputs.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(read_some);
    read_some();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  read_workloads_result result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (reasons[i].empty()) {
      if (settings.cache != nullptr && find_loaded(settings.cache, inputs[i]) == nullptr)
        settings.cache->push_back(entries[i]);
      result.inputs.push_back(std::move(entries[i]));
    } else {
      result.left_out.push_back(inputs[i]);
    }
  }
  if (result.inputs.empty() && !result.left_out.empty()) {
    throw input_error(result.left_out.size() == 1 ? reasons.front()
                                                  : fmt::format("none of the {} workloads can be used; the first: {}",
                                                                result.left_out.size(), reasons.front()));
  }
  return result;
}

/// Returns a note that names workloads with equal content, which the database stores once, or "".
std::string equal_workloads_note(const std::vector<loaded_workload>& inputs) {
  std::vector<std::vector<std::string>> groups;  // names of equal workloads
  std::map<std::string, std::size_t> group_of;   // by the hash of the content
  for (const loaded_workload& workload : inputs) {
    const auto [group, is_new] = group_of.emplace(workload.record.hash, groups.size());
    if (is_new) groups.emplace_back();
    std::vector<std::string>& names = groups[group->second];
    const auto is_listed = [&names](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    // Files in several folders may have the same name.
    const std::string& name = is_listed(workload.input.name) ? workload.input.file : workload.input.name;
    if (!name.empty() && !is_listed(name)) names.push_back(name);
  }
  std::vector<std::string> equal;
  for (const std::vector<std::string>& names : groups) {
    if (names.size() > 1) equal.push_back(fmt::format("{}", fmt::join(names, " = ")));
  }
  if (equal.empty()) return "";
  return fmt::format("workloads with equal content are measured once: {}", fmt::join(equal, ", "));
}

/// A configuration with its row in the database.
struct listed_configuration {
  std::int64_t row = 0;
  std::size_t source = 0;  ///< position in configuration_list::source_hashes
  std::string hash = {};   ///< set only for shards
};

struct configuration_list {
  std::vector<listed_configuration> rows;
  std::vector<unfit_configuration> unfit;
  std::vector<std::string> source_hashes;  ///< hashes of the kernels' sources, each once
};

/// Rows per transaction.
constexpr std::size_t batch_rows = 10'000;

configuration_list record_configurations(const experiment_file& experiment, const problem& problem,
                                         const search_space& space, const plan_size& size, const shard& part,
                                         db::store& store, const planning_settings& settings) {
  configuration_list list;
  std::map<std::string, std::size_t> known_sources;
  std::vector<db::configuration_record> records;
  std::size_t recorded = 0;
  const auto record = [&] {
    for (const std::int64_t row : store.put_configurations(records)) list.rows[recorded++].row = row;
    records.clear();
    show_progress(settings, fmt::format("{} of {} listed", recorded, size.configurations_text()));
  };
  const auto proposer = make_strategy(experiment.strategy, space);
  while (const std::optional<configuration> c = proposer->next()) {
    if (std::string reason = settings.unfit_reason ? settings.unfit_reason(*c) : ""; !reason.empty()) {
      list.unfit.push_back({c->label(), std::move(reason)});
      continue;
    }
    records.push_back({.problem = problem.name(), .parameters_json = c->to_json(), .label = c->label()});
    const auto [source, is_new] = known_sources.emplace(problem.source_hash(*c), list.source_hashes.size());
    if (is_new) list.source_hashes.push_back(source->first);
    list.rows.push_back({.source = source->second});
    if (!part.is_whole()) list.rows.back().hash = records.back().hash();
    if (records.size() == batch_rows) record();
  }
  record();
  if (list.rows.empty() && !list.unfit.empty()) {
    throw input_error(fmt::format("{}none of the {} configurations can run on this device; the first: {}",
                                  experiment.space.place.prefix(), list.unfit.size(), list.unfit.front().reason));
  }
  if (list.rows.empty()) {
    throw input_error(experiment.space.place.prefix() + "no configuration satisfies all restrictions");
  }
  return list;
}

/// Writes trials in batches.
class trial_writer {
 public:
  trial_writer(db::store& store, std::int64_t experiment, std::vector<std::string> measurements,
               const planning_settings& settings)
      : store_(store), experiment_(experiment), measurements_(std::move(measurements)), settings_(settings) {}

  void add(db::trial_key key) {
    for (const std::string& measurement : measurements_) {
      key.measurement = measurement;
      keys_.push_back(key);
    }
    if (keys_.size() >= batch_rows) write();
  }

  void write() {
    store_.plan(experiment_, keys_);
    written_ += keys_.size();
    keys_.clear();
    show_progress(settings_, fmt::format("{} trials", written_));
  }

 private:
  db::store& store_;
  std::int64_t experiment_;
  std::vector<std::string> measurements_;
  const planning_settings& settings_;
  std::vector<db::trial_key> keys_;
  std::size_t written_ = 0;
};

/// Drops pending trials of an earlier sweep whose kernel code has changed. A trial names the code that it measures, so
/// new code must not be recorded under the old hash.
void drop_outdated(const problem& problem, std::int64_t experiment, db::store& store) {
  for (const db::pending_code& pending : db::pending_code_of(store, experiment)) {
    if (problem.source_hash(configuration::from_json(pending.parameters_json)) == pending.kernel_source_hash) continue;
    db::drop_pending(store, experiment, pending);
  }
}

/// @throws input_error if the experiment measures what only GPUs have, on another device
void require_gpu_for(const experiment_file& experiment, const backends::device_info& device) {
  if (device.kind == "cuda") return;
  const auto refuse = [&](const char* key, const char* verb) {
    throw input_error(fmt::format("{}: '{}' needs an NVIDIA GPU, but {} {}; remove the key, or use another --device",
                                  experiment.file.string(), key, device.selector, verb));
  };
  if (!experiment.measurement.hardware_counters.empty()) refuse("hardware_counters", "has no hardware counters");
  if (experiment.measurement.energy) refuse("energy", "does not measure energy");
}

}  // namespace

std::vector<std::string> measurements_of(const measurement_settings& settings) {
  std::vector<std::string> result = {"time"};
  if (settings.counters) result.emplace_back("counters");
  if (settings.timeline) result.emplace_back("timeline");
  if (!settings.hardware_counters.empty()) result.emplace_back("hardware");
  if (settings.energy) result.emplace_back("energy");
  return result;
}

sweep_plan plan_sweep(const experiment_file& experiment, const problem& problem,
                      std::span<const backends::device_info> devices, db::store& store,
                      const std::vector<workload_input>& inputs, const shard& part, const planning_settings& settings) {
  for (const backends::device_info& device : devices) require_gpu_for(experiment, device);
  const search_space space(experiment.space, problem.declarations(), problem.presets());
  const plan_size size = size_of_plan(experiment, space, problem, inputs, part);
  require_at_most(settings.most_trials, size, experiment);

  sweep_plan plan;
  const auto start = std::chrono::steady_clock::now();
  // Read all inputs before recording anything, so that an unreadable workload leaves no partial experiment.
  const auto [read_inputs, left_out] = read_workloads(problem, inputs, settings);
  plan.left_out = left_out;
  plan.load_ms = milliseconds_since(start);
  if (std::string note = equal_workloads_note(read_inputs); !note.empty()) plan.notes.push_back(std::move(note));

  // A learning strategy proposes configurations per workload later, based on results.
  const bool learns = experiment.strategy.learns();
  configuration_list configurations =
      learns ? configuration_list() : record_configurations(experiment, problem, space, size, part, store, settings);
  plan.unfit = std::move(configurations.unfit);
  for (const backends::device_info& device : devices) {
    plan.devices.push_back(store.put_device(describe_device(device)));
  }
  plan.experiment = store.put_experiment(experiment.name, experiment.text, settings_json(experiment.measurement));
  plan.host = store.put_host({.name = db::host_name()});
  trial_writer trials(store, plan.experiment, measurements_of(experiment.measurement), settings);
  std::vector<db::final_key> finals;
  const std::set<std::int64_t> device_rows(plan.devices.begin(), plan.devices.end());
  for (const loaded_workload& loaded : read_inputs) {
    const std::int64_t workload = store.put_workload(loaded.record);
    plan.workloads.push_back({workload, loaded.record.hash, loaded.input});
    plan.notes.insert(plan.notes.end(), loaded.notes.begin(), loaded.notes.end());
    if (learns && part.has_workload(loaded.record.hash)) {
      plan.runs.push_back({workload, loaded.record, loaded.queries});
    }
    for (const std::int64_t device : device_rows) {
      for (const std::string& query : loaded.queries) {
        bool planned = false;
        for (const listed_configuration& c : configurations.rows) {
          if (!part.has(loaded.record.hash, query, c.hash)) continue;
          planned = true;
          trials.add({.workload = workload,
                      .configuration = c.row,
                      .device = device,
                      .query = query,
                      .kernel_source_hash = configurations.source_hashes[c.source]});
        }
        if (experiment.measurement.finalists > 0 && planned) finals.push_back({workload, query, device});
      }
    }
  }
  trials.write();
  db::plan_finals(store, plan.experiment, finals);
  store.release_abandoned();
  drop_outdated(problem, plan.experiment, store);
  return plan;
}

db::device_record describe_device(const backends::device_info& info) {
  return {.name = info.name,
          .kind = info.kind,
          .modelled = info.modelled,
          .architecture = info.architecture,
          .memory_bytes = info.memory_bytes,
          .multiprocessors = static_cast<int>(info.multiprocessors),
          .description_json = nlohmann::json{{"warps_per_multiprocessor", info.warp_slots}}.dump()};
}

}  // namespace mlmq::tuner
