// SPDX-License-Identifier: Apache-2.0
// The graph representation of all other code: compressed sparse rows with vertices 0 … n-1.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "graph/file_ids.hpp"

namespace mlmq::graph {

using edge_offset = std::uint64_t;

/// Type of the weights and distances: 4-byte unsigned integers, 4-byte floats, or 8-byte floats.
enum class weight_type { uint32, float32, float64 };

/// Returns "uint32", "float32" or "float64".
[[nodiscard]] std::string_view name_of(weight_type type) noexcept;
/// Returns the type with this name. @throws input_error for an unknown name, listing the known ones
[[nodiscard]] weight_type weight_type_from(std::string_view name);

/// A distance of a 4-byte type, as 32 bits that have the same order as the numbers: the integer itself, or the bits of
/// a non-negative float.
using distance_bits = std::uint32_t;

/// Marks a vertex that no path reaches. It is larger than every distance of a 4-byte type (as a float it would be NaN).
inline constexpr distance_bits unreached = 0xFFFFFFFFu;

/// A float64 distance, as 64 bits that have the same order as the numbers; and the mark of a vertex that no path
/// reaches, which is larger than all distances.
using wide_distance_bits = std::uint64_t;
inline constexpr wide_distance_bits wide_unreached = ~wide_distance_bits{0};

/// Distances of all vertices, with elements of 4 or 8 bytes.
using distance_array = std::variant<uninitialized_vector<distance_bits>, uninitialized_vector<wide_distance_bits>>;

/// A vertex at which a search begins, and its distance, in the lower half for 4-byte types.
struct seed_vertex {
  vertex_id vertex;
  wide_distance_bits distance;
};

/// Value at which integer sums saturate: a path at least this long has no exact distance in 32 bits.
inline constexpr distance_bits saturated_distance = 0xFFFFFFFEu;

/// Largest integer weight: a path of one edge with this weight still has an exact distance.
inline constexpr std::uint32_t largest_weight = saturated_distance - 1;

/// Returns the length of a path after it is extended by one edge. `distance` (of a reached vertex) and `weight_bits`
/// are 32-bit patterns of `type`, a 4-byte type. Integers saturate at saturated_distance; floats add in
/// round-to-nearest.
[[nodiscard]] distance_bits extend(weight_type type, distance_bits distance, std::uint32_t weight_bits);

/// Whether the arrays of a graph have been checked for positions, vertices and weights out of range.
enum class array_checks { needed, done };

/// Directed graph with non-negative edge weights. Immutable and cheap to copy (shared storage). The vertices are 0 …
/// n-1; ids() has their numbers in the user's file. The edges of vertex v are at the positions offsets()[v] …
/// offsets()[v+1]-1 of targets() and of the weights.
class csr_graph {
 public:
  using weight_array = std::variant<std::vector<std::uint32_t>, std::vector<float>, std::vector<double>>;

  csr_graph() = default;

  /// @param offsets n+1 non-decreasing positions, from 0 to targets.size()
  /// @param targets each below n
  /// @param weights one per target, non-negative and finite; integers at most largest_weight
  /// @throws input_error stating the violated rule and the position
  csr_graph(std::vector<edge_offset> offsets, std::vector<vertex_id> targets, weight_array weights);

  /// Creates a view of arrays that `owner` keeps alive (a mapped file).
  /// @param type a 4-byte type
  /// @param checks done: the caller has checked the arrays; otherwise they are checked like those of the constructor
  ///   above
  csr_graph(std::span<const edge_offset> offsets, std::span<const vertex_id> targets,
            std::span<const std::uint32_t> weight_bits, weight_type type, std::shared_ptr<const void> owner,
            array_checks checks = array_checks::needed);
  /// The owner must own the row starts, too: a temporary vector would dangle.
  csr_graph(std::vector<edge_offset>&& offsets, std::span<const vertex_id> targets,
            std::span<const std::uint32_t> weight_bits, weight_type type, std::shared_ptr<const void> owner,
            array_checks checks = array_checks::needed) = delete;

  /// Returns a graph whose arrays are in the memory of a device. The first call of offsets(), targets() or the weights
  /// copies them to the host by calling `fetch`. Copies of the graph share the fetched arrays. Thread-safe. If `fetch`
  /// throws, the caller gets the exception, and the next call tries again.
  /// @param fetch returns a graph of this size whose ids count from 0
  [[nodiscard]] static csr_graph deferred(vertex_id vertices, edge_offset edges, weight_type type,
                                          std::function<csr_graph()> fetch);
  /// Returns whether the arrays are in host memory. This is false only for a deferred graph that has not been fetched
  /// yet.
  [[nodiscard]] bool is_fetched() const noexcept;

  [[nodiscard]] vertex_id vertex_count() const noexcept;
  [[nodiscard]] edge_offset edge_count() const noexcept;
  [[nodiscard]] std::span<const edge_offset> offsets() const { return fetched().offsets_; }
  [[nodiscard]] std::span<const vertex_id> targets() const { return fetched().targets_; }
  [[nodiscard]] weight_type weights() const noexcept { return type_; }
  /// Returns the weights as 32-bit patterns of the 4-byte type weights().
  /// @throws std::logic_error if the weights are float64
  [[nodiscard]] std::span<const std::uint32_t> weight_bits() const;
  /// Returns float64 weights as 64-bit patterns. @throws std::logic_error if the weights have another type
  [[nodiscard]] std::span<const std::uint64_t> wide_weight_bits() const;
  /// Returns the weight of the edge at `position` as a number, in units of 10^-decimal_places().
  [[nodiscard]] double weight(edge_offset position) const;

  /// Returns the ids of the vertices. They count from 0 unless with_ids() has set others.
  [[nodiscard]] const file_ids& ids() const noexcept { return ids_; }
  /// Returns the same graph with other vertex ids. @param ids one per vertex
  [[nodiscard]] csr_graph with_ids(file_ids ids) const;
  /// Returns the same graph (with its ids) with other weights. The edges are shared, not copied.
  /// @param weights one per edge, as for the constructor
  /// @throws input_error stating the violated rule and the position
  [[nodiscard]] csr_graph with_weights(weight_array weights) const;

  /// Returns the number of weights that were negative in the graph's file and were replaced by their absolute values.
  /// This number is part of the graph's identity.
  [[nodiscard]] std::uint64_t negated_weights() const noexcept { return negated_weights_; }
  [[nodiscard]] csr_graph with_negated_weights(std::uint64_t count) const;

  /// Returns k if the uint32 weights count units of 10^-k, because the graph's file has decimal weights: see
  /// with_decimal_places() in graph/decimals.hpp. Searches ignore it; it is part of the graph's identity.
  [[nodiscard]] std::optional<unsigned> decimal_places() const noexcept { return decimal_places_; }
  [[nodiscard]] csr_graph with_decimal_places(std::optional<unsigned> places) const;

 private:
  struct remote;

  void set_weights(weight_array weights);
  void validate_edges() const;
  void validate_weights() const;
  [[nodiscard]] const csr_graph& fetched() const { return remote_ == nullptr ? *this : fetch(); }
  [[nodiscard]] const csr_graph& fetch() const;

  std::shared_ptr<remote> remote_;  // set only for a deferred graph
  std::shared_ptr<const void> edges_owner_;
  std::span<const edge_offset> offsets_;
  std::span<const vertex_id> targets_;
  std::shared_ptr<const void> weights_owner_;
  std::span<const std::uint32_t> weight_bits_;       // for 4-byte types
  std::span<const std::uint64_t> wide_weight_bits_;  // for float64
  weight_type type_ = weight_type::uint32;
  file_ids ids_;
  std::uint64_t negated_weights_ = 0;
  std::optional<unsigned> decimal_places_;
};

/// Returns the same graph (with its ids) with weights of another type. Each weight becomes the nearest number of that
/// type.
/// @throws input_error if floats are to be converted to integers, or if a weight is too large for float32
[[nodiscard]] csr_graph with_weight_type(const csr_graph& graph, weight_type type);

/// Returns the same graph (with its ids) with all weights 1, of type uint32. The edges are shared, not copied.
[[nodiscard]] csr_graph with_unit_weights(const csr_graph& graph);

/// Returns the number that `bits` represent, in units of 10^-csr_graph::decimal_places(); +infinity for unreached.
[[nodiscard]] double distance_value(weight_type type, distance_bits bits);
[[nodiscard]] double distance_value(wide_distance_bits bits);

}  // namespace mlmq::graph
