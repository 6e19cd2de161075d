// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/first_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "problems/kernel/element_type.hpp"
#include "problems/kernel/source_text.hpp"

namespace mlmq::kernel {
namespace {

/// A declared name with its type: "const float* a" is {float, a, pointer, constant}.
struct declaration {
  std::string type;
  std::string name;
  bool is_pointer = false;
  bool is_constant = false;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

declaration parse_declaration(const std::string& text) {
  declaration result;
  result.is_pointer = text.find('*') != std::string::npos || text.find('[') != std::string::npos;
  std::vector<std::string> type;
  for (const std::string& word : words_of(text.substr(0, text.find_first_of("=[")))) {
    if (word == "const") {
      result.is_constant = true;
    } else if (word != "__restrict__" && word != "__restrict" && word != "volatile") {
      type.push_back(word);
    }
  }
  if (type.empty()) return result;
  result.name = type.back();
  type.pop_back();
  result.type = fmt::format("{}", fmt::join(type, " "));
  if (result.type == "unsigned int") result.type = "unsigned";
  if (result.type.ends_with(" int") && result.type != "int") result.type.resize(result.type.size() - 4);
  return result;
}

std::vector<declaration> parse_list(const std::string& text) {
  std::vector<declaration> list;
  for (const std::string& part : split(text, ',')) {
    declaration parsed = parse_declaration(part);
    if (!parsed.name.empty()) list.push_back(std::move(parsed));
  }
  return list;
}

struct signature {
  std::string name;
  std::vector<declaration> template_parameters;
  std::vector<declaration> parameters;
};

signature parse_signature(const std::string& text, const std::filesystem::path& source) {
  const std::string bounds = R"((?:__launch_bounds__\s*\([^)]*\)\s*)?)";
  const std::regex pattern(R"((?:template\s*<([^>]*)>\s*)?__global__\s+)" + bounds + R"((?:static\s+)?void\s+)" +
                           bounds + R"((\w+)\s*\(([^)]*)\))");
  std::smatch match;
  if (!std::regex_search(text, match, pattern)) {
    throw input_error(source.string() + ": it has no function of the form '__global__ void NAME(…)'");
  }
  return {.name = match[2], .template_parameters = parse_list(match[1]), .parameters = parse_list(match[3])};
}

/// Returns names that the user has to define as macros: with a default under #ifndef, or in capital letters and not
/// defined.
std::vector<std::string> parse_macros(const std::string& text) {
  std::vector<std::string> macros;
  std::set<std::string> defined;
  const std::regex conditional(R"(#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+(\w+)\s+\S)");
  for (std::sregex_iterator i(text.begin(), text.end(), conditional), end; i != end; ++i) {
    if ((*i)[1] == (*i)[2]) macros.push_back((*i)[1]);
  }
  const std::regex definition(
      R"(#\s*define\s+(\w+)|\b(?:constexpr|const|enum|using|typename|class)\s+(?:\w+\s+)?([A-Z]\w*))");
  for (std::sregex_iterator i(text.begin(), text.end(), definition), end; i != end; ++i) {
    defined.insert((*i)[1].matched ? (*i)[1].str() : (*i)[2].str());
  }
  for (const std::string& word : words_of(text)) {
    const bool is_capital =
        word.size() > 2 && word.front() != '_' &&
        std::ranges::all_of(word,
                            [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; }) &&
        std::isupper(static_cast<unsigned char>(word.front())) != 0;
    static const std::set<std::string> known_words = {"INFINITY", "NAN",     "INT_MAX", "INT_MIN", "UINT_MAX",
                                                      "FLT_MAX",  "FLT_MIN", "DBL_MAX", "DBL_MIN", "NULL"};
    if (is_capital && !defined.contains(word) && !known_words.contains(word) &&
        std::ranges::find(macros, word) == macros.end()) {
      macros.push_back(word);
    }
  }
  return macros;
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
  const std::string text = without_comments(read_file(source));
  const signature kernel = parse_signature(text, source);
  std::vector<std::string> parameters = parse_macros(text);
  std::vector<std::string> template_arguments;
  std::set<std::string> template_parameters;  // a macro with this name would break the source
  for (const declaration& argument : kernel.template_parameters) {
    const bool is_type = argument.type == "typename" || argument.type == "class";
    template_arguments.push_back(is_type ? "float" : argument.name);
    if (!is_type) parameters.push_back(argument.name);
    if (!is_type) template_parameters.insert(argument.name);
  }
  const auto type_text = [&](const std::string& type) {
    const bool is_template_type = std::ranges::any_of(
        kernel.template_parameters, [&](const declaration& argument) { return argument.name == type; });
    return is_template_type ? std::string("float") : type;
  };

  std::vector<std::string> sizes;
  for (const declaration& parameter : kernel.parameters) {
    const element_type* const type = find_type(type_text(parameter.type));
    if (!parameter.is_pointer && type != nullptr && type->kind != number_kind::real) sizes.push_back(parameter.name);
  }
  const bool has_size = !sizes.empty();
  if (!has_size) sizes.push_back("n");
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
    block.push_back(match == parameters.end() ? "threads" : *match);
  }
  const bool is_plane = block.size() == 2 && sizes.size() >= 2;

  std::string yaml = fmt::format(
      "# A first file for {}, written by 'mlmq sweep --init'. Check the lines marked with TODO.\n"
      "name: {}\nproblem: kernel\nkernel:\n  source: {}\n  function: {}\n  block: {}\n  grid: {}  # TODO: blocks\n"
      "  arguments:\n",
      source.filename().string(), kernel.name,
      std::filesystem::absolute(source)
          .lexically_normal()
          .lexically_relative(std::filesystem::absolute(folder).lexically_normal())
          .string(),
      template_arguments.empty() ? kernel.name
                                 : fmt::format("\"{}<{}>\"", kernel.name, fmt::join(template_arguments, ", ")),
      block.size() == 2 ? fmt::format("[{}]", fmt::join(block, ", ")) : block.front(),
      is_plane ? fmt::format("[ceil({} / {}), ceil({} / {})]", sizes[0], block[0], sizes[1], block[1])
               : fmt::format("ceil({} / {})", block.size() == 2 ? all_elements : sizes.front(),
                             block.size() == 2 ? fmt::format("({} * {})", block[0], block[1]) : block.front()));
  bool is_written = false;
  for (const declaration& parameter : kernel.parameters) {
    const std::string type = type_text(parameter.type);
    const std::string note = find_type(type) == nullptr ? "  # TODO: type; a structure of 24 bytes is bytes(24)" : "";
    if (!parameter.is_pointer) {
      const bool is_size = std::ranges::find(sizes, parameter.name) != sizes.end();
      yaml += fmt::format("    - {{name: {}, type: {}, value: {}}}{}\n", parameter.name, type,
                          is_size ? parameter.name : "1", is_size ? note : "  # TODO: value");
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
  const std::regex constant(R"(__constant__\s+([\w\s]+?)\s*(\w+)\s*\[([^\];]+)\](\s*\[([^\];]+)\])?)");
  std::string symbols;
  for (std::sregex_iterator i(text.begin(), text.end(), constant), end; i != end; ++i) {
    const std::string count =
        (*i)[5].matched ? fmt::format("({}) * ({})", (*i)[3].str(), (*i)[5].str()) : (*i)[3].str();
    const std::vector<std::string> names = words_of(count);
    const bool is_known = std::ranges::all_of(names, [&](const std::string& name) {
      return std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
             std::ranges::find(parameters, name) != parameters.end() || std::ranges::find(sizes, name) != sizes.end();
    });
    symbols += fmt::format("    - {{name: {}, type: {}, size: {}, fill: random}}  # TODO: size{}\n", (*i)[2].str(),
                           (*i)[1].str(), is_known ? count : "1", is_known ? "" : ", in the source: " + count);
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
    const char* const values = !is_block ? "[1, 2, 4]" : block.size() == 2 ? "[8, 16, 32]" : "[64, 128, 256]";
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
