// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "graph/check.hpp"
#include "library/impl.hpp"
#include "library/predecessors.hpp"

namespace mlmq {

vertex solution::source() const noexcept { return data_->source; }
const choice& solution::choice() const noexcept { return data_->chosen; }
const solve_times& solution::times() const noexcept { return data_->times; }
const std::vector<std::pair<std::string, double>>& solution::counters() const noexcept { return data_->counters; }

const std::vector<timeline_interval>& solution::timeline() const noexcept { return data_->timeline; }

number_type solution::type() const noexcept {
  return data_->type() == graph::weight_type::uint32 ? number_type::uint32 : number_type::float32;
}

double solution::distance(vertex v) const {
  if (v >= data_->distances.size()) {
    throw input_error(detail::not_a_vertex(data_->graph, v));
  }
  return graph::distance_value(data_->type(), data_->distances[v]);
}

std::span<const std::uint32_t> solution::distances_uint32() const {
  if (type() != number_type::uint32) throw input_error("the distances are float32: use distances_float32()");
  static_assert(unreachable == graph::unreached);
  return data_->distances;
}

std::span<const float> solution::distances_float32() const {
  if (type() != number_type::float32) throw input_error("the distances are uint32: use distances_uint32()");
  std::call_once(data_->floats_made, [&] {
    data_->floats.reserve(data_->distances.size());
    for (const graph::distance_bits bits : data_->distances) {
      data_->floats.push_back(bits == graph::unreached ? std::numeric_limits<float>::infinity()
                                                       : std::bit_cast<float>(bits));
    }
  });
  return data_->floats;
}

bool solution::exact() const { return !graph::has_saturated(data_->type(), data_->distances); }

std::vector<vertex> solution::predecessors(unsigned threads) const {
  return graph::predecessors(detail::access::get(data_->graph).csr, data_->kind == problem::bfs, data_->source,
                             data_->distances, threads);
}

std::vector<vertex> solution::path(vertex v) const {
  if (v >= data_->distances.size()) throw input_error(detail::not_a_vertex(data_->graph, v));
  std::vector<vertex> steps;
  if (data_->distances[v] == graph::unreached) return steps;
  std::call_once(data_->tree_made, [&] { data_->tree = predecessors(); });
  for (; v != no_vertex; v = data_->tree[v]) steps.push_back(v);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::string solution::check() const {
  const graph::csr_graph& csr = detail::access::get(data_->graph).csr;
  return graph::check_distances(data_->kind == problem::bfs ? graph::with_unit_weights(csr) : csr, data_->source,
                                data_->distances)
      .message;
}

}  // namespace mlmq
