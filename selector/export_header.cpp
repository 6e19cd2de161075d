// SPDX-License-Identifier: Apache-2.0
#include "selector/export_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "selector/forest.hpp"

namespace mlmq::selector {
namespace {

constexpr std::size_t line_width = 110;

/// Hexadecimal, so that the compiler reads exactly this number.
std::string literal(float number) {
  if (std::isnan(number)) return "missing";
  std::array<char, 32> digits{};
  const float magnitude = std::abs(number);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude, std::chars_format::hex).ptr;
  return fmt::format("{}0x{}f", std::signbit(number) ? "-" : "",
                     std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

template <std::integral T>
std::string literal(T number) {
  return std::to_string(+number);
}

/// Octal escapes of three digits cannot run into the character that follows.
std::string literal(const std::string& text) {
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

template <typename T>
std::string array(std::string_view type, std::string_view name, std::span<const T> items) {
  std::string text = fmt::format("inline constexpr {} {}[] = {{\n", type, name);
  std::string line = "   ";
  for (const T& item : items) {
    const std::string piece = ' ' + literal(item) + ',';
    if (line.size() + piece.size() > line_width && line.size() > 3) {
      text += line + '\n';
      line = "   ";
    }
    line += piece;
  }
  return text + line + "\n};\n";
}

/// Words that C++20 reserves.
bool is_keyword(std::string_view name) {
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

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) && !is_keyword(name) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void check_name_space(std::string_view name) {
  std::string_view rest = name;
  for (;;) {
    const auto end = rest.find("::");
    if (!is_identifier(rest.substr(0, end)))
      throw input_error(fmt::format("'{}' cannot be the name of a C++ namespace", name));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 2);
  }
}

std::vector<float> flat_encodings(const model& model, std::size_t width) {
  if (model.candidates.empty() || model.encodings.size() != model.candidates.size())
    throw input_error("selector model: its candidates do not fit its encodings");
  std::vector<float> flat;
  for (const std::vector<float>& encoding : model.encodings) {
    if (encoding.size() != width) throw input_error("selector model: its encodings do not fit its trees");
    for (float value : encoding) {
      if (std::isinf(value)) throw input_error("selector model: a candidate's encoding is infinite");
    }
    flat.insert(flat.end(), encoding.begin(), encoding.end());
  }
  // C++ has no arrays without elements; with one candidate there are no columns.
  if (flat.empty()) flat.push_back(0.0F);
  return flat;
}

constexpr std::string_view head = R"(// SPDX-License-Identifier: Apache-2.0
// clang-format off
// Generated by mlmq: chooses a configuration from a graph's features. Do not edit; train and export again.
// Must not be compiled with -ffast-math: a NaN feature means "unknown".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

)";

constexpr std::string_view walk = R"(
/// float32; beyond its range an infinity.
constexpr float to_float32(double number) {
  constexpr double largest = double{std::numeric_limits<float>::max()};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return number > largest ? infinity : number < -largest ? -infinity : static_cast<float>(number);
}

}  // namespace detail

/// The configuration's name. `candidate` < candidate_count.
constexpr const char* label(std::size_t candidate) { return detail::labels[candidate]; }

/// Predicted relative performance, best time / time. `graph_features`: m, nnz, avg_nnz, max_nnz, dev_nnz, avg_weight,
/// dev_weight, max_weight; NaN: unknown. `candidate` < candidate_count.
constexpr float predict(const float* graph_features, std::size_t candidate) {
  float sum = detail::base_score;
  for (const std::int32_t root : detail::roots) {
    std::size_t node = static_cast<std::size_t>(root);
    while (detail::feature[node] >= 0) {
      const std::size_t column = static_cast<std::size_t>(detail::feature[node]);
      const float input = column < graph_feature_count
                              ? graph_features[column]
                              : detail::encodings[candidate * detail::encoding_width + column - graph_feature_count];
      const bool go_left = input != input ? detail::default_left[node] != 0 : input < detail::value[node];
      node = static_cast<std::size_t>(go_left ? detail::left[node] : detail::right[node]);
    }
    sum += detail::value[node];
  }
  return sum;
}

/// The candidate with the highest prediction; of equals the lowest index.
constexpr std::size_t select(const std::array<double, graph_feature_count>& graph_features) {
  float features[graph_feature_count] = {};
  for (std::size_t i = 0; i < graph_feature_count; ++i) features[i] = detail::to_float32(graph_features[i]);
  std::size_t best = 0;
  float best_prediction = predict(features, 0);
  for (std::size_t candidate = 1; candidate < candidate_count; ++candidate) {
    const float prediction = predict(features, candidate);
    if (prediction > best_prediction) {
      best = candidate;
      best_prediction = prediction;
    }
  }
  return best;
}
)";

}  // namespace

std::string header_text(const model& model, const std::string& name_space) {
  check_name_space(name_space);
  const forest trees = parse_xgboost_json(model.xgboost_json);
  if (trees.feature_count < graph_feature_count)
    throw input_error("selector model: it does not read the graph's features");
  const std::size_t width = trees.feature_count - graph_feature_count;
  const std::vector<float> encodings = flat_encodings(model, width);
  std::vector<std::string> labels;
  for (const candidate& one : model.candidates) labels.push_back(one.label);

  std::string text(head);
  text += fmt::format("namespace {} {{\n\n", name_space);
  text += "/// What the model was trained on: one JSON object.\n";
  text += fmt::format("inline constexpr char provenance[] =\n    {};\n\n", literal(provenance_json(model.provenance)));
  text += fmt::format("inline constexpr std::size_t graph_feature_count = {};\n", graph_feature_count);
  text += fmt::format("inline constexpr std::size_t candidate_count = {};\n\n", labels.size());
  text += "namespace detail {\n\n";
  text += "inline constexpr float missing = std::numeric_limits<float>::quiet_NaN();\n";
  text += fmt::format("inline constexpr float base_score = {};\n", literal(trees.base_score));
  text += array<std::string>("const char*", "labels", labels);
  text += "/// Per candidate, the model's inputs after the graph's features:\n";
  for (std::size_t i = 0; i < width; ++i)
    text += fmt::format("/// {}\n", literal(model.feature_names.at(graph_feature_count + i)));
  text += fmt::format("inline constexpr std::size_t encoding_width = {};\n", width);
  text += array<float>("float", "encodings", encodings);
  text += "/// One root per tree; the arrays after it have one element per node.\n";
  text += array<std::int32_t>("std::int32_t", "roots", trees.roots);
  text += "/// The input that a node compares; -1: a leaf.\n";
  text += array<std::int16_t>("std::int16_t", "feature", trees.feature);
  text += "/// A node's threshold, or a leaf's value.\n";
  text += array<float>("float", "value", trees.value);
  text += "/// The child when the input is less than the threshold, and the other.\n";
  text += array<std::int32_t>("std::int32_t", "left", trees.left);
  text += array<std::int32_t>("std::int32_t", "right", trees.right);
  text += "/// 1: a missing input goes left.\n";
  text += array<std::uint8_t>("std::uint8_t", "default_left", trees.default_left);
  text += walk;
  text += fmt::format("\n}}  // namespace {}\n", name_space);
  return text;
}

void export_header(const model& model, const std::filesystem::path& file, const std::string& name_space) {
  write_file_atomically(file, header_text(model, name_space));
}

}  // namespace mlmq::selector
