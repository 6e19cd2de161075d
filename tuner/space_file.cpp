// SPDX-License-Identifier: Apache-2.0
#include "tuner/space_file.hpp"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tuner/range.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::tuner {
namespace {

struct named_choice {
  std::string_view name;
  source_rule::choice choice;
};
constexpr std::array<named_choice, 3> choices = {{{"max_degree", source_rule::choice::max_degree},
                                                  {"first", source_rule::choice::first},
                                                  {"random", source_rule::choice::random}}};

source_rule read_source_rule(const yaml_value& node) {
  source_rule rule;
  const yaml_map map = node.map({"count", "choose", "seed"});
  if (const auto* count = map.find("count")) rule.count = count->whole_number(1);
  if (const auto* seed = map.find("seed")) rule.seed = seed->whole_number();
  if (const auto* choose = map.find("choose")) {
    const std::string word = choose->text();
    const auto found =
        std::find_if(choices.begin(), choices.end(), [&](const named_choice& c) { return c.name == word; });
    if (found == choices.end()) {
      choose->fail("expected max_degree, first or random, got '" + word + "'");
    }
    rule.choose = found->choice;
  }
  return rule;
}

/// One rule, or a list of vertices and rules. Vertices beside each other make one rule.
source_rules read_sources(const yaml_value& node) {
  if (node.is_map()) return {read_source_rule(node)};
  if (!node.is_list()) {
    node.fail("expected a map of count, choose and seed, or a list of vertices and such maps, got " + node.describe());
  }
  source_rules rules;
  for (const yaml_value& item : node.items()) {
    if (item.is_map()) {
      rules.push_back(read_source_rule(item));
      continue;
    }
    const std::uint64_t vertex = item.whole_number();
    if (rules.empty() || rules.back().choose != source_rule::choice::listed) {
      rules.push_back({.choose = source_rule::choice::listed, .count = 0, .listed = {}});
    }
    rules.back().listed.push_back(vertex);
    rules.back().count = rules.back().listed.size();
  }
  if (rules.empty()) node.fail("the list is empty");
  return rules;
}

std::vector<std::pair<value, source_place>> read_range(const yaml_value& node) {
  const yaml_map map = node.map({"from", "to", "step", "factor"});
  const value from = map.at("from").scalar();
  const value to = map.at("to").scalar();
  const auto* step = map.find("step");
  const auto* factor = map.find("factor");
  if ((step != nullptr) == (factor != nullptr)) {
    node.fail("a range needs either 'step' or 'factor'");
  }
  std::vector<std::pair<value, source_place>> result;
  try {
    for (value& v : step ? arithmetic_range(from, to, step->scalar()) : geometric_range(from, to, factor->scalar())) {
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
  if (const auto* when = map.find("when")) request.when = condition{when->text(), when->place()};
  if (const auto* unit = map.find("unit")) request.unit = std::pair(unit->text(), unit->place());
  if (const auto* preset = map.find("default")) {
    request.default_value = std::pair(preset->scalar(), preset->place());
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
    for (const yaml_value& entry : parameters->entries()) {
      space.parameters.push_back(read_parameter(entry));
    }
    if (space.parameters.empty()) parameters->fail("there are none");
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
      for (const yaml_value& entry : item.entries()) request.given.set(entry.key(), entry.scalar());
      space.configurations.push_back(std::move(request));
    }
    if (space.configurations.empty() && !parameters) configurations->fail("the list is empty");
  }
  return space;
}

/// One text, or a list of them.
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
  for (std::size_t at = 0; at < text.size();) {
    const auto open = std::min(text.find("${", at), text.size());
    expanded += text.substr(at, open - at);
    if (open == text.size()) break;
    const auto close = text.find('}', open);
    if (close == std::string::npos) node.fail("'${' without '}' in '" + text + "'");
    const std::string name = text.substr(open + 2, close - open - 2);
    const char* const found = std::getenv(name.c_str());
    if (found == nullptr || *found == '\0') {
      node.fail("the environment variable " + name + " is not set, which '" + text + "' needs");
    }
    expanded += found;
    at = close + 1;
  }
  return expanded;
}

/// "own", or a distribution.
std::optional<graph::weight_rule> read_weights(const std::string& name, const yaml_value& node, std::uint64_t seed) {
  if (name == "own") return std::nullopt;
  try {
    return graph::weight_rule{.distribution = graph::weight_distribution_from(name), .seed = seed};
  } catch (const input_error& error) {
    node.fail(std::string(error.what()) + ", or own");
  }
}

/// One entry of `graphs` for each combination of what it lists.
void read_graphs(const yaml_value& node, std::vector<graph_request>& requests) {
  const yaml_map map = node.map(
      {"generate", "file", "sources", "weights", "weight_seed", "ignore_weights", "negative_weights", "float_weights"});
  const auto* generate = map.find("generate");
  const auto* file = map.find("file");
  if ((generate != nullptr) == (file != nullptr)) {
    node.fail("a graph needs either 'generate' or 'file'");
  }
  graph_request request;
  request.from = generate ? graph_request::origin::generate : graph_request::origin::file;
  request.place = node.place();
  if (const auto* sources = map.find("sources")) request.sources = read_sources(*sources);
  if (const auto* seed = map.find("weight_seed")) request.weight_seed = seed->whole_number();
  if (const auto* ignore = map.find("ignore_weights")) request.ignore_weights = ignore->boolean();
  if (const auto* negative = map.find("negative_weights")) {
    const std::string what = negative->text();
    if (what != "absolute" && what != "refuse") negative->fail("expected refuse or absolute, got '" + what + "'");
    if (generate) negative->fail("a generated graph has none; leave it out");
    request.absolute_weights = what == "absolute";
  }
  if (const auto* floats = map.find("float_weights")) request.float_weights = floats->boolean();
  const auto* weights = map.find("weights");
  if (weights && request.ignore_weights) {
    weights->fail("these weights replace whatever the graph has; leave out 'ignore_weights'");
  }
  std::vector<std::optional<graph::weight_rule>> rules;
  for (const std::string& name : weights ? texts_of(*weights) : std::vector<std::string>{"own"}) {
    rules.push_back(read_weights(name, weights ? *weights : node, request.weight_seed.value_or(1)));
  }
  if (generate && request.ignore_weights) node.fail("'ignore_weights' is for files; use 'weights'");
  if (generate && request.weight_seed && std::none_of(rules.begin(), rules.end(), [](auto& rule) { return !!rule; })) {
    node.fail("'weight_seed' goes with 'weights' that are drawn, and there are none");
  }
  for (const std::string& what : texts_of(generate ? *generate : *file)) {
    for (const std::optional<graph::weight_rule>& rule : rules) {
      request.drawn_weights = std::nullopt;
      request.what = generate ? what : with_environment(what, *file);
      if (generate && rule) {
        // Generators know these options themselves.
        request.what += ":weights=" + std::string(graph::name_of(rule->distribution));
        if (request.weight_seed) request.what += ":weight_seed=" + std::to_string(rule->seed);
      } else {
        request.drawn_weights = rule;
      }
      requests.push_back(request);
    }
  }
}

std::vector<graph_request> read_graph_requests(const yaml_value& node) {
  std::vector<graph_request> requests;
  for (const yaml_value& item : node.items()) read_graphs(item, requests);
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
  if (const auto* warm = map.find("warm_start")) {
    const std::string word = warm->text();
    if (word != "selector" && word != "none") warm->fail("expected selector or none, got '" + word + "'");
    settings.warm_start = word == "selector";
  }
  if (const auto* neighbours = map.find("neighbours")) {
    const std::string word = neighbours->text();
    if (word != "any" && word != "next") neighbours->fail("expected any or next, got '" + word + "'");
    settings.neighbours = word == "next" ? step_size::next : step_size::any;
  }
  return settings;
}

/// 0, or a factor above 1.
double read_slowdown(const yaml_value& node) {
  if (node.text() == "0") return 0;
  const double factor = node.positive_number();
  if (factor <= 1) node.fail("expected 0 (no limit) or a factor above 1, got '" + node.text() + "'");
  return factor;
}

measurement_settings read_measurement(const yaml_value& node) {
  const yaml_map map = node.map({"warmup", "repeats", "spread", "max_repeats", "time_limit_ms", "slowdown_limit",
                                 "slowdown_floor_ms", "finalists", "final_rounds", "counters", "timeline", "seed"});
  measurement_settings settings;
  if (const auto* warmup = map.find("warmup")) settings.warmup = warmup->whole_number();
  if (const auto* repeats = map.find("repeats")) settings.repeats = repeats->whole_number(1);
  if (const auto* spread = map.find("spread")) {
    settings.spread = spread->positive_number();
    settings.max_repeats = std::max(settings.max_repeats, settings.repeats);
  }
  if (const auto* most = map.find("max_repeats")) {
    if (settings.spread == 0) most->fail("it limits the runs that 'spread' asks for, and there is no 'spread'");
    settings.max_repeats = most->whole_number(settings.repeats);
  }
  if (const auto* limit = map.find("time_limit_ms")) {
    settings.time_limit_ms = limit->positive_number();
  }
  if (const auto* limit = map.find("slowdown_limit")) settings.slowdown_limit = read_slowdown(*limit);
  if (const auto* floor = map.find("slowdown_floor_ms")) {
    if (settings.slowdown_limit == 0) floor->fail("it goes with 'slowdown_limit', and there is none");
    settings.slowdown_floor_ms = floor->positive_number();
  }
  if (const auto* count = map.find("finalists")) {
    settings.finalists = count->whole_number();
    if (settings.finalists == 1) count->fail("one alone has nobody to be compared with: 0 for none, or at least 2");
  }
  if (const auto* rounds = map.find("final_rounds")) {
    if (settings.finalists == 0) rounds->fail("it goes with 'finalists', and there are none");
    settings.final_rounds = rounds->whole_number(1);
  }
  if (const auto* counters = map.find("counters")) settings.counters = counters->boolean();
  if (const auto* timeline = map.find("timeline")) settings.timeline = timeline->boolean();
  if (const auto* seed = map.find("seed")) settings.seed = seed->whole_number();
  return settings;
}

}  // namespace

std::uint64_t count_of(const source_rules& rules) noexcept {
  return std::accumulate(rules.begin(), rules.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const source_rule& rule) { return sum + rule.count; });
}

std::string_view name_of(source_rule::choice choice) noexcept {
  for (const named_choice& c : choices) {
    if (c.choice == choice) return c.name;
  }
  return "listed";
}

experiment_file parse_experiment(std::string text, const std::filesystem::path& file) {
  const yaml_map map = parse_yaml(text, file.string())
                           .map({"name", "problem", "description", "parameters", "restrictions", "configurations",
                                 "graphs", "sources", "strategy", "measurement"});
  experiment_file experiment;
  experiment.file = file;
  experiment.text = std::move(text);
  experiment.name = map.at("name").text();
  experiment.problem = map.at("problem").text();
  experiment.problem_place = map.at("problem").place();
  if (const auto* description = map.find("description")) {
    experiment.description = description->text();
  }
  experiment.space = read_space(map);
  experiment.graphs = read_graph_requests(map.at("graphs"));
  if (const auto* sources = map.find("sources")) experiment.sources = read_sources(*sources);
  if (const auto* strategy = map.find("strategy")) experiment.strategy = read_strategy(*strategy);
  if (const auto* measurement = map.find("measurement")) {
    experiment.measurement = read_measurement(*measurement);
  }
  return experiment;
}

experiment_file load_experiment(const std::filesystem::path& file) { return parse_experiment(read_file(file), file); }

graph_list load_graph_list(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  const yaml_value root = parse_yaml(text, file.string());
  const std::vector<yaml_value> entries = root.entries();
  if (std::any_of(entries.begin(), entries.end(), [](const yaml_value& entry) { return entry.key() == "problem"; })) {
    experiment_file experiment = parse_experiment(text, file);
    return {.file = file, .graphs = std::move(experiment.graphs), .sources = std::move(experiment.sources)};
  }
  const yaml_map map = root.map({"name", "description", "graphs", "sources"});
  for (const char* const key : {"name", "description"}) {
    if (const auto* words = map.find(key)) (void)words->text();
  }
  graph_list list{.file = file, .graphs = read_graph_requests(map.at("graphs")), .sources = std::nullopt};
  if (const auto* sources = map.find("sources")) list.sources = read_sources(*sources);
  return list;
}

std::vector<std::filesystem::path> graph_files(const std::filesystem::path& listed_in, const graph_request& request) {
  const std::filesystem::path folder =
      listed_in.has_parent_path() ? listed_in.parent_path() : std::filesystem::path(".");
  const std::string pattern = request.what;
  const auto fail = [&](const std::string& problem) {
    throw input_error(request.place.prefix() + problem + " '" + pattern + "'" +
                      (std::filesystem::path(pattern).is_absolute()
                           ? ""
                           : " (looked in " + std::filesystem::absolute(folder).lexically_normal().string() + ")"));
  };
  // A path that exists is meant as it is, even with brackets in its name.
  if (std::filesystem::exists(folder / pattern)) return {folder / pattern};
  if (pattern.find_first_of("*?[") == std::string::npos) fail("there is no file");

  // Only the pattern is expanded, not the folder, whose name may have any character.
  std::string full;
  if (!std::filesystem::path(pattern).is_absolute()) {
    for (const char c : (folder / "").string()) {
      if (std::string_view("*?[]\\").find(c) != std::string_view::npos) full += '\\';
      full += c;
    }
  }
  full += pattern;
  glob_t found{};
  const std::unique_ptr<glob_t, decltype(&globfree)> cleanup(&found, &globfree);
  if (glob(full.c_str(), GLOB_NOSORT, nullptr, &found) != 0) fail("no file matches");
  std::vector<std::filesystem::path> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  std::sort(files.begin(), files.end());  // glob's own order depends on the locale
  return files;
}

}  // namespace mlmq::tuner
