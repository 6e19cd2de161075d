// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/graph_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "graph/partition.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

/// Fewer are not worth a block: their distances would cross into other parts all the time.
constexpr std::size_t vertices_worth_a_part = 128;

/// The vertices of each part. Neighbours get neighbouring places: a warp then has many vertices whose distances fall together.
std::vector<std::vector<u32>> places(const graph::csr_graph& graph, std::span<const u32> part_of, unsigned parts) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  std::vector<std::vector<u32>> all(parts);
  std::vector<bool> is_placed(graph.vertex_count());
  for (u32 first = 0; first < graph.vertex_count(); ++first) {
    if (is_placed[first]) continue;
    std::vector<u32>& of_part = all[part_of[first]];
    std::size_t next = of_part.size();
    of_part.push_back(first);
    is_placed[first] = true;
    for (; next < of_part.size(); ++next) {
      const u32 v = of_part[next];
      for (graph::edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
        const u32 other = targets[e];
        if (part_of[other] != part_of[first] || is_placed[other]) continue;
        is_placed[other] = true;
        of_part.push_back(other);
      }
    }
  }
  return all;
}

/// Slots of a row.
std::size_t slots_of(std::size_t degree, unsigned slot_arcs) {
  return std::max<std::size_t>(1, (degree + slot_arcs - 1) / slot_arcs);
}

/// Makes the pieces of one part after the other.
class part_builder {
 public:
  part_builder(const graph::csr_graph& graph, graph_parts& made, std::span<const u32> inbox_word)
      : offsets_(graph.offsets()),
        targets_(graph.targets()),
        weights_(graph.weight_bits()),
        made_(made),
        inbox_word_(inbox_word) {}

  void add(u32 part, const std::vector<u32>& vertices) {
    graph_part& piece = made_.parts[part];
    piece.vertices = static_cast<u32>(vertices.size());
    piece.first_vertex = static_cast<u32>(made_.vertices.size());
    piece.first_slot = static_cast<u32>(made_.slot_vertices.size());
    piece.first_out = static_cast<u32>(made_.out_words.size());
    find_outbox(part, vertices);
    piece.outbox = static_cast<u32>(outbox_.size());
    made_.vertices.insert(made_.vertices.end(), vertices.begin(), vertices.end());
    made_.out_words.insert(made_.out_words.end(), outbox_.begin(), outbox_.end());

    const std::size_t first_slot = made_.slot_vertices.size();
    std::size_t slots = 0;
    for (const u32 v : vertices) slots += slots_of(offsets_[v + 1] - offsets_[v], made_.slot_arcs);
    piece.slots = static_cast<u32>(slots);
    made_.slot_vertices.reserve(first_slot + slots);
    const std::size_t first_arc = made_.arcs.size();
    made_.arcs.resize(first_arc + slots * made_.slot_arcs, no_edge);
    // First a slot of each vertex, then the others: what a warp looks at lies side by side.
    for (const bool is_first : {true, false}) {
      for (std::size_t place = 0; place < vertices.size(); ++place) {
        const u32 v = vertices[place];
        graph::edge_offset e = offsets_[v];
        const graph::edge_offset end = offsets_[v + 1];
        if (!is_first) e = std::min(end, e + made_.slot_arcs);
        const graph::edge_offset stop = is_first ? std::min(end, e + made_.slot_arcs) : end;
        if (!is_first && e == stop) continue;
        do {
          const std::size_t slot = made_.slot_vertices.size() - first_slot;
          made_.slot_vertices.push_back(static_cast<u32>(place));
          for (unsigned j = 0; j < made_.slot_arcs && e < stop; ++j, ++e) {
            made_.arcs[first_arc + j * slots + slot] = arc(part, piece.vertices, e);
          }
        } while (e < stop);
      }
    }
  }

 private:
  void find_outbox(u32 part, const std::vector<u32>& vertices) {
    outbox_.clear();
    for (const u32 v : vertices) {
      for (graph::edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
        if (made_.part_of[targets_[e]] != part) outbox_.push_back(inbox_word_[targets_[e]]);
      }
    }
    std::sort(outbox_.begin(), outbox_.end());
    outbox_.erase(std::unique(outbox_.begin(), outbox_.end()), outbox_.end());
  }

  [[nodiscard]] u64 arc(u32 part, u32 vertices, graph::edge_offset e) const {
    const u32 target = targets_[e];
    u32 number = made_.place_of[target];
    if (made_.part_of[target] != part) {
      const auto at = std::lower_bound(outbox_.begin(), outbox_.end(), inbox_word_[target]);
      number = vertices + static_cast<u32>(at - outbox_.begin());
    }
    return static_cast<u64>(weights_[e]) << 32 | number;
  }

  std::span<const graph::edge_offset> offsets_;
  std::span<const graph::vertex_id> targets_;
  std::span<const std::uint32_t> weights_;
  graph_parts& made_;
  std::span<const u32> inbox_word_;
  std::vector<u32> outbox_;  // of the part at hand: the inbox words that it sends to
};

/// A path without circles enters each vertex once.
bool sums_are_exact(const graph::csr_graph& graph) {
  if (graph.weights() != graph::weight_type::uint32) return false;
  std::vector<u32> heaviest(graph.vertex_count());
  u32 heaviest_of_all = 0;
  for (graph::edge_offset e = 0; e < graph.edge_count(); ++e) {
    u32& to = heaviest[graph.targets()[e]];
    to = std::max(to, graph.weight_bits()[e]);
    heaviest_of_all = std::max(heaviest_of_all, to);
  }
  u64 sum = heaviest_of_all;
  for (const u32 one : heaviest) sum += one;
  return sum < graph::saturated_distance;
}

}  // namespace

u32 graph_parts::most_slots() const {
  u32 most = 0;
  for (const graph_part& part : parts) most = std::max(most, part.slots);
  return most;
}

u64 graph_parts::shared_bytes() const {
  u64 most = 0;
  for (const graph_part& part : parts) most = std::max(most, part_bytes(part));
  return most;
}

graph_parts parts_of(const graph::csr_graph& graph, std::vector<u32> part_of, unsigned parts, unsigned slot_arcs) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const std::size_t n = graph.vertex_count();
  graph_parts made;
  made.slot_arcs = slot_arcs;
  made.has_exact_sums = sums_are_exact(graph);
  made.parts.resize(parts);
  made.part_of = std::move(part_of);
  made.place_of.resize(n);
  const std::vector<std::vector<u32>> vertices = places(graph, made.part_of, parts);
  for (const std::vector<u32>& of_part : vertices) {
    for (std::size_t place = 0; place < of_part.size(); ++place)
      made.place_of[of_part[place]] = static_cast<u32>(place);
  }
  // Vertices that other parts have arcs to.
  constexpr u32 none = 0xFFFFFFFFu;
  std::vector<u32> inbox_word(n, none);
  for (std::size_t v = 0; v < n; ++v) {
    for (graph::edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
      if (made.part_of[targets[e]] != made.part_of[v]) inbox_word[targets[e]] = 0;
    }
  }
  for (u32 part = 0; part < parts; ++part) {
    made.parts[part].first_in = static_cast<u32>(made.in_vertices.size());
    for (std::size_t place = 0; place < vertices[part].size(); ++place) {
      if (inbox_word[vertices[part][place]] == none) continue;
      inbox_word[vertices[part][place]] = static_cast<u32>(made.in_vertices.size());
      made.in_vertices.push_back(static_cast<u32>(place));
    }
    made.parts[part].inbox = static_cast<u32>(made.in_vertices.size()) - made.parts[part].first_in;
  }
  part_builder builder(graph, made, inbox_word);
  for (u32 part = 0; part < parts; ++part) builder.add(part, vertices[part]);
  return made;
}

unsigned usual_parts(const graph::csr_graph& graph, const backends::device_info& device) {
  const std::size_t worth = graph.vertex_count() / vertices_worth_a_part;
  return static_cast<unsigned>(std::clamp<std::size_t>(worth, 1, std::max(1U, device.multiprocessors)));
}

std::shared_ptr<const graph_parts> part_store::get(unsigned parts, unsigned slot_arcs) {
  std::shared_ptr<const graph_parts>& made = known_[{parts, slot_arcs}];
  if (made != nullptr) return made;
  if (graph_.edge_count() + graph_.vertex_count() >= std::numeric_limits<std::int32_t>::max()) {
    throw backends::launch_error(fmt::format("solver partitioned: {} edges are too many", graph_.edge_count()));
  }
  const auto offsets = graph_.offsets();
  std::vector<u32> loads(graph_.vertex_count());
  for (std::size_t v = 0; v < loads.size(); ++v) {
    loads[v] = static_cast<u32>(slots_of(offsets[v + 1] - offsets[v], slot_arcs));
  }
  made =
      std::make_shared<const graph_parts>(parts_of(graph_, graph::partition(graph_, loads, parts), parts, slot_arcs));
  return made;
}

}  // namespace mlmq::problems
