// SPDX-License-Identifier: Apache-2.0
// Lists problems and their parameters, directly from the declarations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/json_output.hpp"
#include "cli/print_text.hpp"
#include "cli/result_options.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {
namespace {

json_document value_document(const tuner::value& value) {
  return std::visit([](const auto& content) { return json_document(content); }, value);
}

json_document meanings_document(std::span<const tuner::named_meaning> meanings) {
  json_document result = json_document::array();
  for (const tuner::named_meaning& meaning : meanings)
    result.push_back({{"name", meaning.name}, {"meaning", meaning.meaning}});
  return result;
}

json_document parameter_document(const tuner::parameter_declaration& declared) {
  json_document result{{"name", declared.name},
                       {"meaning", declared.description},
                       {"type", tuner::name_of(declared.type)},
                       {"default", value_document(declared.default_value)},
                       {"binding", tuner::name_of(declared.bind)}};
  if (!declared.allowed.empty()) result["allowed"] = declared.allowed;
  if (declared.minimum) result["minimum"] = *declared.minimum;
  if (declared.maximum) result["maximum"] = *declared.maximum;
  const auto add = [&result](const char* name, const std::string& text) {
    if (!text.empty()) result[name] = text;
  };
  add("unit", declared.unit);
  add("when", declared.when);
  add("macro", declared.macro.name);
  add("symbol", declared.symbol);
  for (const tuner::parameter_limit& limit : declared.limits)
    result["limits"].push_back({{"condition", limit.condition}, {"reason", limit.reason}});
  return result;
}

/// Returns all problems with their names and descriptions.
json_document problems_document() {
  json_document document = begin_document("problems");
  document["problems"] = json_document::array();
  for (const problems::problem_entry& entry : problems::all_problems()) {
    document["problems"].push_back({{"name", entry.name}, {"description", entry.description}});
  }
  return document;
}

/// Returns all declarations of one problem.
json_document problem_document(const problems::problem_entry& entry) {
  const auto problem = entry.make();
  json_document document = begin_document("problem");
  document["name"] = entry.name;
  document["description"] = entry.description;
  document["workloads"] = {{"kind", problem->workloads().name()},
                           {"options", meanings_document(problem->workloads().options())}};
  document["query_settings"] = meanings_document(problem->query_settings());
  document["parameters"] = json_document::array();
  for (const auto& declared : problem->declarations()) document["parameters"].push_back(parameter_document(declared));
  document["presets"] = json_document::array();
  for (const tuner::preset& preset : problem->presets()) {
    document["presets"].push_back({{"name", preset.name}, {"source", preset.source}, {"configuration", preset.label}});
  }
  document["counters"] = meanings_document(problem->counters());
  if (!problem->rate_counter().empty()) document["rate_counter"] = problem->rate_counter();
  return document;
}

using tuner::parameter_declaration;

struct problems_options {
  std::string name;
  bool markdown = false;
  result_options results;
};

std::string unit_of(const parameter_declaration& declared) {
  return declared.unit == "average_weight" ? "average weights" : declared.unit;
}

void print_list() {
  const std::vector<problems::problem_entry>& entries = problems::all_problems();
  std::size_t width = 8;
  for (const problems::problem_entry& entry : entries) width = std::max(width, entry.name.size());
  for (const problems::problem_entry& entry : entries) print_text("{:<{}}  {}\n", entry.name, width, entry.description);
}

void print_parameter(const parameter_declaration& declared) {
  print_text("\n  {}: {}\n", declared.name, declared.description);
  const std::string unit = unit_of(declared);
  print_text("    values     {}{}\n", tuner::describe_allowed(declared), unit.empty() ? "" : ", in " + unit);
  print_text("    default    {}\n", tuner::to_text(declared.default_value));
  print_text("    binding    {}{}\n", tuner::name_of(declared.bind),
             declared.macro.name.empty() ? "" : ", macro " + declared.macro.name);
  if (!declared.when.empty()) print_text("    only when  {}\n", declared.when);
  if (!declared.symbol.empty()) print_text("    in papers  {}\n", declared.symbol);
  for (const tuner::parameter_limit& limit : declared.limits)
    print_text("    limit      {}: {}\n", limit.condition, limit.reason);
}

void print_meanings(std::span<const tuner::named_meaning> meanings) {
  for (const tuner::named_meaning& entry : meanings) print_text("  {:<17} {}\n", entry.name, entry.meaning);
}

void print_presets(const tuner::problem& problem) {
  if (problem.presets().empty()) return;
  print_text("\nPresets, selected by '{}=NAME' in a configuration:\n", tuner::preset_key);
  for (const tuner::preset& entry : problem.presets())
    print_text("  {:<20}{}\n    {}\n", entry.name, entry.source, entry.label);
}

std::string markdown_presets(const tuner::problem& problem) {
  if (problem.presets().empty()) return "";
  std::string text = "\n| Preset | Source | Configuration |\n|---|---|---|\n";
  for (const tuner::preset& preset : problem.presets()) {
    text += fmt::format("| `{}` | {} | `{}` |\n", preset.name, preset.source, preset.label);
  }
  return text;
}

/// Formats names and descriptions as a Markdown table.
std::string markdown_meanings(const std::string& title, std::span<const tuner::named_meaning> meanings) {
  std::string text = fmt::format("\n| {} | Meaning |\n|---|---|\n", title);
  for (const tuner::named_meaning& meaning : meanings)
    text += fmt::format("| `{}` | {} |\n", meaning.name, meaning.meaning);
  return text;
}

void print_problem(const problems::problem_entry& entry) {
  const auto problem = entry.make();
  print_text("{}: {}\n", entry.name, entry.description);
  if (entry.make_defined != nullptr) {
    print_text("\nThe experiment file declares its parameters and workloads.\n");
    return;
  }
  print_text("\nWorkloads are of the kind '{}'. Options in addition to 'generate', 'file' and 'queries':\n",
             problem->workloads().name());
  print_meanings(problem->workloads().options());
  print_text("\nSettings of a rule of 'queries':\n");
  print_meanings(problem->query_settings());
  print_text("\nParameters:\n");
  for (const parameter_declaration& declared : problem->declarations()) print_parameter(declared);
  print_presets(*problem);
  print_text("\nCounters:\n");
  print_meanings(problem->counters());
  if (!problem->rate_counter().empty()) print_text("\nTables show {} per second.\n", problem->rate_counter());
}

/// Returns the symbol of a parameter in the papers, or a dash.
std::string paper_name(const parameter_declaration& declared) {
  return declared.symbol.empty() ? "—" : declared.symbol;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

/// Returns the range and the limits of a parameter.
std::string markdown_values(const parameter_declaration& declared) {
  std::string text = tuner::describe_allowed(declared);
  if (const std::string unit = unit_of(declared); !unit.empty()) text += ", in " + unit;
  for (const tuner::parameter_limit& limit : declared.limits) text += ", " + code(limit.condition);
  return text;
}

/// Formats a parameter as a table row. Several properties share a column, since a page of 1,200 pixels is too narrow
/// for one column per property.
std::string markdown_row(const parameter_declaration& declared) {
  std::string meaning = declared.description + "<br>";
  if (!declared.when.empty()) meaning += fmt::format("Only when {}. ", code(declared.when));
  meaning += declared.bind == tuner::binding::launch ? "Bound at launch" : "Bound at compile time";
  if (!declared.macro.name.empty()) meaning += " as " + code(declared.macro.name);
  meaning += ".";
  return fmt::format("| {} | {} | {} | {} | {} |\n", code(declared.name), meaning, markdown_values(declared),
                     tuner::to_text(declared.default_value), paper_name(declared));
}

/// @param others problems that share everything but the description
std::string markdown_of(const problems::problem_entry& entry,
                        const std::vector<const problems::problem_entry*>& others = {}) {
  std::string heading = std::string(entry.name);
  std::string text = fmt::format("Problem `{}`: {}.\n\n", entry.name, entry.description);
  for (const problems::problem_entry* const other : others) {
    heading += fmt::format(" and {}", other->name);
    text += fmt::format("Problem `{}`: {}.\n\n", other->name, other->description);
  }
  text = fmt::format("## {}\n\n", heading) + text;
  if (entry.make_defined != nullptr) {
    return text + "The [experiment file](../guide/tune-your-kernel.md) declares its parameters and workloads.\n";
  }
  text +=
      "| Parameter | Meaning | Values | Default | In papers |\n"
      "|---|---|---|---|---|\n";
  const auto problem = entry.make();
  for (const parameter_declaration& declared : problem->declarations()) text += markdown_row(declared);
  text += markdown_presets(*problem);
  text += fmt::format("\nWorkloads are of the kind `{}`.\n", problem->workloads().name());
  text += markdown_meanings("Option of a workload", problem->workloads().options());
  text += markdown_meanings("Setting of a query", problem->query_settings());
  text += markdown_meanings("Counter", problem->counters());
  if (!problem->rate_counter().empty())
    text += fmt::format("\nTables show `{}` per second.\n", problem->rate_counter());
  return text;
}

/// Returns whether two problems share their declarations.
bool are_alike(const problems::problem_entry& first_entry, const problems::problem_entry& second_entry) {
  const auto first = first_entry.make();
  const auto second = second_entry.make();
  return first->declarations().data() == second->declarations().data() &&
         first->counters().data() == second->counters().data();
}

/// Prints the reference page docs/reference/parameters.md.
void print_page() {
  print_text(
      "# Parameters\n\nThis page is generated by `mlmq problems --markdown`.\n\nA parameter is active only when its "
      "condition holds; an inactive one is absent from a configuration. A parameter bound at compile time is a macro, "
      "with a separate kernel for each value; a parameter bound at launch is passed to the same kernel. [Experiment "
      "files](experiment-files.md) specify the values that a sweep tries. *In papers* is the name of the parameter in "
      "the papers listed in [the README](../../README.md#papers), or —. Conditions after the values are limits; `mlmq "
      "problems NAME` explains them. A value that violates a limit is rejected; a product of values skips the "
      "configurations that violate a limit on several parameters.\n");
  const std::vector<problems::problem_entry>& entries = problems::all_problems();
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    const auto is_alike = [entry](const problems::problem_entry& other) { return are_alike(*entry, other); };
    if (std::any_of(entries.begin(), entry, is_alike)) continue;  // explained together with the first one
    std::vector<const problems::problem_entry*> others;
    for (auto other = std::next(entry); other != entries.end(); ++other) {
      if (is_alike(*other)) others.push_back(&*other);
    }
    print_text("\n{}", markdown_of(*entry, others));
  }
}

}  // namespace

void add_problems_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("problems", "List problems, their parameters and counters");
  const auto options = std::make_shared<problems_options>();
  command->add_option("name", options->name, "problem to describe in full [list all problems]")->type_name("PROBLEM");
  command->add_flag("--markdown", options->markdown,
                    "print Markdown; without a name: the reference page of the parameters");
  options->results.add_format(*command);
  takes_no_files(*command, {"name"});
  command->callback([options] {
    if (options->results.as_json()) {
      if (options->markdown) throw input_error("--format json and --markdown cannot be combined");
      print_document(options->name.empty() ? problems_document()
                                           : problem_document(problems::find_problem(options->name)));
    } else if (options->name.empty()) {
      options->markdown ? print_page() : print_list();
    } else if (options->markdown) {
      print_text("{}", markdown_of(problems::find_problem(options->name)));
    } else {
      print_problem(problems::find_problem(options->name));
    }
  });
}

}  // namespace mlmq::cli
