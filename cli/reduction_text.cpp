// SPDX-License-Identifier: Apache-2.0
#include "cli/reduction_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/vertex_files.hpp"

namespace mlmq::cli {
namespace {

/// A quantity that --reduce can compute.
struct declared_reduction {
  std::string_view name;
  std::vector<std::string> settings;
  std::string_view help;
};

const std::vector<declared_reduction>& declared_reductions() {
  static const std::vector<declared_reduction> declarations{
      {"within", {"cutoffs", "opportunities"}, "within:cutoffs=D,D,…[:opportunities=FILE]"},
      {"decayed",
       {"decay", "scale", "opportunities"},
       "decayed:decay=exponential|gaussian|linear:scale=D[:opportunities=FILE]"},
      {"histogram", {"limits"}, "histogram:limits=D,D,…"},
      {"closeness", {}, "closeness"},
      {"eccentricity", {}, "eccentricity"},
      {"nearest", {"members", "count"}, "nearest:members=FILE|ID,ID,…:count=N"}};
  return declarations;
}

constexpr std::array decays{std::pair("exponential", decay::exponential), std::pair("gaussian", decay::gaussian),
                            std::pair("linear", decay::linear)};

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The results are float64, which holds every whole number up to this one.
constexpr std::uint64_t largest_id_in_float64 = std::uint64_t{1} << std::numeric_limits<double>::digits;

/// The settings of a reduction. Reads each of them once.
class settings {
 public:
  settings(const digraph& graph, const std::string& text) : graph_(graph) {
    std::vector<std::string> parts = split(text, ':');
    const auto declared = std::ranges::find(declared_reductions(), parts.front(), &declared_reduction::name);
    if (declared == declared_reductions().end()) {
      std::vector<std::string> names;
      for (const declared_reduction& declaration : declared_reductions()) names.emplace_back(declaration.name);
      fail(fmt::format("unknown quantity '{}'{}; expected {}", parts.front(), did_you_mean(parts.front(), names),
                       fmt::join(names, ", ")));
    }
    name_ = declared->name;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::size_t equals = parts[i].find('=');
      const std::string name = parts[i].substr(0, equals);
      if (equals == std::string::npos || std::ranges::count(declared->settings, name) == 0) {
        fail(fmt::format("'{}' is not a setting of {}{}; expected {}", parts[i], name_,
                         did_you_mean(name, declared->settings), declared->help));
      }
      if (!values_.emplace(name, parts[i].substr(equals + 1)).second) fail(fmt::format("{} appears twice", name));
    }
  }

  [[nodiscard]] std::string_view name() const { return name_; }

  [[nodiscard]] std::string text(const std::string& name) const {
    const auto value = values_.find(name);
    if (value == values_.end() || value->second.empty()) fail(fmt::format("{} requires {}", name_, name));
    return value->second;
  }
  [[nodiscard]] double number(const std::string& name) const { return number_of(name, text(name)); }
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    std::vector<double> result;
    for (const std::string& part : split(text(name), ',')) result.push_back(number_of(name, part));
    return result;
  }
  [[nodiscard]] std::size_t whole_number(const std::string& name) const {
    const auto value = whole_number_in(text(name));
    if (!value) fail(fmt::format("{}: '{}' is not a whole number", name, text(name)));
    return *value;
  }
  [[nodiscard]] mlmq::decay decay() const {
    const std::string decay_name = text("decay");
    std::vector<std::string> names;
    for (const auto& [name, value] : decays) {
      if (decay_name == name) return value;
      names.emplace_back(name);
    }
    fail(fmt::format("unknown decay '{}'{}; expected {}", decay_name, did_you_mean(decay_name, names),
                     fmt::join(names, ", ")));
  }
  [[nodiscard]] std::vector<vertex> members() const {
    std::vector<vertex> result = listed_vertices(graph_, "members", text("members"));
    for (const vertex member : result) {
      const std::uint64_t id = graph_.id_of(member);
      if (id > largest_id_in_float64) fail(fmt::format("the id {} is too large for a result of type float64", id));
    }
    return result;
  }
  /// Returns one number per vertex, the sum over the lines of the file; empty without a file.
  [[nodiscard]] std::vector<double> opportunities() const {
    if (!values_.contains("opportunities")) return {};
    const std::string file = text("opportunities");
    std::vector<double> result(graph_.vertex_count(), 0.0);
    for_each_line(fmt::format("opportunities={}", file), file, "numbers", [&](std::span<const std::string> words) {
      const auto amount = words.size() == 2 ? number_in(words[1]) : std::nullopt;
      if (!amount || !(*amount >= 0)) throw input_error("expected the id of a vertex and a number of at least 0");
      result[graph_.vertex_of(words[0])] += *amount;
    });
    return result;
  }

 private:
  [[noreturn]] static void fail(const std::string& message) { throw input_error(message); }
  [[nodiscard]] double number_of(const std::string& name, const std::string& part) const {
    const auto value = number_in(part);
    if (!value) fail(fmt::format("{}: '{}' is not a number", name, part));
    return *value;
  }

  const digraph& graph_;
  std::string_view name_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::string reductions_help() {
  std::vector<std::string_view> forms;
  for (const declared_reduction& declaration : declared_reductions()) forms.push_back(declaration.help);
  return fmt::format("{}", fmt::join(forms, "; "));
}

reduction reduction_in(const digraph& graph, const std::string& text) try {
  const settings values(graph, text);
  if (values.name() == "within") return reduction::within(values.numbers("cutoffs"), values.opportunities());
  if (values.name() == "decayed")
    return reduction::decayed(values.decay(), values.number("scale"), values.opportunities());
  if (values.name() == "histogram") return reduction::histogram(values.numbers("limits"));
  if (values.name() == "nearest") return reduction::nearest(values.members(), values.whole_number("count"));
  return values.name() == "closeness" ? reduction::closeness() : reduction::eccentricity();
} catch (const input_error& error) {
  throw input_error(fmt::format("--reduce {}: {}", text, error.what()));
}

std::pair<std::vector<vertex>, std::vector<vertex>> pairs_in_file(const digraph& graph, const std::string& file) {
  std::pair<std::vector<vertex>, std::vector<vertex>> pairs;
  for_each_line(fmt::format("--pairs {}", file), file, "pairs", [&](std::span<const std::string> words) {
    if (words.size() != 2) throw input_error("expected the ids of two vertices");
    pairs.first.push_back(graph.vertex_of(words[0]));
    pairs.second.push_back(graph.vertex_of(words[1]));
  });
  return pairs;
}

}  // namespace mlmq::cli
