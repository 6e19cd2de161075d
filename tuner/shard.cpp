// SPDX-License-Identifier: Apache-2.0
#include "tuner/shard.hpp"

#include <charconv>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace mlmq::tuner {
namespace {

/// Returns the first 64 of the 128 bits of the hash.
std::uint64_t number(const content_hash& hash) {
  const std::string digits = hash.hex();
  std::uint64_t bits = 0;
  std::from_chars(digits.data(), digits.data() + 16, bits, 16);
  return bits;
}

}  // namespace

bool shard::has(const std::string& workload_hash, const std::string& query,
                const std::string& configuration_hash) const {
  if (is_whole() || divided_by == division::workloads) return true;
  content_hash hash;
  hash.add("shard").add(workload_hash).add(query).add(configuration_hash);
  return number(hash) % count == index - 1;
}

bool shard::has_workload(const std::string& workload_hash) const {
  if (is_whole() || divided_by == division::workloads) return true;
  content_hash hash;
  hash.add("shard").add(workload_hash);
  return number(hash) % count == index - 1;
}

shard parse_shard(std::string_view text, shard::division division) {
  const auto fail = [&] {
    throw input_error("shard '" + std::string(text) +
                      "': expected I/N (part I of N) with 1 <= I <= N <= 1000000, such as 2/8");
  };
  const auto parse = [&](std::string_view digits) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || stop != digits.data() + digits.size()) fail();
    return value;
  };
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) fail();
  const shard part{
      .index = parse(text.substr(0, slash)), .count = parse(text.substr(slash + 1)), .divided_by = division};
  if (part.index < 1 || part.index > part.count || part.count > 1'000'000) fail();
  return part;
}

}  // namespace mlmq::tuner
