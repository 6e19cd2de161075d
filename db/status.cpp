// SPDX-License-Identifier: Apache-2.0
#include "db/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "db/connection.hpp"
#include "db/format.hpp"
#include "db/rows.hpp"

namespace mlmq::db {
namespace {

constexpr const char* of_experiment =
    "(?1 IS NULL OR t.id IN (SELECT trial FROM experiment_trial WHERE experiment = ?1))";

std::optional<double> read_seconds_left(SQLite::Database& database, std::int64_t experiment, const progress& counts) {
  if (counts.running == 0) return std::nullopt;
  auto row = prepare(database,
                     "SELECT count(*), (max(julianday(finished_at)) - min(julianday(finished_at))) * 86400 FROM "
                     "(SELECT t.finished_at FROM experiment_trial e JOIN current_trial t ON t.id = e.trial WHERE "
                     "e.experiment = ?1 AND t.state = 'done' ORDER BY t.finished_at DESC LIMIT 100)",
                     experiment);
  row.executeStep();
  const std::int64_t finished = row.getColumn(0).getInt64();
  if (finished < 2) return std::nullopt;
  const double seconds = row.getColumn(1).getDouble();
  return seconds / static_cast<double>(finished - 1) * static_cast<double>(counts.pending + counts.running);
}

std::vector<running_trial> read_running(SQLite::Database& database, std::optional<std::int64_t> experiment) {
  auto row = prepare(database,
                     fmt::format("SELECT t.worker, w.name, t.query, c.label, t.attempt, "
                                 "(julianday('now') - julianday(t.claimed_at)) * 86400 FROM trial t "
                                 "JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration "
                                 "WHERE t.state = 'running' AND {} ORDER BY t.worker, t.id",
                                 of_experiment),
                     experiment);
  std::vector<running_trial> running;
  while (row.executeStep()) {
    running_trial& trial = running.emplace_back();
    read_all(row, trial.worker, trial.workload, trial.query, trial.label, trial.attempt, trial.seconds);
    trial.state = worker_liveness(trial.worker);
    trial.seconds = std::max(0.0, trial.seconds);
  }
  return running;
}

std::vector<failure_count> read_failures(SQLite::Database& database, std::optional<std::int64_t> experiment) {
  auto row = prepare(database,
                     fmt::format("SELECT t.outcome, t.message, count(*), min(c.label) FROM current_trial t "
                                 "JOIN configuration c ON c.id = t.configuration "
                                 "WHERE t.state = 'done' AND t.outcome <> 'ok' AND {} "
                                 "GROUP BY t.outcome, t.message ORDER BY count(*) DESC, t.outcome, t.message LIMIT 10",
                                 of_experiment),
                     experiment);
  std::vector<failure_count> failures;
  while (row.executeStep()) {
    failure_count& failure = failures.emplace_back();
    read_all(row, failure.result, failure.message, failure.count, failure.example);
  }
  return failures;
}

/// Whether the finished current trial `t` is in the view `latest`, without sorting all trials.
constexpr const char* is_latest =
    "NOT EXISTS (SELECT 1 FROM current_trial n WHERE n.configuration = t.configuration AND n.workload = t.workload "
    "AND n.query = t.query AND n.device = t.device AND n.measurement = t.measurement AND n.state = 'done' "
    "AND n.id <> t.id AND (n.finished_at, n.id) > (t.finished_at, t.id))";

/// The fastest trial of one problem on one workload, query and device.
struct best_trial {
  std::string problem;
  std::int64_t trial = 0;
  double cost = 0;
  std::size_t candidates = 0;
};

/// Finds the best trials by one objective.
/// @param is_counted  SQL condition on the trial `t`, with ?1 and ?2 for `experiment` and `experiments`
std::vector<best_trial> find_best(SQLite::Database& database, const objective& criterion, const std::string& is_counted,
                                  const std::string& experiments, std::optional<std::int64_t> experiment) {
  // An index has this order. Grouping by the problem too, which is a column of another table, would sort all trials.
  auto row = prepare(database,
                     fmt::format("SELECT t.device, t.workload, t.query, c.problem, t.id, {} AS cost "
                                 "FROM current_trial t CROSS JOIN configuration c ON c.id = t.configuration "
                                 "WHERE t.measurement = 'time' AND t.outcome = 'ok' AND cost IS NOT NULL AND {} "
                                 "ORDER BY t.device, t.workload, t.query",
                                 cost_sql(criterion), is_counted),
                     experiment, experiments);
  std::vector<best_trial> trials;
  std::size_t first_of_group = 0;
  std::int64_t device = 0;
  std::int64_t workload = 0;
  std::string query;
  while (row.executeStep()) {
    const bool same_group = row.getColumn(1).getInt64() == workload && row.getColumn(0).getInt64() == device &&
                            query == row.getColumn(2).getText();
    if (!same_group) {
      first_of_group = trials.size();
      read_all(row, device, workload, query);
    }
    const char* const problem = row.getColumn(3).getText();
    auto best = std::find_if(trials.begin() + static_cast<std::ptrdiff_t>(first_of_group), trials.end(),
                             [&](const best_trial& entry) { return entry.problem == problem; });
    const double cost = row.getColumn(5).getDouble();
    if (best == trials.end()) best = trials.insert(best, {problem, 0, INFINITY, 0});
    ++best->candidates;
    if (cost < best->cost || best->trial == 0) {
      best->cost = cost;
      best->trial = row.getColumn(4).getInt64();
    }
  }
  return trials;
}

/// Reads the best results by one objective.
/// @param is_counted  as for find_best()
std::vector<best_result> read_best(SQLite::Database& database, const objective& criterion,
                                   const std::string& is_counted, const std::string& experiments,
                                   std::optional<std::int64_t> experiment) {
  SQLite::Statement details(
      database,
      "SELECT w.name, w.class, t.query, d.name, c.label, c.parameters, t.median_ms, t.spread FROM trial t "
      "JOIN configuration c ON c.id = t.configuration JOIN workload w ON w.id = t.workload "
      "JOIN device d ON d.id = t.device WHERE t.id = ?1");
  SQLite::Statement work(database, "SELECT name, value FROM counter WHERE trial = ?1 ORDER BY name LIMIT 1");
  SQLite::Statement metric(database, "SELECT name, value FROM metric WHERE trial = ?1 ORDER BY name");
  std::vector<best_result> results;
  for (best_trial& fastest : find_best(database, criterion, is_counted, experiments, experiment)) {
    best_result& best = results.emplace_back();
    best.problem = std::move(fastest.problem);
    best.candidates = fastest.candidates;
    best.criterion = criterion;
    bind_all(details, fastest.trial);
    details.executeStep();
    read_all(details, best.workload, best.workload_class, best.query, best.device, best.label, best.parameters_json,
             best.median_ms, best.spread);
    bind_all(metric, fastest.trial);
    while (metric.executeStep()) {
      auto& [name, value] = best.metrics.emplace_back();
      read_all(metric, name, value);
    }
    bind_all(work, fastest.trial);
    if (!work.executeStep() || !(best.median_ms > 0)) continue;
    std::string done;
    read_all(work, done, best.rate);
    best.rate_unit = done + "/s";
    best.rate *= 1000 / best.median_ms;
  }
  std::ranges::stable_sort(results, {}, [](const best_result& best) {
    return std::tie(best.problem, best.workload, best.query, best.device);
  });
  return results;
}

std::vector<final_winner> read_winners(SQLite::Database& database, std::optional<std::int64_t> experiment) {
  auto row = prepare(database,
                     "SELECT w.workload, w.query, w.device, w.configuration, w.median_ms, w.first_median_ms, "
                     "(SELECT s.median_ms FROM finalist s WHERE s.final = w.final AND s.place = 2) FROM final_result w "
                     "JOIN final f ON f.id = w.final WHERE w.place = 1 AND (?1 IS NULL OR f.experiment = ?1) "
                     "ORDER BY w.workload, w.query, w.device, f.experiment",
                     experiment);
  std::vector<final_winner> winners;
  while (row.executeStep()) {
    final_winner& winner = winners.emplace_back();
    std::optional<double> second_ms;
    read_all(row, winner.workload, winner.query, winner.device, winner.label, winner.median_ms, winner.first_median_ms,
             second_ms);
    if (second_ms && winner.median_ms > 0) winner.lead = *second_ms / winner.median_ms - 1;
  }
  return winners;
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string_view to_string(liveness state) {
  switch (state) {
    case liveness::alive:
      return "alive";
    case liveness::dead:
      return "dead";
    case liveness::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string describe(const experiment_status& state) {
  const progress& counts = state.counts;
  std::string text =
      fmt::format("experiment {}: {} of {} trials done", state.experiment.name, counts.done, counts.total);
  if (counts.running > 0) text += fmt::format(", {} running", counts.running);
  if (counts.pending > 0) text += fmt::format(", {} pending", counts.pending);
  if (state.seconds_left) text += fmt::format(", about {} left", duration(*state.seconds_left));
  text += '\n';
  if (!counts.outcomes.empty()) {
    text += "  outcomes:";
    bool first = true;
    for (const auto& [value, count] : counts.outcomes) {
      text += fmt::format("{} {} {}", first ? "" : ",", db::to_string(value), count);
      first = false;
    }
    text += '\n';
  }
  for (const device_progress& device : counts.devices) {
    text +=
        fmt::format("  {} ({}): {} of {} done, {} ok", device.name, device.kind, device.done, device.total, device.ok);
    if (device.done > 0) {
      text += fmt::format("; compiling {}, uploading {}, measuring {}, checking {}", duration(device.compile_s),
                          duration(device.upload_s), duration(device.measure_s), duration(device.check_s));
    }
    text += '\n';
  }
  for (const device_sessions& group : state.sessions) {
    const session_times& t = group.times;
    if (t.wall <= 0) continue;
    text += fmt::format("  {} of {}: {} worker{}, {} of wall time: {}\n", group.selector, group.host, group.sessions,
                        group.sessions == 1 ? "" : "s", duration(t.wall / 1000), shares_text(t));
  }
  return text;
}

}  // namespace

status read_status(const store& source, std::optional<std::int64_t> experiment) {
  status state;
  state.file = source.file().string();
  connection& opened = source.access();
  for (experiment_row& row : source.experiments()) {
    if (experiment && row.id != *experiment) continue;
    experiment_status entry;
    entry.counts = source.experiment_progress(row.id);
    entry.seconds_left = opened.read([&] { return read_seconds_left(opened.database(), row.id, entry.counts); });
    entry.sessions = read_sessions(source, row.id);
    entry.experiment = std::move(row);
    state.experiments.push_back(std::move(entry));
  }
  state.running = opened.read([&] { return read_running(opened.database(), experiment); });
  state.failures = opened.read([&] { return read_failures(opened.database(), experiment); });
  std::vector<std::pair<objective, std::string>> criteria;  // with the experiments that seek them
  for (const experiment_status& entry : state.experiments) {
    const std::int64_t id = entry.experiment.id;
    std::vector<objective> objectives = objectives_of(opened, id);
    auto same = std::ranges::find(criteria, objectives.front(), &std::pair<objective, std::string>::first);
    if (same == criteria.end()) same = criteria.insert(criteria.end(), {objectives.front(), ""});
    same->second += (same->second.empty() ? "" : ",") + std::to_string(id);
    if (objectives.size() < 2) continue;
    state.fronts.push_back({entry.experiment.name, objectives, read_fronts(source, id, objectives)});
  }
  if (criteria.empty()) criteria.emplace_back();
  for (const auto& [criterion, ids] : criteria) {
    const bool every_trial = criteria.size() == 1 && criterion.is_time();
    const std::string is_counted = fmt::format(
        "{} AND {} AND ({} OR t.id IN (SELECT trial FROM experiment_trial WHERE experiment IN (SELECT value FROM "
        "json_each(?2))))",
        of_experiment, opened.shows_single_code() ? "true" : is_latest,
        every_trial           ? "true"
        : criterion.is_time() ? "t.id NOT IN (SELECT trial FROM experiment_trial)"  // a trial of no experiment
                              : "false");
    std::vector<best_result> best =
        opened.read([&] { return read_best(opened.database(), criterion, is_counted, "[" + ids + "]", experiment); });
    state.best.insert(state.best.end(), std::make_move_iterator(best.begin()), std::make_move_iterator(best.end()));
  }
  state.winners = opened.read([&] { return read_winners(opened.database(), experiment); });
  state.hidden = count_hidden_trials(source, experiment);
  return state;
}

std::string render(const status& state, const std::function<std::string(const std::string&)>& shorten) {
  std::map<std::string, std::string> short_labels;
  const auto shortened = [&](const std::string& label) {
    const auto [entry, is_new] = short_labels.try_emplace(label);
    if (is_new) entry->second = shorten(label);
    return entry->second;
  };
  std::string text = fmt::format("{}\n", state.file);
  if (state.experiments.empty()) text += "no experiments yet\n";
  for (const experiment_status& experiment : state.experiments) text += describe(experiment);
  if (const std::string hidden = hidden_trials_text(state.hidden); !hidden.empty()) {
    text += hidden + "; --code all includes them\n";
  }
  if (!state.running.empty()) {
    table running{{"running on", "worker", "for", "workload", "query", "configuration", "attempt"}, {}};
    for (const running_trial& trial : state.running) {
      running.rows.push_back({text_cell(trial.worker), text_cell(std::string(to_string(trial.state))),
                              text_cell(duration(trial.seconds)), text_cell(trial.workload), text_cell(trial.query),
                              text_cell(shortened(trial.label)), count_cell(static_cast<std::size_t>(trial.attempt))});
    }
    text += fmt::format("\n{}", render(running, table_format::aligned));
  }
  if (!state.failures.empty()) {
    table failures{{"failure", "trials", "for example", "message"}, {}};
    for (const failure_count& failure : state.failures) {
      failures.rows.push_back({text_cell(std::string(db::to_string(failure.result))), count_cell(failure.count),
                               text_cell(shortened(failure.example)), text_cell(failure.message)});
    }
    text += fmt::format("\n{}", render(failures, table_format::aligned));
  }
  if (!state.best.empty()) {
    const bool has_rates = std::any_of(state.best.begin(), state.best.end(),
                                       [](const best_result& row) { return !row.rate_unit.empty(); });
    table best{{"problem", "workload", "query", "device", "best configuration", "median ms", "spread", "of"}, {}};
    const bool has_objectives =
        std::ranges::any_of(state.best, [](const best_result& row) { return !row.criterion.is_time(); });
    if (has_objectives) best.columns.emplace_back("best by");
    if (has_rates) best.columns.emplace_back("rate");
    std::set<std::string> metric_names;
    for (const best_result& row : state.best) {
      for (const auto& [name, value] : row.metrics) metric_names.insert(name);
    }
    best.columns.insert(best.columns.end(), metric_names.begin(), metric_names.end());
    for (const best_result& row : state.best) {
      best.rows.push_back({text_cell(row.problem),
                           text_cell(row.workload),
                           text_cell(row.query),
                           text_cell(row.device),
                           text_cell(shortened(row.label)),
                           {cell_kind::real, fmt::format("{:.4g}", row.median_ms)},
                           {cell_kind::real, fmt::format("{:.1f}%", row.spread * 100)},
                           count_cell(row.candidates)});
      if (has_objectives) best.rows.back().push_back(text_cell(row.criterion.name));
      if (has_rates) {
        best.rows.back().push_back(
            text_cell(row.rate_unit.empty() ? "" : fmt::format("{:.4g} {}", row.rate, row.rate_unit)));
      }
      for (const std::string& name : metric_names) {
        const auto metric = std::ranges::find(row.metrics, name, &std::pair<std::string, double>::first);
        best.rows.back().push_back(
            metric == row.metrics.end() ? text_cell("") : cell{cell_kind::real, fmt::format("{:.4g}", metric->second)});
      }
    }
    text += fmt::format("\n{}", render(best, table_format::aligned));
  }
  for (const experiment_fronts& front : state.fronts) {
    table members{{"workload", "query", "device", "Pareto front of " + front.experiment}, {}};
    for (const objective& criterion : front.objectives) {
      members.columns.push_back(criterion.is_time() ? "median ms" : criterion.name);
    }
    for (const front_member& member : front.members) {
      members.rows.push_back({text_cell(member.workload), text_cell(member.query), text_cell(member.device),
                              text_cell(shortened(member.label))});
      for (const double value : member.values) {
        members.rows.back().push_back({cell_kind::real, fmt::format("{:.4g}", value)});
      }
    }
    text += fmt::format("\n{}", render(members, table_format::aligned));
  }
  if (!state.winners.empty()) {
    table winners{{"workload", "query", "device", "winner of the final", "median ms", "before", "ahead by"}, {}};
    for (const final_winner& row : state.winners) {
      winners.rows.push_back({text_cell(row.workload),
                              text_cell(row.query),
                              text_cell(row.device),
                              text_cell(shortened(row.label)),
                              {cell_kind::real, fmt::format("{:.4g}", row.median_ms)},
                              {cell_kind::real, fmt::format("{:.4g}", row.first_median_ms)},
                              {cell_kind::real, fmt::format("{:.1f}%", row.lead * 100)}});
    }
    text += fmt::format("\n{}", render(winners, table_format::aligned));
  }
  return text;
}

}  // namespace mlmq::db
