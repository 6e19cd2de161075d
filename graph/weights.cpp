// SPDX-License-Identifier: Apache-2.0
#include "graph/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/thread_team.hpp"
#include "graph/weight_rule.hpp"

namespace mlmq::graph {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns whether a decimal number that from_chars reports as out of range is too small instead of too large. Depends
/// on the position of its first digit other than 0, plus the exponent.
bool is_tiny(std::string_view digits) {
  const auto exponent_at = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, exponent_at);
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const auto first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return true;
  long long exponent = 0;
  if (exponent_at < digits.size()) {
    std::string_view text = digits.substr(exponent_at + 1);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const auto error = std::from_chars(text.data(), text.data() + text.size(), exponent).ec;
    // Larger exponents would overflow below and make no difference, because no line is that long.
    constexpr long long most = std::numeric_limits<int>::max();
    exponent = error == std::errc() ? std::min(exponent, most) : most;
    if (negative) exponent = -exponent;
  }
  return exponent + static_cast<long long>(point) - static_cast<long long>(first) < 0;
}

}  // namespace

std::uint32_t seeded_weight(std::uint64_t seed, vertex_id u, vertex_id v) noexcept {
  return drawn_weight({.distribution = weight_distribution::uniform, .seed = seed}, u, v);
}

void fill_seeded_weights(edge_list& edges, std::uint64_t seed) {
  edges.type = weight_type::uint32;
  edges.weight_bits.resize(edges.size());
  constexpr std::size_t block = std::size_t{1} << 16;
  for_each_block(edges.size(), block, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      edges.weight_bits[i] = seeded_weight(seed, edges.sources[i], edges.targets[i]);
    }
  });
}

bool weight_column::add(std::string_view token, const line_place& place) {
  std::string_view digits = token;
  const bool minus = digits.starts_with('-');
  if (minus || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || !(is_digit(digits[0]) || digits[0] == '.')) {
    // Reject "nan" and "inf" here, because from_chars would accept them.
    const auto lower = static_cast<char>(digits.empty() ? ' ' : digits[0] | 0x20);
    place.fail(lower == 'n' || lower == 'i'
                   ? fmt::format("weight {} is not finite, expected a number", in_quotes(token))
                   : fmt::format("weight {} is not a number", in_quotes(token)));
  }
  const bool integer = std::all_of(digits.begin(), digits.end(), is_digit);
  if (integer && !floats_) {
    const auto number = parse_count(digits);
    if (number && *number <= largest_weight) {
      if (minus && *number > 0) note_negative("weight", token, place);
      bits_.push_back(static_cast<std::uint32_t>(*number));
      return *number == 0;
    }
    // Only the end of the file shows whether this is an error: it is not if a real number occurs.
    too_large_line_ = place.line_number();
    too_large_ = in_quotes(token);
  }
  if (!integer) refuse_real(fmt::format("weight {}", in_quotes(token)), place);
  if (!floats_) become_floats();
  if (!integer) real_ = true;
  // One such number is enough, and parsing takes time.
  if (!rounds_ && !requested_type_) {
    const auto number = parse<double>(token, digits, place);
    rounds_ = static_cast<double>(static_cast<float>(number)) != number;
  }
  const auto keep = [&](auto number, auto& column) {
    if (minus && number > 0) note_negative("weight", token, place);
    column.push_back(std::bit_cast<typename std::remove_reference_t<decltype(column)>::value_type>(number));
    return number == 0;
  };
  return requested_type_ == weight_type::float64 ? keep(parse<double>(token, digits, place), wide_bits_)
                                                 : keep(parse<float>(token, digits, place), bits_);
}

template <class Float>
Float weight_column::parse(std::string_view token, std::string_view digits, const line_place& place) const {
  const char* const end = digits.data() + digits.size();
  Float number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error == std::errc::result_out_of_range && stop == end) {
    number = is_tiny(digits) ? Float{0} : std::numeric_limits<Float>::infinity();
  } else if (error != std::errc() || stop != end) {
    place.fail(fmt::format("weight {} is not a number", in_quotes(token)));
  }
  if (!std::isfinite(number)) {
    place.fail(fmt::format("weight {} is too large for a {}-bit float", in_quotes(token), 8 * sizeof(Float)));
  }
  return number;
}

void weight_column::refuse_real(const std::string& description, const line_place& place) const {
  if (requested_type_ != weight_type::uint32) return;
  place.fail(fmt::format("{} is not a whole number, but weights of type uint32 were requested", description));
}

void weight_column::add_opposite(std::string_view token, const line_place& place) {
  // One of the two weights is negative. If it is the first, add() has handled it.
  if (!token.starts_with('-')) note_negative("the opposite of", token, place);
}

void weight_column::note_negative(std::string_view description, std::string_view token, const line_place& place) {
  if (!absolute_) {
    refuse_negative(
        [&] { place.fail(fmt::format("{} {} is negative; {}", description, in_quotes(token), negative_weight_hint)); });
  }
  ++negated_;
}

void weight_column::become_floats() {
  floats_ = true;
  for (std::uint32_t& bits : bits_) {
    const auto number = static_cast<float>(bits);
    rounds_ = rounds_ || static_cast<double>(number) != static_cast<double>(bits);
    bits = std::bit_cast<std::uint32_t>(number);
  }
}

void weight_column::append(weight_column& following) {
  if (floats_ != following.floats_) (floats_ ? following : *this).become_floats();
  bits_.insert(bits_.end(), following.bits_.begin(), following.bits_.end());
  wide_bits_.insert(wide_bits_.end(), following.wide_bits_.begin(), following.wide_bits_.end());
  negated_ += following.negated_;
  rounds_ = rounds_ || following.rounds_;
  real_ = real_ || following.real_;
}

void weight_column::finish(edge_list& edges, const line_place& place) {
  if (too_large_line_ != 0 && !real_) {
    place.fail_at(too_large_line_,
                  fmt::format("integer weight {} is too large, expected at most {}", too_large_, largest_weight));
  }
  edges.weight_bits = std::move(bits_);
  edges.wide_weight_bits = std::move(wide_bits_);
  edges.type = !floats_                                  ? weight_type::uint32
               : requested_type_ == weight_type::float64 ? weight_type::float64
                                                         : weight_type::float32;
}

}  // namespace mlmq::graph
