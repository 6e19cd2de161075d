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

void tell(const planning_settings& settings, const std::string& what) {
  if (settings.on_progress) settings.on_progress("planning: " + what);
}

/// One workload of the sweep, without the workload itself.
struct read_workload {
  workload_input where;
  db::workload_record record;
  std::vector<std::string> queries;  ///< texts
  std::vector<std::string> notes;
};

/// @throws input_error when there is nothing to ask
std::vector<query> queries_for(const problem& of, const workload& on, const workload_input& where) {
  std::vector<query> queries = of.choose_queries(on, where.queries);
  if (queries.empty()) {
    throw input_error(fmt::format("{}problem {}: there is no query for {}; see 'queries'", where.place.prefix(),
                                  of.name(), where.name));
  }
  return queries;
}

struct read_workloads_result {
  std::vector<read_workload> inputs;
  std::vector<workload_input> left_out;
};

/// Several at a time, but for large ones, which would not fit into memory together.
/// @throws input_error also when no workload is left
read_workloads_result read_workloads(const problem& of, const std::vector<workload_input>& wanted,
                                     const planning_settings& settings) {
  const workload_kind& kind = of.workloads();
  constexpr std::uint64_t large = 1U << 24;
  std::vector<read_workload> inputs(wanted.size());
  std::vector<std::exception_ptr> failures(wanted.size());
  std::vector<std::string> reasons(wanted.size());  // why it is left out; "" when it is not
  std::atomic<std::size_t> next = 0;
  std::mutex one_large_at_a_time;
  std::mutex one_tells;
  std::size_t read = 0;
  const auto read_some = [&] {
    for (std::size_t i = next++; i < wanted.size(); i = next++) {
      try {
        std::unique_lock alone(one_large_at_a_time, std::defer_lock);
        if (kind.expected_size(wanted[i]) >= large) alone.lock();
        const std::unique_ptr<workload> loaded = kind.load(wanted[i]);
        std::vector<std::string> queries;
        for (const query& asked : queries_for(of, *loaded, wanted[i])) queries.push_back(asked.text());
        inputs[i] = {wanted[i], std::move(loaded->record), std::move(queries), std::move(loaded->notes)};
        const std::lock_guard telling(one_tells);
        tell(settings, fmt::format("{} of {} workloads read", ++read, wanted.size()));
      } catch (const input_error& error) {
        if (settings.leave_out && settings.leave_out(error)) {
          reasons[i] = error.what();
          continue;
        }
        failures[i] = std::current_exception();
        next = wanted.size();
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
  read_workloads_result result;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (reasons[i].empty()) {
      result.inputs.push_back(std::move(inputs[i]));
    } else {
      result.left_out.push_back(wanted[i]);
    }
  }
  if (result.inputs.empty() && !result.left_out.empty()) {
    throw input_error(result.left_out.size() == 1 ? reasons.front()
                                                  : fmt::format("none of the {} workloads can be used; the first: {}",
                                                                result.left_out.size(), reasons.front()));
  }
  return result;
}

/// Returns a note that names all workloads whose content is equal, which the database has once; "" if there are none.
std::string equal_workloads_note(const std::vector<read_workload>& inputs) {
  std::vector<std::vector<std::string>> groups;  // names of equal workloads
  std::map<std::string, std::size_t> group_of;   // by the hash of the content
  for (const read_workload& input : inputs) {
    const auto [group, is_new] = group_of.emplace(input.record.hash, groups.size());
    if (is_new) groups.emplace_back();
    std::vector<std::string>& names = groups[group->second];
    const auto is_listed = [&names](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    // Files of one name in several folders.
    const std::string& name = is_listed(input.where.name) ? input.where.file : input.where.name;
    if (!name.empty() && !is_listed(name)) names.push_back(name);
  }
  std::vector<std::string> equal;
  for (const std::vector<std::string>& names : groups) {
    if (names.size() > 1) equal.push_back(fmt::format("{}", fmt::join(names, " = ")));
  }
  if (equal.empty()) return "";
  return fmt::format("workloads with equal content are measured once: {}", fmt::join(equal, ", "));
}

/// A configuration by its row in the database.
struct listed_configuration {
  std::int64_t row = 0;
  std::size_t query = 0;  ///< hash of its kernel, among the different ones
  std::string hash = {};  ///< only where it decides about the part
};

struct configuration_list {
  std::vector<listed_configuration> all;
  std::vector<unfit_configuration> unfit;
  std::vector<std::string> queries;
};

/// How many rows one transaction writes.
constexpr std::size_t batch_rows = 10'000;

configuration_list record_configurations(const experiment_file& experiment, const problem& of,
                                         const search_space& space, const plan_size& size, const shard& part,
                                         db::store& store, const planning_settings& settings) {
  configuration_list list;
  std::map<std::string, std::size_t> known_sources;
  std::vector<db::configuration_record> records;
  std::size_t recorded = 0;
  const auto record = [&] {
    for (const std::int64_t row : store.put_configurations(records)) list.all[recorded++].row = row;
    records.clear();
    tell(settings, fmt::format("{} of {} listed", recorded, size.configurations_text()));
  };
  const auto proposer = make_strategy(experiment.strategy, space);
  while (const std::optional<configuration> c = proposer->next()) {
    if (std::string reason = settings.unfit_reason ? settings.unfit_reason(*c) : ""; !reason.empty()) {
      list.unfit.push_back({c->label(), std::move(reason)});
      continue;
    }
    records.push_back({.problem = of.name(), .parameters_json = c->to_json(), .label = c->label()});
    const auto [query, is_new] = known_sources.emplace(of.source_hash(*c), list.queries.size());
    if (is_new) list.queries.push_back(query->first);
    list.all.push_back({.query = query->second});
    if (!part.is_whole()) list.all.back().hash = records.back().hash();
    if (records.size() == batch_rows) record();
  }
  record();
  if (list.all.empty() && !list.unfit.empty()) {
    throw input_error(fmt::format("{}none of the {} configurations can run on this device; the first: {}",
                                  experiment.space.place.prefix(), list.unfit.size(), list.unfit.front().reason));
  }
  if (list.all.empty()) {
    throw input_error(experiment.space.place.prefix() + "no configuration satisfies all restrictions");
  }
  return list;
}

/// Writes trials, some at a time.
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
    tell(settings_, fmt::format("{} trials", written_));
  }

 private:
  db::store& store_;
  std::int64_t experiment_;
  std::vector<std::string> measurements_;
  const planning_settings& settings_;
  std::vector<db::trial_key> keys_;
  std::size_t written_ = 0;
};

/// A trial's row names the kernel code that is to be measured. What an earlier sweep planned and did not reach can no
/// longer be measured when that code has changed: it would record times of one code under the name of another.
void drop_outdated(const problem& of, std::int64_t experiment, db::store& store) {
  for (const db::pending_code& one : db::pending_code_of(store, experiment)) {
    if (of.source_hash(configuration::from_json(one.parameters_json)) == one.kernel_source_hash) continue;
    db::drop_pending(store, experiment, one);
  }
}

}  // namespace

std::vector<std::string> measurements_of(const measurement_settings& settings) {
  std::vector<std::string> all = {"time"};
  if (settings.counters) all.emplace_back("counters");
  if (settings.timeline) all.emplace_back("timeline");
  return all;
}

sweep_plan plan_sweep(const experiment_file& experiment, const problem& of,
                      std::span<const backends::device_info> devices, db::store& store,
                      const std::vector<workload_input>& wanted, const shard& part, const planning_settings& settings) {
  const search_space space(experiment.space, of.declarations(), of.presets());
  const plan_size size = size_of_plan(experiment, space, of, wanted, part);
  require_at_most(settings.most_trials, size, experiment);

  sweep_plan plan;
  const auto start = std::chrono::steady_clock::now();
  // Every input is read before anything is recorded: a workload that cannot be read leaves no half experiment.
  const auto [inputs, left_out] = read_workloads(of, wanted, settings);
  plan.left_out = left_out;
  plan.load_ms = milliseconds_since(start);
  if (std::string note = equal_workloads_note(inputs); !note.empty()) plan.notes.push_back(std::move(note));

  // A strategy that learns chooses workload by workload, when there are results to choose by.
  const bool learns = experiment.strategy.learns();
  configuration_list configurations =
      learns ? configuration_list() : record_configurations(experiment, of, space, size, part, store, settings);
  plan.unfit = std::move(configurations.unfit);
  for (const backends::device_info& device : devices) {
    plan.devices.push_back(store.put_device(describe_device(device)));
  }
  plan.experiment = store.put_experiment(experiment.name, experiment.text, settings_json(experiment.measurement));
  plan.host = store.put_host({.name = db::host_name()});
  trial_writer trials(store, plan.experiment, measurements_of(experiment.measurement), settings);
  std::vector<db::final_key> finals;
  const std::set<std::int64_t> device_rows(plan.devices.begin(), plan.devices.end());
  for (const read_workload& read : inputs) {
    const std::int64_t workload = store.put_workload(read.record);
    plan.workloads.push_back({workload, read.record.hash, read.where});
    plan.notes.insert(plan.notes.end(), read.notes.begin(), read.notes.end());
    if (learns && part.has_workload(read.record.hash)) {
      plan.runs.push_back({workload, read.record, read.queries});
    }
    for (const std::int64_t device : device_rows) {
      for (const std::string& query : read.queries) {
        bool planned = false;
        for (const listed_configuration& c : configurations.all) {
          if (!part.has(read.record.hash, query, c.hash)) continue;
          planned = true;
          trials.add({.workload = workload,
                      .configuration = c.row,
                      .device = device,
                      .query = query,
                      .kernel_source_hash = configurations.queries[c.query]});
        }
        if (experiment.measurement.finalists > 0 && planned) finals.push_back({workload, query, device});
      }
    }
  }
  trials.write();
  db::plan_finals(store, plan.experiment, finals);
  store.release_abandoned();
  drop_outdated(of, plan.experiment, store);
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
