// SPDX-License-Identifier: Apache-2.0
#include "graph/csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "graph/arithmetic.hpp"

namespace mlmq::graph {
namespace {

/// More vertices than this would leave no room for "no vertex" among the 32-bit ids.
constexpr std::uint64_t max_vertices = 0xFFFFFFFEu;

/// Everything above the bits of the largest finite float: infinity, NaN and every negative number.
constexpr std::uint32_t first_bad_float = 0x7F800000u;

/// The arrays of a graph, and whatever they are views of.
struct storage {
  std::vector<edge_offset> offsets;
  std::vector<vertex_id> targets;
  csr_graph::weight_array weights;
  std::shared_ptr<const void> owner;
};

std::span<const std::uint32_t> bits_of(const csr_graph::weight_array& weights) {
  if (const auto* integers = std::get_if<std::vector<std::uint32_t>>(&weights)) return *integers;
  const auto& floats = std::get<std::vector<float>>(weights);
  static_assert(sizeof(float) == sizeof(std::uint32_t));
  // Only the bytes are read through this view; a float's object representation is its bit pattern.
  return {reinterpret_cast<const std::uint32_t*>(floats.data()), floats.size()};
}

}  // namespace

csr_graph::csr_graph(std::vector<edge_offset> offsets, std::vector<vertex_id> targets, weight_array weights) {
  const auto arrays = std::make_shared<storage>(storage{
      .offsets = std::move(offsets), .targets = std::move(targets), .weights = std::move(weights), .owner = nullptr});
  if (auto* floats = std::get_if<std::vector<float>>(&arrays->weights)) {
    type_ = weight_type::float32;
    // -0.0 is a legal zero, but its bits would order above every other distance.
    for (float& weight : *floats) {
      if (weight == 0.0f) weight = 0.0f;
    }
  }
  offsets_ = arrays->offsets;
  targets_ = arrays->targets;
  weight_bits_ = bits_of(arrays->weights);
  owner_ = arrays;
  validate();
  ids_ = file_ids::counted_from(0, vertex_count());
}

csr_graph::csr_graph(std::vector<edge_offset> offsets, std::span<const vertex_id> targets,
                     std::span<const std::uint32_t> weight_bits, weight_type type, std::shared_ptr<const void> owner)
    : targets_(targets), weight_bits_(weight_bits), type_(type) {
  const auto arrays = std::make_shared<storage>(
      storage{.offsets = std::move(offsets), .targets = {}, .weights = {}, .owner = std::move(owner)});
  offsets_ = arrays->offsets;
  owner_ = arrays;
  validate();
  ids_ = file_ids::counted_from(0, vertex_count());
}

struct csr_graph::remote {
  vertex_id vertices;
  edge_offset edges;
  std::function<csr_graph()> get;
  std::mutex mutex;
  std::optional<csr_graph> found;
  std::atomic<bool> is_found = false;
};

csr_graph csr_graph::deferred(vertex_id vertices, edge_offset edges, weight_type type,
                              std::function<csr_graph()> fetch) {
  csr_graph graph;
  graph.remote_ = std::make_shared<remote>();
  graph.remote_->vertices = vertices;
  graph.remote_->edges = edges;
  graph.remote_->get = std::move(fetch);
  graph.type_ = type;
  graph.ids_ = file_ids::counted_from(0, vertices);
  return graph;
}

bool csr_graph::is_fetched() const noexcept { return remote_ == nullptr || remote_->is_found; }

const csr_graph& csr_graph::fetch() const {
  if (!remote_->is_found) {
    const std::lock_guard lock(remote_->mutex);
    if (!remote_->found) {
      csr_graph found = remote_->get();
      if (found.vertex_count() != remote_->vertices || found.edge_count() != remote_->edges || found.type_ != type_) {
        throw work_error("graph: what was fetched is another graph");
      }
      remote_->found = std::move(found);
      remote_->is_found = true;
    }
  }
  return *remote_->found;
}

edge_offset csr_graph::edge_count() const noexcept { return remote_ == nullptr ? targets_.size() : remote_->edges; }

vertex_id csr_graph::vertex_count() const noexcept {
  if (remote_ != nullptr) return remote_->vertices;
  return offsets_.empty() ? 0 : static_cast<vertex_id>(offsets_.size() - 1);
}

csr_graph csr_graph::with_ids(file_ids ids) const {
  if (ids.count() != vertex_count()) {
    throw input_error(fmt::format("graph: {} ids for {} vertices", ids.count(), vertex_count()));
  }
  csr_graph graph = *this;
  graph.ids_ = std::move(ids);
  return graph;
}

csr_graph csr_graph::with_negated_weights(std::uint64_t count) const {
  csr_graph graph = *this;
  graph.negated_weights_ = count;
  return graph;
}

double csr_graph::weight(edge_offset position) const { return distance_value(type_, weight_bits()[position]); }

void csr_graph::validate() const {
  if (offsets_.empty()) {
    throw input_error("graph: the offsets are empty, expected one more than there are vertices");
  }
  if (offsets_.size() - 1 > max_vertices) {
    throw input_error(fmt::format("graph: {} vertices, at most {} are possible", offsets_.size() - 1, max_vertices));
  }
  if (offsets_.front() != 0) {
    throw input_error(fmt::format("graph: the first offset is {}, expected 0", offsets_.front()));
  }
  if (offsets_.back() != targets_.size()) {
    throw input_error(
        fmt::format("graph: the last offset is {}, expected the {} edges", offsets_.back(), targets_.size()));
  }
  if (weight_bits_.size() != targets_.size()) {
    throw input_error(fmt::format("graph: {} weights for {} edges", weight_bits_.size(), targets_.size()));
  }
  for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) {
    if (offsets_[v + 1] < offsets_[v]) {
      throw input_error(
          fmt::format("graph: the offsets fall from {} to {} at vertex {}", offsets_[v], offsets_[v + 1], v));
    }
  }
  const vertex_id n = vertex_count();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i] >= n) {
      throw input_error(fmt::format("graph: edge {} leads to vertex {}, but there are {} vertices (0 to {})", i,
                                    targets_[i], n, std::uint64_t{n} - 1));
    }
  }
  if (type_ == weight_type::uint32) {
    const auto too_large = std::find_if(weight_bits_.begin(), weight_bits_.end(),
                                        [](std::uint32_t weight) { return weight > largest_weight; });
    if (too_large != weight_bits_.end()) {
      throw input_error(fmt::format("graph: edge {} has weight {}, at most {} is possible",
                                    too_large - weight_bits_.begin(), *too_large, largest_weight));
    }
  }
  if (type_ == weight_type::float32) {
    for (std::size_t i = 0; i < weight_bits_.size(); ++i) {
      if (weight_bits_[i] >= first_bad_float) {
        throw input_error(fmt::format("graph: edge {} has weight {}, expected a finite number of at least 0", i,
                                      std::bit_cast<float>(weight_bits_[i])));
      }
    }
  }
}

distance_bits extend(weight_type type, distance_bits distance, std::uint32_t weight_bits) {
  return type == weight_type::uint32 ? extend_by<weight_type::uint32>(distance, weight_bits)
                                     : extend_by<weight_type::float32>(distance, weight_bits);
}

csr_graph with_float_weights(const csr_graph& graph) {
  if (graph.weights() == weight_type::float32) return graph;
  const auto bits = graph.weight_bits();
  std::vector<float> floats(bits.size());
  std::transform(bits.begin(), bits.end(), floats.begin(), [](std::uint32_t w) { return static_cast<float>(w); });
  return csr_graph(std::vector<edge_offset>(graph.offsets().begin(), graph.offsets().end()),
                   std::vector<vertex_id>(graph.targets().begin(), graph.targets().end()), std::move(floats))
      .with_ids(graph.ids())
      .with_negated_weights(graph.negated_weights());
}

csr_graph with_unit_weights(const csr_graph& graph) {
  if (!graph.is_fetched()) {
    return csr_graph::deferred(graph.vertex_count(), graph.edge_count(), weight_type::uint32, [graph] {
      (void)graph.offsets();
      return with_unit_weights(graph);
    });
  }
  struct one_weights {
    csr_graph original;
    std::vector<std::uint32_t> ones;
  };
  const auto kept = std::make_shared<const one_weights>(
      one_weights{.original = graph, .ones = std::vector<std::uint32_t>(graph.edge_count(), 1U)});
  return csr_graph(std::vector<edge_offset>(graph.offsets().begin(), graph.offsets().end()), kept->original.targets(),
                   kept->ones, weight_type::uint32, kept)
      .with_ids(graph.ids());
}

double distance_value(weight_type type, distance_bits bits) {
  if (bits == unreached) return std::numeric_limits<double>::infinity();
  return type == weight_type::uint32 ? static_cast<double>(bits) : static_cast<double>(std::bit_cast<float>(bits));
}

}  // namespace mlmq::graph
