// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/first_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "problems/kernel/element_type.hpp"
#include "problems/kernel/source_text.hpp"
#include "tuner/expression.hpp"

namespace mlmq::kernel {
namespace {

using tokens = std::vector<source_token>;
using token_span = std::span<const source_token>;

/// A declared name with its type: "const float* a" is {float, a, pointer, constant}.
struct declaration {
  std::string type;
  std::string name;
  std::string text;  ///< as in the source
  bool is_pointer = false;
  bool is_constant = false;
  bool is_understood = false;
};

/// Returns tokens as text, with blanks where two words meet and after commas.
std::string joined(token_span part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool meets =
        i > 0 && part[i].is_word() && (part[i - 1].is_word() || part[i - 1].is("*") || part[i - 1].is("&"));
    if (meets || (i > 0 && part[i - 1].is(","))) text += ' ';
    text += part[i].text;
  }
  return text;
}

/// Returns the position after the bracket that closes the one at `open`, or the end.
std::size_t end_of_brackets(token_span code, std::size_t open) {
  static const std::set<std::string_view> opening = {"(", "[", "{", "<"};
  static const std::set<std::string_view> closing = {")", "]", "}", ">"};
  const bool has_angles = code[open].is("<");
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    const std::string_view text = code[i].text;
    if ((text == "<" || text == ">") && !has_angles) continue;
    if (opening.contains(text)) ++depth;
    if (closing.contains(text) && --depth == 0) return i + 1;
  }
  return code.size();
}

/// Splits at the commas that are in no brackets.
std::vector<token_span> split_list(token_span list) {
  static const std::set<std::string_view> opening = {"(", "[", "{", "<"};
  static const std::set<std::string_view> closing = {")", "]", "}", ">"};
  std::vector<token_span> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (opening.contains(list[i].text)) ++depth;
    if (closing.contains(list[i].text)) --depth;
    if (depth > 0 || !list[i].is(",")) continue;
    parts.push_back(list.subspan(start, i - start));
    start = i + 1;
  }
  if (start < list.size()) parts.push_back(list.subspan(start));
  return parts;
}

/// Returns the name that the kernel problem has for a type: "unsigned" for "unsigned int", "int64_t" for
/// "std::int64_t".
std::string usual_type(std::string type) {
  if (type.starts_with("std::")) type.erase(0, 5);
  if (type.ends_with(" int")) type.resize(type.size() - 4);
  return type;
}

/// @param aliases types by the names that typedef and using give them
declaration parse_declaration(token_span part, const std::map<std::string, std::string>& aliases) {
  static const std::set<std::string_view> qualifiers = {"__restrict__", "__restrict",        "restrict",
                                                        "volatile",     "__grid_constant__", "struct"};
  declaration result;
  result.text = joined(part);
  part = part.first(static_cast<std::size_t>(std::ranges::find(part, "=", &source_token::text) - part.begin()));
  tokens type;
  int pointers = 0;
  bool is_plain = true;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i].is("*")) {
      ++pointers;
    } else if (part[i].is("[")) {
      ++pointers;
      i = end_of_brackets(part, i) - 1;
    } else if (part[i].is("&") || part[i].is("(") || part[i].is(".")) {
      is_plain = false;
    } else if (part[i].is("const")) {
      result.is_constant = result.is_constant || pointers == 0;
    } else if (!qualifiers.contains(part[i].text)) {
      type.push_back(part[i]);
    }
  }
  if (type.size() >= 2 && type.back().is_word()) {
    result.name = type.back().text;
    type.pop_back();
    result.type = usual_type(joined(type));
    if (const auto alias = aliases.find(result.type); alias != aliases.end()) result.type = alias->second;
  }
  result.is_pointer = pointers > 0;
  result.is_understood = is_plain && pointers <= 1 && tuner::is_parameter_name(result.name) &&
                         !(result.is_pointer && result.type == "void");
  return result;
}

/// @param names  all that are declared; of two with the same name the second one is not understood
std::vector<declaration> parse_list(token_span list, const std::map<std::string, std::string>& aliases,
                                    std::set<std::string>& names) {
  std::vector<declaration> result;
  for (const token_span part : split_list(list)) {
    if (part.size() == 1 && part.front().is("void")) continue;
    declaration& declared = result.emplace_back(parse_declaration(part, aliases));
    declared.is_understood = declared.is_understood && names.insert(declared.name).second;
  }
  return result;
}

/// Reads "typedef float real;" and "using real = float;".
std::map<std::string, std::string> parse_aliases(token_span code) {
  std::map<std::string, std::string> aliases;
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    const bool is_using = code[i].is("using") && code[i + 2].is("=");
    if (!is_using && !code[i].is("typedef")) continue;
    std::size_t end = i;
    while (end < code.size() && !code[end].is(";") && !code[end].is("{")) ++end;
    const token_span words =
        is_using ? code.subspan(i + 3, end - std::min(end, i + 3)) : code.subspan(i + 1, end - i - 1);
    if (words.size() < (is_using ? 1U : 2U) ||
        !std::ranges::all_of(words, [](const source_token& token) { return token.is_word() || token.is("::"); })) {
      continue;
    }
    const std::string name(is_using ? code[i + 1].text : words.back().text);
    std::string type = usual_type(joined(is_using ? words : words.first(words.size() - 1)));
    if (const auto earlier = aliases.find(type); earlier != aliases.end()) type = earlier->second;
    aliases[name] = type;
    i = end;
  }
  return aliases;
}

struct signature {
  std::string name;
  bool is_defined = false;
  std::vector<declaration> template_parameters;
  std::vector<declaration> parameters;
};

/// Returns the template header before `global`, the position of __global__: what is between its brackets.
token_span template_header(token_span code, std::size_t global) {
  std::size_t start = global;
  while (start > 0 && !code[start - 1].is("__global__") && !code[start - 1].is(";") && !code[start - 1].is("}") &&
         !code[start - 1].is("{") && code[start - 1].type != source_token::kind::directive) {
    --start;
  }
  for (std::size_t i = start; i + 1 < global; ++i) {
    if (!code[i].is("template") || !code[i + 1].is("<")) continue;
    const std::size_t end = end_of_brackets(code.first(global), i + 1);
    return code.subspan(i + 2, end - i - 3);
  }
  return {};
}

/// Finds all kernels. The name is the last word before the parentheses that a body or a semicolon follows; others
/// belong to attributes, such as __launch_bounds__(256).
std::vector<signature> parse_signatures(token_span code, const std::map<std::string, std::string>& aliases) {
  std::vector<signature> kernels;
  for (std::size_t global = 0; global < code.size(); ++global) {
    if (!code[global].is("__global__")) continue;
    for (std::size_t i = global + 1;
         i + 1 < code.size() && !code[i].is(";") && !code[i].is("{") && !code[i].is("__global__"); ++i) {
      if (!code[i].is("(")) continue;
      const std::size_t end = end_of_brackets(code, i);
      if (end == code.size()) return kernels;  // the rest of the source is in this parenthesis
      if ((code[end].is("{") || code[end].is(";")) && code[i - 1].is_word()) {
        const auto same = [&](const signature& other) { return other.name == code[i - 1].text; };
        std::set<std::string> names;
        signature kernel{.name = std::string(code[i - 1].text),
                         .is_defined = code[end].is("{"),
                         .template_parameters = parse_list(template_header(code, global), aliases, names),
                         .parameters = parse_list(code.subspan(i + 1, end - i - 2), aliases, names)};
        const auto earlier = std::ranges::find_if(kernels, same);
        if (earlier == kernels.end()) {
          kernels.push_back(std::move(kernel));
        } else if (kernel.is_defined && !earlier->is_defined) {
          *earlier = std::move(kernel);
        }
        global = end - 1;
        break;
      }
      i = end - 1;
    }
  }
  return kernels;
}

/// The words of a directive after '#': {"define", "TILE", "16"}.
std::vector<std::string> directive_words(const source_token& directive) {
  std::vector<std::string> words;
  for (const source_token& token : source_tokens(directive.text.substr(1))) words.emplace_back(token.text);
  return words;
}

/// Returns names that the user has to define as macros: with a default under #ifndef, or in capital letters and not
/// defined.
std::vector<std::string> parse_macros(token_span code) {
  static const std::set<std::string_view> declaring = {"constexpr", "const", "enum",    "using",
                                                       "typename",  "class", "typedef", "struct"};
  static const std::set<std::string_view> known_words = {"INFINITY", "NAN",     "INT_MAX", "INT_MIN", "UINT_MAX",
                                                         "FLT_MAX",  "FLT_MIN", "DBL_MAX", "DBL_MIN", "NULL"};
  std::vector<std::string> macros;
  std::vector<std::string> capitals;
  std::set<std::string> defined;
  std::string missing;  // name after #ifndef on the line before
  const auto note = [&](const std::string& word) {
    const bool is_capital = word.size() > 2 && std::isupper(static_cast<unsigned char>(word.front())) != 0 &&
                            std::ranges::all_of(word, [](unsigned char c) {
                              return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
                            });
    if (is_capital && !known_words.contains(word)) capitals.push_back(word);
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].type != source_token::kind::directive) {
      missing.clear();
      if (!code[i].is_word()) continue;
      note(std::string(code[i].text));
      const bool is_declared = (i > 0 && declaring.contains(code[i - 1].text)) ||
                               (i > 1 && code[i - 1].is_word() && declaring.contains(code[i - 2].text));
      if (is_declared) defined.emplace(code[i].text);
      continue;
    }
    const std::vector<std::string> words = directive_words(code[i]);
    const std::string former = std::exchange(missing, "");
    if (words.size() < 2 || words[0] == "include") continue;
    if (words[0] == "ifndef") missing = words[1];
    if (words[0] == "define") {
      const bool is_first = std::ranges::find(macros, words[1]) == macros.end();
      if (words[1] == former && words.size() > 2 && is_first) macros.push_back(words[1]);
      defined.insert(words[1]);
    }
    const bool is_tested = words[0] == "ifndef" || words[0] == "define" || words[0] == "undef";
    for (std::size_t w = is_tested ? 2 : 1; w < words.size(); ++w) note(words[w]);
  }
  std::set<std::string> listed(macros.begin(), macros.end());
  for (const std::string& word : capitals) {
    if (!defined.contains(word) && listed.insert(word).second) macros.push_back(word);
  }
  return macros;
}

/// Returns a text for a YAML flow map: in quotes unless it has only words.
std::string yaml_text(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_ ()./-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return is_plain && !text.empty() && text.front() != '-'
             ? text
             : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A variable in constant memory: __constant__ float weights[3][4];
struct constant_array {
  std::string type;
  std::string name;
  std::string count;
  bool is_plain = true;            ///< whether `count` has only numbers, names and arithmetic operators
  std::vector<std::string> names;  ///< in `count`
};

std::vector<constant_array> parse_constants(token_span code, const std::map<std::string, std::string>& aliases) {
  std::vector<constant_array> constants;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("__constant__")) continue;
    std::size_t open = i + 1;
    while (open < code.size() && (code[open].is_word() || code[open].is("::"))) ++open;
    if (open == code.size() || !code[open].is("[")) continue;
    const declaration declared = parse_declaration(code.subspan(i + 1, open - i - 1), aliases);
    constant_array constant{.type = declared.type, .name = declared.name, .count = {}, .is_plain = true, .names = {}};
    for (; open < code.size() && code[open].is("["); open = end_of_brackets(code, open)) {
      const token_span extent = code.subspan(open + 1, end_of_brackets(code, open) - open - 2);
      constant.count =
          constant.count.empty() ? joined(extent) : fmt::format("({}) * ({})", constant.count, joined(extent));
      for (const source_token& token : extent) {
        const bool is_number = std::ranges::all_of(token.text, [](unsigned char c) { return std::isdigit(c) != 0; });
        if (token.is_word() && !is_number) constant.names.emplace_back(token.text);
        constant.is_plain = constant.is_plain &&
                            (token.is_word() || std::string_view("+-*/()").find(token.text) != std::string_view::npos);
      }
    }
    if (tuner::is_parameter_name(constant.name)) constants.push_back(std::move(constant));
  }
  return constants;
}

/// Returns the files that the source includes in quotes.
std::vector<std::string> included_files(std::string_view source) {
  std::vector<std::string> files;
  for (std::size_t start = 0; start < source.size();) {
    const std::size_t end = std::min(source.find('\n', start), source.size());
    const std::string_view line = source.substr(start, end - start);
    start = end + 1;
    const std::size_t open = line.find('"');
    const std::size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
    if (close == std::string_view::npos) continue;
    const std::vector<source_token> before = source_tokens(line.substr(0, open));
    if (before.size() == 1 && before.front().type == source_token::kind::directive &&
        directive_words(before.front()) == std::vector<std::string>{"include"}) {
      files.emplace_back(line.substr(open + 1, close - open - 1));
    }
  }
  return files;
}

/// Returns the text without line feeds, for a comment.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

std::string todo_lines(const std::vector<std::string>& todo) {
  std::string text;
  for (const std::string& line : todo) text += "# TODO: " + on_one_line(line) + '\n';
  return text;
}

bool ends_like_dimension(const std::string& name, char dimension) {
  return name.size() > 1 && std::tolower(static_cast<unsigned char>(name.back())) == dimension;
}

bool is_block_size(const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("block") != std::string::npos || lower.find("thread") != std::string::npos;
}

}  // namespace

std::string first_experiment(const std::filesystem::path& source, const std::filesystem::path& folder) {
  const std::string written = read_file(source);
  const std::string text = without_comments(written);
  const tokens code = source_tokens(text);
  const std::map<std::string, std::string> aliases = parse_aliases(code);
  const std::vector<signature> kernels = parse_signatures(code, aliases);
  if (kernels.empty()) {
    throw input_error(source.string() + ": it has no function of the form '__global__ void NAME(…)'");
  }
  const auto first_defined = std::ranges::find(kernels, true, &signature::is_defined);
  const signature& kernel = first_defined == kernels.end() ? kernels.front() : *first_defined;
  std::vector<std::string> parameters = parse_macros(code);
  for (std::string name; !(name = declared_macro(text, parameters)).empty();) std::erase(parameters, name);
  std::vector<std::string> todo;
  for (const signature& other : kernels) {
    if (&other != &kernel) todo.push_back(fmt::format("the kernel {} is not described here", other.name));
  }
  for (const std::string& file : included_files(written)) {
    todo.push_back(fmt::format("types, macros and kernels in {} are not described here", file));
  }
  std::vector<std::string> template_arguments;
  std::set<std::string> template_parameters;  // a macro with this name would break the source
  std::set<std::string> truths;
  for (const declaration& argument : kernel.template_parameters) {
    const bool is_type = argument.type == "typename" || argument.type == "class";
    if (!argument.is_understood || argument.is_pointer) {
      todo.push_back(fmt::format("a template argument for '{}'", argument.text));
      continue;
    }
    template_arguments.push_back(is_type ? "float" : argument.name);
    if (argument.type == "bool") truths.insert(argument.name);
    if (is_type || !template_parameters.insert(argument.name).second) continue;
    std::erase(parameters, argument.name);
    parameters.push_back(argument.name);
  }
  const auto type_text = [&](const std::string& type) {
    const bool is_template_type = std::ranges::any_of(
        kernel.template_parameters, [&](const declaration& argument) { return argument.name == type; });
    return is_template_type ? std::string("float") : type;
  };

  std::vector<std::string> sizes;
  for (const declaration& parameter : kernel.parameters) {
    const element_type* const type = find_type(type_text(parameter.type));
    const bool is_size = type != nullptr && !type->is_real() && type->numbers == 1 && type->name != "bool";
    if (parameter.is_understood && !parameter.is_pointer && is_size) sizes.push_back(parameter.name);
  }
  const bool has_size = !sizes.empty();
  const auto new_name = [](std::string name, const std::vector<std::string>& taken) {
    while (std::ranges::find(taken, name) != taken.end()) name += '_';
    return name;
  };
  if (!has_size) sizes.push_back(new_name("n", parameters));
  const std::string all_elements = fmt::format("{}", fmt::join(sizes, " * "));

  std::vector<std::string> block;
  for (const char dimension : {'x', 'y'}) {
    const auto match = std::ranges::find_if(parameters, [&](const std::string& name) {
      return is_block_size(name) && ends_like_dimension(name, dimension);
    });
    if (match != parameters.end()) block.push_back(*match);
  }
  if (block.size() < 2) {
    block.clear();
    const auto match = std::ranges::find_if(parameters, is_block_size);
    block.push_back(match == parameters.end() ? new_name("threads", sizes) : *match);
  }
  const bool is_plane = block.size() == 2 && sizes.size() >= 2;

  std::string yaml = fmt::format(
      "# A first file for {}, written by 'mlmq sweep --init'. Check the lines marked with TODO.\n"
      "{}name: {}\nproblem: kernel\nkernel:\n  source: {}\n  function: {}\n  block: {}\n  grid: {}  # TODO: blocks\n"
      "  arguments:\n",
      on_one_line(source.filename().string()), todo_lines(todo), kernel.name,
      yaml_text(std::filesystem::absolute(source)
                    .lexically_normal()
                    .lexically_relative(std::filesystem::absolute(folder).lexically_normal())
                    .string()),
      template_arguments.empty() ? kernel.name
                                 : fmt::format("\"{}<{}>\"", kernel.name, fmt::join(template_arguments, ", ")),
      block.size() == 2 ? fmt::format("[{}]", fmt::join(block, ", ")) : block.front(),
      is_plane ? fmt::format("[ceil({} / {}), ceil({} / {})]", sizes[0], block[0], sizes[1], block[1])
               : fmt::format("ceil({} / {})", block.size() == 2 ? all_elements : sizes.front(),
                             block.size() == 2 ? fmt::format("({} * {})", block[0], block[1]) : block.front()));
  bool is_written = false;
  for (const declaration& parameter : kernel.parameters) {
    if (!parameter.is_understood) {
      yaml += fmt::format("    # TODO: the argument '{}', which is no number, array or structure with a name\n",
                          on_one_line(parameter.text));
      continue;
    }
    const std::string type = yaml_text(type_text(parameter.type));
    const std::string note =
        find_type(type_text(parameter.type)) == nullptr ? "  # TODO: type; a structure of 24 bytes is bytes(24)" : "";
    if (!parameter.is_pointer) {
      const bool is_size = std::ranges::find(sizes, parameter.name) != sizes.end();
      yaml += fmt::format("    - {{name: {}, type: {}, value: {}}}{}\n", parameter.name, type,
                          is_size ? parameter.name : "1", is_size || !note.empty() ? note : "  # TODO: value");
    } else if (parameter.is_constant) {
      yaml += fmt::format("    - {{name: {}, type: {}, size: {}, fill: random}}{}\n", parameter.name, type,
                          all_elements, note.empty() ? "  # TODO: size" : note);
    } else {
      is_written = true;
      yaml += fmt::format("    - {{name: {}, type: {}, size: {}, role: out}}{}\n", parameter.name, type, all_elements,
                          note.empty() ? "  # TODO: size; role: inout if the kernel also reads it" : note);
    }
  }
  if (!is_written) yaml += "    # TODO: an array with role: out or inout\n";
  std::string symbols;
  for (const constant_array& constant : parse_constants(code, aliases)) {
    const auto is_declared = [&](const declaration& parameter) { return parameter.name == constant.name; };
    if (std::ranges::any_of(kernel.parameters, is_declared)) continue;  // which hides the constant
    const bool is_known = constant.is_plain && std::ranges::all_of(constant.names, [&](const std::string& name) {
                            return std::ranges::find(parameters, name) != parameters.end() ||
                                   std::ranges::find(sizes, name) != sizes.end();
                          });
    symbols += fmt::format("    - {{name: {}, type: {}, size: {}, fill: random}}  # TODO: size{}{}\n", constant.name,
                           yaml_text(constant.type), is_known ? yaml_text(constant.count) : "1",
                           is_known ? "" : ", in the source: " + on_one_line(constant.count),
                           find_type(constant.type) == nullptr ? "; TODO: type" : "");
  }
  if (!symbols.empty()) yaml += "  symbols:\n" + symbols;
  yaml +=
      "  reference: none  # TODO: {function: …, block: …, grid: …}, {files: …} or {command: …}; results are not "
      "checked yet\n";
  yaml += "parameters:\n";
  if (std::ranges::find(parameters, block.front()) == parameters.end()) {
    yaml += fmt::format("  {}: {{values: [64, 128, 256], bind: launch}}\n", block.front());
  }
  for (const std::string& name : parameters) {
    const bool is_block = std::ranges::find(block, name) != block.end();
    const char* const values = truths.contains(name) ? "[true, false]"
                               : !is_block           ? "[1, 2, 4]"
                               : block.size() == 2   ? "[8, 16, 32]"
                                                     : "[64, 128, 256]";
    const bool is_macro = !template_parameters.contains(name);
    yaml += fmt::format("  {}: {}{}\n", name, is_macro ? values : fmt::format("{{values: {}, bind: launch}}", values),
                        is_block ? "" : "  # TODO: values");
  }
  std::vector<std::string> size_values;
  for (const std::string& size : sizes)
    size_values.push_back(fmt::format("{}: {}", size, sizes.size() > 1 ? 64 : 4096));
  return yaml +
         fmt::format("workloads:\n  - {{{}}}  # TODO: sizes\nmeasurement: {{warmup: 1, repeats: 5, counters: false}}\n",
                     fmt::join(size_values, ", "));
}

}  // namespace mlmq::kernel
