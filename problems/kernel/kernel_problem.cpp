// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/kernel_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "backends/kernel_sources.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "problems/kernel/bindings.hpp"
#include "problems/kernel/first_file.hpp"
#include "problems/kernel/host_array.hpp"
#include "problems/kernel/kernel_instance.hpp"
#include "problems/kernel/launch_export.hpp"
#include "problems/kernel/variant_source.hpp"
#include "problems/registry.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::kernel {
namespace {

/// Declares parameters: those that are compiled in are macros with their own names.
std::vector<tuner::parameter_declaration> declare(std::vector<tuner::parameter_request> parameters) {
  tuner::space_definition space;
  space.parameters = std::move(parameters);
  for (tuner::parameter_request& request : space.parameters) {
    if (!request.bind) request.bind = std::pair(tuner::binding::compile, request.place);
  }
  std::vector<tuner::parameter_declaration> declarations;
  for (const tuner::parameter& parameter : tuner::check_against(space, {})) {
    tuner::parameter_declaration declaration = parameter.declared;
    if (declaration.bind == tuner::binding::compile) declaration.macro.name = declaration.name;
    declarations.push_back(std::move(declaration));
  }
  return declarations;
}

/// Returns the identifiers in a text.
std::set<std::string> identifiers_in(std::string_view text) {
  std::set<std::string> words;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const auto* begin = std::ranges::find_if(text, is_word); begin != text.end();) {
    const auto* const end = std::find_if_not(begin, text.end(), is_word);
    if (std::isdigit(static_cast<unsigned char>(*begin)) == 0) words.emplace(begin, end);
    begin = std::find_if(end, text.end(), is_word);
  }
  return words;
}

/// Returns the line "k.cu:4" where a source defines or undefines a macro even if the macro is defined, or "".
std::string redefinition_in(const backends::kernel_sources& sources, const std::string& file,
                            const std::string& macro) {
  const auto search = [&](const std::string& name, const std::string& text) -> std::string {
    std::vector<bool> tests_macro;  // of each open condition
    std::size_t number = 0;
    for (const std::string& line : split(text, '\n')) {
      ++number;
      std::istringstream words(backends::without_comments(line));
      std::string directive;
      std::string rest;
      if (!(words >> directive) || !directive.starts_with('#')) continue;
      if (directive == "#") {
        words >> directive;
      } else {
        directive.erase(0, 1);
      }
      std::getline(words >> std::ws, rest);
      if (directive.starts_with("if")) tests_macro.push_back(identifiers_in(rest).contains(macro));
      if (directive == "endif" && !tests_macro.empty()) tests_macro.pop_back();
      if (directive != "define" && directive != "undef") continue;
      const bool is_tested = std::ranges::find(tests_macro, true) != tests_macro.end();
      if (!is_tested && rest.substr(0, rest.find_first_of(" \t(")) == macro) return fmt::format("{}:{}", name, number);
    }
    return "";
  };
  std::string place = search(file, sources.text);
  for (const auto& [name, text] : sources.headers) {
    if (place.empty()) place = search(name, text);
  }
  return place;
}

std::string text_of(const std::map<std::string, std::string>& macros) {
  std::string text;
  for (const auto& [name, value] : macros) text += name + '=' + value + '\n';
  return text;
}

/// Returns the files with the contents of arrays and with expected results.
std::vector<std::string> files_of(const definition& kernel) {
  std::vector<std::string> files;
  for (const array_definition& array : kernel.arrays) {
    if (array.fill == fill_rule::file) files.push_back(array.file);
  }
  for (const scalar_definition& scalar : kernel.scalars) {
    if (!scalar.file.empty()) files.push_back(scalar.file);
  }
  for (const auto& [array, file] : kernel.reference.files) files.push_back(file);
  return files;
}

size_rules size_rules_of(const tuner::experiment_file& experiment, const std::shared_ptr<const definition>& kernel) {
  const bool is_checked = kernel->reference.kind != reference_kind::none;
  std::vector<std::string> names;
  for (const placed_text& size : kernel->sizes) names.push_back(size.text);
  return {.sizes = std::move(names),
          .reals = real_sizes_of(experiment),
          .data_text = kernel->data_text,
          .folder = kernel->folder,
          .data_files = files_of(*kernel),
          .check_files = [kernel](auto sizes) { check_files(*kernel, sizes); },
          .note = is_checked ? "" : "results are not checked: 'reference' is 'none'"};
}

/// Finds invalid expressions and types when the file is read. Names have their defaults, and sizes those of the first
/// workload.
void check_expressions(const definition& kernel, std::span<const tuner::parameter_declaration> declarations,
                       const tuner::experiment_file& experiment) {
  std::vector<std::pair<std::string, tuner::value>> names;
  for (const tuner::workload_request& request : experiment.workloads) {
    for (const tuner::setting& option : request.options) {
      const auto is_same = [&](const auto& entry) { return entry.first == option.name; };
      if (std::ranges::none_of(names, is_same)) names.emplace_back(option.name, size_value(option.value()));
    }
  }
  for (const tuner::parameter_declaration& declared : declarations) {
    names.emplace_back(declared.name, declared.default_value);
  }
  const bindings values(std::move(names), kernel.texts);
  const auto check_launch = [&](const launch_definition& launch) {
    for (const auto* sizes : {&launch.block, &launch.grid, &launch.cluster}) {
      for (const placed_text& size : *sizes) values.check_expression(size);
    }
    values.check_expression(launch.shared_bytes);
  };
  for (const launch_definition& launch : kernel.launches) check_launch(launch);
  for (const launch_definition& launch : kernel.reference.launches) check_launch(launch);
  for (const array_definition& array : kernel.arrays) {
    (void)values.type(array.type);
    values.check_expression(array.count);
  }
  for (const scalar_definition& scalar : kernel.scalars) {
    (void)values.type(scalar.type);
    values.check_expression(scalar.value);
    for (const field_definition& field : scalar.fields) {
      (void)values.type(field.type);
      values.check_expression(field.value);
    }
  }
  if (kernel.work) values.check_expression(kernel.work->amount);
}

}  // namespace

kernel_problem::kernel_problem() : kind_({}) {}

kernel_problem::kernel_problem(const tuner::experiment_file& experiment)
    : definition_(std::make_shared<const definition>(read_definition(experiment))),
      declarations_(declare(definition_->parameters)),
      kind_(size_rules_of(experiment, definition_)) {
  for (const placed_text& size : definition_->sizes) {
    if (std::ranges::find(declarations_, size.text, &tuner::parameter_declaration::name) != declarations_.end()) {
      throw input_error(fmt::format("{}'{}' is both a parameter and a size of the workloads",
                                    experiment.workloads.front().place.prefix(), size.text));
    }
  }
  check_expressions(*definition_, declarations_, experiment);
  if (definition_->work) counters_.push_back({definition_->work->name, "work of one run"});
}

const definition& kernel_problem::defined() const {
  if (definition_ == nullptr) {
    throw input_error("the kernel is defined in an experiment file; name the file");
  }
  return *definition_;
}

std::string kernel_problem::name() const { return definition_ == nullptr ? "kernel" : "kernel:" + definition_->name; }

std::string kernel_problem::rate_counter() const {
  return definition_ != nullptr && definition_->work ? definition_->work->name : "";
}

std::uint64_t kernel_problem::count_queries(const tuner::query_rules& rules) const {
  for (const tuner::query_rule& rule : rules) tuner::require_known_settings(rule, {});
  return 1;
}

std::vector<tuner::query> kernel_problem::choose_queries(const tuner::workload& /*workload*/,
                                                         const tuner::query_rules& rules) const {
  (void)count_queries(rules);
  return {{{"call", "1"}}};
}

backends::kernel_sources kernel_problem::load_sources(const std::filesystem::path& source,
                                                      const std::map<std::string, placed_text>& defines,
                                                      std::map<std::string, std::string> macros) const {
  std::error_code ignored;  // a name may be too long for a file
  if (!std::filesystem::is_regular_file(source, ignored)) {
    throw input_error(defined().place.prefix() + "source: there is no file '" + source.string() + "'");
  }
  const backends::kernel_source variant = source_of(defined(), source, bindings({}), {}, defines, std::move(macros));
  auto sources = backends::kernel_sources::load(backends::search_folders(variant), variant);
  macros_name_headers_ = macros_name_headers_ || sources.has_computed_names;
  return sources;
}

std::string kernel_problem::planned_code(const std::filesystem::path& source,
                                         const std::map<std::string, placed_text>& defines,
                                         std::map<std::string, std::string> macros) const {
  const backends::kernel_sources sources = load_sources(source, defines, std::move(macros));
  std::string hash = sources.code_hash();
  if (sources.has_computed_names) return hash;
  return code_hashes_.emplace(source.string(), std::move(hash)).first->second;
}

std::string kernel_problem::code_hash(const backends::kernel_source& variant) const {
  const std::string file = (std::filesystem::path(variant.folder) / variant.file).string();
  const std::lock_guard lock(mutex_);
  const auto key = [&] { return macros_name_headers_ ? file + '\n' + text_of(variant.defines) : file; };
  if (const auto entry = code_hashes_.find(key()); entry != code_hashes_.end()) return entry->second;
  const auto sources = backends::kernel_sources::load(backends::search_folders(variant), variant);
  macros_name_headers_ = macros_name_headers_ || sources.has_computed_names;
  return code_hashes_.emplace(key(), sources.code_hash()).first->second;
}

std::string kernel_problem::check_hash() const {
  const reference_definition& reference = defined().reference;
  content_hash hash;
  hash.add(defined().check_text);
  if (reference.kind == reference_kind::launches) {
    hash.add(planned_code(reference.source.empty() ? defined().source : reference.source, reference.defines,
                          tuner::parameter_values(declarations_, {}).macros(defined().name)));
  }
  // The script that a command runs is one of its words.
  for (const std::string& word : split(reference.command, ' ')) {
    std::error_code ignored;  // a word may be too long for a name
    if (const auto file = defined().folder / word; std::filesystem::is_regular_file(file, ignored)) hash.add_file(file);
  }
  return hash.hex();
}

std::vector<std::string> kernel_problem::notes() const {
  const definition& kernel = defined();
  const std::lock_guard lock(mutex_);
  const std::string file = kernel.source.filename().string();
  const backends::kernel_sources sources =
      load_sources(kernel.source, kernel.defines, tuner::parameter_values(declarations_, {}).macros(kernel.name));
  std::set<std::string> in_source = identifiers_in(backends::without_comments(sources.text));
  for (const auto& [name, text] : sources.headers) in_source.merge(identifiers_in(backends::without_comments(text)));
  std::set<std::string> in_expressions = identifiers_in(kernel.launch_text);
  in_expressions.merge(identifiers_in(kernel.data_text));
  std::vector<std::string> notes;
  const auto note_unused = [&](const tuner::source_place& place, const std::string& kind, const std::string& name,
                               const char* more) {
    const std::vector<std::string> candidates(in_source.begin(), in_source.end());
    notes.push_back(
        fmt::format("{}{} '{}' has no effect: its name is in no line of {} and of the headers that it "
                    "includes{}{}",
                    place.prefix(), kind, name, file, more, did_you_mean(name, candidates)));
  };
  const auto note_redefined = [&](const tuner::source_place& place, const std::string& kind, const std::string& name) {
    const std::string line = redefinition_in(sources, file, name);
    if (line.empty()) return;
    notes.push_back(
        fmt::format("{}{} '{}' has no effect after {}, which defines the macro again; with '#ifndef {}' "
                    "before it, the experiment file decides",
                    place.prefix(), kind, name, line, name));
  };
  for (const tuner::parameter_request& parameter : kernel.parameters) {
    const bool is_macro = !parameter.bind || parameter.bind->first == tuner::binding::compile;
    const bool is_in_expressions = in_expressions.contains(parameter.name);
    if (!is_in_expressions && !(is_macro && in_source.contains(parameter.name))) {
      note_unused(parameter.place, "parameter", parameter.name, ", and in no expression");
    } else if (is_macro) {
      note_redefined(parameter.place, "parameter", parameter.name);
    }
  }
  for (const auto& [name, value] : kernel.defines) {
    if (in_source.contains(name)) {
      note_redefined(value.place, "macro", name);
    } else {
      note_unused(value.place, "macro", name, "");
    }
  }
  std::set<std::string> in_conditions = identifiers_in(kernel.condition_text);
  in_conditions.merge(identifiers_in(kernel.check_text));
  for (const placed_text& size : kernel.sizes) {
    // A command may read all of them.
    if (kernel.reference.kind == reference_kind::command) break;
    if (in_expressions.contains(size.text) || in_conditions.contains(size.text)) continue;
    // It cannot be the misspelling of a name in an expression, which would be unknown.
    const std::string hint =
        in_source.contains(size.text)
            ? fmt::format("; it is no macro of {0} without 'defines: {{{1}: {1}}}'", file, size.text)
            : "";
    notes.push_back(fmt::format("{}size '{}' has no effect: its name is in no expression, restriction or metric{}",
                                size.place.prefix(), size.text, hint));
  }
  constexpr std::size_t most_notes = 5;
  if (notes.size() > most_notes + 1) {
    const std::size_t further = notes.size() - most_notes;
    notes.resize(most_notes);
    notes.push_back(fmt::format("{}{} further names have no effect", kernel.place.prefix(), further));
  }
  return notes;
}

std::string kernel_problem::source_hash(const tuner::configuration& chosen) const {
  std::map<std::string, std::string> macros = tuner::parameter_values(declarations_, chosen).macros(defined().name);
  const std::lock_guard lock(mutex_);
  const auto key_of_macros = [&] { return macros_name_headers_ ? text_of(macros) : ""; };
  if (const auto entry = source_hashes_.find(key_of_macros()); entry != source_hashes_.end()) return entry->second;
  content_hash hash;
  hash.add(planned_code(defined().source, defined().defines, macros)).add(defined().launch_text).add(check_hash());
  // Other hashes than those of versions that passed the real number 2 as the integer 2.
  const auto is_real_macro = [](const tuner::parameter_declaration& declared) {
    return declared.type == tuner::value_type::real && !declared.macro.name.empty();
  };
  if (std::ranges::any_of(declarations_, is_real_macro)) hash.add("macros of real parameters are real");
  std::string key = key_of_macros();  // the first configuration tells whether macros name headers
  return source_hashes_.emplace(std::move(key), hash.hex().substr(0, 16)).first->second;
}

std::unique_ptr<tuner::problem_instance> kernel_problem::load(backends::backend& device,
                                                              const tuner::workload& workload) const {
  (void)defined();
  return make_instance(device, definition_, declarations_, dynamic_cast<const size_workload&>(workload),
                       [this](const backends::kernel_source& variant) { return code_hash(variant); });
}

std::vector<db::exported_file> kernel_problem::launch_files(std::span<const db::best_result> best) const {
  std::vector<db::best_result> of_kernel;
  for (const db::best_result& result : best) {
    if (result.problem == name()) of_kernel.push_back(result);
  }
  if (of_kernel.empty()) throw input_error("no configuration of " + name() + " has a right result");
  return kernel::launch_files(defined(), kind_, declarations_, of_kernel);
}

}  // namespace mlmq::kernel

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_kernel;
const mlmq::problems::problem_registration mlmq_registers_kernel(
    {{.name = "kernel",
      .description = "a kernel in plain CUDA C++ that the experiment file describes",
      .make = []() -> std::unique_ptr<mlmq::tuner::problem> {
        return std::make_unique<mlmq::kernel::kernel_problem>();
      },
      .make_defined = [](const mlmq::tuner::experiment_file& experiment) -> std::unique_ptr<mlmq::tuner::problem> {
        return std::make_unique<mlmq::kernel::kernel_problem>(experiment);
      },
      .launch_files =
          [](const mlmq::tuner::experiment_file& experiment, std::span<const mlmq::db::best_result> best) {
            return mlmq::kernel::kernel_problem(experiment).launch_files(best);
          },
      .first_experiment = mlmq::kernel::first_experiment}});
}
