// SPDX-License-Identifier: Apache-2.0
#include "report/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/version.hpp"
#include "db/status.hpp"
#include "problems/registry.hpp"
#include "report/device_history.hpp"
#include "report/encoding.hpp"
#include "report/progress.hpp"
#include "report/warnings.hpp"

namespace mlmq::report {
namespace {

using nlohmann::json;

json parsed(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json::object() : value;
}

json meanings(std::span<const tuner::named_meaning> list) {
  json result = json::object();
  for (const tuner::named_meaning& entry : list) result[std::string(entry.name)] = std::string(entry.meaning);
  return result;
}

/// Describes a problem; unknown problems have an empty description.
json problem_json(const std::string& name) {
  const problems::problem_entry* const entry = problems::known_problem(name);
  if (entry == nullptr) return {{"description", ""}, {"parameters", json::array()}, {"counters", json::object()}};
  const auto problem = entry->make();
  json parameters = json::array();
  for (const tuner::parameter_declaration& parameter : problem->declarations()) {
    parameters.push_back({{"name", parameter.name},
                          {"meaning", parameter.description},
                          {"unit", parameter.unit},
                          {"default", tuner::to_text(parameter.default_value)},
                          {"allowed", parameter.allowed},
                          {"silent", parameter.silent_default}});
  }
  const tuner::work_ratio work = problem->work();
  return {{"description", entry->description},
          {"parameters", std::move(parameters)},
          {"counters", meanings(problem->counters())},
          {"work", {{"counter", work.counter}, {"feature", work.feature}, {"name", work.name}}},
          {"rate_counter", problem->rate_counter()},
          {"features", meanings(problem->workloads().features().definitions())}};
}

json remarks_json(const std::vector<remark>& remarks, report_contents& contents, const std::string& location) {
  json result = json::array();
  for (const remark& remark : remarks) {
    result.push_back({{"severity", to_string(remark.level)}, {"text", remark.text}});
    if (remark.level != severity::note) contents.warnings.push_back(fmt::format("{}: {}", location, remark.text));
  }
  return result;
}

json device_json(const db::device_record& device) {
  return {{"name", device.name},
          {"kind", device.kind},
          {"modelled", device.modelled},
          {"architecture", device.architecture},
          {"memory_bytes", device.memory_bytes},
          {"multiprocessors", device.multiprocessors}};
}

/// Parameter values in the format of the page: text, or null if inactive.
json configurations_json(const result_set& set) {
  std::set<std::string> names;
  std::vector<json> parameters;
  for (const db::configuration_record* configuration : set.configurations) {
    parameters.push_back(parsed(configuration->parameters_json));
    for (const auto& [name, value] : parameters.back().items()) names.insert(name);
  }
  json columns = json::object();
  for (const std::string& name : names) {
    json column = json::array();
    for (const json& values : parameters) {
      const auto value = values.find(name);
      column.push_back(value == values.end() ? json(nullptr) : *value);
    }
    columns[name] = std::move(column);
  }
  json labels = json::array();
  json ids = json::array();
  for (const db::configuration_record* configuration : set.configurations) {
    labels.push_back(configuration->label);
    ids.push_back(configuration->hash().substr(0, 12));
  }
  return {{"labels", std::move(labels)}, {"ids", std::move(ids)}, {"parameters", std::move(columns)}};
}

json workloads_json(const result_set& set) {
  std::set<std::string> names;
  json list = json::array();
  for (const db::workload_record* workload : set.workloads) {
    for (const auto& feature : workload->features) names.insert(feature.first);
    list.push_back({{"name", workload->name},
                    {"class", workload->workload_class},
                    {"family", workload->family},
                    {"id", workload->hash.substr(0, 12)},
                    {"bytes", workload->bytes}});
  }
  json features = json::object();
  for (const std::string& name : names) {
    json column = json::array();
    for (const db::workload_record* workload : set.workloads)
      column.push_back(rounded(workload->feature(name).value_or(std::nan(""))));
    features[name] = std::move(column);
  }
  return {{"list", std::move(list)}, {"features", std::move(features)}};
}

json rows_json(const result_set& set) {
  json inputs = json::array();
  json times = json::array();
  json intervals = json::array();
  for (const table_row& row : set.rows) {
    inputs.push_back({row.workload, row.query});
    times.push_back(times_text(row));
    intervals.push_back(intervals_text(row));
  }
  return {{"inputs", std::move(inputs)}, {"times", std::move(times)}, {"intervals", std::move(intervals)}};
}

json progress_json(const result_set& set) {
  json result = json::array();
  for (const input_progress& progress : progress_of(set))
    result.push_back({steps_text(progress), progress.tried, rounded(progress.seconds)});
  return result;
}

/// Samples, starting with the fastest trials of each input, so that a limit drops the slowest ones.
json samples_json(const db::store& source, const result_set& set, std::size_t most) {
  struct place {
    std::size_t rank = 0;
    std::size_t row = 0;
    const table_entry* entry = nullptr;
  };
  std::vector<place> places;
  for (std::size_t r = 0; r < set.rows.size(); ++r) {
    std::vector<const table_entry*> timed;
    for (const table_entry& entry : set.rows[r].entries) {
      if (entry.trial->samples > 0 && entry.trial->median_ms) timed.push_back(&entry);
    }
    std::stable_sort(timed.begin(), timed.end(), [](const table_entry* a, const table_entry* b) {
      return *a->trial->median_ms < *b->trial->median_ms;
    });
    for (std::size_t rank = 0; rank < timed.size(); ++rank)
      places.push_back({.rank = rank, .row = r, .entry = timed[rank]});
  }
  std::stable_sort(places.begin(), places.end(), [](const place& a, const place& b) { return a.rank < b.rank; });
  json rows = json::array();
  std::size_t left_out = 0;
  std::size_t samples = 0;
  for (const place& place : places) {
    if (samples + place.entry->trial->samples > most) {
      ++left_out;
      continue;
    }
    samples += place.entry->trial->samples;
    std::string text;
    for (const double value : source.samples(place.entry->trial->id))
      text += fmt::format("{}{}", text.empty() ? "" : ",", short_number(value));
    rows.push_back({place.row, place.entry->configuration, text});
  }
  return {{"rows", std::move(rows)}, {"left_out", left_out}};
}

/// Counters of counting and of timed trials. If there are too many, the selection is spread evenly over the inputs.
json counts_json(const db::store& source, const result_set& set, std::size_t most) {
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> row_of;
  for (std::size_t r = 0; r < set.rows.size(); ++r)
    row_of.emplace(std::pair(set.rows[r].workload, std::string_view(set.rows[r].query)), r);
  using place = std::pair<std::size_t, std::size_t>;  // row and configuration
  std::map<place, std::vector<std::int64_t>> trials;
  for (const db::finished_trial* trial : set.trials) {
    if (!trial->latest || trial->result != db::outcome::ok || trial->counters == 0) continue;
    const auto row = row_of.find({set.workload_of.at(trial->workload), trial->query});
    const auto configuration = set.configuration_of.find(trial->configuration);
    if (row == row_of.end() || configuration == set.configuration_of.end()) continue;
    trials[{row->second, configuration->second}].push_back(trial->id);
  }
  const std::size_t kept_count = std::min(most, trials.size());
  std::vector<std::pair<place, std::map<std::string, double>>> counted;
  std::set<std::string> names;
  std::size_t index = 0;
  for (const auto& [cell, ids] : trials) {
    const std::size_t next = index + 1;
    const bool stays = index * kept_count / trials.size() != next * kept_count / trials.size();
    index = next;
    if (!stays) continue;
    std::map<std::string, double> values;
    for (const std::int64_t id : ids) values.merge(source.counters(id));
    for (const auto& [name, value] : values) names.insert(name);
    counted.emplace_back(cell, std::move(values));
  }
  json rows = json::array();
  for (const auto& [cell, values] : counted) {
    json row = json::array({cell.first, cell.second});
    for (const std::string& name : names) {
      const auto value = values.find(name);
      row.push_back(value == values.end() ? json(nullptr) : rounded(value->second));
    }
    rows.push_back(std::move(row));
  }
  return {{"names", names}, {"rows", std::move(rows)}, {"left_out", trials.size() - kept_count}};
}

json failures_json(const result_set& set) {
  struct message {
    std::size_t count = 0;
    const db::finished_trial* example = nullptr;
  };
  // Messages that differ only in numbers are counted together.
  std::map<std::tuple<db::outcome, std::string, std::string>, message> messages;
  for (const db::finished_trial* trial : set.trials) {
    if (trial->result == db::outcome::ok || !trial->latest) continue;
    std::string text;
    bool in_number = false;
    for (const char letter : trial->message) {
      const bool digit = letter >= '0' && letter <= '9';
      const bool point = in_number && letter == '.';
      if (!digit && !point) text += letter;
      if (digit && !in_number) text += "#";
      in_number = digit || point;
    }
    message& seen = messages[{trial->result, std::string(trial->measurement), text}];
    ++seen.count;
    if (seen.example == nullptr) seen.example = trial;
  }
  std::vector<std::pair<std::size_t, json>> ordered;
  for (const auto& [key, seen] : messages) {
    const auto configuration = set.configuration_of.find(seen.example->configuration);
    ordered.emplace_back(
        seen.count, json{{"outcome", db::to_string(std::get<0>(key))},
                         {"measurement", std::get<1>(key)},
                         {"count", seen.count},
                         {"message", seen.example->message},
                         {"workload", set.workload_of.at(seen.example->workload)},
                         {"query", seen.example->query},
                         {"configuration",
                          configuration == set.configuration_of.end() ? json(nullptr) : json(configuration->second)}});
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  json result = json::array();
  constexpr std::size_t most_messages = 60;
  for (std::size_t i = 0; i < std::min(most_messages, ordered.size()); ++i)
    result.push_back(std::move(ordered[i].second));
  return result;
}

json history_json(const result_set& set, std::size_t points) {
  json result = json::array();
  for (const history_point& point : device_history(set, points)) {
    json readings = json::object();
    for (std::size_t i = 0; i < device_readings.size(); ++i) {
      if (!point.readings[i]) continue;
      readings[device_readings[i]] = {rounded(point.readings[i]->least), rounded(point.readings[i]->median),
                                      rounded(point.readings[i]->most)};
    }
    result.push_back({{"from", point.first_finished},
                      {"to", point.last_finished},
                      {"trials", point.trials},
                      {"readings", std::move(readings)},
                      {"slowed", point.slowed}});
  }
  return result;
}

json selectors_json(const std::string& database, const result_set& set, const contents_options& options) {
  if (!options.evaluates_selectors)
    return {{"nothing", "this page evaluates no selectors (--no-selectors or --watch)"}};
  const selector_evaluation evaluation = evaluate_selectors(database, set, options.evaluation);
  if (!evaluation.missing_reason.empty()) return {{"nothing", evaluation.missing_reason}};
  std::map<std::string_view, std::size_t> index_of;
  for (std::size_t c = 0; c < set.configurations.size(); ++c) index_of.emplace(set.configurations[c]->label, c);
  const auto index = [&](const std::string& label) {
    const auto match = index_of.find(label);
    return match == index_of.end() ? json(label) : json(match->second);
  };
  json workloads = json::array();
  for (const evaluated_workload& workload : evaluation.workloads)
    workloads.push_back({workload.workload, index(workload.best), rounded(workload.best_ms)});
  json selectors = json::array();
  for (const evaluated_selector& entry : evaluation.selectors) {
    json choices = json::array();
    json relative = json::array();
    for (const selector_choice& choice : entry.choices) {
      choices.push_back(index(choice.configuration));
      relative.push_back(rounded(choice.relative));
    }
    selectors.push_back({{"name", entry.name},
                         {"meaning", entry.meaning},
                         {"training", entry.training},
                         {"choices", std::move(choices)},
                         {"relative", std::move(relative)}});
  }
  return {{"notes", evaluation.notes}, {"workloads", std::move(workloads)}, {"selectors", std::move(selectors)}};
}

/// Breakdown of the wall time of all finished trials, including older and counting ones.
json trial_time_json(const result_set& set) {
  std::map<std::string, std::array<double, 4>> seconds;
  for (const db::finished_trial* trial : set.trials) {
    auto& sums = seconds[std::string(trial->measurement)];
    const std::array parts{trial->compile_ms, trial->upload_ms, trial->measure_ms, trial->check_ms};
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i] += parts[i] / 1000;
  }
  json result = json::array();
  for (const auto& [measurement, parts] : seconds) {
    result.push_back({{"measurement", measurement},
                      {"compile", rounded(parts[0])},
                      {"upload", rounded(parts[1])},
                      {"measure", rounded(parts[2])},
                      {"check", rounded(parts[3])}});
  }
  return result;
}

/// The best configurations that have metrics, and the Pareto fronts of experiments with several objectives.
json metrics_json(const db::store& source) {
  const db::status state = db::read_status(source);
  json best = json::array();
  for (const db::best_result& row : state.best) {
    if (row.metrics.empty()) continue;
    json metrics = json::object();
    for (const auto& [name, value] : row.metrics) metrics[name] = rounded(value);
    best.push_back({{"problem", row.problem},
                    {"workload", row.workload},
                    {"query", row.query},
                    {"device", row.device},
                    {"configuration", row.label},
                    {"ms", rounded(row.median_ms)},
                    {"by", row.criterion.name},
                    {"metrics", std::move(metrics)}});
  }
  json fronts = json::array();
  for (const db::experiment_fronts& front : state.fronts) {
    json objectives = json::array();
    for (const db::objective& criterion : front.objectives) {
      objectives.push_back(
          {{"name", criterion.is_time() ? "median ms" : criterion.name}, {"maximize", criterion.is_maximized}});
    }
    json members = json::array();
    for (const db::front_member& member : front.members) {
      json values = json::array();
      for (const double value : member.values) values.push_back(rounded(value));
      members.push_back({{"problem", member.problem},
                         {"workload", member.workload},
                         {"query", member.query},
                         {"device", member.device},
                         {"configuration", member.label},
                         {"values", std::move(values)}});
    }
    fronts.push_back(
        {{"experiment", front.experiment}, {"objectives", std::move(objectives)}, {"members", std::move(members)}});
  }
  return {{"best", std::move(best)}, {"fronts", std::move(fronts)}};
}

json set_json(const db::store& source, result_set set, std::size_t database, const std::string& name,
              const contents_options& options, report_contents& contents) {
  limit_entries(set, options.most_trials);
  contents.trials += set.entry_count();
  ++contents.result_sets;
  json result{{"database", database},
              {"problem", set.problem},
              {"device", device_json(*set.device)},
              {"remarks",
               remarks_json(remarks_on(set), contents, fmt::format("{}, {}, {}", name, set.problem, set.device->name))},
              {"configurations", configurations_json(set)},
              {"workloads", workloads_json(set)},
              {"progress", progress_json(set)},
              {"samples", samples_json(source, set, options.most_samples)},
              {"counts", counts_json(source, set, options.most_counts)},
              {"failures", failures_json(set)},
              {"history", history_json(set, options.history_points)},
              {"selector", selectors_json(source.file().string(), set, options)},
              {"trial_time", trial_time_json(set)}};
  result.update(rows_json(set));
  return result;
}

json database_json(const std::string& file, const std::string& name, const db::whole_record& record,
                   report_contents& contents) {
  std::map<std::string, std::map<std::string, std::size_t>> outcomes;
  std::set<std::string> versions;
  std::set<std::string> drivers;
  std::set<std::string> compilers;
  std::set<std::string> hosts;
  std::set<std::string> kernels;
  for (const db::finished_trial& trial : record.trials) {
    ++outcomes[std::string(trial.measurement)][std::string(db::to_string(trial.result))];
    versions.emplace(trial.program_version);
    drivers.emplace(trial.driver);
    compilers.emplace(trial.compiler);
    hosts.emplace(trial.host);
    kernels.emplace(trial.kernel_source_hash);
  }
  for (auto* set : {&versions, &drivers, &compilers, &hosts, &kernels}) set->erase("");
  json experiments = json::array();
  for (const db::experiment_summary& summary : record.experiments) {
    experiments.push_back({{"name", summary.experiment.name},
                           {"created", summary.experiment.created},
                           {"used", summary.experiment.used},
                           {"trials", summary.trials},
                           {"done", summary.done},
                           {"settings", parsed(summary.experiment.settings_json)},
                           {"text", summary.experiment.space_text}});
  }
  json sessions = json::array();
  for (const db::worker_session& session : record.sessions) {
    const db::session_times& t = session.times;
    sessions.push_back({{"experiment", session.experiment},
                        {"device", session.device},
                        {"host", session.host},
                        {"started", session.started_at},
                        {"seen", session.seen_at},
                        {"trials", session.trials},
                        {"seconds",
                         {{"runs", rounded(t.measure / 1000)},
                          {"compiling", rounded(t.compile / 1000)},
                          {"preparing", rounded(t.prepare / 1000)},
                          {"recording", rounded(t.record / 1000)},
                          {"loading workloads", rounded(t.load / 1000)},
                          {"uploading", rounded(t.upload / 1000)},
                          {"checking answers", rounded(t.check / 1000)},
                          {"idle", rounded(t.idle / 1000)},
                          {"other", rounded(t.other() / 1000)}}}});
  }
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  return {{"name", name},
          {"bytes", ignored ? json(nullptr) : json(bytes)},
          {"outcomes", outcomes},
          {"unfinished", record.unfinished},
          {"versions", versions},
          {"drivers", drivers},
          {"compilers", compilers},
          {"hosts", hosts},
          {"kernels", kernels},
          {"first", record.trials.front().finished_at},
          {"last", record.trials.back().finished_at},
          {"experiments", std::move(experiments)},
          {"sessions", std::move(sessions)},
          {"remarks", remarks_json(remarks_on(record), contents, name)}};
}

/// Names of databases on the page: the names of their files, or the paths if file names are equal.
std::vector<std::string> names_of(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).filename().string());
  const std::set<std::string> different(names.begin(), names.end());
  return different.size() == names.size() ? names : files;
}

}  // namespace

report_contents collect(const std::vector<std::string>& databases, const contents_options& options,
                        const std::string& now, const std::function<void(const std::string&)>& working) {
  report_contents contents;
  contents.data = {{"format", 1},
                   {"program", program_version()},
                   {"made", now},
                   {"databases", json::array()},
                   {"problems", json::object()},
                   {"sets", json::array()}};
  contents.names = names_of(databases);
  const std::vector<std::string>& names = contents.names;
  for (std::size_t d = 0; d < databases.size(); ++d) {
    if (working) working(fmt::format("reading {}", names[d]));
    const auto store = db::store::open_record(databases[d], options.code);
    const db::whole_record record = db::read_whole_record(store);
    contents.other_code.count += record.other_code.count;
    contents.other_code.versions += record.other_code.versions;
    std::vector<result_set> sets = result_sets_of(record);
    if (sets.empty() && !options.requires_trials) continue;
    if (sets.empty()) {
      throw input_error(fmt::format(
          "{}: has no finished timed trials to report on{}", databases[d],
          record.unfinished > 0 ? fmt::format("; {} are waiting: run the sweep first", record.unfinished) : ""));
    }
    const std::size_t index = contents.data["databases"].size();
    contents.data["databases"].push_back(database_json(databases[d], names[d], record, contents));
    contents.data["databases"].back()["metrics"] = metrics_json(store);
    for (result_set& set : sets) {
      if (!contents.data["problems"].contains(set.problem))
        contents.data["problems"][set.problem] = problem_json(set.problem);
      if (working) working(fmt::format("{}: {} on {}", names[d], set.problem, set.device->name));
      contents.data["sets"].push_back(set_json(store, std::move(set), index, names[d], options, contents));
    }
  }
  contents.data["trials"] = contents.trials;
  return contents;
}

}  // namespace mlmq::report
