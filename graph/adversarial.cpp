// SPDX-License-Identifier: Apache-2.0
#include "graph/adversarial.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"

namespace mlmq::graph {
namespace {

/// Collects edges whose weights have one type.
class edge_writer {
 public:
  explicit edge_writer(weight_type type) { edges_.type = type; }

  void add(vertex_id source, vertex_id target, double weight) {
    edges_.sources.push_back(source);
    edges_.targets.push_back(target);
    switch (edges_.type) {
      case weight_type::uint32:
        return edges_.weight_bits.push_back(static_cast<std::uint32_t>(weight));
      case weight_type::float32:
        return edges_.weight_bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(weight)));
      case weight_type::float64:
        return edges_.wide_weight_bits.push_back(std::bit_cast<std::uint64_t>(weight));
    }
  }
  /// Adds an edge with a random weight: an integer 0 … 100, or for floats a multiple of 1/7.
  void add_random(vertex_id source, vertex_id target) {
    add(source, target, static_cast<double>(random_.below(101)) / (edges_.type == weight_type::uint32 ? 1.0 : 7.0));
  }
  [[nodiscard]] csr_graph graph(vertex_id vertices) const { return build_csr(vertices, edges_); }

 private:
  edge_list edges_;
  random_stream random_{5};
};

}  // namespace

csr_graph with_adversarial_weights(const csr_graph& shape, weight_type type) {
  edge_writer edges(type);
  for (vertex_id v = 0; v < shape.vertex_count(); ++v) {
    for (edge_offset i = shape.offsets()[v]; i < shape.offsets()[v + 1]; ++i) edges.add_random(v, shape.targets()[i]);
  }
  return edges.graph(shape.vertex_count());
}

namespace {

/// Makes six vertices that are joined with each other, and two chains between any two of them: one in both directions,
/// one in one direction. Every third chain has a tree at each vertex. Vertex 0 is in the first chain.
csr_graph make_chains(weight_type type) {
  constexpr vertex_id joined = 6;
  constexpr vertex_id length = 5;
  constexpr vertex_id chains = joined * (joined - 1);
  constexpr vertex_id first_joined = chains * length + chains / 3 * length * 2;
  edge_writer edges(type);
  const auto add_both = [&](vertex_id a, vertex_id b) {
    edges.add_random(a, b);
    edges.add_random(b, a);
  };
  vertex_id next = 0;
  const auto add_chain = [&](vertex_id begin, vertex_id end, bool is_one_way, bool has_trees) {
    const auto add = [&](vertex_id a, vertex_id b) { is_one_way ? edges.add_random(a, b) : add_both(a, b); };
    vertex_id last = begin;
    for (vertex_id i = 0; i < length; ++i) {
      const vertex_id v = next++;
      add(last, v);
      last = v;
      if (!has_trees) continue;
      add_both(v, next);
      edges.add_random(next, next + 1);
      next += 2;
    }
    add(last, end);
  };
  vertex_id chain = 0;
  for (vertex_id a = first_joined; a < first_joined + joined; ++a) {
    for (vertex_id b = first_joined; b < a; ++b) {
      add_both(a, b);
      add_chain(a, b, false, chain++ % 3 == 0);
      add_chain(chain % 4 == 1 ? a : b, chain % 4 == 1 ? b : a, true, chain % 3 == 0);
      ++chain;
    }
  }
  return edges.graph(first_joined + joined);
}

/// Makes two cycles. A search that follows an edge of the other cycle has read past the end of a row.
csr_graph make_components(weight_type type) {
  edge_writer edges(type);
  for (vertex_id v = 0; v < 20; ++v) edges.add(v, (v + 1) % 20, 3);
  for (vertex_id v = 20; v < 50; ++v) edges.add(v, v == 49 ? 20 : v + 1, 5);
  return edges.graph(50);
}

csr_graph make_zero_cycles(weight_type type) {
  edge_writer edges(type);
  constexpr vertex_id size = 8;
  for (vertex_id cycle = 0; cycle < 6; ++cycle) {
    for (vertex_id i = 0; i < size; ++i) edges.add(cycle * size + i, cycle * size + (i + 1) % size, 0);
    if (cycle > 0) {
      edges.add(cycle * size - 3, cycle * size + 2, 1);
      edges.add(cycle * size + 5, cycle * size - 1, 0);
    }
  }
  return edges.graph(6 * size);
}

/// Makes parallel edges of which the shortest is the first, the last or in the middle.
csr_graph make_parallels(weight_type type) {
  edge_writer edges(type);
  for (vertex_id v = 0; v < 20; ++v) {
    edges.add(v, v, v % 2);
    for (vertex_id copy = 0; copy < 40; ++copy) edges.add(v, v + 1, 7 + (copy + v * 13) % 40);
    edges.add(v, v, 9);
  }
  return edges.graph(21);
}

csr_graph make_shortcuts(weight_type type) {
  constexpr vertex_id vertices = 48;
  edge_writer edges(type);
  for (vertex_id source = 0; source < vertices; ++source) {
    for (vertex_id target = vertices - 1; target > source; --target) {
      edges.add(source, target, static_cast<double>((target - source) * (target - source)));
    }
  }
  return edges.graph(vertices);
}

/// @param per_vertex number of vertices that each middle vertex leads to and no other vertex does
csr_graph fan(weight_type type, vertex_id middle, vertex_id per_vertex) {
  edge_writer edges(type);
  const vertex_id sink = middle + 1;
  for (vertex_id v = 1; v <= middle; ++v) {
    edges.add(0, v, v);
    edges.add(v, sink, static_cast<double>(3 * (middle - v)));
    for (vertex_id i = 0; i < per_vertex; ++i) edges.add_random(v, sink + 1 + (v - 1) * per_vertex + i);
  }
  return edges.graph(sink + 1 + middle * per_vertex);
}

csr_graph hub(weight_type type, vertex_id leaves) {
  edge_writer edges(type);
  for (vertex_id v = 1; v <= leaves; ++v) edges.add_random(0, v);
  return edges.graph(leaves + 1);
}

csr_graph make_huge(weight_type type) {
  const bool whole = type == weight_type::uint32;
  edge_writer edges(type);
  for (vertex_id v = 0; v < 3; ++v) edges.add(v, v + 1, whole ? 1431655764.0 : 1.1e38);
  edges.add(3, 4, 1);
  edges.add(4, 5, 1);
  if (!whole) edges.add(0, 6, 3e38);
  edges.add(6, 4, 0);
  if (whole) {
    edges.add(5, 7, largest_weight);
    edges.add(0, 8, largest_weight);
    edges.add(8, 6, 1);
    edges.add(8, 9, 1);
    edges.add(9, 10, 1);
  }
  return edges.graph(11);
}

using graph_maker = csr_graph (*)(weight_type);

struct named_graph {
  std::string_view name;
  graph_maker make;
};

constexpr std::array small_graphs = {
    named_graph{"single", [](weight_type type) { return edge_writer(type).graph(1); }},
    named_graph{"path", [](weight_type type) { return with_adversarial_weights(generate_path(60), type); }},
    named_graph{"star", [](weight_type type) { return with_adversarial_weights(generate_star(301), type); }},
    named_graph{"complete", [](weight_type type) { return with_adversarial_weights(generate_complete(40), type); }},
    named_graph{"components", make_components},
    named_graph{"zero_cycles", make_zero_cycles},
    named_graph{"parallels", make_parallels},
    named_graph{"shortcuts", make_shortcuts},
    named_graph{"fills", [](weight_type type) { return fan(type, adversarial_queue_slots, 0); }},
    named_graph{"overflows", [](weight_type type) { return fan(type, 3 * adversarial_queue_slots + 1, 2); }},
    named_graph{"hub", [](weight_type type) { return hub(type, 2000); }},
    named_graph{"huge", make_huge},
    named_graph{"grid", [](weight_type type) { return with_adversarial_weights(generate_grid2d(12, 12), type); }},
    named_graph{"rmat", [](weight_type type) { return with_adversarial_weights(generate_rmat(7), type); }},
    named_graph{"chains", make_chains},
};
constexpr std::array slow_graphs = {named_graph{"hub100000", [](weight_type type) { return hub(type, 100'000); }}};

template <std::size_t count>
constexpr std::array<std::string_view, count> names_of(const std::array<named_graph, count>& graphs) {
  std::array<std::string_view, count> names;
  for (std::size_t i = 0; i < count; ++i) names[i] = graphs[i].name;
  return names;
}

constexpr auto small_names = names_of(small_graphs);
constexpr auto slow_names = names_of(slow_graphs);

}  // namespace

std::span<const std::string_view> adversarial_names() { return small_names; }

std::span<const std::string_view> slow_adversarial_names() { return slow_names; }

csr_graph adversarial_graph(std::string_view name, weight_type weights) {
  for (const named_graph& candidate : small_graphs) {
    if (candidate.name == name) return candidate.make(weights);
  }
  for (const named_graph& candidate : slow_graphs) {
    if (candidate.name == name) return candidate.make(weights);
  }
  throw input_error(fmt::format("unknown adversarial graph '{}'; known: {}, {}", name, fmt::join(small_names, ", "),
                                fmt::join(slow_names, ", ")));
}

}  // namespace mlmq::graph
