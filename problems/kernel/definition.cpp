// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "problems/kernel/element_type.hpp"
#include "tuner/commands.hpp"
#include "tuner/expression.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::kernel {
namespace {

using tuner::yaml_map;
using tuner::yaml_value;

placed_text text_of(const yaml_value& node) { return {.text = node.text(), .place = node.place()}; }

/// Reads one text or a list of texts.
std::vector<placed_text> texts_of(const yaml_value& node) {
  if (!node.is_list()) return {text_of(node)};
  std::vector<placed_text> texts;
  for (const yaml_value& item : node.items()) texts.push_back(text_of(item));
  return texts;
}

std::vector<placed_text> dimensions_of(const yaml_value& node) {
  std::vector<placed_text> sizes = texts_of(node);
  if (sizes.empty() || sizes.size() > 3) node.fail("expected one to three sizes: x, y, z");
  return sizes;
}

template <class Value>
Value choice_of(const yaml_value& node, const std::vector<std::pair<std::string, Value>>& choices) {
  const std::string word = node.text();
  std::vector<std::string> words;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    words.push_back(name);
  }
  node.fail(fmt::format("expected {}, got '{}'{}", fmt::join(words, ", "), word, did_you_mean(word, words)));
}

/// Checks that a text can stand in a source: an identifier, with template arguments and namespaces.
void require_function_name(const yaml_value& node) {
  const std::string name = node.text();
  const std::string_view allowed = "_:<>,. ";
  const bool is_plain = std::all_of(name.begin(), name.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || allowed.find(c) != std::string_view::npos;
  });
  if (!is_plain || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    node.fail(
        "expected the name of a __global__ function, with template arguments if it has some: "
        "'sum<float, block_size>'");
  }
}

/// Reads "1e-5", or {absolute: …, relative: …, ulp: …}.
tolerance tolerance_of(const yaml_value& node) {
  const auto number = [](const yaml_value& value) {
    const double result = value.number();
    if (result < 0) value.fail("expected a number from 0, got " + value.describe());
    return result;
  };
  if (!node.is_map()) return {.absolute = number(node), .relative = 0};
  const yaml_map map = node.map({"absolute", "relative", "ulp"});
  tolerance result;
  if (const auto* absolute = map.find("absolute")) result.absolute = number(*absolute);
  if (const auto* relative = map.find("relative")) result.relative = number(*relative);
  if (const auto* ulp = map.find("ulp")) result.ulp = ulp->whole_number();
  return result;
}

double any_number(const yaml_value& node) {
  const tuner::value value = node.scalar();
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  node.fail("expected a number, got " + node.describe());
}

std::string name_of_argument(const yaml_map& map) {
  const yaml_value& name = map.at("name");
  if (!tuner::is_parameter_name(name.text())) name.fail("expected an identifier, got '" + name.text() + "'");
  return name.text();
}

array_definition read_array_definition(const yaml_map& map, bool is_symbol) {
  array_definition array;
  array.place = map.place();
  array.name = name_of_argument(map);
  array.is_symbol = is_symbol;
  array.type = text_of(map.at("type"));
  array.count = text_of(map.at("size"));
  if (const auto* role = map.find("role")) {
    array.role =
        choice_of<array_role>(*role, {{"in", array_role::in}, {"out", array_role::out}, {"inout", array_role::inout}});
  }
  if (const auto* fill = map.find("fill")) {
    array.fill = choice_of<fill_rule>(*fill, {{"zeros", fill_rule::zeros},
                                              {"ones", fill_rule::ones},
                                              {"index", fill_rule::index},
                                              {"random", fill_rule::random}});
    if (array.role == array_role::out) fill->fail("an array with 'role: out' has no contents before a run");
  }
  if (const auto* file = map.find("file")) {
    if (map.find("fill") != nullptr) file->fail("give either 'fill' or 'file', not both");
    array.fill = fill_rule::file;
    array.file = file->text();
  }
  if (array.role != array_role::out && map.find("fill") == nullptr && map.find("file") == nullptr) {
    throw input_error(map.place().prefix() + "array '" + array.name +
                      "' needs 'fill' (zeros, ones, index, random) or "
                      "'file'");
  }
  if (const auto* seed = map.find("seed")) array.seed = seed->whole_number();
  if (const auto* minimum = map.find("minimum")) array.minimum = any_number(*minimum);
  if (const auto* maximum = map.find("maximum")) array.maximum = any_number(*maximum);
  for (const char* const key : {"seed", "minimum", "maximum"}) {
    const auto* random_key = map.find(key);
    if (random_key != nullptr && array.fill != fill_rule::random) random_key->fail("it requires 'fill: random'");
  }
  if (map.find("minimum") != nullptr && !array.maximum) {
    throw input_error(map.place().prefix() + "'minimum' needs 'maximum'");
  }
  if (array.maximum && *array.maximum <= array.minimum) map.find("maximum")->fail("expected more than the minimum");
  if (const auto* allowed = map.find("tolerance")) array.allowed = tolerance_of(*allowed);
  return array;
}

yaml_map map_of_array(const yaml_value& node) {
  return node.map({"name", "type", "size", "role", "fill", "file", "seed", "minimum", "maximum", "tolerance"});
}

void require_new_name(const definition& kernel, const std::string& name, const tuner::source_place& place) {
  const auto is_same = [&](const auto& other) { return other.name == name; };
  if (std::any_of(kernel.arrays.begin(), kernel.arrays.end(), is_same) ||
      std::any_of(kernel.scalars.begin(), kernel.scalars.end(), is_same)) {
    throw input_error(place.prefix() + "two arguments are named '" + name + "'");
  }
}

scalar_definition read_scalar(const yaml_value& item) {
  const yaml_map map = item.map({"name", "type", "value", "fields", "file"});
  scalar_definition scalar;
  scalar.place = item.place();
  scalar.name = name_of_argument(map);
  scalar.type = text_of(map.at("type"));
  scalar.value = {.text = "0", .place = scalar.place};
  const auto* const value = map.find("value");
  const auto* const fields = map.find("fields");
  const auto* const file = map.find("file");
  if ((value != nullptr) + (fields != nullptr) + (file != nullptr) != 1) {
    throw input_error(item.place().prefix() + "argument '" + scalar.name +
                      "' needs 'size' (an array), or one of 'value', 'fields' and 'file' (passed by value)");
  }
  if (value != nullptr) scalar.value = text_of(*value);
  if (file != nullptr) scalar.file = file->text();
  if (fields != nullptr) {
    for (const yaml_value& field : fields->items()) {
      const yaml_map members = field.map({"name", "type", "value"});
      scalar.fields.push_back({.type = text_of(members.at("type")), .value = text_of(members.at("value"))});
    }
  }
  return scalar;
}

void read_arguments(const yaml_value& node, definition& kernel) {
  for (const yaml_value& item : node.items()) {
    const std::vector<yaml_value> entries = item.entries();
    // Only arrays have a size.
    const bool is_scalar = std::none_of(entries.begin(), entries.end(), [](const yaml_value& entry) {
      return entry.key() == "size" || entry.key() == "fill";
    });
    if (is_scalar) {
      scalar_definition scalar = read_scalar(item);
      require_new_name(kernel, scalar.name, scalar.place);
      kernel.scalars.push_back(std::move(scalar));
    } else {
      array_definition array = read_array_definition(map_of_array(item), false);
      require_new_name(kernel, array.name, array.place);
      kernel.arrays.push_back(std::move(array));
    }
  }
}

/// Returns the arguments named by `node`; without it all arguments, in their order in the file.
std::vector<argument> arguments_of(const yaml_value* node, const std::vector<std::string>& all_names,
                                   const definition& kernel) {
  std::vector<argument> result;
  const auto find = [&](const std::string& name) -> std::optional<argument> {
    for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
      if (kernel.arrays[i].name == name && !kernel.arrays[i].is_symbol) return argument{name, true, i};
    }
    for (std::size_t i = 0; i < kernel.scalars.size(); ++i) {
      if (kernel.scalars[i].name == name) return argument{name, false, i};
    }
    return std::nullopt;
  };
  if (node == nullptr) {
    for (const std::string& name : all_names) result.push_back(*find(name));
    return result;
  }
  for (const placed_text& name : texts_of(*node)) {
    const std::optional<argument> match = find(name.text);
    if (!match) {
      throw input_error(name.place.prefix() + "no argument is named '" + name.text + "'" +
                        did_you_mean(name.text, all_names));
    }
    result.push_back(*match);
  }
  return result;
}

launch_definition read_launch(const yaml_map& map, const std::vector<std::string>& names, const definition& kernel) {
  launch_definition launch;
  require_function_name(map.at("function"));
  launch.function = text_of(map.at("function"));
  launch.block = dimensions_of(map.at("block"));
  launch.grid = dimensions_of(map.at("grid"));
  if (const auto* cluster = map.find("cluster")) launch.cluster = dimensions_of(*cluster);
  launch.shared_bytes = {.text = "0", .place = map.place()};
  if (const auto* shared = map.find("shared_memory")) launch.shared_bytes = text_of(*shared);
  if (const auto* cooperative = map.find("cooperative")) launch.is_cooperative = cooperative->boolean();
  launch.arguments = arguments_of(map.find("pass"), names, kernel);
  return launch;
}

yaml_map map_of_launch(const yaml_value& node) {
  return node.map({"function", "block", "grid", "cluster", "shared_memory", "cooperative", "pass"});
}

std::map<std::string, placed_text> read_defines(const yaml_value& node) {
  std::map<std::string, placed_text> defines;
  for (const yaml_value& entry : node.entries()) {
    if (!tuner::is_parameter_name(entry.key())) entry.fail("expected the name of a macro");
    defines.emplace(entry.key(), text_of(entry));
  }
  return defines;
}

void require_written(const definition& kernel, const std::string& name, const tuner::source_place& place) {
  std::vector<std::string> written;
  for (const array_definition& array : kernel.arrays) {
    if (array.role != array_role::in) written.push_back(array.name);
  }
  if (std::find(written.begin(), written.end(), name) != written.end()) return;
  throw input_error(place.prefix() + "no array with 'role: out' or 'inout' is named '" + name + "'" +
                    did_you_mean(name, written));
}

reference_definition read_reference(const yaml_value& node, const std::vector<std::string>& names,
                                    const definition& kernel) {
  reference_definition reference;
  if (node.is_scalar()) {
    if (node.text() != "none") {
      node.fail("expected none, or a map with 'function' (a kernel), 'files' (of the expected arrays) or 'command'");
    }
    return reference;
  }
  const std::vector<yaml_value> entries = node.entries();
  const bool is_files =
      std::any_of(entries.begin(), entries.end(), [](const yaml_value& entry) { return entry.key() == "files"; });
  if (is_files) {
    reference.kind = reference_kind::files;
    for (const yaml_value& entry : node.map({"files"}).at("files").entries()) {
      require_written(kernel, entry.key(), entry.place());
      reference.files.emplace(entry.key(), entry.text());
    }
    return reference;
  }
  const auto read_results = [&](const yaml_map& fields) {
    const auto* results = fields.find("results");
    if (results == nullptr) return;
    for (const placed_text& name : texts_of(*results)) {
      require_written(kernel, name.text, name.place);
      reference.results.push_back(name.text);
    }
  };
  if (std::ranges::any_of(entries, [](const yaml_value& entry) { return entry.key() == "command"; })) {
    reference.kind = reference_kind::command;
    const yaml_map fields = node.map({"command", "results"});
    reference.command = fields.at("command").text();
    const char* const refused = std::getenv(tuner::refuse_commands_variable);
    if (refused != nullptr && *refused != '\0') fields.at("command").fail("commands are refused (--no-commands)");
    read_results(fields);
    return reference;
  }
  reference.kind = reference_kind::launches;
  const yaml_map map = node.map(
      {"source", "defines", "function", "block", "grid", "cluster", "shared_memory", "cooperative", "pass", "results"});
  if (const auto* source = map.find("source")) reference.source = kernel.folder / source->text();
  if (const auto* defines = map.find("defines")) reference.defines = read_defines(*defines);
  reference.launches.push_back(read_launch(map, names, kernel));
  read_results(map);
  return reference;
}

/// Returns the only array that a kernel writes.
std::string only_result(const definition& kernel, const yaml_value& node) {
  std::vector<std::string> names;
  for (const array_definition& array : kernel.arrays) {
    if (array.role != array_role::in) names.push_back(array.name);
  }
  if (names.size() != 1) node.fail(fmt::format("name the arrays: the kernel writes {}", fmt::join(names, ", ")));
  return names.front();
}

/// Reads the top-level key `data`: contents of arrays, and expected results, instead of those of the definition.
void read_data(const yaml_value& node, definition& kernel) {
  const yaml_map map = node.map({"folder", "arrays", "expected"});
  if (const auto* arrays = map.find("arrays")) {
    for (const yaml_value& entry : arrays->entries()) {
      const auto array = std::ranges::find(kernel.arrays, entry.key(), &array_definition::name);
      if (array == kernel.arrays.end()) {
        std::vector<std::string> names;
        for (const array_definition& known_array : kernel.arrays) names.push_back(known_array.name);
        throw input_error(entry.place().prefix() + "no array is named '" + entry.key() + "'" +
                          did_you_mean(entry.key(), names));
      }
      if (array->role == array_role::out) entry.fail("an array with 'role: out' has no contents before a run");
      array->fill = fill_rule::file;
      array->file = entry.text();
    }
  }
  if (const auto* expected = map.find("expected")) {
    kernel.reference = {};
    kernel.reference.kind = reference_kind::files;
    if (expected->is_scalar()) {
      kernel.reference.files.emplace(only_result(kernel, *expected), expected->text());
    } else {
      for (const yaml_value& entry : expected->entries()) {
        require_written(kernel, entry.key(), entry.place());
        kernel.reference.files.emplace(entry.key(), entry.text());
      }
    }
  }
}

/// Returns an option of the compiler in which the name of a folder or file is absolute: it is relative to `folder`.
std::string absolute_option(const std::string& option, const std::filesystem::path& folder) {
  for (const std::string name :
       {"--include-path", "--pre-include", "--options-file", "-isystem", "-include", "-optf", "-I"}) {
    if (!option.starts_with(name)) continue;
    const std::size_t begin = option.find_first_not_of(" =", name.size());
    if (begin == std::string::npos) return option;
    const std::filesystem::path path = std::filesystem::absolute(folder) / option.substr(begin);
    // A header may also be found in a search folder.
    std::error_code ignored;
    if (name.ends_with("include") && !std::filesystem::exists(path, ignored)) return option;
    return name + "=" + path.lexically_normal().string();
  }
  return option;
}

std::string text_of(const tolerance& allowed) {
  return fmt::format("{} {} {}\n", allowed.absolute, allowed.relative, allowed.ulp);
}

std::string text_of(const launch_definition& launch) {
  std::string text = launch.function.text + '(';
  for (const argument& passed : launch.arguments) text += passed.name + ',';
  text += ')';
  for (const auto* sizes : {&launch.block, &launch.grid, &launch.cluster}) {
    for (const placed_text& size : *sizes) text += size.text + ',';
    text += ';';
  }
  return fmt::format("{}{}{}\n", text, launch.shared_bytes.text, launch.is_cooperative ? " cooperative" : "");
}

/// Returns the options in the file's workloads, which are the sizes of the kernel, in order of appearance.
std::vector<placed_text> sizes_of(const tuner::experiment_file& experiment) {
  std::vector<placed_text> sizes;
  for (const tuner::workload_request& request : experiment.workloads) {
    for (const tuner::setting& option : request.options) {
      if (std::ranges::find(sizes, option.name, &placed_text::text) != sizes.end()) continue;
      sizes.push_back({.text = option.name, .place = option.place});
    }
  }
  return sizes;
}

}  // namespace

bool reference_definition::compares(const array_definition& array) const {
  return array.role != array_role::in && (results.empty() || std::ranges::find(results, array.name) != results.end());
}

std::string name_of_function(const std::string& function) {
  std::string name = function.substr(0, function.find('<'));
  const std::size_t last = name.rfind(':');
  if (last != std::string::npos) name.erase(0, last + 1);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

std::set<std::string> real_sizes_of(const tuner::experiment_file& experiment) {
  std::set<std::string> reals;
  for (const yaml_value& entry : tuner::parse_yaml(experiment.text, experiment.file.string()).entries()) {
    if (entry.key() != "workloads") continue;
    for (const yaml_value& workload : entry.items()) {
      if (!workload.is_map()) continue;
      for (const yaml_value& size : workload.entries()) {
        for (const yaml_value& item : size.is_list() ? size.items() : std::vector{size}) {
          if (item.is_scalar() && std::holds_alternative<double>(item.scalar())) reals.insert(size.key());
        }
      }
    }
  }
  return reals;
}

definition read_definition(const tuner::experiment_file& experiment) {
  const std::vector<yaml_value> entries = tuner::parse_yaml(experiment.text, experiment.file.string()).entries();
  const auto node =
      std::find_if(entries.begin(), entries.end(), [](const yaml_value& entry) { return entry.key() == "kernel"; });
  if (node == entries.end()) {
    throw input_error(experiment.problem_place.prefix() + "the problem 'kernel' needs the key 'kernel'");
  }
  const yaml_map map = node->map({"source", "options", "defines", "arguments", "symbols", "function", "block", "grid",
                                  "cluster", "shared_memory", "cooperative", "pass", "launches", "reference",
                                  "tolerance", "work", "flush_cache", "parameters"});
  definition kernel;
  kernel.place = node->place();
  kernel.folder = experiment.file.has_parent_path() ? experiment.file.parent_path() : ".";
  const auto data = std::ranges::find_if(entries, [](const yaml_value& entry) { return entry.key() == "data"; });
  if (data != entries.end()) {
    for (const yaml_value& entry : data->entries()) {
      if (entry.key() == "folder") kernel.folder /= entry.text();
    }
  }
  kernel.source = kernel.folder / map.at("source").text();
  const auto* parameters = map.find("parameters");
  kernel.parameters = parameters == nullptr ? experiment.space.parameters : tuner::read_parameters(*parameters);
  for (const tuner::parameter_request& parameter : kernel.parameters) {
    for (const auto& [value, place] : parameter.values) {
      if (const auto* text = std::get_if<std::string>(&value)) kernel.texts.push_back(*text);
    }
  }
  kernel.sizes = sizes_of(experiment);
  for (const tuner::workload_request& request : experiment.workloads) {
    for (const tuner::setting& option : request.options) {
      if (tuner::is_parameter_name(option.value())) kernel.texts.push_back(option.value());
    }
  }
  if (const auto* options = map.find("options")) {
    for (const placed_text& option : texts_of(*options)) {
      if (!option.text.starts_with("-")) {
        throw input_error(option.place.prefix() + "an option of the compiler begins with '-': '" + option.text + "'");
      }
      kernel.launch_text += option.text + '\n';
      kernel.options.push_back(absolute_option(option.text, kernel.folder));
    }
  }
  if (const auto* defines = map.find("defines")) {
    kernel.defines = read_defines(*defines);
    for (const yaml_value& entry : defines->entries()) {
      if (std::ranges::find(kernel.parameters, entry.key(), &tuner::parameter_request::name) != kernel.parameters.end())
        entry.fail("it is also a parameter, whose values the macro would replace");
    }
  }
  read_arguments(map.at("arguments"), kernel);
  std::vector<std::string> names;
  for (const yaml_value& item : map.at("arguments").items()) {
    for (const yaml_value& entry : item.entries()) {
      if (entry.key() == "name") names.push_back(entry.text());
    }
  }
  if (const auto* symbols = map.find("symbols")) {
    for (const yaml_value& item : symbols->items()) {
      array_definition symbol = read_array_definition(map_of_array(item), true);
      if (symbol.role != array_role::in) throw input_error(symbol.place.prefix() + "a symbol has 'role: in'");
      require_new_name(kernel, symbol.name, symbol.place);
      kernel.arrays.push_back(std::move(symbol));
    }
  }
  if (const auto* launches = map.find("launches")) {
    for (const char* const key : {"function", "block", "grid", "cluster", "shared_memory", "cooperative", "pass"}) {
      if (const auto* single = map.find(key)) single->fail("it belongs into an entry of 'launches'");
    }
    for (const yaml_value& item : launches->items()) {
      kernel.launches.push_back(read_launch(map_of_launch(item), names, kernel));
    }
    if (kernel.launches.empty()) launches->fail("the list is empty");
  } else {
    kernel.launches.push_back(read_launch(map, names, kernel));
  }
  kernel.name = name_of_function(kernel.launches.front().function.text);
  kernel.reference = read_reference(map.at("reference"), names, kernel);
  if (data != entries.end()) read_data(*data, kernel);
  const bool has_output = std::any_of(kernel.arrays.begin(), kernel.arrays.end(),
                                      [](const array_definition& array) { return array.role != array_role::in; });
  if (!has_output) map.at("arguments").fail("no array has 'role: out' or 'inout', so there is no result to check");
  if (const auto* allowed = map.find("tolerance")) kernel.allowed = tolerance_of(*allowed);
  if (const auto* work = map.find("work")) {
    const yaml_map fields = work->map({"name", "amount"});
    kernel.work = work_definition{.name = fields.at("name").text(), .amount = text_of(fields.at("amount"))};
  }
  if (const auto* flush = map.find("flush_cache")) kernel.flushes_cache = flush->boolean();

  for (const auto& [name, value] : kernel.defines) kernel.launch_text += name + '=' + value.text + '\n';
  for (const launch_definition& launch : kernel.launches) kernel.launch_text += text_of(launch);
  for (const scalar_definition& scalar : kernel.scalars) {
    kernel.launch_text += fmt::format("{} {}={}\n", scalar.type.text, scalar.name, scalar.value.text);
    for (const field_definition& field : scalar.fields) {
      kernel.launch_text += fmt::format("  {} {}\n", field.type.text, field.value.text);
    }
    if (!scalar.file.empty()) kernel.launch_text += scalar.file + '\n';
  }
  if (kernel.work) kernel.launch_text += fmt::format("work {} {}\n", kernel.work->name, kernel.work->amount.text);
  if (kernel.flushes_cache) kernel.launch_text += "flush_cache\n";
  for (const array_definition& array : kernel.arrays) {
    kernel.data_text += fmt::format("{} {}[{}] {} {} {} {} {} {}\n", array.type.text, array.name, array.count.text,
                                    static_cast<int>(array.role), static_cast<int>(array.fill), array.seed,
                                    array.minimum, array.maximum.value_or(array.minimum), array.is_symbol);
    if (array.allowed) kernel.check_text += array.name + ' ' + text_of(*array.allowed);
  }
  for (const tuner::condition& restriction : experiment.space.restrictions) {
    kernel.condition_text += restriction.text + '\n';
  }
  for (const auto& [name, formula] : experiment.metrics) kernel.condition_text += formula.text + '\n';
  for (const array_definition& array : kernel.arrays) kernel.condition_text += array.file + '\n';
  const reference_definition& reference = kernel.reference;
  kernel.check_text += text_of(kernel.allowed) + reference.command + '\n';
  for (const launch_definition& launch : reference.launches) kernel.check_text += text_of(launch);
  for (const auto& [name, value] : reference.defines) kernel.check_text += name + '=' + value.text + '\n';
  for (const std::string& result : reference.results) kernel.check_text += result + '\n';
  for (const auto& [name, file] : reference.files) kernel.check_text += name + ' ' + file + '\n';
  return kernel;
}

}  // namespace mlmq::kernel
