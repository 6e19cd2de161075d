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
  throw input_error(fmt::format("generated grid '{}': {}", text, message));
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

void read_size(const std::string& text, std::string_view size, recipe& settings) {
  const std::size_t times = size.find('x');
  const std::string_view width = size.substr(0, times);
  const std::string_view height = times == std::string_view::npos ? width : size.substr(times + 1);
  if (!read(width, settings.width) || !read(height, settings.height)) {
    refuse(text, "expected gridN (N x N cells) or gridWxH");
  }
  if (settings.width < 1 || settings.height < 1 || settings.width > longest_side || settings.height > longest_side) {
    refuse(text, fmt::format("expected 1 to {} cells per side", longest_side));
  }
}

}  // namespace

bool looks_generated(std::string_view text) {
  return text.starts_with(word) && text.size() > word.size() && text[word.size()] >= '0' && text[word.size()] <= '9';
}

recipe recipe_of(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  recipe settings;
  if (!parts.front().starts_with(word)) refuse(text, "expected gridN (N x N cells) or gridWxH");
  read_size(text, std::string_view(parts.front()).substr(word.size()), settings);
  std::vector<std::string> seen;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
    const std::string name = parts[i].substr(0, equals);
    const std::string_view value = std::string_view(parts[i]).substr(std::min(equals + 1, parts[i].size()));
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) refuse(text, "'" + name + "' is given twice");
    seen.push_back(name);
    if (name == "density") {
      if (!read(value, settings.density) || !(settings.density >= 0 && settings.density <= 4))
        refuse(text, "density must be 0 to 4");
    } else if (name == "eta") {
      if (!read(value, settings.eta) || !(settings.eta >= 0.001 && settings.eta <= 1000))
        refuse(text, "eta must be 0.001 to 1000");
    } else if (name == "seed") {
      if (!read(value, settings.seed)) refuse(text, "seed must be a whole number");
    } else if (name == "corners") {
      if (value != "cut" && value != "none") refuse(text, "corners must be cut or none");
      settings.corners = corner_rule_from(value);
    } else {
      const std::vector<std::string> names{"density", "eta", "seed", "corners"};
      refuse(text,
             fmt::format("unknown option '{}'{}; known: density, eta, seed, corners", name, did_you_mean(name, names)));
    }
  }
  return settings;
}

std::string family_of(const recipe& settings) {
  const std::string size = settings.width == settings.height ? std::to_string(settings.width)
                                                             : fmt::format("{}x{}", settings.width, settings.height);
  return fmt::format("grid{}:density={}:eta={}", size, shortest_decimal(settings.density),
                     shortest_decimal(settings.eta));
}

std::string text_of(const recipe& settings) {
  return fmt::format("{}:seed={}:corners={}", family_of(settings), settings.seed, name_of(settings.corners));
}

grid generate(const recipe& settings) {
  std::vector<bool> free(std::size_t{settings.width} * settings.height, true);
  random_stream random{settings.width, settings.height, std::uint64_t{0x61737461}, settings.seed};
  // A side exceeds k with probability exp(-eta k), so it grows by 1 with each successful draw.
  const std::uint64_t grows = share_of_32_bits(std::exp(-settings.eta));
  const auto squares = static_cast<std::uint64_t>(std::floor(settings.density * static_cast<double>(free.size())));
  for (std::uint64_t i = 0; i < squares; ++i) {
    const auto column = static_cast<std::uint32_t>(random.below(settings.width));
    const auto row = static_cast<std::uint32_t>(random.below(settings.height));
    std::uint32_t side = 0;
    while (side < longest_side && (random.next() >> 32) < grows) ++side;
    side = std::max(side, 1U);
    const std::uint32_t last_row = std::min(row + side, settings.height);
    const std::uint32_t last_column = std::min(column + side, settings.width);
    for (std::uint32_t r = row; r < last_row; ++r) {
      for (std::uint32_t c = column; c < last_column; ++c) free[std::size_t{r} * settings.width + c] = false;
    }
  }
  return {settings.width, settings.height, std::move(free), settings.corners};
}

}  // namespace mlmq::astar
