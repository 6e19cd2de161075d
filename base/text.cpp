// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <numeric>

namespace mlmq {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : mangled;
}

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string name = nearest_name(word, candidates);
  return name.empty() ? std::string() : "; did you mean '" + name + "'?";
}

std::string did_you_mean_or_closest(std::string_view word, std::span<const std::string> candidates) {
  if (std::string suggestion = did_you_mean(word, candidates); !suggestion.empty() || candidates.empty()) {
    return suggestion;
  }
  constexpr std::size_t most_named = 3;
  std::vector<std::string> closest(candidates.begin(), candidates.end());
  std::ranges::stable_sort(closest, {}, [word](const std::string& name) { return edit_distance(word, name); });
  closest.resize(std::min(closest.size(), most_named));
  std::string text = closest.size() == 1 ? "; the closest name is " : "; the closest names are ";
  for (std::size_t i = 0; i < closest.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == closest.size() ? " and " : ", ") + closest[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  const auto trimmed = [](std::string_view piece) {
    const auto first = piece.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return std::string();
    return std::string(piece.substr(first, piece.find_last_not_of(" \t\r\n") - first + 1));
  };
  std::vector<std::string> pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string shortest_decimal(double number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return std::string(buffer.data(), end);
}

}  // namespace mlmq
