// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/graph_parts.hpp"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "graph/partition.hpp"
#include "problems/parallel_jobs.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

/// Smaller parts cost more in words between blocks than they gain.
constexpr std::size_t vertices_worth_a_part = 256;
constexpr u32 none = 0xFFFFFFFFu;
/// Below, threads cost more than they bring.
constexpr std::size_t vertices_for_threads = 20'000;

bool sums_are_exact(const graph::csr_graph& graph) {
  if (graph.weights() != graph::weight_type::uint32) return false;
  u32 heaviest_of_all = 0;
  for (const u32 weight : graph.weight_bits()) heaviest_of_all = std::max(heaviest_of_all, weight);
  // The heaviest edge into each vertex: no more than the heaviest of all.
  if ((u64{graph.vertex_count()} + 1) * heaviest_of_all < graph::saturated_distance) return true;
  std::vector<u32> heaviest(graph.vertex_count());
  for (graph::edge_offset e = 0; e < graph.edge_count(); ++e) {
    u32& to = heaviest[graph.targets()[e]];
    to = std::max(to, graph.weight_bits()[e]);
  }
  const u64 sum = std::accumulate(heaviest.begin(), heaviest.end(), u64{heaviest_of_all});
  return sum < graph::saturated_distance;
}

/// Fills graph_parts, step by step; within a step each part by itself.
class parts_builder {
 public:
  parts_builder(const graph::csr_graph& graph, graph_parts& made)
      : offsets_(graph.offsets()),
        targets_(graph.targets()),
        weights_(graph.weight_bits()),
        made_(made),
        threads_(graph.vertex_count() < vertices_for_threads ? 1 : 0),
        is_inbox_(graph.vertex_count()),
        outboxes_(made.parts.size()) {}

  void build() {
    sort_by_part();
    each_part([this](u32 part) { number_vertices(part); });
    each_part([this](u32 part) { find_outbox(part); });
    lay_out();
    inbox_word_.resize(is_inbox_.size());
    each_part([this](u32 part) { list_inbox(part); });
    each_part([this](u32 part) { place_arcs(part); });
  }

 private:
  using part_step = std::function<void(u32)>;

  void each_part(const part_step& step) {
    if (threads_ == 1) {
      for (u32 part = 0; part < made_.parts.size(); ++part) step(part);
    } else {
      parallel_jobs(threads_).run(made_.parts.size(),
                                  [&](std::uint64_t part, unsigned) { step(static_cast<u32>(part)); });
    }
  }

  [[nodiscard]] std::span<u32> vertices_of(u32 part) const {
    return std::span(made_.vertices).subspan(made_.parts[part].first_vertex, made_.parts[part].vertices);
  }

  void sort_by_part() {
    for (const u32 part : made_.part_of) ++made_.parts[part].vertices;
    u32 first = 0;
    for (graph_part& part : made_.parts) {
      part.first_vertex = first;
      first += part.vertices;
    }
    made_.vertices.resize(made_.part_of.size());
    std::vector<u32> next;
    for (const graph_part& part : made_.parts) next.push_back(part.first_vertex);
    for (u32 v = 0; v < made_.part_of.size(); ++v) made_.vertices[next[made_.part_of[v]]++] = v;
  }

  /// Breadth-first: neighbours lie near each other.
  void number_vertices(u32 part) {
    const std::span<u32> vertices = vertices_of(part);
    std::vector<u32> order;
    order.reserve(vertices.size());
    const auto place = [&](u32 v) {
      made_.place_of[v] = static_cast<u32>(order.size());
      order.push_back(v);
    };
    std::size_t next = 0;
    for (const u32 first : vertices) {
      if (made_.place_of[first] != none) continue;
      for (place(first); next < order.size(); ++next) {
        const u32 v = order[next];
        for (graph::edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
          const u32 other = targets_[e];
          if (made_.part_of[other] == part && made_.place_of[other] == none) place(other);
        }
      }
    }
    std::copy(order.begin(), order.end(), vertices.begin());
  }

  /// Vertices of other parts that arcs lead to, ascending; and how many slots there are.
  void find_outbox(u32 part) {
    std::vector<u32>& outbox = outboxes_[part];
    std::size_t slots = 0;
    for (const u32 v : vertices_of(part)) {
      slots += slots_of(offsets_[v + 1] - offsets_[v], made_.shape.slot_arcs);
      for (graph::edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
        const u32 other = targets_[e];
        if (made_.part_of[other] == part) continue;
        outbox.push_back(other);
        std::atomic_ref(is_inbox_[other]).store(1, std::memory_order_relaxed);
      }
    }
    std::sort(outbox.begin(), outbox.end());
    outbox.erase(std::unique(outbox.begin(), outbox.end()), outbox.end());
    made_.parts[part].outbox = static_cast<u32>(outbox.size());
    made_.parts[part].slots = static_cast<u32>(slots);
  }

  void lay_out() {
    u32 slots = 0;
    u32 out = 0;
    u32 in = 0;
    for (u32 part = 0; part < made_.parts.size(); ++part) {
      graph_part& piece = made_.parts[part];
      for (const u32 v : vertices_of(part)) piece.inbox += is_inbox_[v];
      piece.first_slot = slots;
      piece.first_out = out;
      piece.first_in = in;
      slots += piece.slots;
      out += piece.outbox;
      in += piece.inbox;
    }
    made_.slot_vertices.resize(slots);
    made_.out_words.resize(out);
    made_.in_vertices.resize(in);
    const std::size_t arcs = std::size_t{slots} * made_.shape.slot_arcs;
    if (made_.shape.packed) {
      made_.packed_arcs.resize(arcs);
      // The number of words that arcs lead to in the largest part.
      for (const graph_part& part : made_.parts) {
        made_.target_bits = std::max(made_.target_bits, static_cast<u32>(std::bit_width(part.vertices + part.outbox)));
      }
    } else {
      made_.arcs.resize(arcs, no_edge);
    }
  }

  void list_inbox(u32 part) {
    u32 word = made_.parts[part].first_in;
    u32 place = 0;
    for (const u32 v : vertices_of(part)) {
      if (is_inbox_[v] != 0) {
        inbox_word_[v] = word;
        made_.in_vertices[word++] = place;
      }
      ++place;
    }
  }

  void place_arcs(u32 part) {
    const graph_part& piece = made_.parts[part];
    const unsigned width = made_.shape.slot_arcs;
    u32 word = piece.first_out;
    for (const u32 v : outboxes_[part]) made_.out_words[word++] = inbox_word_[v];
    u32 slot = 0;
    const auto place = [&](u32 vertex, graph::edge_offset e, graph::edge_offset end) {
      made_.slot_vertices[piece.first_slot + slot] = vertex;
      for (unsigned j = 0; j < width; ++j) place_arc(part, slot, j, vertex, e + j, e + j < end);
      ++slot;
    };
    // First a slot of each vertex, then the others: what a warp looks at lies side by side.
    u32 vertex = 0;
    for (const u32 v : vertices_of(part)) place(vertex++, offsets_[v], offsets_[v + 1]);
    vertex = 0;
    for (const u32 v : vertices_of(part)) {
      for (graph::edge_offset e = offsets_[v] + width; e < offsets_[v + 1]; e += width)
        place(vertex, e, offsets_[v + 1]);
      ++vertex;
    }
  }

  void place_arc(u32 part, u32 slot, unsigned j, u32 vertex, graph::edge_offset e, bool exists) {
    const graph_part& piece = made_.parts[part];
    const std::size_t first = std::size_t{piece.first_slot} * made_.shape.slot_arcs;
    u32 target = vertex;  // a packed arc that does not exist leads back, and changes nothing
    u32 weight = 0;
    if (exists) {
      const u32 other = targets_[e];
      target = made_.place_of[other];
      weight = weights_[e];
      if (made_.part_of[other] != part) {
        const std::vector<u32>& outbox = outboxes_[part];
        const auto at = std::lower_bound(outbox.begin(), outbox.end(), other);
        target = piece.vertices + static_cast<u32>(at - outbox.begin());
      }
    }
    if (!made_.shape.packed) {
      if (exists) made_.arcs[first + std::size_t{j} * piece.slots + slot] = static_cast<u64>(weight) << 32 | target;
      return;
    }
    if (!fits_packed(target, weight, made_.target_bits)) {
      throw backends::launch_error(
          fmt::format("solver partitioned: an arc of weight {} does not fit into 4 bytes beside the {} bits of its "
                      "target: choose arcs=registers",
                      weight, made_.target_bits));
    }
    made_.packed_arcs[first + std::size_t{slot} * made_.shape.slot_arcs + j] =
        pack_arc(target, weight, made_.target_bits);
  }

  std::span<const graph::edge_offset> offsets_;
  std::span<const graph::vertex_id> targets_;
  std::span<const std::uint32_t> weights_;
  graph_parts& made_;
  unsigned threads_;
  std::vector<std::uint8_t> is_inbox_;  ///< other parts have arcs to the vertex
  std::vector<u32> inbox_word_;         ///< of these
  std::vector<std::vector<u32>> outboxes_;
};

}  // namespace

u32 graph_parts::most_slots() const {
  u32 most = 0;
  for (const graph_part& part : parts) most = std::max(most, part.slots);
  return most;
}

u64 graph_parts::shared_bytes() const {
  u64 most = 0;
  for (const graph_part& part : parts) most = std::max(most, part_bytes(part, shape.packed ? shape.slot_arcs : 0));
  return most;
}

graph_parts parts_of(const graph::csr_graph& graph, std::vector<u32> part_of, unsigned parts, const part_shape& shape) {
  if (shape.packed && graph.weights() != graph::weight_type::uint32) {
    throw backends::launch_error("solver partitioned: arcs=shared is for whole weights of 4 bytes");
  }
  graph_parts made;
  made.shape = shape;
  made.has_exact_sums = sums_are_exact(graph);
  made.parts.resize(parts);
  made.part_of = std::move(part_of);
  made.place_of.assign(graph.vertex_count(), none);
  parts_builder(graph, made).build();
  return made;
}

unsigned usual_parts(const graph::csr_graph& graph, const backends::device_info& device) {
  const std::size_t worth = graph.vertex_count() / vertices_worth_a_part;
  return static_cast<unsigned>(std::clamp<std::size_t>(worth, 1, std::max(1U, device.multiprocessors)));
}

std::shared_ptr<const graph_parts> part_store::get(unsigned parts, const part_shape& shape) {
  std::shared_ptr<const graph_parts>& made = known_[{parts, shape}];
  if (made != nullptr) return made;
  if (graph_.edge_count() + graph_.vertex_count() >= std::numeric_limits<std::int32_t>::max()) {
    throw backends::launch_error(fmt::format("solver partitioned: {} edges are too many", graph_.edge_count()));
  }
  const auto offsets = graph_.offsets();
  std::vector<u32> loads(graph_.vertex_count());
  for (std::size_t v = 0; v < loads.size(); ++v) {
    const graph::edge_offset degree = offsets[v + 1] - offsets[v];
    if (degree > longest_row_of_parts) {
      throw backends::launch_error(
          fmt::format("solver partitioned: vertex {} has {} edges, and rows may have {}: graphs with such hubs have no "
                      "parts between "
                      "which few edges lead",
                      v, degree, longest_row_of_parts));
    }
    loads[v] = static_cast<u32>(slots_of(degree, shape.slot_arcs));
  }
  made = std::make_shared<const graph_parts>(parts_of(graph_, graph::partition(graph_, loads, parts), parts, shape));
  return made;
}

}  // namespace mlmq::problems
