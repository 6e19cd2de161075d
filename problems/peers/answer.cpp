// SPDX-License-Identifier: Apache-2.0
#include "problems/peers/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "graph/check.hpp"
#include "graph/reference.hpp"

namespace mlmq::peers {
namespace {

bool agree(double actual, double expected, graph::weight_type weights) {
  const double tolerance = weights == graph::weight_type::float32 ? 1e-4 * std::abs(expected) : 0;
  return std::abs(actual - expected) <= tolerance;
}

/// Removes the number at the start of `text`, with the blanks before it, and returns it; nothing for another word.
std::optional<double> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r:,"), text.size()));
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || std::isnan(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

right_answer solve_reference(const graph::csr_graph& graph, graph::vertex_id source, bool unit_weights) {
  right_answer right;
  right.ids = graph.ids();
  right.weights = unit_weights ? graph::weight_type::uint32 : graph.weights();
  right.distances = graph::dijkstra(unit_weights ? graph::with_unit_weights(graph) : graph, source);
  right.saturated = graph::has_saturated(right.weights, right.distances);
  for (const graph::distance_bits distance : right.distances) {
    if (distance == graph::unreached) continue;
    const double length = graph::distance_value(right.weights, distance);
    ++right.reached;
    right.sum += length;
    right.largest = std::max(right.largest, length);
  }
  return right;
}

std::string check_claim(const claimed_answer& claim, const right_answer& right) {
  if (claim.reached && *claim.reached != static_cast<double>(right.reached)) {
    return fmt::format("it reached {} vertices, expected {}", *claim.reached, right.reached);
  }
  if (claim.sum && !agree(*claim.sum, right.sum, right.weights)) {
    return fmt::format("its distances add up to {}, expected {}", *claim.sum, right.sum);
  }
  if (claim.largest && !agree(*claim.largest, right.largest, right.weights)) {
    return fmt::format("its largest distance is {}, expected {}", *claim.largest, right.largest);
  }
  return "";
}

std::string check_distance_lines(std::string_view lines, const right_answer& right, double infinity) {
  std::vector<double> distances(right.distances.size(), HUGE_VAL);
  std::size_t number = 0;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++number;
    if (line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::optional<double> vertex = take_number(line);
    if (!vertex || *vertex < 0 || *vertex >= static_cast<double>(distances.size())) {
      return fmt::format("line {} of its distances does not begin with a vertex", number);
    }
    const std::optional<double> distance = take_number(line);
    if (distance && *distance < infinity) distances[static_cast<std::size_t>(*vertex)] = *distance;
  }
  for (std::size_t v = 0; v < distances.size(); ++v) {
    const double expected = graph::distance_value(right.weights, right.distances[v]);
    if (distances[v] == expected || agree(distances[v], expected, right.weights)) continue;
    return fmt::format("its distance of vertex {} is {}, expected {}",
                       right.ids.id_of(static_cast<graph::vertex_id>(v)), distances[v], expected);
  }
  return "";
}

}  // namespace mlmq::peers
