// SPDX-License-Identifier: Apache-2.0
#include "graph/hierarchy/kept_order.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/code_cache.hpp"
#include "base/hash.hpp"
#include "graph/hierarchy/dissection.hpp"

namespace mlmq::graph {
namespace {

/// Number of vertices from which reading a file is faster than computing the order.
constexpr std::uint64_t least_vertices = 50'000;
constexpr std::uint64_t most_bytes_of_orders = 256'000'000;
/// Part of a change of dissection_order(): older files are not used.
constexpr const char* order_version = "mlmq dissection 3";

std::string order_key(const csr_graph& graph) {
  content_hash hash;
  hash.add(order_version).add(std::as_bytes(graph.offsets())).add(std::as_bytes(graph.targets()));
  return hash.hex();
}

const code_cache& order_cache() {
  static const code_cache cache("orders", ".order", {.most_bytes = most_bytes_of_orders, .is_synced = false});
  return cache;
}

std::string order_to_bytes(std::span<const vertex_id> order) {
  std::string bytes;
  bytes.reserve(4 * order.size());
  for (const vertex_id v : order) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(v >> shift & 0xFF));
  }
  return bytes;
}

/// Returns nothing if these are not `count` different vertices.
std::optional<std::vector<vertex_id>> order_in(const std::string& bytes, std::size_t count) {
  if (bytes.size() != 4 * count) return std::nullopt;
  std::vector<vertex_id> order(count, 0);
  std::vector<bool> is_found(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    for (unsigned byte = 0; byte < 4; ++byte)
      order[i] |= std::uint32_t{static_cast<unsigned char>(bytes[4 * i + byte])} << 8 * byte;
    if (order[i] >= count || is_found[order[i]]) return std::nullopt;
    is_found[order[i]] = true;
  }
  return order;
}

}  // namespace

std::vector<vertex_id> kept_dissection_order(const csr_graph& graph, thread_team& team) {
  if (graph.vertex_count() < least_vertices) return dissection_order(graph, team);
  std::vector<vertex_id> computed;
  const std::string bytes = order_cache()
                                .find_or_make(order_key(graph),
                                              [&] {
                                                computed = dissection_order(graph, team);
                                                return order_to_bytes(computed);
                                              })
                                .bytes;
  if (!computed.empty()) return computed;
  std::optional<std::vector<vertex_id>> order = order_in(bytes, graph.vertex_count());
  return order ? *std::move(order) : dissection_order(graph, team);
}

bool has_kept_order(const csr_graph& graph) {
  return graph.vertex_count() >= least_vertices && order_cache().find(order_key(graph)).has_value();
}

}  // namespace mlmq::graph
