// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/builder.hpp"
#include "graph/classify.hpp"
#include "graph/features.hpp"
#include "graph/generate.hpp"

namespace mlmq::graph {
namespace {

/// A specification taken apart: "power14:degree=8" is kind "power", size 14, degree 8.
struct request {
  std::string_view text;
  std::string kind;
  std::uint32_t size = 0;
  std::uint64_t seed = 1;
  std::uint32_t edge_factor = 8;
  double degree = 16;
  double exponent = 2.2;
};

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> names{"road",  "del",  "rmat",     "power", "path",
                                              "cycle", "star", "complete", "grid"};
  return names;
}

std::vector<std::string> options_of(const std::string& kind) {
  if (kind == "rmat") return {"seed", "edge_factor"};
  if (kind == "power") return {"seed", "degree", "exponent"};
  return {"seed"};
}

[[noreturn]] void fail(std::string_view specification, std::string_view message) {
  throw input_error(fmt::format("generated graph '{}': {}", specification, message));
}

template <class T>
T parse(std::string_view text, std::string_view what, std::string_view specification) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) {
    fail(specification, fmt::format("{} '{}' is not a number in range", what, text));
  }
  return number;
}

void set_option(request& wanted, const std::string& piece) {
  const auto equals = piece.find('=');
  const std::string key = piece.substr(0, equals);
  const std::vector<std::string> known = options_of(wanted.kind);
  if (std::find(known.begin(), known.end(), key) == known.end()) {
    fail(wanted.text, fmt::format("'{}' is no option of '{}', expected {}{}", key, wanted.kind, fmt::join(known, ", "),
                                  did_you_mean(key, known)));
  }
  if (equals == std::string::npos) {
    fail(wanted.text, fmt::format("option '{}' has no value, expected '{}=NUMBER'", key, key));
  }
  const std::string_view value = std::string_view(piece).substr(equals + 1);
  if (key == "seed") wanted.seed = parse<std::uint64_t>(value, key, wanted.text);
  if (key == "edge_factor") wanted.edge_factor = parse<std::uint32_t>(value, key, wanted.text);
  if (key == "degree") wanted.degree = parse<double>(value, key, wanted.text);
  if (key == "exponent") wanted.exponent = parse<double>(value, key, wanted.text);
}

request parse_request(std::string_view specification) {
  request wanted;
  wanted.text = specification;
  const std::vector<std::string> pieces = split(specification, ':');
  const std::string& head = pieces.front();
  const auto digits = std::min(head.find_first_of("0123456789"), head.size());
  wanted.kind = head.substr(0, digits);
  if (std::find(kinds().begin(), kinds().end(), wanted.kind) == kinds().end()) {
    fail(specification, fmt::format("'{}' is not known, expected one of {} followed by a number, or the name of a "
                                    "graph file{}",
                                    wanted.kind, fmt::join(kinds(), ", "), did_you_mean(wanted.kind, kinds())));
  }
  const std::string_view size = std::string_view(head).substr(digits);
  if (size.empty()) {
    fail(specification, fmt::format("size '' is not a number, expected one as in '{}9'", head));
  }
  wanted.size = parse<std::uint32_t>(size, "size", specification);
  for (std::size_t i = 1; i < pieces.size(); ++i) set_option(wanted, pieces[i]);
  return wanted;
}

vertex_id power_of_two(const request& wanted, unsigned largest) {
  if (wanted.size < 1 || wanted.size > largest) {
    fail(wanted.text, fmt::format("size {}, expected 1 to {}", wanted.size, largest));
  }
  return vertex_id{1} << wanted.size;
}

/// Few characters can ask for more than any machine has. Sizes out of range are left to make().
void check_memory_for(const request& wanted) {
  const bool is_exponent =
      wanted.kind == "road" || wanted.kind == "del" || wanted.kind == "rmat" || wanted.kind == "power";
  if (is_exponent && wanted.size > 30) return;
  const std::uint64_t size = wanted.size;
  const std::uint64_t vertices = is_exponent ? std::uint64_t{1} << size : wanted.kind == "grid" ? size * size : size;
  if (vertices > 0xFFFFFFFEu) return;
  double degree = 2;
  if (wanted.kind == "rmat") degree = wanted.edge_factor;
  if (wanted.kind == "power") {
    // Anything else is an error that make() names.
    if (!(wanted.degree > 0 && wanted.degree < static_cast<double>(vertices))) return;
    degree = wanted.degree;
  }
  if (wanted.kind == "del") degree = 6;
  if (wanted.kind == "grid") degree = 4;
  if (wanted.kind == "complete") degree = static_cast<double>(size);
  // Rows and a list of half or all edges.
  const double listed = wanted.kind == "rmat" || wanted.kind == "power" ? 12 : 6;
  check_memory(vertices, static_cast<std::uint64_t>(static_cast<double>(vertices) * degree), 8 + listed);
}

csr_graph make(const request& wanted) {
  if (wanted.kind == "road") return generate_road(wanted.size, wanted.seed);
  if (wanted.kind == "del") return generate_delaunay(power_of_two(wanted, 28), wanted.seed);
  if (wanted.kind == "rmat") return generate_rmat(wanted.size, wanted.edge_factor, wanted.seed);
  if (wanted.kind == "power") {
    return generate_power_law(power_of_two(wanted, 30), wanted.degree, wanted.exponent, wanted.seed);
  }
  if (wanted.kind == "path") return generate_path(wanted.size);
  if (wanted.kind == "cycle") return generate_cycle(wanted.size);
  if (wanted.kind == "star") return generate_star(wanted.size);
  if (wanted.kind == "complete") return generate_complete(wanted.size);
  return generate_grid2d(wanted.size, wanted.size);
}

std::string class_of(const request& wanted, const csr_graph& graph) {
  if (wanted.kind == "road") return "road";
  if (wanted.kind == "del" || wanted.kind == "grid") return "mesh";
  if (wanted.kind == "rmat" || wanted.kind == "power") return "power_law";
  return graph_class(compute_features(graph));
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

generated_graph generate_named(std::string_view specification) {
  const request wanted = parse_request(specification);
  generated_graph made;
  try {
    check_memory_for(wanted);
    made.graph = make(wanted);
  } catch (const input_error& error) {
    fail(specification, error.what());
  }
  made.name = std::string(specification);
  made.graph_class = class_of(wanted, made.graph);
  if (made.graph_class == "power_law") made.source = vertex_with_most_edges(made.graph);
  return made;
}

bool looks_like_file(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.substr(0, name.find(':')).find('.') != std::string_view::npos;
}

}  // namespace mlmq::graph
