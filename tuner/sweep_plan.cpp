// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "db/finals.hpp"
#include "db/outdated.hpp"
#include "db/worker.hpp"
#include "tuner/load_budget.hpp"
#include "tuner/measurement.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {
namespace {

/// Returns the measurement settings as JSON. It is part of the experiment's identity: newer settings are left out
/// unless used.
std::string settings_json(const measurement_settings& settings, const std::vector<db::objective>& objectives) {
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
  if (const std::string other = db::objectives_json(objectives); !other.empty()) {
    document["objectives"] = nlohmann::json::parse(other);
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

/// Reads workloads in several threads, as many at the same time as the memory suffices for. Every other thread begins
/// with the largest, because they take longest; the rest begin with the smallest, so that measuring can start soon.
class workload_reader {
 public:
  /// @param problem, settings must outlive the reader
  workload_reader(const problem& problem, std::vector<workload_input> inputs, const planning_settings& settings)
      : problem_(problem), settings_(settings), inputs_(std::move(inputs)), results_(inputs_.size()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) unread_.push_back(i);
    std::ranges::stable_sort(unread_, {},
                             [this](std::size_t i) { return problem_.workloads().expected_size(inputs_[i]); });
  }
  workload_reader(const workload_reader&) = delete;
  workload_reader& operator=(const workload_reader&) = delete;
  /// Waits for the workloads that are being read.
  ~workload_reader() { drop_unread(); }

  [[nodiscard]] const std::vector<workload_input>& inputs() const { return inputs_; }

  /// Begins to read in background threads.
  void start() {
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < std::min(most, inputs_.size()); ++i) {
      threads_.emplace_back([this, largest_first = i % 2 == 0] { read_some(largest_first); });
    }
  }

  /// Waits for all. @throws the first failure, in the order of the inputs
  void finish() {
    threads_.clear();
    for (const result& outcome : results_) {
      if (outcome.failure) std::rethrow_exception(outcome.failure);
    }
  }

  /// Returns the positions of the inputs that have been read since the last call. @throws the first failure among them
  std::vector<std::size_t> take_read() {
    const std::lock_guard lock(mutex_);
    for (const std::size_t i : read_) {
      if (results_[i].failure) std::rethrow_exception(results_[i].failure);
    }
    return std::exchange(read_, {});
  }

  /// Returns whether a workload could not be shared for lack of memory since the last call.
  [[nodiscard]] bool take_refused_sharing() { return sharing_budget_->take_refused(); }

  /// @param position of an input that has been read
  [[nodiscard]] loaded_workload& loaded(std::size_t position) { return results_[position].loaded; }
  /// Returns why a workload is left out, or "".
  [[nodiscard]] const std::string& reason(std::size_t position) const { return results_[position].reason; }

 private:
  struct result {
    loaded_workload loaded;
    std::string reason;
    std::exception_ptr failure;
  };

  void drop_unread() {
    const std::lock_guard lock(mutex_);
    unread_.clear();
  }

  /// Returns the position of the next input to read, or nothing if none is left.
  std::optional<std::size_t> take_unread(bool largest_first) {
    const std::lock_guard lock(mutex_);
    if (unread_.empty()) return std::nullopt;
    const std::size_t position = largest_first ? unread_.back() : unread_.front();
    largest_first ? unread_.pop_back() : unread_.pop_front();
    return position;
  }

  void read_some(bool largest_first) {
    while (const std::optional<std::size_t> i = take_unread(largest_first)) {
      result& outcome = results_[*i];
      if (const loaded_workload* const cached = find_loaded(settings_.cache, inputs_[*i])) {
        outcome.loaded = *cached;
      } else {
        try {
          outcome.loaded = read(inputs_[*i]);
        } catch (const input_error& error) {
          const bool is_optional = inputs_[*i].is_found && !(settings_.refuse && settings_.refuse(error));
          if (is_optional || (settings_.leave_out && settings_.leave_out(error))) {
            outcome.reason = error.what();
          } else {
            outcome.failure = std::current_exception();
          }
        } catch (...) {
          outcome.failure = std::current_exception();
        }
      }
      if (outcome.failure) drop_unread();
      const std::lock_guard lock(mutex_);
      read_.push_back(*i);
      if (outcome.reason.empty() && !outcome.failure) {
        show_progress(settings_, fmt::format("{} of {} workloads read", ++count_, inputs_.size()));
      }
    }
  }

  loaded_workload read(const workload_input& input) {
    const std::uint64_t size = problem_.workloads().expected_size(input);
    {
      std::unique_lock lock(mutex_);
      memory_freed_.wait(lock, [&] { return budget_.admits(size); });
      budget_.add(size);
    }
    struct at_the_end {
      workload_reader& reader;
      std::uint64_t size;
      ~at_the_end() {
        const std::lock_guard lock(reader.mutex_);
        reader.budget_.remove(size);
        reader.memory_freed_.notify_all();
      }
    } const freed{*this, size};
    const std::unique_ptr<workload> loaded = problem_.workloads().load(input);
    std::vector<std::string> queries;
    for (const query& query : queries_for(problem_, *loaded, input)) queries.push_back(query.text());
    std::shared_ptr<const shared_workload> shared;
    if (settings_.share_workloads) shared = shared_workload::copy_of(problem_.workloads(), *loaded, sharing_budget_);
    return {input, std::move(loaded->record), std::move(queries), std::move(loaded->notes), std::move(shared)};
  }

  const problem& problem_;
  const planning_settings& settings_;
  std::vector<workload_input> inputs_;
  std::vector<result> results_;
  std::shared_ptr<sharing_budget> sharing_budget_ = sharing_budget::of_machine();
  std::mutex mutex_;                // protects the members up to `count_`
  std::deque<std::size_t> unread_;  // positions, by size
  std::condition_variable memory_freed_;
  load_budget budget_ = load_budget::of_machine();
  std::vector<std::size_t> read_;  // positions that take_read() has not returned
  std::size_t count_ = 0;
  std::vector<std::jthread> threads_;
};

struct read_workloads_result {
  std::vector<loaded_workload> inputs;
  std::vector<left_out_workload> left_out;
};

/// @throws input_error also if no workload is left
read_workloads_result read_workloads(const problem& problem, const std::vector<workload_input>& inputs,
                                     const planning_settings& settings) {
  workload_reader reader(problem, inputs, settings);
  reader.start();
  reader.finish();
  read_workloads_result result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (reader.reason(i).empty()) {
      loaded_workload& loaded = reader.loaded(i);
      if (settings.cache != nullptr && find_loaded(settings.cache, inputs[i]) == nullptr)
        settings.cache->push_back(loaded);
      result.inputs.push_back(std::move(loaded));
    } else {
      result.left_out.push_back({.file = inputs[i].file, .reason = reader.reason(i)});
    }
  }
  if (result.inputs.empty() && !result.left_out.empty()) {
    const std::string& first_reason = result.left_out.front().reason;
    throw input_error(result.left_out.size() == 1 ? first_reason
                                                  : fmt::format("none of the {} workloads can be used; the first: {}",
                                                                result.left_out.size(), first_reason));
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
  const auto record_of = [&problem](const configuration& c) {
    return db::configuration_record{.problem = problem.name(), .parameters_json = c.to_json(), .label = c.label()};
  };
  if (experiment.strategy.name == strategy_settings().name) {
    // Trials on a workload run in the order of these rows. Listed configurations are what the others are compared with:
    // they come first, so that a sweep with a time limit has them.
    std::vector<db::configuration_record> listed;
    for (const configuration& c : space.listed()) {
      if (!settings.unfit_reason || settings.unfit_reason(c).empty()) listed.push_back(record_of(c));
    }
    static_cast<void>(store.put_configurations(listed));
  }
  const auto proposer = make_strategy(experiment.strategy, space);
  while (const std::optional<configuration> c = proposer->next()) {
    if (std::string reason = settings.unfit_reason ? settings.unfit_reason(*c) : ""; !reason.empty()) {
      list.unfit.push_back({c->label(), std::move(reason)});
      continue;
    }
    records.push_back(record_of(*c));
    const auto [source, is_new] = known_sources.emplace(problem.source_hash(*c), list.source_hashes.size());
    if (is_new) list.source_hashes.push_back(store.recorded_code(source->first));
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

/// Drops pending trials of an earlier sweep whose kernel code has changed. A trial names the code that it measures, so
/// new code must not be recorded under the old hash.
void drop_outdated(const problem& problem, std::int64_t experiment, db::store& store) {
  for (const db::pending_code& pending : db::pending_code_of(store, experiment)) {
    const std::string sources = problem.source_hash(configuration::from_json(pending.parameters_json));
    if (store.recorded_code(sources) == pending.kernel_source_hash) continue;
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

/// Adds workloads to the plan and records their trials and finals.
class growing_plan::state {
 public:
  state(const experiment_file& experiment, const problem& problem, std::span<const backends::device_info> devices,
        db::store& store, const std::vector<workload_input>& inputs, const shard& part, planning_settings settings,
        sweep_plan& plan)
      : experiment_(experiment),
        problem_(problem),
        store_(store),
        part_(part),
        settings_(std::move(settings)),
        plan_(plan) {
    for (const backends::device_info& device : devices) require_gpu_for(experiment, device);
    const search_space space(experiment.space, problem.declarations(), problem.presets());
    const plan_size size = size_of_plan(experiment, space, problem, inputs, part);
    require_at_most(settings_.most_trials, size, experiment);
    const auto start = std::chrono::steady_clock::now();
    std::vector<workload_input> later;
    const std::vector<workload_input> first = first_inputs(inputs, devices.size(), later);
    // Read files before recording anything, so that an unreadable one leaves no partial experiment.
    read_workloads_result read = read_workloads(problem, first, settings_);
    plan_.left_out = std::move(read.left_out);
    plan_.load_ms = milliseconds_since(start);
    plan_.notes = problem.notes();
    if (std::string note = equal_workloads_note(read.inputs); !note.empty()) plan_.notes.push_back(std::move(note));
    if (!later.empty()) {
      reader_.emplace(problem, std::move(later), settings_);
      reader_->start();
      unplanned_ = reader_->inputs().size();
    }

    // A learning strategy proposes configurations per workload later, based on results.
    learns_ = experiment.strategy.learns();
    depends_on_sizes_ = space.depends_on_sizes();
    if (!learns_ && !depends_on_sizes_) {
      configurations_ = record_configurations(experiment, problem, space, size, part, store, settings_);
    }
    expected_configurations_ = depends_on_sizes_ ? size.configurations : configurations_.rows.size();
    size_ = size;
    plan_.unfit = std::move(configurations_.unfit);
    for (const backends::device_info& device : devices) {
      plan_.devices.push_back(store.put_device(describe_device(device)));
    }
    plan_.experiment = store.put_experiment(experiment.name, experiment.text,
                                            settings_json(experiment.measurement, experiment.objectives));
    plan_.host = store.put_host({.name = db::host_name()});
    for (const loaded_workload& loaded : read.inputs) plan_workload(loaded, {});
    write();
    store.release_abandoned();
    drop_outdated(problem, plan_.experiment, store);
  }

  bool advance(const std::function<void(const planned_workload&)>& announce) {
    if (!reader_) return false;
    if (reader_->take_refused_sharing()) release_shared();
    const std::vector<std::size_t> positions = reader_->take_read();
    for (const std::size_t position : positions) {
      note_equal(reader_->loaded(position));
      plan_workload(reader_->loaded(position), announce);
      reader_->loaded(position).shared.reset();  // only shared_ keeps it
      write();
    }
    unplanned_ -= positions.size();
    if (unplanned_ == 0) reader_.reset();
    return !positions.empty();
  }

  [[nodiscard]] bool unfinished() const { return unplanned_ > 0; }

  [[nodiscard]] std::uint64_t unplanned_trials() const {
    std::uint64_t queries = 0;
    if (reader_) {
      // The reader does not say which of its workloads are planned, so this assumes equal numbers of queries.
      for (const workload_input& input : reader_->inputs()) queries += problem_.count_queries(input.queries);
      queries = queries * unplanned_ / reader_->inputs().size();
    }
    const std::set<std::int64_t> device_rows(plan_.devices.begin(), plan_.devices.end());
    return queries * expected_configurations_ * measurements_of(experiment_.measurement).size() * device_rows.size();
  }

 private:
  /// Frees the memory of workloads whose trials are done.
  void release_shared() {
    std::set<std::int64_t> unfinished;
    for (const std::int64_t device : std::set(plan_.devices.begin(), plan_.devices.end())) {
      for (const std::int64_t workload : store_.unfinished_workloads(plan_.experiment, device)) {
        unfinished.insert(workload);
      }
    }
    std::erase_if(shared_, [&](const auto& entry) { return !unfinished.contains(entry.first); });
  }

  /// Returns the workloads to read before the sweep begins: all files, and the smallest generated ones.
  /// @param count number of generated workloads
  /// @param later receives the others
  std::vector<workload_input> first_inputs(const std::vector<workload_input>& inputs, std::size_t count,
                                           std::vector<workload_input>& later) const {
    if (!settings_.read_while_measuring) return inputs;
    std::vector<std::size_t> generated;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].file.empty()) generated.push_back(i);
    }
    if (generated.size() > count) {
      std::stable_sort(generated.begin(), generated.end(), [&](std::size_t a, std::size_t b) {
        return problem_.workloads().expected_size(inputs[a]) < problem_.workloads().expected_size(inputs[b]);
      });
      generated.erase(generated.begin(), generated.begin() + static_cast<std::ptrdiff_t>(count));
    } else {
      generated.clear();
    }
    const std::set<std::size_t> is_later(generated.begin(), generated.end());
    std::vector<workload_input> first;
    for (std::size_t i = 0; i < inputs.size(); ++i) (is_later.contains(i) ? later : first).push_back(inputs[i]);
    return first;
  }

  void note_equal(const loaded_workload& loaded) {
    const auto earlier = name_of_hash_.find(loaded.record.hash);
    if (earlier == name_of_hash_.end() || earlier->second == loaded.input.name) return;
    plan_.notes.push_back(
        fmt::format("{} has the same content as {} and is not measured again", loaded.input.name, earlier->second));
  }

  /// @param announce called before trials are planned; may be empty
  void plan_workload(const loaded_workload& loaded, const std::function<void(const planned_workload&)>& announce) {
    const std::int64_t workload = store_.put_workload(loaded.record);
    plan_.workloads.push_back({workload, loaded.record.hash, loaded.input});
    name_of_hash_.emplace(loaded.record.hash, loaded.input.name);
    if (loaded.shared != nullptr) {
      plan_.workloads.back().shared_file = loaded.shared->file();
      shared_[workload] = loaded.shared;
    }
    if (announce) announce(plan_.workloads.back());
    plan_.notes.insert(plan_.notes.end(), loaded.notes.begin(), loaded.notes.end());
    if (depends_on_sizes_) {
      const std::optional<search_space> space = space_of(experiment_, problem_, loaded.input);
      if (!space) {
        plan_.notes.push_back(loaded.input.name + ": no configuration satisfies the restrictions");
        return;
      }
      if (!learns_)
        configurations_ = record_configurations(experiment_, problem_, *space, size_, part_, store_, settings_);
      for (unfit_configuration& unfit : configurations_.unfit) plan_.unfit.push_back(std::move(unfit));
    }
    if (learns_ && part_.has_workload(loaded.record.hash)) {
      plan_.runs.push_back({workload, loaded.input, loaded.record, loaded.queries});
    }
    const std::set<std::int64_t> device_rows(plan_.devices.begin(), plan_.devices.end());
    for (const std::int64_t device : device_rows) {
      for (const std::string& query : loaded.queries) {
        bool planned = false;
        for (const listed_configuration& c : configurations_.rows) {
          if (!part_.has(loaded.record.hash, query, c.hash)) continue;
          planned = true;
          add({.workload = workload,
               .configuration = c.row,
               .device = device,
               .query = query,
               .kernel_source_hash = configurations_.source_hashes[c.source]});
        }
        if (experiment_.measurement.finalists > 0 && planned) finals_.push_back({workload, query, device});
      }
    }
  }

  void add(db::trial_key key) {
    for (const std::string& measurement : measurements_of(experiment_.measurement)) {
      key.measurement = measurement;
      keys_.push_back(key);
    }
    if (keys_.size() >= batch_rows) write_trials();
  }

  void write_trials() {
    store_.plan(plan_.experiment, keys_);
    written_ += keys_.size();
    keys_.clear();
    show_progress(settings_, fmt::format("{} trials", written_));
  }

  void write() {
    write_trials();
    db::plan_finals(store_, plan_.experiment, finals_);
    finals_.clear();
  }

  const experiment_file& experiment_;
  const problem& problem_;
  db::store& store_;
  shard part_;
  planning_settings settings_;
  sweep_plan& plan_;
  bool learns_ = false;
  bool depends_on_sizes_ = false;
  plan_size size_;
  std::uint64_t expected_configurations_ = 0;  // per workload
  configuration_list configurations_;          // of the workload that is being planned, if they depend on it
  std::vector<db::trial_key> keys_;            // not yet written
  std::vector<db::final_key> finals_;
  std::size_t written_ = 0;
  std::size_t unplanned_ = 0;  // workloads
  std::optional<workload_reader> reader_;
  std::map<std::int64_t, std::shared_ptr<const shared_workload>> shared_;  // by row
  std::map<std::string, std::string> name_of_hash_;                        // the first planned workload with it
};

growing_plan::growing_plan(const experiment_file& experiment, const problem& problem,
                           std::span<const backends::device_info> devices, db::store& store,
                           const std::vector<workload_input>& inputs, const shard& part,
                           const planning_settings& settings)
    : state_(std::make_unique<state>(experiment, problem, devices, store, inputs, part, settings, plan_)) {}

growing_plan::growing_plan(sweep_plan complete) : plan_(std::move(complete)) {}

growing_plan::~growing_plan() = default;

bool growing_plan::advance(const std::function<void(const planned_workload&)>& announce) {
  return state_ != nullptr && state_->advance(announce);
}

bool growing_plan::unfinished() const { return state_ != nullptr && state_->unfinished(); }

std::uint64_t growing_plan::unplanned_trials() const { return state_ == nullptr ? 0 : state_->unplanned_trials(); }

sweep_plan plan_sweep(const experiment_file& experiment, const problem& problem,
                      std::span<const backends::device_info> devices, db::store& store,
                      const std::vector<workload_input>& inputs, const shard& part, const planning_settings& settings) {
  planning_settings all_at_once = settings;
  all_at_once.read_while_measuring = false;
  return growing_plan(experiment, problem, devices, store, inputs, part, all_at_once).plan();
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
