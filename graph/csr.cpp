// SPDX-License-Identifier: Apache-2.0
#include "graph/csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/arithmetic.hpp"
#include "graph/array_checks.hpp"

namespace mlmq::graph {
namespace {

/// Maximum number of vertices. With more, no 32-bit id would be left for "no vertex".
constexpr std::uint64_t max_vertices = 0xFFFFFFFEu;

/// Smallest bit pattern above the largest finite float. From here on: infinity, NaN and all negative numbers.
constexpr std::uint32_t first_bad_float = 0x7F800000u;
constexpr std::uint64_t first_bad_double = 0x7FF0000000000000u;

/// Owner of the edges of a graph.
struct edge_arrays {
  std::vector<edge_offset> offsets;
  std::vector<vertex_id> targets;
};

/// Returns floats as bit patterns. Reads only bytes; the object representation of a float is its bit pattern.
template <class Bits, class Float>
std::span<const Bits> bits_of(const std::vector<Float>& floats) {
  static_assert(sizeof(Float) == sizeof(Bits));
  return {reinterpret_cast<const Bits*>(floats.data()), floats.size()};
}

/// Replaces -0.0 by 0.0: -0.0 is a valid zero, but its bit pattern is larger than those of all distances.
template <class Float>
void make_zeros_positive(std::vector<Float>& weights) {
  for (Float& weight : weights) {
    if (weight == 0) weight = 0;
  }
}

constexpr std::array type_names = {"uint32", "float32", "float64"};  // in the order of the enum

}  // namespace

csr_graph::csr_graph(std::vector<edge_offset> offsets, std::vector<vertex_id> targets, weight_array weights) {
  const auto edges =
      std::make_shared<const edge_arrays>(edge_arrays{.offsets = std::move(offsets), .targets = std::move(targets)});
  offsets_ = edges->offsets;
  targets_ = edges->targets;
  edges_owner_ = edges;
  set_weights(std::move(weights));
  validate_edges();
  validate_weights();
  ids_ = file_ids::counted_from(0, vertex_count());
}

csr_graph::csr_graph(std::span<const edge_offset> offsets, std::span<const vertex_id> targets,
                     std::span<const std::uint32_t> weight_bits, weight_type type, std::shared_ptr<const void> owner,
                     array_checks checks)
    : edges_owner_(owner),
      offsets_(offsets),
      targets_(targets),
      weights_owner_(std::move(owner)),
      weight_bits_(weight_bits),
      type_(type) {
  if (type == weight_type::float64) throw std::logic_error("a view of a graph needs weights of 4 bytes");
  if (checks == array_checks::needed) {
    validate_edges();
    validate_weights();
  }
  ids_ = file_ids::counted_from(0, vertex_count());
}

void csr_graph::set_weights(weight_array weights) {
  const auto owned = std::make_shared<weight_array>(std::move(weights));
  if (const auto* integers = std::get_if<std::vector<std::uint32_t>>(owned.get())) {
    weight_bits_ = *integers;
  } else if (auto* floats = std::get_if<std::vector<float>>(owned.get())) {
    type_ = weight_type::float32;
    make_zeros_positive(*floats);
    weight_bits_ = bits_of<std::uint32_t>(*floats);
  } else {
    auto& doubles = std::get<std::vector<double>>(*owned);
    type_ = weight_type::float64;
    make_zeros_positive(doubles);
    wide_weight_bits_ = bits_of<std::uint64_t>(doubles);
  }
  weights_owner_ = owned;
}

struct csr_graph::remote {
  vertex_id vertices;
  edge_offset edges;
  std::function<csr_graph()> get;
  std::mutex mutex;
  std::optional<csr_graph> fetched_graph;
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
    if (!remote_->fetched_graph) {
      csr_graph fetched = remote_->get();
      if (fetched.vertex_count() != remote_->vertices || fetched.edge_count() != remote_->edges ||
          fetched.type_ != type_) {
        throw work_error("graph: `fetch` returned another graph");
      }
      remote_->fetched_graph = std::move(fetched);
      remote_->is_found = true;
    }
  }
  return *remote_->fetched_graph;
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

csr_graph csr_graph::with_weights(weight_array weights) const {
  const csr_graph& structure = fetched();
  csr_graph graph;
  graph.edges_owner_ = structure.edges_owner_;
  graph.offsets_ = structure.offsets_;
  graph.targets_ = structure.targets_;
  graph.ids_ = ids_;
  graph.set_weights(std::move(weights));
  graph.validate_weights();
  return graph;
}

csr_graph csr_graph::with_negated_weights(std::uint64_t count) const {
  csr_graph graph = *this;
  graph.negated_weights_ = count;
  return graph;
}

csr_graph csr_graph::with_decimal_places(std::optional<unsigned> places) const {
  csr_graph graph = *this;
  graph.decimal_places_ = places;
  return graph;
}

std::span<const std::uint32_t> csr_graph::weight_bits() const {
  if (type_ == weight_type::float64) throw std::logic_error("weights of float64 are not 32 bits");
  return fetched().weight_bits_;
}

std::span<const std::uint64_t> csr_graph::wide_weight_bits() const {
  if (type_ != weight_type::float64) throw std::logic_error("only weights of float64 are 64 bits");
  return fetched().wide_weight_bits_;
}

double csr_graph::weight(edge_offset position) const {
  return type_ == weight_type::float64 ? distance_value(wide_weight_bits()[position])
                                       : distance_value(type_, weight_bits()[position]);
}

void csr_graph::validate_edges() const {
  if (offsets_.empty()) {
    throw input_error("graph: there are no offsets, expected one more than the number of vertices");
  }
  if (offsets_.size() - 1 > max_vertices) {
    throw input_error(fmt::format("graph: {} vertices, expected at most {}", offsets_.size() - 1, max_vertices));
  }
  if (offsets_.front() != 0) {
    throw input_error(fmt::format("graph: the first offset is {}, expected 0", offsets_.front()));
  }
  if (offsets_.back() != targets_.size()) {
    throw input_error(
        fmt::format("graph: the last offset is {}, expected the {} edges", offsets_.back(), targets_.size()));
  }
  if (const auto v = first_decrease(offsets_)) {
    throw input_error(
        fmt::format("graph: the offsets fall from {} to {} at vertex {}", offsets_[*v], offsets_[*v + 1], *v));
  }
  const vertex_id n = vertex_count();
  if (const auto i = first_at_least(targets_, n)) {
    throw input_error(fmt::format("graph: edge {} leads to vertex {}, but there are {} vertices (0 to {})", *i,
                                  targets_[*i], n, std::uint64_t{n} - 1));
  }
}

void csr_graph::validate_weights() const {
  if (const std::size_t weights = weight_bits_.size() + wide_weight_bits_.size(); weights != targets_.size()) {
    throw input_error(fmt::format("graph: {} weights for {} edges", weights, targets_.size()));
  }
  if (type_ == weight_type::uint32) {
    if (const auto i = first_at_least(weight_bits_, largest_weight + 1)) {
      throw input_error(
          fmt::format("graph: edge {} has weight {}, expected at most {}", *i, weight_bits_[*i], largest_weight));
    }
  }
  const auto refuse = [](std::size_t i, auto weight) {
    throw input_error(fmt::format("graph: edge {} has weight {}, expected a finite number of at least 0", i, weight));
  };
  if (type_ == weight_type::float32) {
    if (const auto i = first_at_least(weight_bits_, first_bad_float))
      refuse(*i, std::bit_cast<float>(weight_bits_[*i]));
  }
  if (const auto i = first_at_least(wide_weight_bits_, first_bad_double))
    refuse(*i, std::bit_cast<double>(wide_weight_bits_[*i]));
}

std::string_view name_of(weight_type type) noexcept { return type_names[static_cast<std::size_t>(type)]; }

weight_type weight_type_from(std::string_view name) {
  const auto name_entry = std::find(type_names.begin(), type_names.end(), name);
  if (name_entry == type_names.end()) {
    const std::vector<std::string> valid_names(type_names.begin(), type_names.end());
    throw input_error(fmt::format("'{}' is not a weight type, expected uint32, float32 or float64{}", name,
                                  did_you_mean(std::string(name), valid_names)));
  }
  return static_cast<weight_type>(name_entry - type_names.begin());
}

distance_bits extend(weight_type type, distance_bits distance, std::uint32_t weight_bits) {
  if (type == weight_type::float64) throw std::logic_error("distances of float64 are not 32 bits");
  return type == weight_type::uint32 ? extend_by<weight_type::uint32>(distance, weight_bits)
                                     : extend_by<weight_type::float32>(distance, weight_bits);
}

namespace {

template <class Float>
csr_graph with_weights_as(const csr_graph& graph) {
  std::vector<Float> weights(graph.edge_count());
  for (edge_offset i = 0; i < graph.edge_count(); ++i) {
    const double weight = graph.weight(i);
    // Casting a number that is too large is undefined behaviour.
    const double nearest = static_cast<double>(std::numeric_limits<Float>::max());
    weights[i] = weight <= nearest ? static_cast<Float>(weight) : std::numeric_limits<Float>::infinity();
    if (weights[i] == std::numeric_limits<Float>::infinity()) {
      throw input_error(fmt::format("graph: edge {} has weight {}, which is too large for float32", i, weight));
    }
  }
  return graph.with_weights(std::move(weights)).with_negated_weights(graph.negated_weights());
}

}  // namespace

csr_graph with_weight_type(const csr_graph& graph, weight_type type) {
  if (graph.weights() == type) return graph;
  if (type == weight_type::float32) return with_weights_as<float>(graph);
  if (type == weight_type::float64) return with_weights_as<double>(graph);
  throw input_error(
      fmt::format("graph: weights of type {} cannot be converted to whole numbers (uint32)", name_of(graph.weights())));
}

csr_graph with_unit_weights(const csr_graph& graph) {
  if (!graph.is_fetched()) {
    return csr_graph::deferred(graph.vertex_count(), graph.edge_count(), weight_type::uint32, [graph] {
      (void)graph.offsets();
      return with_unit_weights(graph);
    });
  }
  return graph.with_weights(std::vector<std::uint32_t>(graph.edge_count(), 1U));
}

double distance_value(weight_type type, distance_bits bits) {
  if (type == weight_type::float64) throw std::logic_error("distances of float64 are not 32 bits");
  if (bits == unreached) return std::numeric_limits<double>::infinity();
  return type == weight_type::uint32 ? static_cast<double>(bits) : static_cast<double>(std::bit_cast<float>(bits));
}

double distance_value(wide_distance_bits bits) {
  return bits == wide_unreached ? std::numeric_limits<double>::infinity() : std::bit_cast<double>(bits);
}

}  // namespace mlmq::graph
