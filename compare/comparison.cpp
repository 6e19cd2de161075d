// SPDX-License-Identifier: Apache-2.0
#include "compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/version.hpp"
#include "compare/contestants.hpp"
#include "compare/peer_group.hpp"
#include "db/worker.hpp"
#include "tuner/in_process_sweep.hpp"
#include "tuner/measurement.hpp"
#include "tuner/variant_cache.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::compare {
namespace {

constexpr const char* timed = "time";
constexpr const char* counted = "counters";

/// One workload, query and device: what takes turns.
struct group {
  const tuner::workload& loaded;
  std::int64_t workload = 0;
  tuner::query asked;
};

/// Someone who takes turns.
struct contestant {
  std::int64_t trial = 0;
  tuner::configuration chosen;
  const peer* program = nullptr;  ///< null: a configuration of this program
  db::trial_result result;        ///< of all turns so far
  bool out = false;               ///< failed: has no more turns
};

/// A trial of several turns: samples one after the other, the first failure decides.
void add_turn(db::trial_result& to, db::trial_result turn) {
  to.samples_ms.insert(to.samples_ms.end(), turn.samples_ms.begin(), turn.samples_ms.end());
  to.compile_ms += turn.compile_ms;
  to.upload_ms += turn.upload_ms;
  to.measure_ms += turn.measure_ms;
  to.check_ms += turn.check_ms;
  to.result = turn.result;
  to.message = std::move(turn.message);
  to.counters = std::move(turn.counters);
  // The first turn compiled, the others took the variant from memory.
  if (!to.variant) to.variant = std::move(turn.variant);
  to.times_modelled = turn.times_modelled;
  to.program_version = std::move(turn.program_version);
  to.driver = std::move(turn.driver);
}

class comparison {
 public:
  comparison(const tuner::problem& of, db::store& store, const comparison_options& options)
      : problem_(of),
        store_(store),
        options_(options),
        parameters_(tuner::parameter_set::from_declarations(of.declarations())) {}

  comparison_result run() {
    inputs_ = tuner::list_workloads(options_.configurations, problem_, options_.workloads);
    open_experiment();
    host_ = store_.put_host({.name = db::host_name()});
    for (const std::string& selector : options_.devices) {
      run_on(selector);
      if (result_.interrupted) break;
    }
    // By workload, so that what is compared stands together.
    std::stable_sort(result_.rows.begin(), result_.rows.end(), [this](const auto& a, const auto& b) {
      return std::pair(order_of(a.workload), a.query) < std::pair(order_of(b.workload), b.query);
    });
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t order_of(const std::string& workload) const {
    return static_cast<std::size_t>(
        std::find_if(inputs_.begin(), inputs_.end(),
                     [&](const tuner::workload_input& input) { return input.name == workload; }) -
        inputs_.begin());
  }

  [[nodiscard]] bool stopped() {
    if (options_.stop_requested && options_.stop_requested()) result_.interrupted = true;
    return result_.interrupted;
  }

  void say(const std::string& text) const {
    if (options_.on_progress) options_.on_progress(text);
  }

  void run_on(const std::string& selector) {
    device_ = backends::open_device(selector);
    variants_ = std::make_unique<tuner::variant_cache>(*device_);
    device_row_ = store_.put_device(tuner::describe_device(device_->info()));
    peers_.clear();
    for (const peer& one : options_.peers) {
      if (one.device == device_->info().kind && one.problem == problem_.name()) peers_.push_back(&one);
    }
    candidates_.clear();
    auto file = candidates_for(options_.configurations, options_.competitors, options_.name + " candidates",
                               device_->info().kind, problem_);
    if (file) {
      const tuner::search_space space(file->space, problem_.declarations());
      candidates_ = space.list(most_contestants);
    }
    // One workload after the other, so that who stops early has something whole.
    for (const tuner::workload_input& wanted : inputs_) {
      if (file) measure_candidates(of_one_workload(*file, wanted));
      if (stopped()) break;
      const std::unique_ptr<tuner::workload> loaded = problem_.workloads().load(wanted);
      result_.notes.insert(result_.notes.end(), loaded->notes.begin(), loaded->notes.end());
      const std::int64_t row = store_.put_workload(loaded->record);
      for (const tuner::query& asked : problem_.choose_queries(*loaded, wanted.queries)) {
        run_group({.loaded = *loaded, .workload = row, .asked = asked});
        if (result_.interrupted) break;
      }
      instance_.reset();  // before the workload that it borrows
      if (result_.interrupted) break;
    }
    variants_.reset();
    device_.reset();
  }

  /// The same experiment for one of the workloads.
  [[nodiscard]] tuner::experiment_file of_one_workload(tuner::experiment_file file,
                                                       const tuner::workload_input& wanted) const {
    const bool is_file = !wanted.file.empty();
    tuner::workload_request only;
    only.from = is_file ? tuner::workload_request::origin::file : tuner::workload_request::origin::generate;
    only.what = is_file ? std::filesystem::absolute(wanted.file).string() : wanted.generated;
    for (const auto& [name, value] : wanted.options) {
      only.options.push_back({.name = name, .values = {value}, .place = wanted.place});
    }
    only.queries = wanted.queries;
    only.place = wanted.place;
    // A sweep goes on with whatever its experiment has left: that must be of this problem and this workload.
    // Its name tells apart what one file is with several options.
    file.text += fmt::format("\n# problem {}, workload {}, {}", problem_.name(), wanted.name, only.what);
    file.workloads = {std::move(only)};
    return file;
  }

  /// Which parameters to compare with is found out in a sweep of its own, whose times are not those of the table.
  void measure_candidates(const tuner::experiment_file& file) {
    tuner::in_process_options sweep;
    sweep.stop_requested = [this] { return stopped(); };
    sweep.on_progress = [this](const tuner::sweep_progress& now) {
      say(fmt::format("candidates on {}: {}/{} trials, {}", device_->info().selector, now.done, now.total,
                      now.workload));
    };
    (void)tuner::sweep_in_process(file, problem_, *device_, store_, sweep);
  }

  /// Who takes part is part of the experiment's identity, so that a peer that was built later is not measured apart from
  /// the others.
  void open_experiment() {
    std::string text = "problem " + problem_.name() + "\n";
    content_hash sources;
    for (const tuner::experiment_file* const file : {&options_.configurations, &options_.competitors}) {
      const tuner::search_space space(file->space, problem_.declarations());
      for (const tuner::configuration& one : space.list(most_contestants)) sources.add(problem_.source_hash(one));
    }
    text += fmt::format("sources {} program {}\n", sources.hex(), program_version());
    for (const peer& one : options_.peers) text += fmt::format("peer {} {}\n", one.name, peer_hash(one));
    text += options_.configurations.text + "\n# competitors\n" + options_.competitors.text;
    const tuner::measurement_settings& settings = options_.configurations.measurement;
    const std::string json =
        fmt::format(R"({{"interleaved":true,"repeats":{},"warmup":{},"time_limit_ms":{},"seed":{}}})", settings.repeats,
                    settings.warmup, settings.time_limit_ms, settings.seed);
    experiment_ = store_.put_experiment(options_.name, text, json);
    experiment_hash_ = content_hash().add(options_.name).add(text).add(json).hex();
    store_.release_abandoned();
  }

  // What a group consists of.

  /// Measured in turns with certain others: no other experiment may take the trial for one of its own.
  [[nodiscard]] std::string turns_hash(const std::string& source_hash) const {
    return content_hash().add("in turns").add(source_hash).add(experiment_hash_).hex();
  }

  [[nodiscard]] std::int64_t row_of(const tuner::configuration& chosen) {
    return store_.put_configuration(
        {.problem = problem_.name(), .parameters_json = chosen.to_json(), .label = chosen.label()});
  }

  [[nodiscard]] db::trial_key key(const group& where, const tuner::configuration& chosen, const std::string& hash,
                                  const char* measurement) {
    return {.workload = where.workload,
            .configuration = row_of(chosen),
            .device = device_row_,
            .query = where.asked.text(),
            .kernel_source_hash = hash,
            .measurement = measurement};
  }

  /// Its median in a sweep with the present kernels.
  [[nodiscard]] std::optional<double> recorded_median(const group& where, const tuner::configuration& chosen) {
    const auto trial = store_.find_trial(key(where, chosen, problem_.source_hash(chosen), timed));
    if (!trial) return std::nullopt;
    const auto summary = store_.summary(*trial);
    return summary ? summary->median_ms : std::nullopt;
  }

  /// The fastest of `among`, else the first, whose failure is then on record; nothing when there is none.
  template <class Median>
  [[nodiscard]] static std::optional<tuner::configuration> fastest(const std::vector<tuner::configuration>& among,
                                                                   const Median& median_of) {
    const tuner::configuration* best = nullptr;
    std::optional<double> best_ms;
    for (const tuner::configuration& one : among) {
      const std::optional<double> median = median_of(one);
      if (best == nullptr || (median && (!best_ms || *median < *best_ms))) {
        best = &one;
        best_ms = median;
      }
    }
    if (best == nullptr) return std::nullopt;
    return *best;
  }

  [[nodiscard]] std::vector<tuner::configuration> candidates_of(const std::string& solver) const {
    std::vector<tuner::configuration> found;
    for (const tuner::configuration& one : candidates_) {
      if (solver_of(one) == solver) found.push_back(one);
    }
    return found;
  }

  /// Those of the short list, and whatever else of ours has been recorded for this workload and device.
  [[nodiscard]] std::vector<tuner::configuration> recorded_of_ours(const group& where) const {
    std::vector<tuner::configuration> found = candidates_of("mlmq");
    db::trial_filter filter;
    filter.device = device_row_;
    filter.workload = where.workload;
    filter.query = where.asked.text();
    filter.problem = problem_.name();
    for (const db::training_row& row : store_.training(filter).rows) {
      const auto chosen = tuner::configuration::from_json(row.parameters_json);
      if (!row.median_ms || solver_of(chosen) != "mlmq") continue;
      try {
        if (parameters_.complete(chosen) == chosen) found.push_back(chosen);
      } catch (const input_error&) {
        continue;  // of another version of this program
      }
    }
    return found;
  }

  /// The best-ranked configuration of the selector that this device can launch, as `mlmq solve` has it.
  [[nodiscard]] tuner::configuration selected_for(const group& where) {
    for (const std::string& label : ranked_labels(where.loaded.record, problem_.name())) {
      try {
        tuner::configuration chosen = parameters_.parse_label(label);
        instance_->prepare(chosen, variants_->get(instance_->variant(chosen, tuner::instrumentation::none)),
                           tuner::instrumentation::none);
        return chosen;
      } catch (const backends::launch_error&) {
        continue;
      }
    }
    return parameters_.parse_label("");
  }

  [[nodiscard]] std::vector<tuner::configuration> peer_candidates(const peer& what) const {
    std::vector<tuner::configuration> all;
    for (const double delta : what.deltas) all.push_back(peer_configuration(what, delta));
    if (all.empty()) all.push_back(peer_configuration(what, std::nullopt));
    return all;
  }

  [[nodiscard]] const peer& peer_of(const tuner::configuration& chosen) const {
    const std::string name = tuner::to_text(chosen.at("peer"));
    return **std::find_if(peers_.begin(), peers_.end(), [&](const peer* one) { return one->name == name; });
  }

  [[nodiscard]] std::string hash_of(const tuner::configuration& chosen) const {
    return solver_of(chosen) == "peer" ? peer_hash(peer_of(chosen)) : problem_.source_hash(chosen);
  }

  [[nodiscard]] std::vector<tuner::configuration> choose_contestants(const group& where) {
    std::vector<tuner::configuration> all;
    const auto add = [&all](std::optional<tuner::configuration> one) {
      if (one && std::find(all.begin(), all.end(), *one) == all.end()) all.push_back(*std::move(one));
    };
    const auto recorded = [&](const tuner::configuration& one) { return recorded_median(where, one); };
    if (device_->info().grid) {
      const tuner::configuration selected = selected_for(where);
      add(selected);
      // The selector's choice may be the best known, too.
      measure_selected(where, selected);
      const auto best = fastest(recorded_of_ours(where), recorded);
      if (best && recorded(*best)) add(best);
    }
    std::set<std::string> seen = {"mlmq"};
    for (const tuner::configuration& one : candidates_) {
      if (seen.insert(solver_of(one)).second) add(fastest(candidates_of(solver_of(one)), recorded));
    }
    for (const peer* const one : peers_) {
      const std::vector<tuner::configuration> sets = peer_candidates(*one);
      if (sets.size() == 1) {
        add(sets.front());
        continue;
      }
      add(fastest(sets, [&](const tuner::configuration& set) { return candidate_median(where, *one, set); }));
      if (result_.interrupted) break;
    }
    return all;
  }

  /// As a candidate, unless it is on record.
  void measure_selected(const group& where, const tuner::configuration& selected) {
    const db::trial_key wanted = key(where, selected, problem_.source_hash(selected), timed);
    store_.plan(candidate_experiment(), std::vector{wanted});
    const std::int64_t trial = *store_.find_trial(wanted);
    if (stopped() || !store_.claim_trial(trial, db::this_worker())) return;
    guarded([&] {
      try {
        record(trial, tuner::measure_trial(*device_, *instance_, *variants_, problem_.name(), selected, where.asked,
                                           tuner::instrumentation::none,
                                           candidate_settings(options_.configurations.measurement)));
      } catch (tuner::device_lost& lost) {
        record(trial, std::move(lost.result));
        throw;
      }
    });
  }

  /// One process with one parameter set, unless it is on record.
  [[nodiscard]] std::optional<double> candidate_median(const group& where, const peer& what,
                                                       const tuner::configuration& set) {
    const db::trial_key wanted = key(where, set, peer_hash(what), timed);
    store_.plan(candidate_experiment(), std::vector{wanted});
    const std::int64_t trial = *store_.find_trial(wanted);
    if (!stopped() && store_.claim_trial(trial, db::this_worker())) {
      say(fmt::format("{} on {}: {}", what.name, where.loaded.record.name, set.label()));
      guarded([&] { record(trial, peer_runs_->run(what, set, 1)); });
    }
    const auto summary = store_.summary(trial);
    return summary ? summary->median_ms : std::nullopt;
  }

  /// Not that of the sweep, which would take peers for configurations of its own.
  [[nodiscard]] std::int64_t candidate_experiment() {
    return store_.put_experiment(options_.name + " candidates", "peers, and what the selector chooses", "{}");
  }

  // Running a group.

  void run_group(const group& where) {
    std::vector<db::planned_trial> planned = planned_trials(where);
    const bool unfinished =
        planned.empty() || std::any_of(planned.begin(), planned.end(), [](const auto& one) { return !one.done; });
    if (unfinished) {
      try {
        instance_ = problem_.load(*device_, where.loaded);
      } catch (const backends::out_of_device_memory& error) {
        result_.notes.push_back(
            fmt::format("{} on {}: left out: {}", where.loaded.record.name, device_->info().name, error.what()));
        return;
      }
      peer_runs_.emplace(where.loaded, where.asked, problem_.name(), device_->info());
      if (planned.empty()) {
        plan(where);
        planned = planned_trials(where);
      }
      if (!result_.interrupted) take_turns(where, planned);
      if (!result_.interrupted) count_work(where, planned);
      peer_runs_.reset();
      instance_.reset();
    }
    if (!result_.interrupted) report(where, planned_trials(where));
  }

  [[nodiscard]] std::vector<db::planned_trial> planned_trials(const group& where) const {
    return store_.planned_trials(experiment_, where.workload, where.asked.text(), device_row_);
  }

  void plan(const group& where) {
    const std::vector<tuner::configuration> chosen = choose_contestants(where);
    if (result_.interrupted) return;
    std::vector<db::trial_key> keys;
    for (const tuner::configuration& one : chosen) keys.push_back(key(where, one, turns_hash(hash_of(one)), timed));
    for (const tuner::configuration& one : chosen) {
      if (solver_of(one) != "peer") keys.push_back(key(where, one, hash_of(one), counted));
    }
    store_.plan(experiment_, keys);
  }

  [[nodiscard]] tuner::configuration configuration_of(const db::planned_trial& trial) const {
    return tuner::configuration::from_json(store_.configuration(trial.configuration).parameters_json);
  }

  /// Everyone runs once in a round, in an order drawn anew for every round: what drifts (clocks, temperature, other
  /// users) hits all alike, and nobody always follows the same one.
  void take_turns(const group& where, const std::vector<db::planned_trial>& planned) {
    std::vector<contestant> all;
    for (const db::planned_trial& trial : planned) {
      if (trial.measurement != timed || trial.done) continue;
      if (!store_.claim_trial(trial.id, db::this_worker())) {
        result_.notes.push_back(fmt::format("{} on {}: another process measures {}", where.loaded.record.name,
                                            device_->info().name, configuration_of(trial).label()));
        continue;
      }
      contestant next{.trial = trial.id, .chosen = configuration_of(trial), .program = nullptr, .result = {}};
      if (solver_of(next.chosen) == "peer") next.program = &peer_of(next.chosen);
      all.push_back(std::move(next));
    }
    guarded([&] {
      const std::uint64_t rounds = options_.configurations.measurement.repeats;
      random_stream random = random_stream::from_state(options_.configurations.measurement.seed);
      for (std::uint64_t round = 0; round < rounds; ++round) {
        for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below_by_division(i)]);
        for (contestant& one : all) {
          if (stopped()) {
            store_.release_worker(db::this_worker());
            return;
          }
          take_turn(where, one, round);
        }
        say(fmt::format("{} on {}: round {} of {}, {} contestants", where.loaded.record.name, device_->info().selector,
                        round + 1, rounds, all.size()));
      }
      for (contestant& one : all) record(one.trial, std::move(one.result));
    });
  }

  void take_turn(const group& where, contestant& one, std::uint64_t round) {
    if (one.out) return;
    db::trial_result turn;
    if (one.program != nullptr) {
      const std::uint64_t samples = samples_of_turn(*one.program, round);
      if (samples == 0) return;
      turn = peer_runs_->run(*one.program, one.chosen, samples);
    } else {
      tuner::measurement_settings settings = options_.configurations.measurement;
      settings.repeats = 1;
      settings.seed += round;
      try {
        turn = tuner::measure_trial(*device_, *instance_, *variants_, problem_.name(), one.chosen, where.asked,
                                    tuner::instrumentation::none, settings);
      } catch (tuner::device_lost& lost) {
        add_turn(one.result, std::move(lost.result));
        record(one.trial, std::move(one.result));
        throw;
      }
    }
    one.out = turn.result != db::outcome::ok;
    add_turn(one.result, std::move(turn));
  }

  /// A peer with fewer turns than rounds has them evenly spread, and more samples in each.
  [[nodiscard]] std::uint64_t samples_of_turn(const peer& what, std::uint64_t round) const {
    const std::uint64_t rounds = options_.configurations.measurement.repeats;
    const std::uint64_t turns = what.turns == 0 ? rounds : std::min(what.turns, rounds);
    if ((round + 1) * turns / rounds == round * turns / rounds) return 0;
    return (rounds + turns - 1) / turns;
  }

  void count_work(const group& where, const std::vector<db::planned_trial>& planned) {
    for (const db::planned_trial& trial : planned) {
      if (trial.measurement != counted || trial.done) continue;
      if (stopped()) return;
      if (!store_.claim_trial(trial.id, db::this_worker())) continue;
      guarded([&] {
        try {
          record(trial.id, tuner::measure_trial(*device_, *instance_, *variants_, problem_.name(),
                                                configuration_of(trial), where.asked, tuner::instrumentation::counters,
                                                options_.configurations.measurement));
        } catch (tuner::device_lost& lost) {
          record(trial.id, std::move(lost.result));
          throw;
        }
      });
    }
  }

  void record(std::int64_t trial, db::trial_result result) {
    result.host = host_;
    store_.finish(trial, result);
  }

  /// What is claimed and cannot be finished is for whoever continues.
  template <class Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (...) {
      try {
        store_.release_worker(db::this_worker());
      } catch (...) {
        // The database may be what failed; the trials are released when this process has ended.
      }
      throw;
    }
  }

  // What is known of a group.

  void report(const group& where, const std::vector<db::planned_trial>& planned) {
    const std::size_t first = result_.rows.size();
    std::map<std::int64_t, double> work;
    for (const db::planned_trial& trial : planned) {
      if (trial.measurement == counted) note_work(trial, work);
    }
    for (const db::planned_trial& trial : planned) {
      if (trial.measurement != timed || !trial.done) continue;
      const tuner::configuration chosen = configuration_of(trial);
      if (solver_of(chosen) == "peer") note_work(trial, work);
      result_.rows.push_back(row_for(where, trial, chosen, work));
    }
    // Where the selector chooses, its choice was planned first.
    name_ours(std::span(result_.rows).subspan(first), device_->info().grid);
  }

  void note_work(const db::planned_trial& trial, std::map<std::int64_t, double>& work) const {
    const auto counters = store_.counters(trial.id);
    const auto found = counters.find(problem_.work().counter);
    if (found != counters.end()) work[trial.configuration] = found->second;
  }

  [[nodiscard]] contestant_result row_for(const group& where, const db::planned_trial& trial,
                                          const tuner::configuration& chosen,
                                          const std::map<std::int64_t, double>& work) const {
    const db::trial_summary summary = store_.summary(trial.id).value();
    const std::string solver = solver_of(chosen);
    contestant_result row;
    row.workload = where.loaded.record.name;
    row.workload_class = where.loaded.record.workload_class;
    row.query = where.asked.text();
    row.device = device_->info().name;
    row.modelled = device_->info().modelled;
    row.contestant = solver;
    row.configuration = short_label(parameters_, chosen);
    row.outcome = summary.result;
    row.message = summary.message;
    row.samples = store_.samples(trial.id).size();
    row.median_ms = summary.median_ms;
    row.spread = summary.spread;
    if (solver == "peer") {
      row.contestant = tuner::to_text(chosen.at("peer"));
      row.sets = std::max<std::size_t>(1, peer_of(chosen).deltas.size());
    } else if (solver != "mlmq") {
      row.sets = std::max<std::size_t>(1, candidates_of(solver).size());
    }
    const double size = where.loaded.record.feature(problem_.work().feature).value_or(0);
    if (const auto found = work.find(trial.configuration); found != work.end() && size > 0) {
      row.work = found->second / size;
    }
    return row;
  }

  const tuner::problem& problem_;
  db::store& store_;
  const comparison_options& options_;
  tuner::parameter_set parameters_;
  std::vector<tuner::workload_input> inputs_;
  std::int64_t host_ = 0;
  comparison_result result_;

  // Of the present device.
  std::unique_ptr<backends::backend> device_;
  std::unique_ptr<tuner::variant_cache> variants_;
  std::int64_t device_row_ = 0;
  std::vector<const peer*> peers_;
  std::vector<tuner::configuration> candidates_;
  std::int64_t experiment_ = 0;
  std::string experiment_hash_;

  // Of the present group.
  std::unique_ptr<tuner::problem_instance> instance_;
  std::optional<peer_group> peer_runs_;
};

}  // namespace

void check_comparison(const tuner::problem& of, const comparison_options& options) {
  for (const tuner::experiment_file* const file : {&options.configurations, &options.competitors}) {
    (void)tuner::search_space(file->space, of.declarations()).list(most_contestants);
  }
  (void)tuner::list_workloads(options.configurations, of, options.workloads);
  for (const std::string& selector : options.devices) (void)backends::open_device(selector);
}

comparison_result run_comparison(const tuner::problem& of, db::store& store, const comparison_options& options) {
  return comparison(of, store, options).run();
}

}  // namespace mlmq::compare
