// SPDX-License-Identifier: Apache-2.0
#include "selector/export_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "selector/inference.hpp"
#include "selector/runtime_text.hpp"

namespace mlmq::selector {
namespace {

/// Formats numbers and texts as literals of an exported header.
inline constexpr std::size_t line_width = 110;

/// Returns a hexadecimal literal, so that the compiler reads exactly this number.
[[nodiscard]] inline std::string literal(float number) {
  if (std::isnan(number)) return "missing";
  std::array<char, 32> digits{};
  const float magnitude = std::abs(number);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude, std::chars_format::hex).ptr;
  return fmt::format("{}0x{}f", std::signbit(number) ? "-" : "",
                     std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

template <std::integral T>
[[nodiscard]] std::string literal(T number) {
  return std::to_string(+number);
}

/// Returns a string literal. Its octal escapes have three digits, so that they cannot include the following character.
[[nodiscard]] inline std::string literal(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte > 0x7e || c == '?') {  // '?': old compilers know trigraphs
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// Returns the definition of an array of values that literal() supports, in lines of similar width.
template <typename T>
[[nodiscard]] std::string array(std::string_view type, std::string_view name, std::span<const T> items) {
  std::string text = fmt::format("inline constexpr {} {}[] = {{\n", type, name);
  std::string line = "    ";
  for (const T& item : items) {
    const std::string piece = literal(item) + ',';
    if (line.size() + piece.size() > line_width && line.size() > 4) {
      text += line + '\n';
      line = "    ";
    }
    line += piece;
  }
  return text + line + "\n};\n";
}

/// Returns whether C++20 reserves the word.
[[nodiscard]] inline bool is_keyword(std::string_view name) {
  static constexpr std::array<std::string_view, 92> words{
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
      "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq"};
  return std::find(words.begin(), words.end(), name) != words.end();
}

[[nodiscard]] inline bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) && !is_keyword(name) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// @throws input_error unless the name is an identifier, or several identifiers joined by ::
inline void check_name_space(std::string_view name) {
  std::string_view rest = name;
  for (;;) {
    const auto end = rest.find("::");
    if (!is_identifier(rest.substr(0, end)))
      throw input_error(fmt::format("'{}' cannot be the name of a C++ namespace", name));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 2);
  }
}

std::string text_literal(const char* text) { return literal(std::string(text)); }

std::string value_of(const runtime::ratio& ratio) {
  return fmt::format("{{{},{}}}", ratio.numerator, ratio.denominator);
}

std::string value_of(const runtime::node& node) {
  return fmt::format("{{{},{},{}}}", node.input, node.cut, node.left_child);
}

std::string value_of(const runtime::time_axis& axis) {
  return fmt::format("{{{},{},{},{},{}}}", axis.value, literal(axis.centre), literal(axis.scale), literal(axis.low),
                     literal(axis.high));
}

/// C++ arrays cannot be empty: without items, the array gets one unused element.
template <typename T>
std::string numbers(std::string_view type, std::string_view name, const T* items, std::size_t count) {
  const T nothing{};
  return array<T>(type, name, count > 0 ? std::span<const T>(items, count) : std::span<const T>(&nothing, 1));
}

std::string texts(std::string_view name, const char* const* items, std::size_t count) {
  const std::vector<std::string> copies(items, items + count);
  return array<std::string>("const char*", name, copies);
}

template <typename T>
std::string structs(std::string_view type, std::string_view name, const T* items, std::size_t count) {
  std::string text = fmt::format("inline constexpr runtime::{} {}[] = {{\n", type, name);
  std::string line = "    ";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string piece = value_of(items[i]) + ',';
    if (line.size() + piece.size() > line_width && line.size() > 4) text += std::exchange(line, "    ") + '\n';
    line += piece;
  }
  if (count == 0) line += " {},";
  return text + line + "\n};\n";
}

std::string tree_text(const runtime::tree_set& trees, std::size_t inputs, std::size_t node_count, std::size_t leaves) {
  std::string text = numbers("std::uint16_t", "cut_begin", trees.cut_begin, inputs + 1);
  text += numbers("float", "cuts", trees.cuts, trees.cut_begin[inputs]);
  text += numbers("std::uint32_t", "roots", trees.roots, trees.groups * runtime::trees_per_group);
  text += numbers("std::uint8_t", "steps", trees.steps, trees.groups);
  text += structs("node", "nodes", trees.nodes, node_count);
  text += numbers("std::uint32_t", "rows", trees.rows, node_count);
  text += numbers("std::int16_t", "leaves", trees.leaves, leaves);
  return text + fmt::format(
                    "inline constexpr runtime::tree_set trees{{cut_begin, cuts, {}, roots, steps, nodes, rows, "
                    "leaves, {}}};\n",
                    trees.groups, literal(trees.unit));
}

std::string kernel_text(const runtime::kernel& kernel, std::size_t candidates) {
  std::string text = numbers("std::uint8_t", "used", kernel.used, kernel.used_count);
  text += numbers("float", "centre", kernel.centre, kernel.used_count);
  text += numbers("float", "scale", kernel.scale, kernel.used_count);
  const std::size_t points = kernel.block_count * runtime::points_per_block;
  text += numbers("std::uint8_t", "points", kernel.points, points * runtime::padded_place(kernel.used_count));
  text += numbers("std::int16_t", "weights", kernel.weights, points * candidates);
  return text +
         fmt::format(
             "inline constexpr runtime::kernel kernel{{{}, used, centre, scale, {}, points, weights, {}, {}}};\n",
             kernel.used_count, kernel.block_count, literal(kernel.level), literal(kernel.unit));
}

std::string fit_text(const std::string& name, const runtime::time_fit& fit) {
  std::string text = structs("time_axis", name + "_axes", fit.axes, fit.axis_count);
  text += numbers("float", name + "_landmarks", fit.landmarks, fit.axis_count * fit.landmark_count);
  return text + numbers("float", name + "_weights", fit.weights, 1 + fit.axis_count + fit.landmark_count);
}

/// Formats the initialiser of a time_fit whose arrays fit_text() has written.
std::string fit_value(const std::string& name, const runtime::time_fit& fit) {
  return fmt::format("{{{1}, {0}_axes, {2}, {0}_landmarks, {0}_weights, {3}, {4}, {5}}}", name, fit.axis_count,
                     fit.landmark_count, literal(fit.least), literal(fit.most), literal(fit.least_items));
}

std::string times_text(const runtime::times& times) {
  return fit_text("size", times.by_size) + fit_text("feature", times.by_features) +
         fmt::format("inline constexpr runtime::times times{{{},\n    {},\n    {}}};\n", text_literal(times.problem),
                     fit_value("size", times.by_size), fit_value("feature", times.by_features));
}

constexpr std::string_view head = R"(// SPDX-License-Identifier: Apache-2.0
// clang-format off
// Generated by mlmq, do not edit: a model's data. )"
                                  R"({0}::model.select(values) chooses a configuration, values being those of
// {0}::model.features; {0}::model.labels are the configurations' names.
#pragma once

)";

}  // namespace

std::string header_text(const model& model, const std::string& name_space) {
  check_name_space(name_space);
  const runtime_model checked(model);
  const runtime::model& view = checked.view();
  const std::size_t inputs = view.feature_count + view.ratio_count;
  std::string text = fmt::format(fmt::runtime(head), name_space);
  text += runtime_text();
  text += fmt::format("\nnamespace {} {{\nnamespace data {{\n\n", name_space);
  text += "namespace runtime = ::mlmq::selector::runtime;\n";
  text += fmt::format("inline constexpr char provenance[] =\n    {};\n", text_literal(view.provenance));
  text += texts("features", view.features, view.feature_count);
  text += texts("labels", view.labels, view.candidate_count);
  text += structs("ratio", "ratios", view.ratios, view.ratio_count);
  text += numbers("float", "starts", view.starts, view.candidate_count);
  if (view.trees != nullptr)
    text += tree_text(*view.trees, inputs, model.trees->nodes.size(), model.trees->leaves.size());
  if (view.ridge != nullptr) text += kernel_text(*view.ridge, view.candidate_count);
  if (view.expected != nullptr) text += times_text(*view.expected);
  text +=
      fmt::format("\n}}  // namespace data\n\ninline constexpr std::size_t feature_count = {};\n", view.feature_count);
  text += fmt::format("inline constexpr std::size_t candidate_count = {};\n", view.candidate_count);
  text += fmt::format(
      "inline constexpr ::mlmq::selector::runtime::model model{{data::provenance, feature_count, data::features,\n"
      "    candidate_count, data::labels, {}, data::ratios, data::starts, {}, {}, {}, {}}};\n",
      view.ratio_count, view.trees == nullptr ? "nullptr" : "&data::trees",
      view.ridge == nullptr ? "nullptr" : "&data::kernel", view.expected == nullptr ? "nullptr" : "&data::times",
      view.squared);
  return text + fmt::format("\n}}  // namespace {}\n", name_space);
}

void export_header(const model& model, const std::filesystem::path& file, const std::string& name_space) {
  write_file_atomically(file, header_text(model, name_space));
}

}  // namespace mlmq::selector
