// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "graph/builder.hpp"
#include "graph/classify.hpp"
#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/weight_rule.hpp"

namespace mlmq::graph {
namespace {

/// What the numbers after a kind's name mean.
enum class size_unit { log2_vertices, vertices, side };

struct kind_traits {
  std::string name;
  size_unit unit;
  std::string graph_class;  ///< empty: from the features
  bool has_positions;       ///< edges have lengths
  std::vector<std::string> options;
};

const std::vector<kind_traits>& all_kinds() {
  using enum size_unit;
  static const std::vector<kind_traits> kinds{
      {"road", log2_vertices, "road", true, {}},
      {"del", log2_vertices, "mesh", true, {}},
      {"rmat", log2_vertices, "power_law", false, {"edge_factor", "a", "b", "c", "undirected"}},
      {"power", log2_vertices, "power_law", false, {"degree", "exponent"}},
      {"lattice", log2_vertices, "mesh", true, {"dims", "diagonals", "torus", "unknowns"}},
      {"small", log2_vertices, "mesh", true, {"neighbours", "rewired"}},
      {"circuit", log2_vertices, "mesh", true, {"rent", "fanout", "hubs"}},
      {"logic", log2_vertices, "", false, {"fanin", "window", "far", "undirected"}},
      {"community", log2_vertices, "", false, {"degree", "largest", "mixing"}},
      {"web", log2_vertices, "power_law", false, {"degree", "copied", "remote", "undirected"}},
      {"path", vertices, "", false, {}},
      {"cycle", vertices, "", false, {}},
      {"star", vertices, "", false, {}},
      {"complete", vertices, "", false, {}},
      {"grid", side, "mesh", false, {}},
  };
  return kinds;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const kind_traits& kind : all_kinds()) names.push_back(kind.name);
  return names;
}

/// Options that all kinds have. The last three make variants of one graph.
constexpr const char* seed_option = "seed";
constexpr std::array variant_options{"weights", "weight_seed", "shuffle"};

std::vector<std::string> options_of(const kind_traits& kind) {
  std::vector<std::string> names{seed_option};
  names.insert(names.end(), kind.options.begin(), kind.options.end());
  names.insert(names.end(), variant_options.begin(), variant_options.end());
  return names;
}

/// A specification taken apart: "power14:degree=8" is kind "power", size 14, degree 8.
struct request {
  std::string_view text;
  const kind_traits* kind = nullptr;
  std::uint32_t size = 0;
  std::string family;  ///< the text without variant_options
  std::uint64_t seed = 1;
  std::uint32_t edge_factor = 8;
  rmat_shape rmat;
  double degree = 16;
  double exponent = 2.2;
  lattice_shape lattice;
  std::uint32_t neighbours = 8;
  double rewired = 0.05;
  circuit_shape circuit;
  logic_shape logic;
  community_shape community;
  web_shape web;
  std::string weights = "own";
  std::optional<std::uint64_t> weight_seed;
  bool shuffle = false;

  [[nodiscard]] bool is(std::string_view name) const { return kind->name == name; }
  /// Every edge is listed once while the graph is made, not only one of each two directions.
  [[nodiscard]] bool lists_all_edges() const {
    return is("power") || (is("rmat") && !rmat.undirected) || (is("logic") && !logic.undirected) ||
           (is("web") && !web.undirected);
  }
  [[nodiscard]] bool lengths() const { return weights == "length"; }
  [[nodiscard]] bool draws_weights() const { return weights != "own" && weights != "length"; }
};

/// Options that several kinds have, each its own.
template <class Request>
auto& degree_of(Request& wanted) {
  return wanted.is("community") ? wanted.community.degree : wanted.is("web") ? wanted.web.degree : wanted.degree;
}
bool& undirected_of(request& wanted) {
  return wanted.is("logic") ? wanted.logic.undirected
         : wanted.is("web") ? wanted.web.undirected
                            : wanted.rmat.undirected;
}

[[noreturn]] void fail(std::string_view specification, std::string_view message) {
  throw input_error(fmt::format("generated graph '{}': {}", specification, message));
}

template <class T>
void parse(T& number, std::string_view text, std::string_view what, std::string_view specification) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "0" && text != "1") fail(specification, fmt::format("{} '{}', expected 0 or 1", what, text));
    number = text == "1";
  } else {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end) {
      fail(specification, fmt::format("{} '{}' is not a number in range", what, text));
    }
  }
}

void set_weights(request& wanted, std::string_view value) {
  std::vector<std::string> known{"own"};
  if (wanted.kind->has_positions) known.emplace_back("length");
  const auto& drawn = weight_distribution_names();
  known.insert(known.end(), drawn.begin(), drawn.end());
  if (std::find(known.begin(), known.end(), value) == known.end()) {
    fail(wanted.text, fmt::format("weights '{}' are not known for '{}', expected {}{}", value, wanted.kind->name,
                                  fmt::join(known, ", "), did_you_mean(value, known)));
  }
  wanted.weights = value;
}

void set_option(request& wanted, const std::string& piece) {
  const auto equals = piece.find('=');
  const std::string key = piece.substr(0, equals);
  const std::vector<std::string> known = options_of(*wanted.kind);
  if (std::find(known.begin(), known.end(), key) == known.end()) {
    fail(wanted.text, fmt::format("'{}' is no option of '{}', expected {}{}", key, wanted.kind->name,
                                  fmt::join(known, ", "), did_you_mean(key, known)));
  }
  if (equals == std::string::npos) {
    fail(wanted.text,
         fmt::format("option '{}' has no value, expected '{}={}'", key, key, key == "weights" ? "NAME" : "NUMBER"));
  }
  const std::string_view value = std::string_view(piece).substr(equals + 1);
  const auto read = [&](auto& number) { parse(number, value, key, wanted.text); };
  if (key == seed_option) read(wanted.seed);
  if (key == "edge_factor") read(wanted.edge_factor);
  if (key == "a") read(wanted.rmat.a);
  if (key == "b") read(wanted.rmat.b);
  if (key == "c") read(wanted.rmat.c);
  if (key == "undirected") read(undirected_of(wanted));
  if (key == "degree") read(degree_of(wanted));
  if (key == "exponent") read(wanted.exponent);
  if (key == "dims") read(wanted.lattice.dimensions);
  if (key == "diagonals") read(wanted.lattice.diagonals);
  if (key == "torus") read(wanted.lattice.torus);
  if (key == "unknowns") read(wanted.lattice.unknowns);
  if (key == "neighbours") read(wanted.neighbours);
  if (key == "rewired") read(wanted.rewired);
  if (key == "rent") read(wanted.circuit.rent);
  if (key == "fanout") read(wanted.circuit.fanout);
  if (key == "hubs") read(wanted.circuit.hubs);
  if (key == "fanin") read(wanted.logic.fanin);
  if (key == "window") read(wanted.logic.window);
  if (key == "far") read(wanted.logic.far);
  if (key == "largest") read(wanted.community.largest);
  if (key == "mixing") read(wanted.community.mixing);
  if (key == "copied") read(wanted.web.copied);
  if (key == "remote") read(wanted.web.remote);
  if (key == "weights") set_weights(wanted, value);
  if (key == "weight_seed") read(wanted.weight_seed.emplace());
  if (key == "shuffle") read(wanted.shuffle);
  if (std::find(variant_options.begin(), variant_options.end(), key) == variant_options.end()) {
    wanted.family += ":" + piece;
  }
}

request parse_request(std::string_view specification) {
  request wanted;
  wanted.text = specification;
  const std::vector<std::string> pieces = split(specification, ':');
  const std::string& head = pieces.front();
  const auto digits = std::min(head.find_first_of("0123456789"), head.size());
  const std::string kind = head.substr(0, digits);
  const auto found =
      std::find_if(all_kinds().begin(), all_kinds().end(), [&](const kind_traits& one) { return one.name == kind; });
  if (found == all_kinds().end()) {
    const std::vector<std::string> names = kind_names();
    fail(specification, fmt::format("'{}' is not known, expected one of {} followed by a number, or the name of a "
                                    "graph file{}",
                                    kind, fmt::join(names, ", "), did_you_mean(kind, names)));
  }
  wanted.kind = &*found;
  wanted.family = head;
  const std::string_view size = std::string_view(head).substr(digits);
  if (size.empty()) {
    fail(specification, fmt::format("size '' is not a number, expected one as in '{}9'", head));
  }
  parse(wanted.size, size, "size", specification);
  std::set<std::string> given;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    set_option(wanted, pieces[i]);
    const std::string key = pieces[i].substr(0, pieces[i].find('='));
    if (!given.insert(key).second) fail(specification, fmt::format("option '{}' twice", key));
  }
  if (wanted.weight_seed && !wanted.draws_weights()) {
    fail(specification, fmt::format("weight_seed goes with weights that are drawn ({}); these are '{}'",
                                    fmt::join(weight_distribution_names(), ", "), wanted.weights));
  }
  return wanted;
}

vertex_id power_of_two(const request& wanted, unsigned largest) {
  if (wanted.size < 1 || wanted.size > largest) {
    fail(wanted.text, fmt::format("size {}, expected 1 to {}", wanted.size, largest));
  }
  return vertex_id{1} << wanted.size;
}

/// Vertices (at most) and edges (about). None where a number is out of range, which make() names.
std::optional<generated_size> size_of(const request& wanted) {
  const std::uint64_t size = wanted.size;
  if (wanted.kind->unit == size_unit::log2_vertices && size > 30) return std::nullopt;
  std::uint64_t vertices = wanted.kind->unit == size_unit::log2_vertices ? std::uint64_t{1} << size
                           : wanted.kind->unit == size_unit::side        ? size * size
                                                                         : size;
  if (wanted.is("lattice")) vertices *= wanted.lattice.unknowns;
  if (vertices > 0xFFFFFFFEu) return std::nullopt;
  double degree = 2;
  if (wanted.is("road")) degree = 2.9;
  if (wanted.is("rmat")) degree = (wanted.rmat.undirected ? 2.0 : 1.0) * wanted.edge_factor;
  if (wanted.is("power") || wanted.is("community") || wanted.is("web")) {
    degree = degree_of(wanted);
    if (!(degree > 0 && degree < static_cast<double>(vertices))) return std::nullopt;
    if (wanted.is("web") && wanted.web.undirected) degree *= 2;
  }
  if (wanted.is("del")) degree = 6;
  if (wanted.is("lattice")) {
    const bool flat = wanted.lattice.dimensions == 2;
    degree = wanted.lattice.diagonals ? (flat ? 8 : 26) : (flat ? 4 : 6);
    degree = (degree + 1) * wanted.lattice.unknowns - 1;
  }
  if (wanted.is("small")) degree = wanted.neighbours;
  if (wanted.is("circuit")) degree = 2 * wanted.circuit.fanout + 0.2;
  if (wanted.is("logic")) degree = (wanted.logic.undirected ? 2.0 : 1.0) * wanted.logic.fanin;
  if (wanted.is("grid")) degree = 4;
  if (wanted.is("complete")) degree = static_cast<double>(size);
  // Options are not checked yet: a degree may be anything.
  constexpr double most_edges = 1e18;
  const double edges = static_cast<double>(vertices) * degree;
  return generated_size{.graph_class = wanted.kind->graph_class.empty() ? "mesh" : wanted.kind->graph_class,
                        .vertices = vertices,
                        .edges = edges > 0 ? static_cast<std::uint64_t>(std::min(edges, most_edges)) : 0};
}

/// Few characters can ask for more than any machine has. Sizes out of range are left to make().
void check_memory_for(const request& wanted) {
  const std::optional<generated_size> size = size_of(wanted);
  if (!size) return;
  // Rows, a list of half or all edges, and what drawing weights or another order copies.
  const double listed = wanted.lists_all_edges() ? 12 : 6;
  const double copied = wanted.shuffle ? 12 : wanted.draws_weights() ? 4 : 0;
  check_memory(size->vertices, size->edges, 8 + listed + copied);
}

csr_graph make(const request& wanted) {
  const bool lengths = wanted.lengths();
  if (wanted.is("road")) return generate_road(wanted.size, wanted.seed, lengths);
  if (wanted.is("del")) return generate_delaunay(power_of_two(wanted, 28), wanted.seed);
  if (wanted.is("rmat")) return generate_rmat(wanted.size, wanted.edge_factor, wanted.seed, wanted.rmat);
  if (wanted.is("power")) {
    return generate_power_law(power_of_two(wanted, 30), wanted.degree, wanted.exponent, wanted.seed);
  }
  if (wanted.is("lattice")) return generate_lattice(wanted.size, wanted.lattice, wanted.seed, lengths);
  if (wanted.is("small")) {
    return generate_small_world(power_of_two(wanted, 30), wanted.neighbours, wanted.rewired, wanted.seed, lengths);
  }
  if (wanted.is("circuit")) return generate_circuit(wanted.size, wanted.circuit, wanted.seed, lengths);
  if (wanted.is("logic")) return generate_logic(wanted.size, wanted.logic, wanted.seed);
  if (wanted.is("community")) return generate_community(wanted.size, wanted.community, wanted.seed);
  if (wanted.is("web")) return generate_web(wanted.size, wanted.web, wanted.seed);
  if (wanted.is("path")) return generate_path(wanted.size);
  if (wanted.is("cycle")) return generate_cycle(wanted.size);
  if (wanted.is("star")) return generate_star(wanted.size);
  if (wanted.is("complete")) return generate_complete(wanted.size);
  return generate_grid2d(wanted.size, wanted.size);
}

csr_graph make_variant(const request& wanted) {
  csr_graph graph = make(wanted);
  if (wanted.draws_weights()) {
    graph = with_drawn_weights(graph, {.distribution = weight_distribution_from(wanted.weights),
                                       .seed = wanted.weight_seed.value_or(wanted.seed)});
  }
  return wanted.shuffle ? with_shuffled_vertices(graph, wanted.seed) : graph;
}

vertex_id vertex_with_most_edges(const csr_graph& graph) {
  vertex_id best = 0;
  edge_offset most = 0;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const edge_offset degree = graph.offsets()[v + std::size_t{1}] - graph.offsets()[v];
    if (degree > most) {
      most = degree;
      best = v;
    }
  }
  return best;
}

}  // namespace

csr_graph with_shuffled_vertices(const csr_graph& graph, std::uint64_t seed) {
  random_stream random({0x73687566 /* shuf */, graph.vertex_count(), seed});
  std::vector<vertex_id> number(graph.vertex_count());
  std::iota(number.begin(), number.end(), vertex_id{0});
  shuffle(number, random);
  edge_list edges;
  edges.type = graph.weights();
  edges.sources.reserve(graph.edge_count());
  edges.targets.reserve(graph.edge_count());
  if (graph.weights() == weight_type::float64) {
    edges.wide_weight_bits.assign(graph.wide_weight_bits().begin(), graph.wide_weight_bits().end());
  } else {
    edges.weight_bits.assign(graph.weight_bits().begin(), graph.weight_bits().end());
  }
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (edge_offset i = graph.offsets()[u]; i < graph.offsets()[u + std::size_t{1}]; ++i) {
      edges.sources.push_back(number[u]);
      edges.targets.push_back(number[graph.targets()[i]]);
    }
  }
  return build_csr(graph.vertex_count(), edges, {.sort_rows = true});
}

generated_graph generate_named(std::string_view specification) {
  const request wanted = parse_request(specification);
  generated_graph made;
  try {
    check_memory_for(wanted);
    made.graph = make_variant(wanted);
  } catch (const input_error& error) {
    fail(specification, error.what());
  }
  made.name = std::string(specification);
  made.graph_class =
      wanted.kind->graph_class.empty() ? graph_class(compute_features(made.graph)) : wanted.kind->graph_class;
  // Of a network of logic the gate with most readers reaches only what comes after it; 0 reaches all.
  if (made.graph_class == "power_law" && !wanted.is("logic")) made.source = vertex_with_most_edges(made.graph);
  return made;
}

generated_size expected_size(std::string_view specification) {
  const request wanted = parse_request(specification);
  const std::optional<generated_size> size = size_of(wanted);
  if (!size && wanted.kind->unit == size_unit::log2_vertices && wanted.size > 30) {
    const int least = wanted.is("road") || wanted.is("circuit") || wanted.is("community") ? 2 : 1;
    fail(specification, fmt::format("log2 of the vertices is {}, expected {} to 30", wanted.size, least));
  }
  if (!size) fail(specification, "a size or degree out of range");
  return *size;
}

std::string family_of_generated(std::string_view specification) { return parse_request(specification).family; }

bool is_generator_name(std::string_view name) {
  const std::string_view kind = name.substr(0, name.find_first_of("0123456789:"));
  return std::any_of(all_kinds().begin(), all_kinds().end(), [&](const kind_traits& one) { return one.name == kind; });
}

bool looks_like_file(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.substr(0, name.find(':')).find('.') != std::string_view::npos;
}

}  // namespace mlmq::graph
