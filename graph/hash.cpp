// SPDX-License-Identifier: Apache-2.0
#include "graph/hash.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>
#include <string>
#include <vector>

#include "base/hash.hpp"

namespace mlmq::graph {

std::string graph_hash(const csr_graph& graph) {
  static_assert(std::endian::native == std::endian::little, "the arrays are hashed as they lie");
  content_hash hash;
  hash.add("mlmq graph 1")
      .add(fmt::format("{} {} {}", graph.vertex_count(), graph.edge_count(), name_of(graph.weights())));
  // The default graph has no offsets, and a graph built without vertices has a single offset 0. Both are the empty
  // graph.
  constexpr std::array<edge_offset, 1> none{0};
  hash.add(std::as_bytes(graph.offsets().empty() ? std::span<const edge_offset>(none) : graph.offsets()));
  hash.add(std::as_bytes(graph.targets()));
  hash.add(graph.weights() == weight_type::float64 ? std::as_bytes(graph.wide_weight_bits())
                                                   : std::as_bytes(graph.weight_bits()));
  // Ids that count from 0 are not hashed, because recorded results have such hashes.
  if (const file_ids& ids = graph.ids(); !ids.count_from(0)) {
    hash.add("ids from " + std::to_string(ids.id_of(0)));
    if (ids.have_gaps()) {
      std::vector<std::uint64_t> words(ids.count());
      for (vertex_id v = 0; v < ids.count(); ++v) words[v] = ids.id_of(v);
      hash.add(std::as_bytes(std::span<const std::uint64_t>(words)));
    }
  }
  // For the same reason, weights that are unchanged from the file add nothing.
  if (graph.negated_weights() > 0) hash.add("absolute weights");
  if (graph.decimal_places()) hash.add(fmt::format("{} decimal places", *graph.decimal_places()));
  return hash.hex();
}

}  // namespace mlmq::graph
