// SPDX-License-Identifier: Apache-2.0
#include "tuner/results_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/json_reason.hpp"
#include "tuner/python_expression.hpp"

namespace mlmq::tuner {
namespace {

using nlohmann::json;

/// Kernel Tuner's objective of a configuration without a result.
constexpr double error_time = 1e20;

/// A JSON value with its place in a file, for messages.
class json_node {
 public:
  json_node(const json& content, std::string path) : content_(content), path_(std::move(path)) {}

  [[nodiscard]] const json& content() const { return content_; }
  [[noreturn]] void fail(const std::string& message) const { throw input_error(path_ + ": " + message); }

  [[nodiscard]] bool has(const char* key) const { return content_.is_object() && content_.contains(key); }
  [[nodiscard]] json_node field(const char* key) const {
    if (!content_.is_object()) fail("expected an object");
    const auto entry = content_.find(key);
    if (entry == content_.end()) fail(fmt::format("missing '{}'", key));
    return {*entry, path_ + ": " + key};
  }
  [[nodiscard]] std::vector<json_node> items() const {
    if (!content_.is_array()) fail("expected a list");
    std::vector<json_node> result;
    for (std::size_t i = 0; i < content_.size(); ++i) {
      result.emplace_back(content_[i], fmt::format("{}[{}]", path_, i));
    }
    return result;
  }
  [[nodiscard]] std::string text() const {
    if (!content_.is_string()) fail("expected a text");
    return content_.get<std::string>();
  }
  [[nodiscard]] std::string text_or_empty(const char* key) const { return has(key) ? field(key).text() : ""; }
  /// Returns a number of milliseconds; 0 without the key, and for null and negative values, which mean "not measured".
  [[nodiscard]] double duration(const char* key) const {
    if (!has(key) || field(key).content().is_null()) return 0;
    const json_node node = field(key);
    if (!node.content().is_number()) node.fail("expected a number of milliseconds");
    const double number = node.content().get<double>();
    return std::isfinite(number) && number > 0 ? number : 0;
  }
  [[nodiscard]] std::vector<double> samples(const char* key) const {
    std::vector<double> result;
    if (!has(key)) return result;
    for (const json_node& item : field(key).items()) {
      if (!item.content().is_number() || !(item.content().get<double>() >= 0)) item.fail("expected a time");
      result.push_back(item.content().get<double>());
    }
    return result;
  }
  [[nodiscard]] value parameter_value() const {
    if (content_.is_boolean()) return content_.get<bool>();
    // nlohmann::json reads a whole number beyond 64 bits as a real.
    constexpr double end = 0x1p63;
    const bool is_too_large = content_.is_number() && std::abs(content_.get<double>()) >= end &&
                              !(content_.is_number_integer() && !content_.is_number_unsigned());
    if (is_too_large) fail(content_.dump() + " does not fit a signed 64-bit integer");
    if (content_.is_number_integer()) return content_.get<std::int64_t>();
    if (content_.is_number()) return content_.get<double>();
    if (!content_.is_string() || !is_usable_text(content_.get<std::string>())) {
      fail("expected a number, a boolean, or a text of printable ASCII characters");
    }
    return content_.get<std::string>();
  }

 private:
  const json& content_;
  std::string path_;
};

std::string read_text(const std::filesystem::path& file) {
  const loaded_bytes loaded = load_bytes(file);
  return {reinterpret_cast<const char*>(loaded.bytes.data()), loaded.bytes.size()};
}

json parse_json(std::string text, const std::filesystem::path& file) {
  // Kernel Tuner closes its cache at the end of a run only; before that, the file ends after an entry.
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last != std::string::npos && text[last] == ',') text.replace(last, std::string::npos, "}}");
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const bool is_cut_off = error.byte > text.size();
    throw input_error(fmt::format("{}: {} at byte {}", file.string(),
                                  is_cut_off ? "the file is truncated: its JSON ends" : "not JSON", error.byte));
  } catch (const json::exception& error) {
    throw input_error(fmt::format("{}: {}", file.string(), json_reason(error)));
  }
}

/// Returns "4096x4096" for [4096, 4096], and texts and numbers as they are.
std::string problem_size(const json_node& node) {
  if (node.content().is_string()) return node.text();
  if (node.content().is_number()) return node.content().dump();
  std::string result;
  for (const json_node& item : node.items()) {
    if (!item.content().is_number() && !item.content().is_string()) item.fail("expected a number");
    result += (result.empty() ? "" : "x") + (item.content().is_string() ? item.text() : item.content().dump());
  }
  return result;
}

db::outcome outcome_of_error(const std::string& name) {
  if (name == "CompilationFailedConfig") return db::outcome::compile_error;
  if (name == "InvalidConfig") return db::outcome::constraint;
  return db::outcome::launch_error;
}

db::outcome outcome_of_invalidity(const json_node& node) {
  const std::string name = node.text();
  if (name == "correct") return db::outcome::ok;
  if (name == "compile") return db::outcome::compile_error;
  if (name == "runtime") return db::outcome::launch_error;
  if (name == "timeout") return db::outcome::timeout;
  if (name == "correctness") return db::outcome::wrong_answer;
  if (name == "constraints") return db::outcome::constraint;
  node.fail("unknown invalidity '" + name + "'; known: correct, compile, runtime, timeout, correctness, constraints");
}

/// Sets the time of a result from the objective, which is a time or the name of an error.
void set_time(foreign_result& result, const json_node& objective) {
  const json& content = objective.content();
  if (content.is_string() || content.is_null()) {
    if (result.message.empty() && content.is_string()) result.message = objective.text();
    if (result.outcome == db::outcome::ok) result.outcome = outcome_of_error(result.message);
    return;
  }
  if (!content.is_number()) objective.fail("expected a time or the name of an error");
  const double time = content.get<double>();
  if (result.outcome != db::outcome::ok) return;
  if (time >= error_time || std::isnan(time)) {
    result.outcome = db::outcome::launch_error;
    result.message = "no time";
    return;
  }
  if (time <= 0) objective.fail("expected a time above 0");
  result.milliseconds = time;
}

foreign_result read_cache_entry(const json_node& entry) {
  foreign_result result;
  result.message = entry.text_or_empty("__error__");
  if (!result.message.empty()) result.outcome = outcome_of_error(result.message);
  if (result.message.empty() || entry.has("time")) set_time(result, entry.field("time"));
  if (result.milliseconds) result.samples_ms = entry.samples("times");
  result.compile_ms = entry.duration("compile_time");
  result.check_ms = entry.duration("verification_time");
  result.measure_ms = entry.duration("benchmark_time");
  result.other_ms = entry.duration("framework_time") + entry.duration("strategy_time");
  result.timestamp = entry.text_or_empty("timestamp");
  return result;
}

void read_cache(const json_node& root, results_file& read) {
  read.format = "Kernel Tuner cache";
  read.device = root.text_or_empty("device_name");
  read.kernel = root.text_or_empty("kernel_name");
  if (root.has("problem_size")) read.problem = problem_size(root.field("problem_size"));
  for (const json_node& name : root.field("tune_params_keys").items()) read.parameters.push_back(name.text());
  const json_node cache = root.field("cache");
  if (!cache.content().is_object()) cache.fail("expected an object");
  for (const auto& [key, content] : cache.content().items()) {
    const json_node entry(content, fmt::format("{}: cache: {}", read.file.string(), key));
    configuration c;
    for (const std::string& name : read.parameters) c.set(name, entry.field(name.c_str()).parameter_value());
    read.results[std::move(c)] = read_cache_entry(entry);
  }
}

/// Returns the measurement `time` of a T4 result, or null.
std::optional<json_node> find_time(const json_node& entry) {
  for (const json_node& measurement : entry.field("measurements").items()) {
    if (measurement.field("name").text() == "time") return measurement.field("value");
  }
  return std::nullopt;
}

foreign_result read_t4_entry(const json_node& entry) {
  foreign_result result;
  result.outcome = outcome_of_invalidity(entry.field("invalidity"));
  if (result.outcome != db::outcome::ok) result.message = "invalidity: " + entry.field("invalidity").text();
  if (const auto time = find_time(entry)) {
    set_time(result, *time);
  } else if (result.outcome == db::outcome::ok) {
    entry.fail("no measurement 'time'");
  }
  const json_node times = entry.field("times");
  if (result.milliseconds) result.samples_ms = times.samples("runtimes");
  result.compile_ms = times.duration("compilation") + times.duration("compilation_time");
  result.check_ms = times.duration("validation");
  result.measure_ms = times.duration("benchmark");
  result.other_ms = times.duration("framework") + times.duration("search_algorithm");
  result.timestamp = entry.text_or_empty("timestamp");
  return result;
}

void read_t4(const json_node& root, results_file& read) {
  read.format = "T4";
  if (root.has("metadata")) {
    const json_node metadata = root.field("metadata");
    read.device = metadata.text_or_empty("device_name");
    read.kernel = metadata.text_or_empty("kernel_name");
    read.problem = metadata.text_or_empty("workload");
    if (read.problem.empty() && metadata.has("problem_size"))
      read.problem = problem_size(metadata.field("problem_size"));
  }
  for (const json_node& entry : root.field("results").items()) {
    const json_node chosen = entry.field("configuration");
    if (!chosen.content().is_object()) chosen.fail("expected an object");
    configuration c;
    for (const auto& [name, content] : chosen.content().items())
      c.set(name, chosen.field(name.c_str()).parameter_value());
    if (read.parameters.empty()) {
      for (const auto& [name, v] : c.values()) read.parameters.push_back(name);
    }
    const bool has_same_names = c.values().size() == read.parameters.size() &&
                                std::ranges::all_of(read.parameters, [&](const auto& name) { return c.find(name); });
    if (!has_same_names) chosen.fail("not the same parameters as in the first result");
    read.results[std::move(c)] = read_t4_entry(entry);
  }
}

/// Gives all values of a parameter one type: whole numbers become real if any value is.
void unify_types(results_file& read) {
  std::map<std::string, std::set<value_type>> types;
  for (const auto& [c, result] : read.results) {
    for (const auto& [name, v] : c.values()) types[name].insert(type_of(v));
  }
  std::set<std::string> made_real;
  for (const auto& [name, types_of_name] : types) {
    if (!is_parameter_name(name)) {
      throw input_error(fmt::format("{}: '{}' cannot be the name of a parameter", read.file.string(), name));
    }
    if (types_of_name.size() == 1) continue;
    if (types_of_name != std::set{value_type::integer, value_type::real}) {
      throw input_error(fmt::format("{}: parameter '{}': its values mix {} and {}", read.file.string(), name,
                                    name_of(*types_of_name.begin()), name_of(*types_of_name.rbegin())));
    }
    made_real.insert(name);
  }
  if (made_real.empty()) return;
  std::map<configuration, foreign_result> converted;
  for (auto& [c, result] : read.results) {
    configuration real = c;
    for (const std::string& name : made_real) {
      real.set(name, convert(c.at(name), value_type::real).value_or(c.at(name)));
    }
    converted[std::move(real)] = std::move(result);
  }
  read.results = std::move(converted);
}

value_type type_named(const json_node& node) {
  const std::string name = node.text();
  if (name == "int" || name == "uint") return value_type::integer;
  if (name == "float") return value_type::real;
  if (name == "bool") return value_type::boolean;
  if (name == "string") return value_type::text;
  node.fail("unknown type '" + name + "'; known: int, uint, float, bool, string");
}

parameter_request read_t1_parameter(const json_node& node, const source_place& place) {
  parameter_request request;
  request.name = node.field("Name").text();
  request.place = {place.file + ": parameter '" + request.name + "'", 0};
  request.bind = std::pair(binding::compile, request.place);
  if (!is_parameter_name(request.name)) node.fail("'" + request.name + "' cannot be the name of a parameter");
  const value_type type = type_named(node.field("Type"));
  const json_node values = node.field("Values");
  std::vector<value> listed;
  if (values.content().is_array()) {
    for (const json_node& item : values.items()) listed.push_back(item.parameter_value());
  } else {
    listed = evaluate_list({values.text(), request.place});
  }
  std::set<value> seen;
  for (const value& v : listed) {
    std::optional<value> typed = convert(v, type);
    if (!typed && type == value_type::boolean && (v == value(std::int64_t{0}) || v == value(std::int64_t{1}))) {
      typed = v == value(std::int64_t{1});
    }
    if (!typed) values.fail(fmt::format("{} is not of the type {}", to_text(v), node.field("Type").text()));
    if (!seen.insert(*typed).second) values.fail(fmt::format("{} is repeated", to_text(v)));
    request.values.emplace_back(*std::move(typed), request.place);
  }
  if (request.values.empty()) values.fail("no values");
  return request;
}

}  // namespace

bool is_results_file(const std::filesystem::path& file) {
  byte_source source(file);
  char start[64];
  const std::size_t count = source.read(start);
  const std::string_view text(start, count);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

results_file read_results_file(const std::filesystem::path& file) {
  const json content = parse_json(read_text(file), file);
  const json_node root(content, file.string());
  results_file read;
  read.file = file;
  if (root.has("cache")) {
    read_cache(root, read);
  } else if (root.has("results")) {
    read_t4(root, read);
  } else {
    root.fail(root.has("ConfigurationSpace")
                  ? "a T1 input, which has no results; name it with --t1"
                  : "neither a Kernel Tuner cache (with 'cache') nor T4 results (with 'results')");
  }
  if (read.results.empty()) root.fail("no results");
  std::string stem = file.filename().string();
  stem.resize(std::min(stem.find('.'), stem.size()));
  if (read.device.empty()) read.device = stem;
  if (read.kernel.empty()) read.kernel = file.has_parent_path() ? file.parent_path().filename().string() : stem;
  unify_types(read);
  return read;
}

t1_input read_t1_input(const std::filesystem::path& file) {
  const json content = parse_json(read_text(file), file);
  const json_node root(content, file.string());
  const json_node space = root.field("ConfigurationSpace");
  const source_place place{file.string(), 0};
  t1_input input;
  input.file = file;
  input.space.place = place;
  for (const json_node& parameter : space.field("TuningParameters").items()) {
    input.space.parameters.push_back(read_t1_parameter(parameter, place));
  }
  if (input.space.parameters.empty()) space.fail("no parameters");
  if (space.has("Conditions")) {
    for (const json_node& item : space.field("Conditions").items()) {
      input.space.restrictions.push_back(translate_condition({item.field("Expression").text(), place}));
    }
  }
  if (root.has("KernelSpecification")) {
    const json_node kernel = root.field("KernelSpecification");
    input.kernel = kernel.text_or_empty("KernelName");
    if (kernel.has("ProblemSize")) input.problem = problem_size(kernel.field("ProblemSize"));
  }
  return input;
}

void convert_to_types(results_file& results, const t1_input& input) {
  const auto fail = [&](const std::string& message) {
    throw input_error(fmt::format("{}: {} {}", results.file.string(), message, input.file.string()));
  };
  std::map<std::string, value_type> types;
  for (const parameter_request& parameter : input.space.parameters) {
    types[parameter.name] = type_of(parameter.values.front().first);
  }
  for (const std::string& name : results.parameters) {
    if (!types.contains(name)) fail(fmt::format("the parameter '{}' is not in", name));
  }
  for (const auto& [name, type] : types) {
    if (std::ranges::find(results.parameters, name) == results.parameters.end()) {
      fail(fmt::format("the results have no parameter '{}' of", name));
    }
  }
  std::map<configuration, foreign_result> converted;
  for (auto& [c, result] : results.results) {
    configuration typed;
    for (const auto& [name, v] : c.values()) {
      const std::optional<value> same = convert(v, types.at(name));
      if (!same) fail(fmt::format("parameter '{}': {} is not of its type in", name, to_text(v)));
      typed.set(name, *same);
    }
    converted[std::move(typed)] = std::move(result);
  }
  results.results = std::move(converted);
}

}  // namespace mlmq::tuner
