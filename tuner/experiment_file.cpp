// SPDX-License-Identifier: Apache-2.0
#include "tuner/experiment_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "backends/hardware_profiler.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tuner/range.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::tuner {
namespace {

std::vector<std::pair<value, source_place>> read_range(const yaml_value& node) {
  const yaml_map map = node.map({"from", "to", "step", "factor"});
  const value first = map.at("from").scalar();
  const value last = map.at("to").scalar();
  const auto* step = map.find("step");
  const auto* factor = map.find("factor");
  if ((step != nullptr) == (factor != nullptr)) {
    node.fail("a range needs either 'step' or 'factor'");
  }
  std::vector<std::pair<value, source_place>> result;
  try {
    for (value& v :
         step ? arithmetic_range(first, last, step->scalar()) : geometric_range(first, last, factor->scalar())) {
      result.emplace_back(std::move(v), node.place());
    }
  } catch (const input_error& error) {
    throw input_error(node.place().prefix() + error.what());
  }
  return result;
}

std::vector<std::pair<value, source_place>> read_values(const yaml_value& node) {
  std::vector<std::pair<value, source_place>> result;
  for (const yaml_value& item : node.items()) result.emplace_back(item.scalar(), item.place());
  return result;
}

binding read_binding(const yaml_value& node) {
  const std::string word = node.text();
  if (word != "compile" && word != "launch") {
    node.fail("expected compile or launch, got '" + word + "'");
  }
  return word == "compile" ? binding::compile : binding::launch;
}

parameter_request read_parameter(const yaml_value& node) {
  parameter_request request;
  request.name = node.key();
  request.place = node.place();
  if (node.is_list()) {  // NAME: [8, 32]
    request.values = read_values(node);
    return request;
  }
  if (node.is_scalar()) {  // NAME: 8
    request.values.emplace_back(node.scalar(), node.place());
    return request;
  }
  if (!node.is_map()) {
    throw input_error(node.place().prefix() + "parameter '" + node.key() + "' has no values");
  }
  const yaml_map map = node.map({"values", "range", "bind", "when", "unit", "default", "description"});
  const auto* values = map.find("values");
  const auto* range = map.find("range");
  if (!values && !range) {
    throw input_error(node.place().prefix() + "parameter '" + node.key() +
                      "' has no values: give it 'values' or 'range'");
  }
  if (values && range) node.fail("give either 'values' or 'range', not both");
  request.values = values ? read_values(*values) : read_range(*range);
  if (request.values.empty()) {
    throw input_error(node.place().prefix() + "parameter '" + node.key() + "' has no values");
  }
  if (const auto* bind = map.find("bind")) {
    request.bind = std::pair(read_binding(*bind), bind->place());
  }
  if (const auto* active_when = map.find("when")) request.when = condition{active_when->text(), active_when->place()};
  if (const auto* unit = map.find("unit")) request.unit = std::pair(unit->text(), unit->place());
  if (const auto* default_node = map.find("default")) {
    request.default_value = std::pair(default_node->scalar(), default_node->place());
  }
  if (const auto* description = map.find("description")) request.description = description->text();
  return request;
}

space_definition read_space(const yaml_map& map) {
  space_definition space;
  space.place = map.place();
  const auto* parameters = map.find("parameters");
  const auto* configurations = map.find("configurations");
  if (!parameters && !configurations) {
    throw input_error(map.place().prefix() + "missing key 'parameters' (or 'configurations')");
  }
  space.has_product = parameters != nullptr;
  if (parameters) {
    space.parameters = read_parameters(*parameters);
  }
  if (const auto* restrictions = map.find("restrictions")) {
    for (const yaml_value& item : restrictions->items()) {
      space.restrictions.push_back({item.text(), item.place()});
    }
  }
  if (configurations) {
    for (const yaml_value& item : configurations->items()) {
      configuration_request request;
      request.place = item.place();
      for (const yaml_value& entry : item.entries()) request.values.set(entry.key(), entry.scalar());
      space.configurations.push_back(std::move(request));
    }
    if (space.configurations.empty() && !parameters) configurations->fail("the list is empty");
  }
  return space;
}

/// Reads one text or a list of texts.
std::vector<std::string> texts_of(const yaml_value& node) {
  if (!node.is_list()) return {node.text()};
  std::vector<std::string> texts;
  for (const yaml_value& item : node.items()) texts.push_back(item.text());
  if (texts.empty()) node.fail("the list is empty");
  return texts;
}

/// ${NAME} becomes the value of the environment variable.
std::string with_environment(const std::string& text, const yaml_value& node) {
  std::string expanded;
  for (std::size_t position = 0; position < text.size();) {
    const auto open = std::min(text.find("${", position), text.size());
    expanded += text.substr(position, open - position);
    if (open == text.size()) break;
    const auto close = text.find('}', open);
    if (close == std::string::npos) node.fail("'${' without '}' in '" + text + "'");
    const std::string name = text.substr(open + 2, close - open - 2);
    const char* const variable = std::getenv(name.c_str());
    if (variable == nullptr || *variable == '\0') {
      node.fail("'" + text + "' uses the environment variable " + name + ", which is not set");
    }
    expanded += variable;
    position = close + 1;
  }
  return expanded;
}

setting read_setting(const yaml_value& node) {
  setting result{.name = node.key(), .values = {}, .place = node.place()};
  for (const yaml_value& item : node.is_list() ? node.items() : std::vector{node}) {
    result.values.push_back(to_text(item.scalar()));
    result.is_quoted = result.is_quoted || item.is_quoted();
  }
  if (result.values.empty()) node.fail("the list is empty");
  return result;
}

/// Reads one rule or a list of rules.
query_rules read_queries(const yaml_value& node) {
  const auto read_rule = [](const yaml_value& item) {
    query_rule rule;
    rule.place = item.place();
    for (const yaml_value& entry : item.entries()) rule.settings.push_back(read_setting(entry));
    if (rule.settings.empty()) item.fail("the rule is empty");
    return rule;
  };
  if (node.is_map()) return {read_rule(node)};
  if (!node.is_list()) node.fail("expected a rule (a map) or a list of rules, got " + node.describe());
  query_rules rules;
  for (const yaml_value& item : node.items()) rules.push_back(read_rule(item));
  if (rules.empty()) node.fail("the list is empty");
  return rules;
}

/// Adds one request per combination of the listed option values.
/// @param needs_source  whether each workload is a file or generated; the options of others describe them
void read_workload(const yaml_value& node, bool needs_source, std::vector<workload_request>& requests) {
  const yaml_value* source_entry = nullptr;
  std::optional<query_rules> queries;
  std::vector<setting> listed;
  const std::vector<yaml_value> entries = node.entries();
  for (const yaml_value& entry : entries) {
    if (entry.key() == "queries") {
      queries = read_queries(entry);
    } else if (entry.key() != "generate" && entry.key() != "file") {
      listed.push_back(read_setting(entry));
    } else {
      if (source_entry != nullptr) node.fail("give either 'generate' or 'file', not both");
      source_entry = &entry;
    }
  }
  if (source_entry == nullptr && needs_source) {
    const std::vector<std::string> needed = {"generate", "file"};
    std::string hint;
    for (const setting& option : listed) {
      if (hint.empty()) hint = did_you_mean(option.name, needed);
    }
    node.fail("a workload needs either 'generate' or 'file'" + hint);
  }
  const bool is_file = source_entry != nullptr && source_entry->key() == "file";
  for (const std::string& text : source_entry == nullptr ? std::vector<std::string>{""} : texts_of(*source_entry)) {
    workload_request request;
    request.source = is_file ? workload_request::origin::file : workload_request::origin::generate;
    request.specifier = is_file ? with_environment(text, *source_entry) : text;
    request.queries = queries;
    request.place = node.place();
    std::vector<workload_request> combinations = {std::move(request)};
    for (const setting& option : listed) {
      std::vector<workload_request> longer;
      for (const workload_request& shorter : combinations) {
        for (const std::string& option_value : option.values) {
          longer.push_back(shorter);
          longer.back().options.push_back({.name = option.name,
                                           .values = {option_value},
                                           .place = option.place,
                                           .is_quoted = option.is_quoted,
                                           .one_of_several = option.values.size() > 1});
        }
      }
      combinations = std::move(longer);
    }
    requests.insert(requests.end(), combinations.begin(), combinations.end());
  }
}

std::vector<workload_request> read_workloads(const yaml_value& node, bool needs_source) {
  std::vector<workload_request> requests;
  for (const yaml_value& item : node.items()) read_workload(item, needs_source, requests);
  if (requests.empty()) node.fail("the list is empty");
  return requests;
}

strategy_settings read_strategy(const yaml_value& node) {
  const yaml_map map = node.map({"name", "count", "seed", "budget", "seconds", "batch", "warm_start", "neighbours"});
  strategy_settings settings;
  settings.place = node.place();
  settings.name = map.at("name").text();
  if (const auto* count = map.find("count")) settings.count = count->whole_number(1);
  if (const auto* seed = map.find("seed")) settings.seed = seed->whole_number();
  if (const auto* budget = map.find("budget")) settings.budget = budget->whole_number(1);
  if (const auto* seconds = map.find("seconds")) settings.seconds = seconds->positive_number();
  if (const auto* batch = map.find("batch")) settings.batch = batch->whole_number(1, 4096);
  if (const auto* warm_start = map.find("warm_start")) {
    const std::string word = warm_start->text();
    if (word != "selector" && word != "none") warm_start->fail("expected selector or none, got '" + word + "'");
    settings.warm_start = word == "selector";
  }
  if (const auto* neighbours = map.find("neighbours")) {
    const std::string word = neighbours->text();
    if (word != "any" && word != "next") neighbours->fail("expected any or next, got '" + word + "'");
    settings.neighbours = word == "next" ? step_size::next : step_size::any;
  }
  return settings;
}

/// Reads 0 or a factor above 1.
double read_slowdown(const yaml_value& node) {
  const double factor = node.number();
  if (factor != 0 && factor <= 1) node.fail("expected 0 (no limit) or a factor above 1, got '" + node.text() + "'");
  return factor;
}

std::vector<std::string> read_counter_groups(const yaml_value& node) {
  std::set<std::string> groups;
  for (const backends::hardware_counter& counter : backends::all_hardware_counters()) groups.emplace(counter.group);
  std::set<std::string> chosen;
  for (const yaml_value& entry : node.items()) {
    if (!groups.contains(entry.text())) {
      entry.fail(fmt::format("expected {}, got '{}'", fmt::join(groups, ", "), entry.text()));
    }
    chosen.insert(entry.text());
  }
  return {chosen.begin(), chosen.end()};
}

measurement_settings read_measurement(const yaml_value& node) {
  const yaml_map map =
      node.map({"warmup", "repeats", "spread", "max_repeats", "time_limit_ms", "slowdown_limit", "slowdown_floor_ms",
                "finalists", "final_rounds", "counters", "timeline", "hardware_counters", "energy", "seed"});
  measurement_settings settings;
  if (const auto* warmup = map.find("warmup")) settings.warmup = warmup->whole_number();
  if (const auto* repeats = map.find("repeats")) settings.repeats = repeats->whole_number(1);
  if (const auto* spread = map.find("spread")) {
    settings.spread = spread->positive_number();
    settings.max_repeats = std::max(settings.max_repeats, settings.repeats);
  }
  if (const auto* most = map.find("max_repeats")) {
    if (settings.spread == 0) most->fail("it requires 'spread'");
    settings.max_repeats = most->whole_number(settings.repeats);
  }
  if (const auto* limit = map.find("time_limit_ms")) {
    settings.time_limit_ms = limit->positive_number();
  }
  if (const auto* limit = map.find("slowdown_limit")) settings.slowdown_limit = read_slowdown(*limit);
  if (const auto* floor = map.find("slowdown_floor_ms")) {
    if (settings.slowdown_limit == 0) floor->fail("it requires 'slowdown_limit'");
    settings.slowdown_floor_ms = floor->positive_number();
  }
  if (const auto* count = map.find("finalists")) {
    settings.finalists = count->whole_number();
    if (settings.finalists == 1) count->fail("a comparison needs at least two configurations; use 0 to skip it");
  }
  if (const auto* rounds = map.find("final_rounds")) {
    if (settings.finalists == 0) rounds->fail("it requires 'finalists'");
    settings.final_rounds = rounds->whole_number(1);
  }
  if (const auto* counters = map.find("counters")) settings.counters = counters->boolean();
  if (const auto* timeline = map.find("timeline")) settings.timeline = timeline->boolean();
  if (const auto* groups = map.find("hardware_counters")) settings.hardware_counters = read_counter_groups(*groups);
  if (const auto* energy = map.find("energy")) settings.energy = energy->boolean();
  if (const auto* seed = map.find("seed")) settings.seed = seed->whole_number();
  return settings;
}

/// Returns the sizes of a kernel: the options of its workloads.
std::vector<workload_size> sizes_of(std::span<const workload_request> workloads) {
  std::vector<workload_size> sizes;
  std::set<std::pair<std::string, std::string>> seen;
  for (const workload_request& workload : workloads) {
    for (const setting& option : workload.options) {
      if (!seen.emplace(option.name, option.value()).second) continue;
      auto size = std::ranges::find(sizes, option.name, &workload_size::name);
      if (size == sizes.end()) size = sizes.insert(size, {.name = option.name, .values = {}, .fixed = std::nullopt});
      size->values.push_back(option.is_quoted ? value(option.value()) : plain_value(option.value()));
    }
  }
  return sizes;
}

/// Reads `time`, `minimize: NAME` or `maximize: NAME`.
db::objective read_objective(const yaml_value& node) {
  if (!node.is_map()) {
    if (node.text() != "time") {
      node.fail(fmt::format("expected time, or {{minimize: {0}}} or {{maximize: {0}}}", node.text()));
    }
    return {};
  }
  const yaml_map map = node.map({"minimize", "maximize"});
  const yaml_value* const minimized = map.find("minimize");
  const yaml_value* const maximized = map.find("maximize");
  if ((minimized == nullptr) == (maximized == nullptr)) node.fail("give either 'minimize' or 'maximize'");
  return {.name = (minimized != nullptr ? minimized : maximized)->text(), .is_maximized = maximized != nullptr};
}

/// Reads one objective or a list. Names that are no metrics of the file become metrics.
void read_objectives(const yaml_value& node, experiment_file& experiment) {
  experiment.objectives.clear();
  const std::vector<yaml_value> list = node.is_list() ? node.items() : std::vector{node};
  for (const yaml_value& entry : list) {
    const db::objective criterion = read_objective(entry);
    if (std::ranges::find(experiment.objectives, criterion.name, &db::objective::name) != experiment.objectives.end()) {
      entry.fail("'" + criterion.name + "' occurs twice");
    }
    experiment.objectives.push_back(criterion);
    if (criterion.is_time() ||
        std::ranges::find(experiment.metrics, criterion.name, &metric_request::name) != experiment.metrics.end()) {
      continue;
    }
    experiment.metrics.push_back({criterion.name, {criterion.name, entry.place()}});
  }
  if (experiment.objectives.empty()) node.fail("the list is empty");
  if (experiment.measurement.finalists > 0 && !experiment.objectives.front().is_time()) {
    node.fail("'finalists' compares times, so the first objective must be time");
  }
}

}  // namespace

std::vector<std::string> varied_parameters(const space_definition& space) {
  std::set<std::string> names;
  for (const parameter_request& parameter : space.parameters) {
    if (parameter.values.size() > 1) names.insert(parameter.name);
  }
  for (const configuration_request& listed : space.configurations) {
    for (const auto& [name, v] : listed.values.values()) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::vector<parameter_request> read_parameters(const yaml_value& node) {
  std::vector<parameter_request> parameters;
  for (const yaml_value& entry : node.entries()) parameters.push_back(read_parameter(entry));
  if (parameters.empty()) node.fail("expected at least one parameter, got none");
  return parameters;
}

experiment_file parse_experiment(std::string text, const std::filesystem::path& file) {
  const yaml_map map =
      parse_yaml(text, file.string())
          .map({"name", "problem", "kernel", "description", "parameters", "restrictions", "configurations", "workloads",
                "queries", "strategy", "measurement", "metrics", "objective", "data"});
  experiment_file experiment;
  experiment.file = file;
  experiment.text = std::move(text);
  experiment.name = map.at("name").text();
  experiment.problem = map.at("problem").text();
  experiment.problem_place = map.at("problem").place();
  if (const auto* definition = map.find("kernel")) experiment.definition_place = definition->place();
  if (const auto* data = map.find("data"); data != nullptr && !experiment.definition_place) {
    data->fail("it requires 'kernel'");
  }
  if (const auto* description = map.find("description")) {
    experiment.description = description->text();
  }
  experiment.space = read_space(map);
  experiment.workloads = read_workloads(map.at("workloads"), !experiment.definition_place);
  if (experiment.definition_place) experiment.space.sizes = sizes_of(experiment.workloads);
  if (const auto* queries = map.find("queries")) experiment.queries = read_queries(*queries);
  if (const auto* strategy = map.find("strategy")) experiment.strategy = read_strategy(*strategy);
  if (const auto* measurement = map.find("measurement")) {
    experiment.measurement = read_measurement(*measurement);
  }
  if (const auto* metrics = map.find("metrics")) {
    for (const yaml_value& entry : metrics->entries()) {
      if (entry.key() == "time") entry.fail("'time' is the median time; give the metric another name");
      experiment.metrics.push_back({entry.key(), {entry.text(), entry.place()}});
    }
  }
  if (const auto* objective = map.find("objective")) read_objectives(*objective, experiment);
  return experiment;
}

experiment_file load_experiment(const std::filesystem::path& file) { return parse_experiment(read_file(file), file); }

workload_file load_workload_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  const yaml_value root = parse_yaml(text, file.string());
  const std::vector<yaml_value> entries = root.entries();
  if (std::any_of(entries.begin(), entries.end(), [](const yaml_value& entry) { return entry.key() == "problem"; })) {
    experiment_file experiment = parse_experiment(text, file);
    return {.file = file, .workloads = std::move(experiment.workloads), .queries = std::move(experiment.queries)};
  }
  const yaml_map map = root.map({"name", "description", "workloads", "queries"});
  for (const char* const key : {"name", "description"}) {
    if (const auto* words = map.find(key)) (void)words->text();
  }
  workload_file list{.file = file, .workloads = read_workloads(map.at("workloads"), false), .queries = std::nullopt};
  if (const auto* queries = map.find("queries")) list.queries = read_queries(*queries);
  return list;
}

}  // namespace mlmq::tuner
