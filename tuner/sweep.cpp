// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/version.hpp"
#include "db/statistics.hpp"
#include "db/worker.hpp"
#include "tuner/inputs.hpp"
#include "tuner/measurement.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;

double milliseconds_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

constexpr const char* time_measurement = "time";
constexpr const char* counter_measurement = "counters";

std::string settings_json(const measurement_settings& settings) {
  return nlohmann::json{{"warmup", settings.warmup},
                        {"repeats", settings.repeats},
                        {"time_limit_ms", settings.time_limit_ms},
                        {"counters", settings.counters},
                        {"seed", settings.seed}}
      .dump();
}

/// The graphs of a sweep, by their row in the database. The last one used stays in memory.
class input_shelf {
 public:
  void add(std::int64_t row, input where) { inputs_.emplace(row, std::move(where)); }

  const loaded_input& get(std::int64_t row) {
    if (!loaded_ || row_ != row) {
      loaded_.reset();
      loaded_ = load_input(inputs_.at(row));
      row_ = row;
    }
    return *loaded_;
  }

  void keep(std::int64_t row, loaded_input loaded) {
    row_ = row;
    loaded_ = std::move(loaded);
  }

 private:
  std::map<std::int64_t, input> inputs_;
  std::int64_t row_ = 0;
  std::optional<loaded_input> loaded_;
};

class sweep {
 public:
  sweep(const experiment_file& experiment, const problem& what, backends::backend& device, db::store& store,
        const sweep_options& options)
      : experiment_(experiment), problem_(what), device_(device), store_(store), options_(options), variants_(device) {}

  sweep_summary run() {
    plan();
    refresh();
    while (!stop_requested()) {
      const std::optional<db::pending_trial> trial = next_trial();
      if (!trial) break;
      run_trial(*trial);
    }
    summary_.times.total = milliseconds_since(start_);
    summary_.variants = variants_.totals();
    return summary_;
  }

 private:
  [[nodiscard]] bool stop_requested() {
    summary_.interrupted = options_.stop_requested && options_.stop_requested();
    return summary_.interrupted;
  }

  void plan() {
    const search_space space(experiment_.space, problem_.declarations());
    const std::unique_ptr<strategy> chosen = make_strategy(experiment_.strategy, space);
    const std::vector<configuration> configurations = proposals(*chosen);

    std::vector<db::configuration_record> records;
    records.reserve(configurations.size());
    for (const configuration& c : configurations) {
      records.push_back({.problem = problem_.name(), .parameters_json = c.to_json(), .label = c.label()});
    }
    // Every input is read before anything is recorded: a graph that cannot be read leaves no half experiment.
    struct planned_input {
      input wanted;
      db::graph_record record;
      std::vector<graph::vertex_id> sources;
    };
    std::vector<planned_input> inputs;
    std::optional<loaded_input> last;
    for (const input& wanted : list_inputs(experiment_, options_.graphs)) {
      const auto start = clock::now();
      last.reset();
      last = load_input(wanted);
      summary_.times.load += milliseconds_since(start);
      inputs.push_back({wanted, last->record, last->sources});
    }

    const std::vector<std::int64_t> configuration_rows = store_.put_configurations(records);
    summary_.device = store_.put_device(describe_device(device_.info()));
    summary_.experiment =
        store_.put_experiment(experiment_.name, experiment_.text, settings_json(experiment_.measurement));
    host_ = store_.put_host({.name = db::host_name()});

    const std::string source_hash = problem_.source_hash();
    std::vector<db::trial_key> keys;
    for (const planned_input& planned : inputs) {
      const std::int64_t graph_row = store_.put_graph(planned.record);
      for (const graph::vertex_id source : planned.sources) {
        for (const std::int64_t configuration_row : configuration_rows) {
          db::trial_key key{.graph = graph_row,
                            .configuration = configuration_row,
                            .device = summary_.device,
                            .source = source,
                            .kernel_source_hash = source_hash,
                            .measurement = time_measurement};
          keys.push_back(key);
          if (!experiment_.measurement.counters) continue;
          key.measurement = counter_measurement;
          keys.push_back(std::move(key));
        }
      }
      shelf_.add(graph_row, planned.wanted);
      if (&planned == &inputs.back()) shelf_.keep(graph_row, std::move(*last));
      graphs_.insert(graph_row);
    }
    store_.plan(summary_.experiment, keys);
    store_.release_abandoned();
  }

  std::optional<db::pending_trial> next_trial() {
    db::claim_options options;
    if (resident_graph_ != 0) options.preferred_graph = resident_graph_;
    return store_.claim(summary_.experiment, summary_.device, db::this_worker(), options);
  }

  void make_resident(const db::pending_trial& trial) {
    if (resident_graph_ == trial.graph) return;
    if (!graphs_.contains(trial.graph)) {
      throw input_error("the experiment '" + experiment_.name + "' has unfinished trials on the graph '" +
                        trial.graph_name + "', which is not among the graphs given now; name it with --graphs too");
    }
    const auto start = clock::now();
    instance_.reset();
    resident_graph_ = trial.graph;
    too_large_.clear();
    best_.clear();
    const loaded_input& loaded = shelf_.get(trial.graph);
    try {
      instance_ = problem_.load(device_, loaded.graph, trial.graph_name);
      compile_ahead();
    } catch (const backends::out_of_device_memory& error) {
      too_large_ = error.what();
    }
    upload_ms_ = milliseconds_since(start);
    summary_.times.load += upload_ms_;
  }

  /// Compiles in the background what the next trials on this graph need.
  void compile_ahead() {
    db::claim_options options;
    options.preferred_graph = resident_graph_;
    std::vector<backends::kernel_source> sources;
    for (const db::pending_trial& trial : store_.upcoming(summary_.experiment, summary_.device, 4096, options)) {
      if (trial.graph != resident_graph_) break;
      try {
        sources.push_back(
            instance_->variant(configuration::from_json(trial.parameters_json), instrumentation_of(trial)));
      } catch (const backends::launch_error&) {
        continue;  // the trial itself will say so
      }
    }
    variants_.prefetch(sources);
  }

  static instrumentation instrumentation_of(const db::pending_trial& trial) {
    return trial.measurement == counter_measurement ? instrumentation::counters : instrumentation::none;
  }

  void run_trial(const db::pending_trial& trial) {
    try {
      make_resident(trial);
      if (!too_large_.empty()) {
        finish(trial, cannot_run(too_large_));
        return;
      }
      finish(trial,
             measure_trial(device_, *instance_, variants_, problem_.name(),
                           configuration::from_json(trial.parameters_json), static_cast<graph::vertex_id>(trial.source),
                           instrumentation_of(trial), experiment_.measurement));
    } catch (device_lost& lost) {
      finish(trial, std::move(lost.result));
      throw;
    } catch (...) {
      give_back();
      throw;
    }
  }

  [[nodiscard]] db::trial_result cannot_run(const std::string& why) const {
    db::trial_result result;
    result.result = db::outcome::constraint;
    result.message = why;
    result.times_modelled = device_.info().modelled;
    result.program_version = program_version();
    result.driver = device_.info().driver;
    result.seed = experiment_.measurement.seed;
    return result;
  }

  /// The trial that was begun is not to blame for what happened: it is pending again, for whoever continues.
  void give_back() noexcept {
    try {
      store_.release_worker(db::this_worker());
    } catch (...) {
      // The database may be what failed. The trial is released when this process has ended.
    }
  }

  void finish(const db::pending_trial& trial, db::trial_result result) {
    result.host = host_;
    // Bringing a graph to the device is charged to the first trial on it.
    result.upload_ms = std::exchange(upload_ms_, 0.0);
    store_.finish(trial.id, result);
    summary_.times.compile += result.compile_ms;
    summary_.times.measure += result.measure_ms;
    summary_.times.check += result.check_ms;
    for (const double sample : result.samples_ms) summary_.times.kernels += sample;
    note_best(trial, result);
    ++summary_.progress.outcomes[result.result];
    ++summary_.progress.measured;
    ++summary_.progress.done;
    report(trial);
  }

  void note_best(const db::pending_trial& trial, const db::trial_result& result) {
    if (result.result != db::outcome::ok || result.samples_ms.empty()) return;
    const double median = db::median(result.samples_ms);
    best_so_far& best = best_[trial.source];
    if (best.milliseconds > 0 && best.milliseconds <= median) return;
    best = {.milliseconds = median, .label = trial.label};
  }

  void refresh() {
    const db::progress now = store_.experiment_progress(summary_.experiment);
    summary_.progress.total = now.total;
    summary_.progress.done = now.done;
  }

  void report(const db::pending_trial& trial) {
    summary_.progress.elapsed_s = milliseconds_since(start_) / 1000;
    summary_.progress.graph = trial.graph_name;
    const best_so_far& best = best_[trial.source];
    summary_.progress.best_label = best.label;
    summary_.progress.best_ms = best.milliseconds;
    if (options_.on_progress) options_.on_progress(summary_.progress);
  }

  struct best_so_far {
    double milliseconds = 0;  // 0: none yet
    std::string label;
  };

  const experiment_file& experiment_;
  const problem& problem_;
  backends::backend& device_;
  db::store& store_;
  const sweep_options& options_;
  clock::time_point start_ = clock::now();
  std::int64_t host_ = 0;
  variant_cache variants_;
  input_shelf shelf_;
  std::set<std::int64_t> graphs_;
  double upload_ms_ = 0;  // of the resident graph, until a trial has been charged for it
  std::int64_t resident_graph_ = 0;
  std::unique_ptr<problem_instance> instance_;  // null when the graph does not fit on the device
  std::string too_large_;                       // then, why
  std::map<std::uint64_t, best_so_far> best_;   // on the resident graph, by source
  sweep_summary summary_;
};

}  // namespace

sweep_summary run_sweep(const experiment_file& experiment, const problem& what, backends::backend& device,
                        db::store& store, const sweep_options& options) {
  return sweep(experiment, what, device, store, options).run();
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
