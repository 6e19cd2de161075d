// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/parts_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "problems/shortest_paths/solvers/group_layout.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr std::size_t vertices_of_job = 8192;

std::ptrdiff_t to_signed(std::size_t position) { return static_cast<std::ptrdiff_t>(position); }

/// Fills graph_parts in steps; each step handles the parts independently.
class parts_builder {
 public:
  parts_builder(const graph::csr_graph& graph, graph_parts& result, thread_team& team)
      : graph_(graph),
        offsets_(graph.offsets()),
        targets_(graph.targets()),
        weights_(graph.weight_bits()),
        result_(result),
        has_groups_(result.shape.has_groups()),
        team_(team),
        outboxes_(result.parts.size()) {}

  void build() {
    result_.place_of.resize(result_.part_of.size());
    is_inbox_.resize(result_.part_of.size());
    inbox_word_.resize(result_.part_of.size());
    team_.run_blocks(result_.part_of.size(), vertices_of_job, [&](std::size_t, std::size_t begin, std::size_t end) {
      std::fill(result_.place_of.begin() + to_signed(begin), result_.place_of.begin() + to_signed(end), no_vertex);
      std::fill(is_inbox_.begin() + to_signed(begin), is_inbox_.begin() + to_signed(end), std::uint8_t{0});
    });
    sort_by_part();
    if (has_groups_) {
      group_vertices();
    } else {
      each_part([this](u32 part) { number_vertices(part); });
    }
    each_part([this](u32 part) { find_outbox(part); });
    each_part([this](u32 part) { count_inbox(part); });
    lay_out();
    each_part([this](u32 part) { list_inbox(part); });
    each_part([this](u32 part) { place_arcs(part); });
  }

 private:
  template <class Step>
  void each_part(const Step& step) {
    team_.run(result_.parts.size(), [&](std::size_t part) { step(static_cast<u32>(part)); });
  }

  [[nodiscard]] std::span<u32> vertices_of(u32 part) const {
    return std::span(result_.vertices).subspan(result_.parts[part].first_vertex, result_.parts[part].vertices);
  }

  void sort_by_part() {
    const std::size_t n = result_.part_of.size();
    const std::size_t parts = result_.parts.size();
    // For each job and part: the number of vertices, then the position of the first one.
    std::vector<u32> positions((n + vertices_of_job - 1) / vertices_of_job * parts);
    team_.run_blocks(n, vertices_of_job, [&](std::size_t job, std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) ++positions[job * parts + result_.part_of[v]];
    });
    u32 first = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      result_.parts[part].first_vertex = first;
      for (std::size_t i = part; i < positions.size(); i += parts) first += std::exchange(positions[i], first);
      result_.parts[part].vertices = first - result_.parts[part].first_vertex;
    }
    result_.vertices.resize(n);
    team_.run_blocks(n, vertices_of_job, [&](std::size_t job, std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        result_.vertices[positions[job * parts + result_.part_of[v]]++] = static_cast<u32>(v);
      }
    });
  }

  /// Numbers vertices breadth-first, so that neighbours have close numbers.
  void number_vertices(u32 part) {
    const std::span<u32> vertices = vertices_of(part);
    std::vector<u32> order;
    order.reserve(vertices.size());
    const auto place = [&](u32 v) {
      result_.place_of[v] = static_cast<u32>(order.size());
      order.push_back(v);
    };
    std::size_t next = 0;
    for (const u32 first : vertices) {
      if (result_.place_of[first] != no_vertex) continue;
      for (place(first); next < order.size(); ++next) {
        const u32 v = order[next];
        for (graph::edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
          const u32 other = targets_[e];
          if (result_.part_of[other] == part && result_.place_of[other] == no_vertex) place(other);
        }
      }
    }
    std::copy(order.begin(), order.end(), vertices.begin());
  }

  /// Assigns places in groups. Parts grow by empty places and places that continue rows.
  void group_vertices() {
    std::vector<std::vector<u32>> places(result_.parts.size());
    each_part([&](u32 part) {
      places[part] = places_in_groups({.graph = graph_, .part_of = result_.part_of, .place_of = result_.place_of},
                                      vertices_of(part), result_.shape);
    });
    u32 first = 0;
    for (u32 part = 0; part < result_.parts.size(); ++part) {
      result_.parts[part].first_vertex = first;
      result_.parts[part].vertices = static_cast<u32>(places[part].size());
      first += result_.parts[part].vertices;
    }
    result_.vertices.resize(first);
    each_part([&](u32 part) { std::ranges::copy(places[part], vertices_of(part).begin()); });
  }

  /// Finds the targets in other parts, in ascending order, and counts the slots.
  void find_outbox(u32 part) {
    std::vector<u32>& outbox = outboxes_[part];
    std::size_t slots = 0;
    for (const u32 v : vertices_of(part)) {
      if (v == no_vertex) continue;
      slots += slots_of(offsets_[v + 1] - offsets_[v], result_.shape);
      for (graph::edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
        const u32 other = targets_[e];
        if (result_.part_of[other] == part) continue;
        outbox.push_back(other);
        std::atomic_ref(is_inbox_[other]).store(1, std::memory_order_relaxed);
      }
    }
    std::sort(outbox.begin(), outbox.end());
    outbox.erase(std::unique(outbox.begin(), outbox.end()), outbox.end());
    result_.parts[part].outbox = static_cast<u32>(has_groups_ ? whole_groups(outbox.size()) : outbox.size());
    // In groups each place has a slot, even an empty one.
    result_.parts[part].slots = has_groups_ ? result_.parts[part].vertices : static_cast<u32>(slots);
  }

  void count_inbox(u32 part) {
    for (const u32 v : vertices_of(part)) result_.parts[part].inbox += v == no_vertex ? 0 : is_inbox_[v];
  }

  void lay_out() {
    u32 slots = 0;
    u32 out = 0;
    u32 in = 0;
    for (graph_part& piece : result_.parts) {
      piece.first_slot = slots;
      piece.first_out = out;
      piece.first_in = in;
      slots += piece.slots;
      out += piece.outbox;
      in += piece.inbox;
    }
    // In groups, a slot is at the place of its vertex.
    if (!has_groups_) result_.slot_vertices.resize(slots);
    result_.out_words.resize(out);
    result_.in_vertices.resize(in);
    const std::size_t arcs = std::size_t{slots} * result_.shape.slot_arcs;
    if (result_.shape.is_packed()) {
      result_.packed_arcs.resize(arcs);
      // Enough bits for the targets of the largest part.
      for (const graph_part& part : result_.parts) {
        const u32 idle = has_groups_ ? group_places : 0;
        result_.target_bits =
            std::max(result_.target_bits, static_cast<u32>(std::bit_width(part.vertices + part.outbox + idle)));
      }
    } else {
      result_.arcs.resize(arcs);
    }
  }

  void list_inbox(u32 part) {
    u32 word = result_.parts[part].first_in;
    u32 place = 0;
    for (const u32 v : vertices_of(part)) {
      if (v != no_vertex && is_inbox_[v] != 0) {
        inbox_word_[v] = word;
        result_.in_vertices[word++] = place;
      }
      ++place;
    }
  }

  void place_arcs(u32 part) {
    const graph_part& piece = result_.parts[part];
    const unsigned width = result_.shape.slot_arcs;
    u32 word = piece.first_out;
    for (const u32 v : outboxes_[part]) result_.out_words[word++] = inbox_word_[v];
    if (has_groups_) {
      place_rows(part);
      return;
    }
    if (!result_.shape.is_packed()) {
      std::fill_n(result_.arcs.begin() + to_signed(std::size_t{piece.first_slot} * width),
                  std::size_t{piece.slots} * width, no_edge);
    }
    u32 slot = 0;
    const auto place = [&](u32 vertex, graph::edge_offset e, graph::edge_offset end) {
      result_.slot_vertices[piece.first_slot + slot] = vertex;
      for (unsigned j = 0; j < width; ++j) place_arc(part, slot, j, vertex, e + j, e + j < end);
      ++slot;
    };
    // First one slot of each vertex, then the others, so that a warp reads adjacent slots.
    u32 vertex = 0;
    for (const u32 v : vertices_of(part)) place(vertex++, offsets_[v], offsets_[v + 1]);
    vertex = 0;
    for (const u32 v : vertices_of(part)) {
      for (graph::edge_offset e = offsets_[v] + width; e < offsets_[v + 1]; e += width)
        place(vertex, e, offsets_[v + 1]);
      ++vertex;
    }
  }

  void place_rows(u32 part) {
    const graph_part& piece = result_.parts[part];
    const std::size_t width = result_.shape.slot_arcs;
    group_slots slots(std::span(result_.packed_arcs).subspan(piece.first_slot * width, piece.slots * width),
                      result_.shape, piece.vertices + piece.outbox, result_.target_bits);
    std::vector<u32> row;
    for (const u32 v : vertices_of(part)) {
      if (v == no_vertex) continue;
      row.clear();
      for (graph::edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e)
        row.push_back(packed(target_in(part, e), weights_[e]));
      slots.place_row(result_.place_of[v], row);
    }
    if (result_.shape.layout == arc_layout::pulled_groups) slots.pull_arcs();
  }

  void place_arc(u32 part, u32 slot, unsigned j, u32 vertex, graph::edge_offset e, bool exists) {
    const graph_part& piece = result_.parts[part];
    const std::size_t first = std::size_t{piece.first_slot} * result_.shape.slot_arcs;
    if (!result_.shape.is_packed()) {
      if (!exists) return;
      result_.arcs[first + std::size_t{j} * piece.slots + slot] = u64{weights_[e]} << 32 | target_in(part, e);
      return;
    }
    // A missing arc leads back to its vertex and has no effect.
    result_.packed_arcs[first + std::size_t{slot} * result_.shape.slot_arcs + j] =
        exists ? packed(target_in(part, e), weights_[e]) : packed(vertex, 0);
  }

  /// Returns the target of an edge: a place of the part, or a word of its outbox, which follows the places.
  [[nodiscard]] u32 target_in(u32 part, graph::edge_offset e) const {
    const u32 other = targets_[e];
    if (result_.part_of[other] == part) return result_.place_of[other];
    const std::vector<u32>& outbox = outboxes_[part];
    const auto position = std::lower_bound(outbox.begin(), outbox.end(), other);
    return result_.parts[part].vertices + static_cast<u32>(position - outbox.begin());
  }

  [[nodiscard]] u32 packed(u32 target, u32 weight) const {
    if (fits_packed(target, weight, result_.target_bits)) return pack_arc(target, weight, result_.target_bits);
    throw backends::launch_error(
        fmt::format("solver partitioned: an arc of weight {} does not fit into 4 bytes with the {} bits of its "
                    "target: choose {}arcs=registers",
                    weight, result_.target_bits, has_groups_ ? "part_work=sweeps and " : ""));
  }

  const graph::csr_graph& graph_;
  std::span<const graph::edge_offset> offsets_;
  std::span<const graph::vertex_id> targets_;
  std::span<const std::uint32_t> weights_;
  graph_parts& result_;
  bool has_groups_;
  thread_team& team_;
  uninitialized_vector<std::uint8_t> is_inbox_;  ///< whether other parts have arcs to the vertex
  uninitialized_vector<u32> inbox_word_;         ///< inbox word of such a vertex
  std::vector<std::vector<u32>> outboxes_;
};

}  // namespace

void fill_parts(const graph::csr_graph& graph, graph_parts& result, thread_team& team) {
  parts_builder(graph, result, team).build();
}

}  // namespace mlmq::problems
