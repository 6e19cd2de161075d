// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/reduction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

namespace mlmq::multi_source {
namespace {

/// @param word the distance
std::uint64_t term_of(const reduction& quantity, graph::weight_type type, std::uint64_t value, std::uint64_t word) {
  const double distance = number_of(type, word);
  switch (quantity.kind) {
    case reduction_kind::exponential_sum:
      return reduction_term<reduction_kind::exponential_sum>(value, distance, quantity.rate);
    case reduction_kind::gaussian_sum:
      return reduction_term<reduction_kind::gaussian_sum>(value, distance, quantity.rate);
    case reduction_kind::linear_sum:
      return reduction_term<reduction_kind::linear_sum>(value, distance, quantity.rate);
    case reduction_kind::binned_sums:
    case reduction_kind::distance_sum:
    case reduction_kind::farthest:
    case reduction_kind::nearest:
      break;
  }
  return value;
}

template <class Bits>
void find_nearest(const reduction& quantity, std::span<const Bits> row, std::span<std::uint64_t> words) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> reached;  // distance and index
  for (std::size_t i = 0; i < quantity.vertices.size(); ++i) {
    const Bits distance = row[quantity.vertices[i]];
    if (distance != static_cast<Bits>(~Bits{0})) reached.emplace_back(distance, i);
  }
  const std::size_t count = std::min(reached.size(), quantity.count);
  std::ranges::partial_sort(reached, reached.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = reached[i].first;
    words[quantity.count + i] = reached[i].second;
  }
}

template <class Bits>
void add_distance(graph::weight_type type, Bits distance, std::span<std::uint64_t> words) {
  if (type == graph::weight_type::uint32) {
    words[0] += distance;
  } else {
    const float_digits<Bits> number(distance);
    for (std::size_t k = 0; k < std::size(number.digits); ++k) {
      if (number.digits[k] != 0) words[number.first + k] += number.digits[k];
    }
  }
  ++words.back();
}

template <class Bits>
void reduce(const reduction& quantity, graph::weight_type type, std::span<const Bits> row,
            std::span<std::uint64_t> words) {
  if (quantity.kind == reduction_kind::nearest) return find_nearest(quantity, row, words);
  for (std::size_t i = 0; i < quantity.vertices.size(); ++i) {
    const Bits distance = row[quantity.vertices[i]];
    if (distance == static_cast<Bits>(~Bits{0})) continue;
    if (quantity.kind == reduction_kind::farthest) {
      words[0] = std::max<std::uint64_t>(words[0], distance);
      continue;
    }
    if (quantity.kind == reduction_kind::distance_sum) {
      add_distance(type, distance, words);
      continue;
    }
    const std::uint64_t value = quantity.values.empty() ? 1 : quantity.values[i];
    const std::uint64_t term = term_of(quantity, type, value, distance);
    if (quantity.kind == reduction_kind::binned_sums) {
      const auto limit = std::ranges::lower_bound(quantity.limits, std::uint64_t{distance});
      if (limit != quantity.limits.end()) words[static_cast<std::size_t>(limit - quantity.limits.begin())] += term;
      continue;
    }
    words[0] += term;
  }
}

}  // namespace

std::size_t reduction_width(const reduction& quantity, graph::weight_type type) {
  switch (quantity.kind) {
    case reduction_kind::binned_sums:
      return quantity.limits.size();
    case reduction_kind::distance_sum:
      if (type == graph::weight_type::float32) return float_digits<graph::distance_bits>::count + 1;
      return type == graph::weight_type::float64 ? float_digits<graph::wide_distance_bits>::count + 1 : 2;
    case reduction_kind::nearest:
      return 2 * quantity.count;
    case reduction_kind::exponential_sum:
    case reduction_kind::gaussian_sum:
    case reduction_kind::linear_sum:
    case reduction_kind::farthest:
      break;
  }
  return 1;
}

std::uint64_t first_word(reduction_kind kind) { return kind == reduction_kind::nearest ? no_result : 0; }

double distance_sum_of(graph::weight_type type, std::span<const std::uint64_t> words) {
  if (type == graph::weight_type::uint32) return static_cast<double>(words[0]);
  constexpr int digit_bits = 32;
  int exponent = type == graph::weight_type::float32 ? -149 : -1074;  // of the smallest positive number
  double sum = 0;
  std::uint64_t carry = 0;
  for (const std::uint64_t word : words.first(words.size() - 1)) {
    carry += word & 0xFFFF'FFFF;
    sum += std::ldexp(static_cast<double>(carry & 0xFFFF'FFFF), exponent);
    carry = (carry >> digit_bits) + (word >> digit_bits);
    exponent += digit_bits;
  }
  return sum + std::ldexp(static_cast<double>(carry), exponent);
}

double number_of(graph::weight_type type, std::uint64_t distance) {
  if (type == graph::weight_type::float64) return std::bit_cast<double>(distance);
  const auto narrow = static_cast<std::uint32_t>(distance);
  if (type == graph::weight_type::float32) return static_cast<double>(std::bit_cast<float>(narrow));
  return narrow;
}

void reduce_row(const reduction& quantity, graph::weight_type type, std::span<const graph::distance_bits> row,
                std::span<std::uint64_t> words) {
  reduce(quantity, type, row, words);
}
void reduce_row(const reduction& quantity, graph::weight_type type, std::span<const graph::wide_distance_bits> row,
                std::span<std::uint64_t> words) {
  reduce(quantity, type, row, words);
}

}  // namespace mlmq::multi_source
