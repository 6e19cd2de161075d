// SPDX-License-Identifier: Apache-2.0
// The graph as everything else sees it: compressed sparse rows, vertices 0 … n-1.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/file_ids.hpp"

namespace mlmq::graph {

using edge_offset = std::uint64_t;

/// Weights and distances are of one type: whole numbers or floats of 4 bytes, or floats of 8.
enum class weight_type { uint32, float32, float64 };

/// "uint32", "float32", "float64".
[[nodiscard]] std::string_view name_of(weight_type type) noexcept;
/// @throws input_error for another name, listing these
[[nodiscard]] weight_type weight_type_from(std::string_view name);

/// A distance of a type of 4 bytes as 32 bits that order like the number: the integer itself, or the bits of a
/// non-negative float.
using distance_bits = std::uint32_t;

/// Larger than every distance of these types (as a float it would be NaN).
inline constexpr distance_bits unreached = 0xFFFFFFFFu;

/// A distance of float64 as 64 bits that order like the number, and what is larger than all of them.
using wide_distance_bits = std::uint64_t;
inline constexpr wide_distance_bits wide_unreached = ~wide_distance_bits{0};

/// Distances of all vertices, by the size of their type.
using distance_array = std::variant<std::vector<distance_bits>, std::vector<wide_distance_bits>>;

/// Integer sums saturate here: a path at least this long has no exact distance in 32 bits.
inline constexpr distance_bits saturated_distance = 0xFFFFFFFEu;

/// The largest whole weight: an edge of it alone has an exact distance.
inline constexpr std::uint32_t largest_weight = saturated_distance - 1;

/// The length of a path of length `distance` (reached) extended by one edge; both as 32-bit
/// patterns of `type`, which has 4 bytes. Integers saturate at saturated_distance, floats add in round-to-nearest.
[[nodiscard]] distance_bits extend(weight_type type, distance_bits distance, std::uint32_t weight_bits);

/// Directed graph with non-negative edge weights, immutable, cheap to copy (shared storage).
/// Its vertices are 0 … n-1; ids() has their names in the user's file.
/// Edges of vertex v are positions offsets()[v] … offsets()[v+1]-1 of targets() and of the weights.
class csr_graph {
 public:
  using weight_array = std::variant<std::vector<std::uint32_t>, std::vector<float>, std::vector<double>>;

  csr_graph() = default;

  /// @param offsets n+1 non-decreasing positions, from 0 to targets.size()
  /// @param targets each below n
  /// @param weights one per target, non-negative and finite, whole ones at most largest_weight
  /// @throws input_error saying which rule is broken and where
  csr_graph(std::vector<edge_offset> offsets, std::vector<vertex_id> targets, weight_array weights);

  /// A view of arrays that `owner` keeps alive (a mapped file). The same rules, checked the same
  /// way. @param type of 4 bytes
  csr_graph(std::vector<edge_offset> offsets, std::span<const vertex_id> targets,
            std::span<const std::uint32_t> weight_bits, weight_type type, std::shared_ptr<const void> owner);

  /// A graph whose arrays are elsewhere, in the memory of a device: `fetch` brings them to the host when offsets(),
  /// targets() or the weights are asked for the first time. Copies share what it brought. Thread-safe; who asks gets
  /// what `fetch` throws, and the next one tries again.
  /// @param fetch gives a graph of this size, whose ids count from 0
  [[nodiscard]] static csr_graph deferred(vertex_id vertices, edge_offset edges, weight_type type,
                                          std::function<csr_graph()> fetch);
  /// Whether the arrays are in host memory: of a deferred graph, once they have been fetched.
  [[nodiscard]] bool is_fetched() const noexcept;

  [[nodiscard]] vertex_id vertex_count() const noexcept;
  [[nodiscard]] edge_offset edge_count() const noexcept;
  [[nodiscard]] std::span<const edge_offset> offsets() const { return fetched().offsets_; }
  [[nodiscard]] std::span<const vertex_id> targets() const { return fetched().targets_; }
  [[nodiscard]] weight_type weights() const noexcept { return type_; }
  /// The weights as 32-bit patterns of weights(), a type of 4 bytes.
  /// @throws std::logic_error for float64, whose weights these are not
  [[nodiscard]] std::span<const std::uint32_t> weight_bits() const;
  /// The weights of float64 as 64-bit patterns. @throws std::logic_error for another type
  [[nodiscard]] std::span<const std::uint64_t> wide_weight_bits() const;
  /// Weight of the edge at `position` as a number.
  [[nodiscard]] double weight(edge_offset position) const;

  /// Of the vertices: counted from 0 unless with_ids() has said otherwise.
  [[nodiscard]] const file_ids& ids() const noexcept { return ids_; }
  /// The same graph, whose vertices are called otherwise. @param ids one for each vertex
  [[nodiscard]] csr_graph with_ids(file_ids ids) const;

  /// How many weights were negative in the graph's file, and are their absolute values here. Part of its identity.
  [[nodiscard]] std::uint64_t negated_weights() const noexcept { return negated_weights_; }
  [[nodiscard]] csr_graph with_negated_weights(std::uint64_t count) const;

 private:
  struct remote;

  void validate() const;
  [[nodiscard]] const csr_graph& fetched() const { return remote_ == nullptr ? *this : fetch(); }
  [[nodiscard]] const csr_graph& fetch() const;

  std::shared_ptr<remote> remote_;  // of a deferred graph
  std::shared_ptr<const void> owner_;
  std::span<const edge_offset> offsets_;
  std::span<const vertex_id> targets_;
  std::span<const std::uint32_t> weight_bits_;       // of a type of 4 bytes
  std::span<const std::uint64_t> wide_weight_bits_;  // of float64
  weight_type type_ = weight_type::uint32;
  file_ids ids_;
  std::uint64_t negated_weights_ = 0;
};

/// The same graph (its ids too) with weights of another type, each the number nearest to what it was.
/// @throws input_error when floats are to become whole numbers, or a weight is too large for float32
[[nodiscard]] csr_graph with_weight_type(const csr_graph& graph, weight_type type);

/// The same graph (its ids too) with all weights 1, of type uint32; targets are shared.
[[nodiscard]] csr_graph with_unit_weights(const csr_graph& graph);

/// The number that `bits` stand for; +infinity for unreached.
[[nodiscard]] double distance_value(weight_type type, distance_bits bits);
[[nodiscard]] double distance_value(wide_distance_bits bits);

}  // namespace mlmq::graph
