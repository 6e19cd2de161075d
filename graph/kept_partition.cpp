// SPDX-License-Identifier: Apache-2.0
#include "graph/kept_partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/code_cache.hpp"
#include "base/hash.hpp"
#include "graph/partition.hpp"

namespace mlmq::graph {
namespace {

/// Size of a graph, in vertices and edges, from which reading a file is faster than computing the partition.
constexpr std::uint64_t least_size = 100'000;
constexpr std::uint64_t most_bytes = 64'000'000;
/// Part of a change of partition(): older files are not used.
constexpr const char* algorithm = "mlmq partition 5";

/// Identifies the input of partition().
std::string key_of(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts) {
  content_hash hash;
  hash.add(algorithm).add(fmt::format("{} parts", parts));
  hash.add(std::as_bytes(graph.offsets())).add(std::as_bytes(graph.targets())).add(std::as_bytes(loads));
  return hash.hex();
}

constexpr std::size_t bytes_per_vertex = 2;
constexpr unsigned most_parts = 1U << 8 * bytes_per_vertex;

std::string to_bytes(std::span<const std::uint32_t> part_of) {
  std::string bytes;
  bytes.reserve(bytes_per_vertex * part_of.size());
  for (const std::uint32_t part : part_of) {
    bytes.push_back(static_cast<char>(part & 0xFF));
    bytes.push_back(static_cast<char>(part >> 8));
  }
  return bytes;
}

/// Returns nothing if these are not the parts of `count` vertices.
std::optional<std::vector<std::uint32_t>> parts_in(const std::string& bytes, std::size_t count, unsigned parts) {
  if (bytes.size() != bytes_per_vertex * count) return std::nullopt;
  std::vector<std::uint32_t> part_of(count);
  for (std::size_t v = 0; v < count; ++v) {
    const auto low = static_cast<unsigned char>(bytes[bytes_per_vertex * v]);
    const auto high = static_cast<unsigned char>(bytes[bytes_per_vertex * v + 1]);
    part_of[v] = low | std::uint32_t{high} << 8;
  }
  const bool are_valid = std::ranges::all_of(part_of, [parts](std::uint32_t part) { return part < parts; });
  return are_valid ? std::optional(std::move(part_of)) : std::nullopt;
}

}  // namespace

std::vector<std::uint32_t> kept_partition(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts,
                                          thread_team& team) {
  if (graph.vertex_count() + graph.edge_count() < least_size || parts <= 1 || parts > most_parts) {
    return partition(graph, loads, parts, team);
  }
  static const code_cache cache("parts", ".parts", {.most_bytes = most_bytes, .is_synced = false});
  std::vector<std::uint32_t> computed;
  const std::string bytes = cache
                                .find_or_make(key_of(graph, loads, parts),
                                              [&] {
                                                computed = partition(graph, loads, parts, team);
                                                return to_bytes(computed);
                                              })
                                .bytes;
  if (!computed.empty()) return computed;
  std::optional<std::vector<std::uint32_t>> part_of = parts_in(bytes, loads.size(), parts);
  return part_of ? *std::move(part_of) : partition(graph, loads, parts, team);
}

}  // namespace mlmq::graph
