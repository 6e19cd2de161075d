// SPDX-License-Identifier: Apache-2.0
#include "report/reproduce/figure.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include "base/files.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::reproduce {
namespace {

namespace fs = std::filesystem;
using tuner::yaml_map;
using tuner::yaml_value;

std::string read_name(const yaml_value& node) {
  static const std::regex form("[a-z][a-z0-9_-]*/(fig|table)[0-9]+");
  std::string name = node.text();
  if (!std::regex_match(name, form)) node.fail("expected PAPER/figN or PAPER/tableN, got '" + name + "'");
  return name;
}

figure_sweep read_sweep(const yaml_value& node, const fs::path& folder) {
  const yaml_map map = node.map({"file", "on"});
  const yaml_value& file = map.at("file");
  figure_sweep sweep{.file = (folder / file.text()).lexically_normal()};
  std::error_code ignored;
  if (!fs::is_regular_file(sweep.file, ignored)) file.fail("there is no file " + sweep.file.string());
  if (const yaml_value* const place = map.find("on")) {
    const std::string name = place->text();
    if (name != "device" && name != "gpu" && name != "processors") {
      place->fail("expected device, gpu or processors, got '" + name + "'");
    }
    sweep.place = name == "device" ? sweep_place::device : name == "gpu" ? sweep_place::gpu : sweep_place::processors;
  }
  return sweep;
}

/// Reads the name of a script, which is in the folder of the figure's file or in plots/, so that it has no folder.
fs::path read_plot(const yaml_value& node) {
  fs::path plot = node.text();
  if (plot.has_parent_path() || plot.extension() != ".py")
    node.fail("expected the name of a script in plots/ or in the folder of this file");
  return plot;
}

/// Reads a workload to generate, or the path of a file that lists workloads, for example with their own queries.
std::string read_quick(const yaml_value& node, const fs::path& folder) {
  const fs::path text = node.text();
  if (text.extension() != ".yaml") return text.string();
  const fs::path list = (folder / text).lexically_normal();
  std::error_code ignored;
  if (!fs::is_regular_file(list, ignored)) node.fail("there is no file " + list.string());
  return list.string();
}

paper_number read_number(const yaml_value& node) {
  const yaml_map map = node.map({"measure", "what", "value", "text", "unit", "where"});
  const auto text_of = [&map](const char* key) {
    const yaml_value* const entry = map.find(key);
    return entry == nullptr ? std::string() : entry->text();
  };
  paper_number number{.measure = map.at("measure").text(),
                      .description = map.at("what").text(),
                      .value = {},
                      .text = text_of("text"),
                      .unit = text_of("unit"),
                      .measured_on = text_of("where")};
  if (const yaml_value* const value = map.find("value")) number.value = value->positive_number();
  if (number.value.has_value() != number.text.empty()) node.fail("give either 'value', a number, or 'text'");
  return number;
}

}  // namespace

std::string figure::file_stem() const {
  std::string stem = name;
  std::replace(stem.begin(), stem.end(), '/', '_');
  return stem;
}

figure parse_figure(const std::string& text, const fs::path& file) {
  const yaml_map map =
      tuner::parse_yaml(text, file.string())
          .map({"figure", "title", "finding", "problem", "sweeps", "recorded", "plot", "quick", "selector", "paper"});
  figure result;
  result.file = file;
  result.name = read_name(map.at("figure"));
  result.title = map.at("title").text();
  result.finding = map.at("finding").text();
  if (const yaml_value* const problem = map.find("problem")) result.problem = problem->text();
  const yaml_value& sweeps = map.at("sweeps");
  for (const yaml_value& sweep : sweeps.items()) result.sweeps.push_back(read_sweep(sweep, file.parent_path()));
  const bool all_on_processors = std::all_of(result.sweeps.begin(), result.sweeps.end(), [](const figure_sweep& sweep) {
    return sweep.place == sweep_place::processors;
  });
  if (all_on_processors) sweeps.fail("at least one sweep has to be on the device");
  if (const yaml_value* const recorded = map.find("recorded")) {
    for (const yaml_value& experiment : recorded->items()) result.recorded.push_back(experiment.text());
  }
  result.plot = read_plot(map.at("plot"));
  const yaml_value& quick = map.at("quick");
  for (const yaml_value& workload : quick.items()) result.quick.push_back(read_quick(workload, file.parent_path()));
  if (result.quick.empty()) quick.fail("at least one workload is needed");
  if (const yaml_value* const selector = map.find("selector")) result.needs_selector = selector->boolean();
  for (const yaml_value& number : map.at("paper").items()) result.paper.push_back(read_number(number));
  return result;
}

figure load_figure(const fs::path& file) { return parse_figure(read_file(file), file); }

}  // namespace mlmq::reproduce
