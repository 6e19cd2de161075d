// SPDX-License-Identifier: Apache-2.0
// What there is to solve, with which parameters: told by the declarations themselves, so that nothing else lists them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/json_output.hpp"
#include "cli/print_text.hpp"
#include "cli/problems_document.hpp"
#include "cli/result_options.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {
namespace {

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
  const std::vector<problems::problem_entry>& all = problems::all_problems();
  std::size_t width = 8;
  for (const problems::problem_entry& one : all) width = std::max(width, one.name.size());
  for (const problems::problem_entry& entry : all) print_text("{:<{}}  {}\n", entry.name, width, entry.description);
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

void print_meanings(std::span<const tuner::named_meaning> all) {
  for (const tuner::named_meaning& entry : all) print_text("  {:<17} {}\n", entry.name, entry.meaning);
}

void print_presets(const tuner::problem& of) {
  if (of.presets().empty()) return;
  print_text("\nPresets, which '{}=NAME' stands for in a configuration:\n", tuner::preset_key);
  for (const tuner::preset& entry : of.presets())
    print_text("  {:<20}{}\n    {}\n", entry.name, entry.source, entry.label);
}

std::string markdown_presets(const tuner::problem& of) {
  if (of.presets().empty()) return "";
  std::string text = "\n| Preset | Source | Configuration |\n|---|---|---|\n";
  for (const tuner::preset& one : of.presets()) {
    text += fmt::format("| `{}` | {} | `{}` |\n", one.name, one.source, one.label);
  }
  return text;
}

/// Rows of two columns.
std::string markdown_meanings(const std::string& title, std::span<const tuner::named_meaning> all) {
  std::string text = fmt::format("\n| {} | Meaning |\n|---|---|\n", title);
  for (const tuner::named_meaning& one : all) text += fmt::format("| `{}` | {} |\n", one.name, one.meaning);
  return text;
}

void print_problem(const problems::problem_entry& entry) {
  const auto made = entry.make();
  print_text("{}: {}\n", entry.name, entry.description);
  print_text("\nWorkloads of the kind '{}'. Apart from 'generate', 'file' and 'queries' they may have\n",
             made->workloads().name());
  print_meanings(made->workloads().options());
  print_text("\nA rule of 'queries' may have\n");
  print_meanings(made->query_settings());
  print_text("\nParameters:\n");
  for (const parameter_declaration& declared : made->declarations()) print_parameter(declared);
  print_presets(*made);
  print_text("\nCounters:\n");
  print_meanings(made->counters());
  if (!made->rate_counter().empty()) print_text("\nTables show {} per second.\n", made->rate_counter());
}

/// What the papers call a parameter, for a table.
std::string paper_name(const parameter_declaration& declared) {
  return declared.symbol.empty() ? "—" : declared.symbol;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

/// The range of a parameter and its limits, for a table.
std::string markdown_values(const parameter_declaration& declared) {
  std::string text = tuner::describe_allowed(declared);
  if (const std::string unit = unit_of(declared); !unit.empty()) text += ", in " + unit;
  for (const tuner::parameter_limit& limit : declared.limits) text += ", " + code(limit.condition);
  return text;
}

/// Few columns, the meaning second: a page of 1,200 pixels has no room for one column per property.
std::string markdown_row(const parameter_declaration& declared) {
  std::string meaning = declared.description + "<br>";
  if (!declared.when.empty()) meaning += fmt::format("Only when {}. ", code(declared.when));
  meaning += declared.bind == tuner::binding::launch ? "Bound at launch" : "Bound at compile time";
  if (!declared.macro.name.empty()) meaning += " as " + code(declared.macro.name);
  meaning += ".";
  return fmt::format("| {} | {} | {} | {} | {} |\n", code(declared.name), meaning, markdown_values(declared),
                     tuner::to_text(declared.default_value), paper_name(declared));
}

std::string markdown_of(const problems::problem_entry& entry) {
  std::string text = fmt::format("## {}\n\nProblem `{}`: {}.\n\n", entry.name, entry.name, entry.description);
  text +=
      "| Parameter | Meaning | Values | Default | In papers |\n"
      "|---|---|---|---|---|\n";
  const auto made = entry.make();
  for (const parameter_declaration& declared : made->declarations()) text += markdown_row(declared);
  text += markdown_presets(*made);
  text += fmt::format("\nWorkloads are of the kind `{}`.\n", made->workloads().name());
  text += markdown_meanings("Option of a workload", made->workloads().options());
  text += markdown_meanings("Setting of a query", made->query_settings());
  text += markdown_meanings("Counter", made->counters());
  if (!made->rate_counter().empty()) text += fmt::format("\nTables show `{}` per second.\n", made->rate_counter());
  return text;
}

/// Problems that declare the very same parameters.
bool are_alike(const problems::problem_entry& one, const problems::problem_entry& other) {
  const auto first = one.make();
  const auto second = other.make();
  return first->declarations().data() == second->declarations().data() &&
         first->counters().data() == second->counters().data();
}

/// The whole page of docs/.
void print_page() {
  print_text(
      "# Parameters\n\n"
      "This page is what `mlmq problems --markdown` prints.\n\n"
      "A parameter is active only when its condition holds; an inactive one is absent from a configuration. What is "
      "bound "
      "at compile time makes a kernel of its own for each value and reaches it as a macro; what is bound at launch is "
      "passed to the same kernel. [Experiment files](experiment-files.md) say which values a sweep tries. *In papers* "
      "is "
      "what the papers of [the README](../../README.md#papers) call a parameter, or —. Conditions after the values "
      "are "
      "limits, which `mlmq problems NAME` explains: a value that breaks one is refused, and a product of values leaves "
      "out the configurations that break a joint one.\n");
  const std::vector<problems::problem_entry>& all = problems::all_problems();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t like = 0;
    while (like < i && !are_alike(all[like], all[i])) ++like;
    if (like == i) {
      print_text("\n{}", markdown_of(all[i]));
    } else {
      print_text("\n## {}\n\nProblem `{}`: {}. All else is as for `{}`.\n", all[i].name, all[i].name,
                 all[i].description, all[like].name);
    }
  }
}

}  // namespace

void add_problems_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("problems", "What there is to solve, and the parameters and counters of each problem");
  const auto options = std::make_shared<problems_options>();
  command->add_option("name", options->name, "one problem, with all that it declares; otherwise all are listed")
      ->type_name("PROBLEM");
  command->add_flag("--markdown", options->markdown,
                    "as Markdown: without a name the reference page of the parameters");
  options->results.add_format(*command);
  takes_no_files(*command, {"name"});
  command->callback([options] {
    if (options->results.as_json()) {
      if (options->markdown) throw input_error("--format json and --markdown cannot go together");
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
