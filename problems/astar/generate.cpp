// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace mlmq::astar {
namespace {

constexpr std::string_view word = "grid";

[[noreturn]] void refuse(const std::string& text, const std::string& message) {
  throw input_error(fmt::format("'{}' generates no grid: {}", text, message));
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

void read_size(const std::string& text, std::string_view size, recipe& made) {
  const std::size_t times = size.find('x');
  const std::string_view width = size.substr(0, times);
  const std::string_view height = times == std::string_view::npos ? width : size.substr(times + 1);
  if (!read(width, made.width) || !read(height, made.height)) {
    refuse(text, "expected gridN, N x N cells, or gridWxH");
  }
  if (made.width < 1 || made.height < 1 || made.width > longest_side || made.height > longest_side) {
    refuse(text, fmt::format("a side has 1 to {} cells", longest_side));
  }
}

}  // namespace

bool looks_generated(std::string_view text) {
  return text.starts_with(word) && text.size() > word.size() && text[word.size()] >= '0' && text[word.size()] <= '9';
}

recipe recipe_of(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  recipe made;
  if (!parts.front().starts_with(word)) refuse(text, "expected gridN, N x N cells, or gridWxH");
  read_size(text, std::string_view(parts.front()).substr(word.size()), made);
  std::vector<std::string> seen;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
    const std::string name = parts[i].substr(0, equals);
    const std::string_view given = std::string_view(parts[i]).substr(std::min(equals + 1, parts[i].size()));
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) refuse(text, "'" + name + "' is given twice");
    seen.push_back(name);
    if (name == "density") {
      if (!read(given, made.density) || !(made.density >= 0 && made.density <= 4)) refuse(text, "density is 0 to 4");
    } else if (name == "eta") {
      if (!read(given, made.eta) || !(made.eta >= 0.001 && made.eta <= 1000)) refuse(text, "eta is 0.001 to 1000");
    } else if (name == "seed") {
      if (!read(given, made.seed)) refuse(text, "seed is a whole number from 0");
    } else if (name == "corners") {
      if (given != "cut" && given != "none") refuse(text, "corners are cut or none");
      made.corners = corner_rule_from(given);
    } else {
      const std::vector<std::string> known{"density", "eta", "seed", "corners"};
      refuse(text,
             fmt::format("unknown '{}'{}; known are density, eta, seed and corners", name, did_you_mean(name, known)));
    }
  }
  return made;
}

std::string family_of(const recipe& made) {
  const std::string size =
      made.width == made.height ? std::to_string(made.width) : fmt::format("{}x{}", made.width, made.height);
  return fmt::format("grid{}:density={}:eta={}", size, shortest_decimal(made.density), shortest_decimal(made.eta));
}

std::string text_of(const recipe& made) {
  return fmt::format("{}:seed={}:corners={}", family_of(made), made.seed, name_of(made.corners));
}

grid generate(const recipe& made) {
  std::vector<bool> free(std::size_t{made.width} * made.height, true);
  random_stream random{made.width, made.height, std::uint64_t{0x61737461}, made.seed};
  // A side is above k with probability exp(-eta k): one more for every draw that succeeds.
  const std::uint64_t grows = share_of_32_bits(std::exp(-made.eta));
  const auto squares = static_cast<std::uint64_t>(std::floor(made.density * static_cast<double>(free.size())));
  for (std::uint64_t i = 0; i < squares; ++i) {
    const auto column = static_cast<std::uint32_t>(random.below(made.width));
    const auto row = static_cast<std::uint32_t>(random.below(made.height));
    std::uint32_t side = 0;
    while (side < longest_side && (random.next() >> 32) < grows) ++side;
    side = std::max(side, 1U);
    const std::uint32_t last_row = std::min(row + side, made.height);
    const std::uint32_t last_column = std::min(column + side, made.width);
    for (std::uint32_t r = row; r < last_row; ++r) {
      for (std::uint32_t c = column; c < last_column; ++c) free[std::size_t{r} * made.width + c] = false;
    }
  }
  return {made.width, made.height, std::move(free), made.corners};
}

}  // namespace mlmq::astar
