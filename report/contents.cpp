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
  json all = json::object();
  for (const tuner::named_meaning& one : list) all[std::string(one.name)] = std::string(one.meaning);
  return all;
}

/// What the program knows of a problem; of one that it does not have, the name.
json problem_json(const std::string& name) {
  const problems::problem_entry* const known = problems::known_problem(name);
  if (known == nullptr) return {{"description", ""}, {"parameters", json::array()}, {"counters", json::object()}};
  const auto made = known->make();
  json parameters = json::array();
  for (const tuner::parameter_declaration& one : made->declarations()) {
    parameters.push_back({{"name", one.name},
                          {"meaning", one.description},
                          {"unit", one.unit},
                          {"default", tuner::to_text(one.default_value)},
                          {"allowed", one.allowed},
                          {"silent", one.silent_default}});
  }
  const tuner::work_ratio work = made->work();
  return {{"description", known->description},
          {"parameters", std::move(parameters)},
          {"counters", meanings(made->counters())},
          {"work", {{"counter", work.counter}, {"feature", work.feature}, {"name", work.name}}},
          {"rate_counter", made->rate_counter()},
          {"features", meanings(made->workloads().features().definitions())}};
}

json remarks_json(const std::vector<remark>& remarks, report_contents& into, const std::string& where) {
  json all = json::array();
  for (const remark& one : remarks) {
    all.push_back({{"severity", to_string(one.how)}, {"text", one.text}});
    if (one.how != severity::note) into.warnings.push_back(fmt::format("{}: {}", where, one.text));
  }
  return all;
}

json device_json(const db::device_record& device) {
  return {{"name", device.name},
          {"kind", device.kind},
          {"modelled", device.modelled},
          {"architecture", device.architecture},
          {"memory_bytes", device.memory_bytes},
          {"multiprocessors", device.multiprocessors}};
}

/// Values of a parameter as the page has them: text, and null where it is inactive.
json configurations_json(const result_set& set) {
  std::set<std::string> names;
  std::vector<json> parameters;
  for (const db::configuration_record* one : set.configurations) {
    parameters.push_back(parsed(one->parameters_json));
    for (const auto& [name, value] : parameters.back().items()) names.insert(name);
  }
  json columns = json::object();
  for (const std::string& name : names) {
    json column = json::array();
    for (const json& one : parameters) {
      const auto found = one.find(name);
      column.push_back(found == one.end() ? json(nullptr) : *found);
    }
    columns[name] = std::move(column);
  }
  json labels = json::array();
  json ids = json::array();
  for (const db::configuration_record* one : set.configurations) {
    labels.push_back(one->label);
    ids.push_back(one->hash().substr(0, 12));
  }
  return {{"labels", std::move(labels)}, {"ids", std::move(ids)}, {"parameters", std::move(columns)}};
}

json workloads_json(const result_set& set) {
  std::set<std::string> names;
  json list = json::array();
  for (const db::workload_record* one : set.workloads) {
    for (const auto& feature : one->features) names.insert(feature.first);
    list.push_back({{"name", one->name},
                    {"class", one->workload_class},
                    {"family", one->family},
                    {"id", one->hash.substr(0, 12)},
                    {"bytes", one->bytes}});
  }
  json features = json::object();
  for (const std::string& name : names) {
    json column = json::array();
    for (const db::workload_record* one : set.workloads)
      column.push_back(rounded(one->feature(name).value_or(std::nan(""))));
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
  json all = json::array();
  for (const input_progress& one : progress_of(set)) all.push_back({steps_text(one), one.tried, rounded(one.seconds)});
  return all;
}

/// The fastest trials of each input first, so that a limit takes away the slowest ones.
json samples_json(const db::store& from, const result_set& set, std::size_t most) {
  struct place {
    std::size_t rank = 0;
    std::size_t row = 0;
    const table_entry* entry = nullptr;
  };
  std::vector<place> places;
  for (std::size_t r = 0; r < set.rows.size(); ++r) {
    std::vector<const table_entry*> timed;
    for (const table_entry& one : set.rows[r].entries) {
      if (one.trial->samples > 0 && one.trial->median_ms) timed.push_back(&one);
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
  for (const place& one : places) {
    if (samples + one.entry->trial->samples > most) {
      ++left_out;
      continue;
    }
    samples += one.entry->trial->samples;
    std::string text;
    for (const double value : from.samples(one.entry->trial->id))
      text += fmt::format("{}{}", text.empty() ? "" : ",", short_number(value));
    rows.push_back({one.row, one.entry->configuration, text});
  }
  return {{"rows", std::move(rows)}, {"left_out", left_out}};
}

/// What counting trials counted, and what timed trials did on the way; spread evenly over the inputs when there are many.
json counts_json(const db::store& from, const result_set& set, std::size_t most) {
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> row_of;
  for (std::size_t r = 0; r < set.rows.size(); ++r)
    row_of.emplace(std::pair(set.rows[r].workload, std::string_view(set.rows[r].query)), r);
  using place = std::pair<std::size_t, std::size_t>;  // row and configuration
  std::map<place, std::vector<std::int64_t>> trials;
  for (const db::finished_trial* one : set.trials) {
    if (!one->latest || one->result != db::outcome::ok || one->counters == 0) continue;
    const auto row = row_of.find({set.workload_of.at(one->workload), one->query});
    const auto configuration = set.configuration_of.find(one->configuration);
    if (row == row_of.end() || configuration == set.configuration_of.end()) continue;
    trials[{row->second, configuration->second}].push_back(one->id);
  }
  const std::size_t kept = std::min(most, trials.size());
  std::vector<std::pair<place, std::map<std::string, double>>> counted;
  std::set<std::string> names;
  std::size_t index = 0;
  for (const auto& [at, ids] : trials) {
    const std::size_t next = index + 1;
    const bool stays = index * kept / trials.size() != next * kept / trials.size();
    index = next;
    if (!stays) continue;
    std::map<std::string, double> values;
    for (const std::int64_t id : ids) values.merge(from.counters(id));
    for (const auto& [name, value] : values) names.insert(name);
    counted.emplace_back(at, std::move(values));
  }
  json rows = json::array();
  for (const auto& [at, values] : counted) {
    json row = json::array({at.first, at.second});
    for (const std::string& name : names) {
      const auto found = values.find(name);
      row.push_back(found == values.end() ? json(nullptr) : rounded(found->second));
    }
    rows.push_back(std::move(row));
  }
  return {{"names", names}, {"rows", std::move(rows)}, {"left_out", trials.size() - kept}};
}

json failures_json(const result_set& set) {
  struct message {
    std::size_t count = 0;
    const db::finished_trial* example = nullptr;
  };
  // Messages that differ in their numbers alone are one.
  std::map<std::tuple<db::outcome, std::string, std::string>, message> messages;
  for (const db::finished_trial* one : set.trials) {
    if (one->result == db::outcome::ok || !one->latest) continue;
    std::string text;
    bool in_number = false;
    for (const char letter : one->message) {
      const bool digit = letter >= '0' && letter <= '9';
      const bool point = in_number && letter == '.';
      if (!digit && !point) text += letter;
      if (digit && !in_number) text += "#";
      in_number = digit || point;
    }
    message& seen = messages[{one->result, one->measurement, text}];
    ++seen.count;
    if (seen.example == nullptr) seen.example = one;
  }
  std::vector<std::pair<std::size_t, json>> ordered;
  for (const auto& [key, seen] : messages) {
    const auto known = set.configuration_of.find(seen.example->configuration);
    ordered.emplace_back(
        seen.count, json{{"outcome", db::to_string(std::get<0>(key))},
                         {"measurement", std::get<1>(key)},
                         {"count", seen.count},
                         {"message", seen.example->message},
                         {"workload", set.workload_of.at(seen.example->workload)},
                         {"query", seen.example->query},
                         {"configuration", known == set.configuration_of.end() ? json(nullptr) : json(known->second)}});
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  json all = json::array();
  constexpr std::size_t most_messages = 60;
  for (std::size_t i = 0; i < std::min(most_messages, ordered.size()); ++i) all.push_back(std::move(ordered[i].second));
  return all;
}

json history_json(const result_set& set, std::size_t points) {
  json all = json::array();
  for (const history_point& one : device_history(set, points)) {
    json readings = json::object();
    for (std::size_t i = 0; i < device_readings.size(); ++i) {
      if (!one.readings[i]) continue;
      readings[device_readings[i]] = {rounded(one.readings[i]->least), rounded(one.readings[i]->median),
                                      rounded(one.readings[i]->most)};
    }
    all.push_back({{"from", one.from},
                   {"to", one.to},
                   {"trials", one.trials},
                   {"readings", std::move(readings)},
                   {"slowed", one.slowed}});
  }
  return all;
}

json judgement_json(const std::string& database, const result_set& set, const contents_options& options) {
  if (!options.judges_selectors) return {{"nothing", "the report was made with --no-selectors"}};
  const selector_judgement judged = judge_selectors(database, set, options.judgement);
  if (!judged.nothing.empty()) return {{"nothing", judged.nothing}};
  std::map<std::string_view, std::size_t> index_of;
  for (std::size_t c = 0; c < set.configurations.size(); ++c) index_of.emplace(set.configurations[c]->label, c);
  const auto index = [&](const std::string& label) {
    const auto known = index_of.find(label);
    return known == index_of.end() ? json(label) : json(known->second);
  };
  json workloads = json::array();
  for (const judged_workload& one : judged.workloads)
    workloads.push_back({one.workload, index(one.best), rounded(one.best_ms)});
  json selectors = json::array();
  for (const judged_selector& one : judged.selectors) {
    json choices = json::array();
    json relative = json::array();
    for (const selector_choice& choice : one.choices) {
      choices.push_back(index(choice.configuration));
      relative.push_back(rounded(choice.relative));
    }
    selectors.push_back({{"name", one.name},
                         {"meaning", one.meaning},
                         {"choices", std::move(choices)},
                         {"relative", std::move(relative)}});
  }
  return {{"notes", judged.notes}, {"workloads", std::move(workloads)}, {"selectors", std::move(selectors)}};
}

/// Wall time of all finished trials by what it went to, older and counting ones too.
json trial_time_json(const result_set& set) {
  std::map<std::string, std::array<double, 4>> seconds;
  for (const db::finished_trial* one : set.trials) {
    auto& of = seconds[one->measurement];
    const std::array parts{one->compile_ms, one->upload_ms, one->measure_ms, one->check_ms};
    for (std::size_t i = 0; i < parts.size(); ++i) of[i] += parts[i] / 1000;
  }
  json all = json::array();
  for (const auto& [measurement, parts] : seconds) {
    all.push_back({{"measurement", measurement},
                   {"compile", rounded(parts[0])},
                   {"upload", rounded(parts[1])},
                   {"measure", rounded(parts[2])},
                   {"check", rounded(parts[3])}});
  }
  return all;
}

json set_json(const db::store& from, result_set set, std::size_t database, const std::string& name,
              const contents_options& options, report_contents& into) {
  limit_entries(set, options.most_trials);
  into.trials += set.entry_count();
  ++into.result_sets;
  json made{
      {"database", database},
      {"problem", set.problem},
      {"device", device_json(*set.device)},
      {"remarks", remarks_json(remarks_on(set), into, fmt::format("{}, {}, {}", name, set.problem, set.device->name))},
      {"configurations", configurations_json(set)},
      {"workloads", workloads_json(set)},
      {"progress", progress_json(set)},
      {"samples", samples_json(from, set, options.most_samples)},
      {"counts", counts_json(from, set, options.most_counts)},
      {"failures", failures_json(set)},
      {"history", history_json(set, options.history_points)},
      {"selector", judgement_json(from.file().string(), set, options)},
      {"trial_time", trial_time_json(set)}};
  made.update(rows_json(set));
  return made;
}

json database_json(const std::string& file, const std::string& name, const db::whole_record& record,
                   report_contents& into) {
  std::map<std::string, std::map<std::string, std::size_t>> outcomes;
  std::set<std::string> versions;
  std::set<std::string> drivers;
  std::set<std::string> compilers;
  std::set<std::string> hosts;
  std::set<std::string> kernels;
  for (const db::finished_trial& one : record.trials) {
    ++outcomes[one.measurement][std::string(db::to_string(one.result))];
    versions.insert(one.program_version);
    drivers.insert(one.driver);
    compilers.insert(one.compiler);
    hosts.insert(one.host);
    kernels.insert(one.kernel_source_hash);
  }
  for (auto* set : {&versions, &drivers, &compilers, &hosts, &kernels}) set->erase("");
  json experiments = json::array();
  for (const db::experiment_summary& one : record.experiments) {
    experiments.push_back({{"name", one.experiment.name},
                           {"created", one.experiment.created},
                           {"used", one.experiment.used},
                           {"trials", one.trials},
                           {"done", one.done},
                           {"settings", parsed(one.experiment.settings_json)},
                           {"text", one.experiment.space_text}});
  }
  json sessions = json::array();
  for (const db::worker_session& one : record.sessions) {
    const db::session_times& t = one.times;
    sessions.push_back({{"experiment", one.experiment},
                        {"device", one.device},
                        {"host", one.host},
                        {"started", one.started_at},
                        {"seen", one.seen_at},
                        {"trials", one.trials},
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
          {"remarks", remarks_json(remarks_on(record), into, name)}};
}

/// What databases are called on the page: by the names of their files, and by more of their paths where these are equal.
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
    if (sets.empty()) {
      throw input_error(fmt::format(
          "{}: has no finished timed trials to report on{}", databases[d],
          record.unfinished > 0 ? fmt::format("; {} are waiting: run the sweep first", record.unfinished) : ""));
    }
    contents.data["databases"].push_back(database_json(databases[d], names[d], record, contents));
    for (result_set& set : sets) {
      if (!contents.data["problems"].contains(set.problem))
        contents.data["problems"][set.problem] = problem_json(set.problem);
      if (working) working(fmt::format("{}: {} on {}", names[d], set.problem, set.device->name));
      contents.data["sets"].push_back(set_json(store, std::move(set), d, names[d], options, contents));
    }
  }
  return contents;
}

}  // namespace mlmq::report
