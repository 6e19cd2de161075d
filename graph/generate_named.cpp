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

/// Meaning of the number after the name of a kind.
enum class size_unit { log2_vertices, vertices, side };

struct kind_traits {
  std::string name;
  size_unit unit;
  std::string graph_class;  ///< empty: determined from the features
  bool has_positions;       ///< vertices have positions, so edges have lengths
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

/// Options of all kinds. The last three create variants of one graph.
constexpr const char* seed_option = "seed";
constexpr std::array variant_options{"weights", "weight_seed", "shuffle"};

std::vector<std::string> options_of(const kind_traits& kind) {
  std::vector<std::string> names{seed_option};
  names.insert(names.end(), kind.options.begin(), kind.options.end());
  names.insert(names.end(), variant_options.begin(), variant_options.end());
  return names;
}

/// A parsed specification: "power14:degree=8" has kind "power", size 14 and degree 8.
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
  /// Returns whether the generator lists each edge in both directions, instead of listing one of the two.
  [[nodiscard]] bool lists_all_edges() const {
    return is("power") || (is("rmat") && !rmat.undirected) || (is("logic") && !logic.undirected) ||
           (is("web") && !web.undirected);
  }
  [[nodiscard]] bool lengths() const { return weights == "length"; }
  [[nodiscard]] bool draws_weights() const { return weights != "own" && weights != "length"; }
};

/// Options that several kinds have, each with its own value.
template <class Request>
auto& degree_of(Request& shape_request) {
  return shape_request.is("community") ? shape_request.community.degree
         : shape_request.is("web")     ? shape_request.web.degree
                                       : shape_request.degree;
}
bool& undirected_of(request& shape_request) {
  return shape_request.is("logic") ? shape_request.logic.undirected
         : shape_request.is("web") ? shape_request.web.undirected
                                   : shape_request.rmat.undirected;
}

[[noreturn]] void fail(std::string_view specification, std::string_view message) {
  throw input_error(fmt::format("generated graph '{}': {}", specification, message));
}

template <class T>
void parse(T& number, std::string_view text, std::string_view description, std::string_view specification) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "0" && text != "1") fail(specification, fmt::format("{} '{}', expected 0 or 1", description, text));
    number = text == "1";
  } else {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end) {
      fail(specification, fmt::format("{} '{}' is not a number in range", description, text));
    }
  }
}

void set_weights(request& graph_request, std::string_view value) {
  std::vector<std::string> valid_values{"own"};
  if (graph_request.kind->has_positions) valid_values.emplace_back("length");
  const auto& drawn = weight_distribution_names();
  valid_values.insert(valid_values.end(), drawn.begin(), drawn.end());
  if (std::find(valid_values.begin(), valid_values.end(), value) == valid_values.end()) {
    fail(graph_request.text,
         fmt::format("unknown weights '{}' for '{}', expected {}{}", value, graph_request.kind->name,
                     fmt::join(valid_values, ", "), did_you_mean(value, valid_values)));
  }
  graph_request.weights = value;
}

void set_option(request& graph_request, const std::string& option) {
  const auto equals = option.find('=');
  const std::string key = option.substr(0, equals);
  const std::vector<std::string> valid_options = options_of(*graph_request.kind);
  if (std::find(valid_options.begin(), valid_options.end(), key) == valid_options.end()) {
    fail(graph_request.text, fmt::format("unknown option '{}' of '{}', expected {}{}", key, graph_request.kind->name,
                                         fmt::join(valid_options, ", "), did_you_mean(key, valid_options)));
  }
  if (equals == std::string::npos) {
    fail(graph_request.text,
         fmt::format("option '{}' has no value, expected '{}={}'", key, key, key == "weights" ? "NAME" : "NUMBER"));
  }
  const std::string_view value = std::string_view(option).substr(equals + 1);
  const auto read = [&](auto& number) { parse(number, value, key, graph_request.text); };
  if (key == seed_option) read(graph_request.seed);
  if (key == "edge_factor") read(graph_request.edge_factor);
  if (key == "a") read(graph_request.rmat.a);
  if (key == "b") read(graph_request.rmat.b);
  if (key == "c") read(graph_request.rmat.c);
  if (key == "undirected") read(undirected_of(graph_request));
  if (key == "degree") read(degree_of(graph_request));
  if (key == "exponent") read(graph_request.exponent);
  if (key == "dims") read(graph_request.lattice.dimensions);
  if (key == "diagonals") read(graph_request.lattice.diagonals);
  if (key == "torus") read(graph_request.lattice.torus);
  if (key == "unknowns") read(graph_request.lattice.unknowns);
  if (key == "neighbours") read(graph_request.neighbours);
  if (key == "rewired") read(graph_request.rewired);
  if (key == "rent") read(graph_request.circuit.rent);
  if (key == "fanout") read(graph_request.circuit.fanout);
  if (key == "hubs") read(graph_request.circuit.hubs);
  if (key == "fanin") read(graph_request.logic.fanin);
  if (key == "window") read(graph_request.logic.window);
  if (key == "far") read(graph_request.logic.far);
  if (key == "largest") read(graph_request.community.largest);
  if (key == "mixing") read(graph_request.community.mixing);
  if (key == "copied") read(graph_request.web.copied);
  if (key == "remote") read(graph_request.web.remote);
  if (key == "weights") set_weights(graph_request, value);
  if (key == "weight_seed") read(graph_request.weight_seed.emplace());
  if (key == "shuffle") read(graph_request.shuffle);
  if (std::find(variant_options.begin(), variant_options.end(), key) == variant_options.end()) {
    graph_request.family += ":" + option;
  }
}

request parse_request(std::string_view specification) {
  request graph_request;
  graph_request.text = specification;
  const std::vector<std::string> pieces = split(specification, ':');
  const std::string& head = pieces.front();
  const auto digits = std::min(head.find_first_of("0123456789"), head.size());
  const std::string kind = head.substr(0, digits);
  const auto match = std::find_if(all_kinds().begin(), all_kinds().end(),
                                  [&](const kind_traits& traits) { return traits.name == kind; });
  if (match == all_kinds().end()) {
    const std::vector<std::string> names = kind_names();
    fail(specification,
         fmt::format("unknown kind of graph '{}', expected one of {} followed by a number, or the name of a "
                     "graph file{}",
                     kind, fmt::join(names, ", "), did_you_mean(kind, names)));
  }
  graph_request.kind = &*match;
  graph_request.family = head;
  const std::string_view size = std::string_view(head).substr(digits);
  if (size.empty()) {
    fail(specification, fmt::format("the size is missing, expected a number, as in '{}9'", head));
  }
  parse(graph_request.size, size, "size", specification);
  std::set<std::string> seen_options;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    set_option(graph_request, pieces[i]);
    const std::string key = pieces[i].substr(0, pieces[i].find('='));
    if (!seen_options.insert(key).second) fail(specification, fmt::format("option '{}' is given twice", key));
  }
  if (graph_request.weight_seed && !graph_request.draws_weights()) {
    fail(specification, fmt::format("weight_seed applies only to random weights ({}), but the weights are '{}'",
                                    fmt::join(weight_distribution_names(), ", "), graph_request.weights));
  }
  return graph_request;
}

vertex_id power_of_two(const request& graph_request, unsigned largest) {
  if (graph_request.size < 1 || graph_request.size > largest) {
    fail(graph_request.text, fmt::format("size {}, expected 1 to {}", graph_request.size, largest));
  }
  return vertex_id{1} << graph_request.size;
}

/// Returns the size of the graph: an upper bound of the vertices and the approximate number of edges. Empty if a number
/// is out of range; make() then names that number.
std::optional<generated_size> size_of(const request& graph_request) {
  const std::uint64_t size = graph_request.size;
  if (graph_request.kind->unit == size_unit::log2_vertices && size > 30) return std::nullopt;
  std::uint64_t vertices = graph_request.kind->unit == size_unit::log2_vertices ? std::uint64_t{1} << size
                           : graph_request.kind->unit == size_unit::side        ? size * size
                                                                                : size;
  if (graph_request.is("lattice")) vertices *= graph_request.lattice.unknowns;
  if (vertices > 0xFFFFFFFEu) return std::nullopt;
  double degree = 2;
  if (graph_request.is("road")) degree = 2.9;
  if (graph_request.is("rmat")) degree = (graph_request.rmat.undirected ? 2.0 : 1.0) * graph_request.edge_factor;
  if (graph_request.is("power") || graph_request.is("community") || graph_request.is("web")) {
    degree = degree_of(graph_request);
    if (!(degree > 0 && degree < static_cast<double>(vertices))) return std::nullopt;
    if (graph_request.is("web") && graph_request.web.undirected) degree *= 2;
  }
  if (graph_request.is("del")) degree = 6;
  if (graph_request.is("lattice")) {
    const bool flat = graph_request.lattice.dimensions == 2;
    degree = graph_request.lattice.diagonals ? (flat ? 8 : 26) : (flat ? 4 : 6);
    degree = (degree + 1) * graph_request.lattice.unknowns - 1;
  }
  if (graph_request.is("small")) degree = graph_request.neighbours;
  if (graph_request.is("circuit")) degree = 2 * graph_request.circuit.fanout + 0.2;
  if (graph_request.is("logic")) degree = (graph_request.logic.undirected ? 2.0 : 1.0) * graph_request.logic.fanin;
  if (graph_request.is("grid")) degree = 4;
  if (graph_request.is("complete")) degree = static_cast<double>(size);
  // Options have not been checked yet, so a degree may be any number.
  constexpr double most_edges = 1e18;
  const double edges = static_cast<double>(vertices) * degree;
  return generated_size{
      .graph_class = graph_request.kind->graph_class.empty() ? "mesh" : graph_request.kind->graph_class,
      .vertices = vertices,
      .edges = edges > 0 ? static_cast<std::uint64_t>(std::min(edges, most_edges)) : 0};
}

/// Checks that the graph fits into memory: a short specification can describe a graph larger than any machine. Ignores
/// sizes out of range, which make() reports.
void check_memory_for(const request& graph_request) {
  const std::optional<generated_size> size = size_of(graph_request);
  if (!size) return;
  // The rows, a list of half of the edges or all of them, and copies for generated weights or another order.
  const double listed = graph_request.lists_all_edges() ? 12 : 6;
  const double copied = graph_request.shuffle ? 12 : graph_request.draws_weights() ? 4 : 0;
  check_memory(size->vertices, size->edges, 8 + listed + copied);
}

csr_graph make(const request& graph_request) {
  const bool lengths = graph_request.lengths();
  if (graph_request.is("road")) return generate_road(graph_request.size, graph_request.seed, lengths);
  if (graph_request.is("del")) return generate_delaunay(power_of_two(graph_request, 28), graph_request.seed);
  if (graph_request.is("rmat"))
    return generate_rmat(graph_request.size, graph_request.edge_factor, graph_request.seed, graph_request.rmat);
  if (graph_request.is("power")) {
    return generate_power_law(power_of_two(graph_request, 30), graph_request.degree, graph_request.exponent,
                              graph_request.seed);
  }
  if (graph_request.is("lattice"))
    return generate_lattice(graph_request.size, graph_request.lattice, graph_request.seed, lengths);
  if (graph_request.is("small")) {
    return generate_small_world(power_of_two(graph_request, 30), graph_request.neighbours, graph_request.rewired,
                                graph_request.seed, lengths);
  }
  if (graph_request.is("circuit"))
    return generate_circuit(graph_request.size, graph_request.circuit, graph_request.seed, lengths);
  if (graph_request.is("logic")) return generate_logic(graph_request.size, graph_request.logic, graph_request.seed);
  if (graph_request.is("community"))
    return generate_community(graph_request.size, graph_request.community, graph_request.seed);
  if (graph_request.is("web")) return generate_web(graph_request.size, graph_request.web, graph_request.seed);
  if (graph_request.is("path")) return generate_path(graph_request.size);
  if (graph_request.is("cycle")) return generate_cycle(graph_request.size);
  if (graph_request.is("star")) return generate_star(graph_request.size);
  if (graph_request.is("complete")) return generate_complete(graph_request.size);
  return generate_grid2d(graph_request.size, graph_request.size);
}

csr_graph make_variant(const request& graph_request) {
  csr_graph graph = make(graph_request);
  if (graph_request.draws_weights()) {
    graph = with_drawn_weights(graph, {.distribution = weight_distribution_from(graph_request.weights),
                                       .seed = graph_request.weight_seed.value_or(graph_request.seed)});
  }
  return graph_request.shuffle ? with_shuffled_vertices(graph, graph_request.seed) : graph;
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
  const request graph_request = parse_request(specification);
  generated_graph result;
  try {
    check_memory_for(graph_request);
    result.graph = make_variant(graph_request);
  } catch (const input_error& error) {
    fail(specification, error.what());
  }
  result.name = std::string(specification);
  result.graph_class = graph_request.kind->graph_class.empty() ? graph_class(compute_features(result.graph))
                                                               : graph_request.kind->graph_class;
  // In a logic network, the gate with most readers reaches only later gates, whereas gate 0 reaches all.
  if (result.graph_class == "power_law" && !graph_request.is("logic"))
    result.source = vertex_with_most_edges(result.graph);
  return result;
}

generated_size expected_size(std::string_view specification) {
  const request graph_request = parse_request(specification);
  const std::optional<generated_size> size = size_of(graph_request);
  if (!size && graph_request.kind->unit == size_unit::log2_vertices && graph_request.size > 30) {
    const int least = graph_request.is("road") || graph_request.is("circuit") || graph_request.is("community") ? 2 : 1;
    fail(specification, fmt::format("log2 of the vertices is {}, expected {} to 30", graph_request.size, least));
  }
  if (!size) fail(specification, "a size or a degree is out of range");
  return *size;
}

std::string family_of_generated(std::string_view specification) { return parse_request(specification).family; }

bool is_generator_name(std::string_view name) {
  const std::string_view kind = name.substr(0, name.find_first_of("0123456789:"));
  return std::any_of(all_kinds().begin(), all_kinds().end(),
                     [&](const kind_traits& traits) { return traits.name == kind; });
}

bool looks_like_file(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.substr(0, name.find(':')).find('.') != std::string_view::npos;
}

}  // namespace mlmq::graph
