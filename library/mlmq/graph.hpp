// SPDX-License-Identifier: Apache-2.0
// Graphs to search.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
struct digraph_data;
}  // namespace detail

/// A vertex: 0 to vertex_count() - 1, the index of arrays. What the file of a graph calls it is its id: digraph::id_of().
using vertex = std::uint32_t;

inline constexpr vertex no_vertex = std::numeric_limits<vertex>::max();
/// The distance of a vertex that no path leads to, where distances are whole numbers.
inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

/// Of weights and distances: 4 bytes, or 8.
enum class number_type { uint32, float32, float64 };

/// What to do with a graph file; of no effect on what is generated, except weight_type.
struct read_options {
  std::uint64_t weight_seed = 1;  ///< of the weights of a file that has none: whole numbers from 1 to 100
  bool ignore_weights = false;    ///< treat the weights of the file as absent
  bool absolute_weights = false;  ///< take the absolute values of negative weights, which are an error otherwise
  /// Unset: whole numbers are uint32, and decimal ones float32. Otherwise each weight is the nearest number of this type; of a
  /// file with decimal numbers, uint32 is an input_error.
  std::optional<number_type> weight_type = std::nullopt;
  /// true: add the reverse of every edge; false: do not; unset: as the file says.
  std::optional<bool> undirected = std::nullopt;
};

class device;

/// Compressed sparse rows in the memory of a device, for digraph::from_device(). Numbers are little-endian, as GPUs have them.
struct device_rows {
  vertex vertices = 0;      ///< n, at least 1
  std::uint64_t edges = 0;  ///< m
  /// n + 1 numbers that do not fall, from 0 to m, at an address that is a multiple of their size.
  const void* offsets = nullptr;
  unsigned offset_bits = 32;      ///< of each: 32 or 64
  const void* targets = nullptr;  ///< m numbers of 32 bits, signed or not, each from 0 to n - 1
  /// m numbers of `weight_type`, with the rules of from_rows(). Null: all are 1, of type uint32.
  const void* weights = nullptr;
  number_type weight_type = number_type::uint32;  ///< or float32; float64 only from_rows() takes
  /// In place of `targets` and `weights`, which are null then: m times a target and its weight, 32 bits each, at an address
  /// that is a multiple of 8. What a search for shortest paths reads: it needs no other layout of these.
  const void* pairs = nullptr;
};

struct device_rows_options {
  std::string name = "graph";  ///< for messages
  /// Whether a kernel makes sure that the rows keep the rules. Without, the caller promises it: a search of rows that do not
  /// keep them may read and write anywhere.
  bool check = true;
  /// A CUstream (or cudaStream_t) in which the arrays are written: they are read after all work that is in it now. Null: the
  /// default stream. Must be null for the simulator, which has none.
  void* stream = nullptr;
  /// Kept until the last copy of the graph and of what was made of it is gone. Empty: the caller keeps the arrays that long.
  std::shared_ptr<const void> owner = {};
};

/// A directed graph with weights of at least 0, in the memory of the host, or of a device.
class MLMQ_API digraph {
 public:
  /// A file: DIMACS or Galois (.gr), Matrix Market (.mtx), edge list (.txt, .el, .wel, .snap, .tsv), METIS
  /// (.graph), table of edges (.csv), matrix of SciPy (.npz), each also compressed (.gz). Or, when there is no file of this name, something to generate: "road18", "del16", "rmat20",
  /// "power14:degree=8:seed=2", "grid100", "path9"; docs/reference/graphs.md has the list.
  /// @throws input_error
  [[nodiscard]] static digraph open(const std::string& name, const read_options& options = {});

  /// Compressed sparse rows: the edges of vertex v are at positions offsets[v] to offsets[v + 1] - 1 of `targets` and
  /// `weights`. Self-loops and parallel edges are welcome.
  /// @param offsets n + 1 numbers that do not fall, from 0 to the number of edges; n at least 1
  /// @param targets below n
  /// @param weights one for each target, finite and at least 0; whole numbers at most 4,294,967,293, so that an edge
  ///   alone is a distance below `unreachable` that is exact
  /// @param name for messages
  /// @throws input_error that says which rule is broken, and where
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<std::uint32_t> weights, std::string name = "graph");
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<float> weights, std::string name = "graph");
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<double> weights, std::string name = "graph");

  /// Rows that are in the memory of a device and stay there: no array is copied unless a configuration needs another layout
  /// (docs/guide/library.md). They must not change as long as the graph, or what was made of it, is used.
  ///
  /// What runs elsewhere (a solver of another device, processors, the features of large graphs, split rows) and what a solution
  /// computes on the host (predecessors(), path(), check()) takes a copy in host memory, which is made once, when it is needed
  /// for the first time: on_host(), solve_times::mirror.
  /// @param where a GPU or the simulator, whose memory `rows` points to
  /// @throws input_error for pointers that are not memory of this device, or not a multiple of the size of their numbers;
  ///   for a broken rule, saying which and where; for weights of float64; for processors
  /// @throws memory_error, device_error, compile_error
  [[nodiscard]] static digraph from_device(const device& where, const device_rows& rows,
                                           const device_rows_options& options = {});

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] vertex vertex_count() const noexcept;
  [[nodiscard]] std::uint64_t edge_count() const noexcept;
  [[nodiscard]] number_type weight_type() const noexcept;
  /// Whether the rows are in host memory: those of from_device() are once something has needed them there.
  [[nodiscard]] bool on_host() const noexcept;
  /// A vertex that is good to start from when any will do: for a generated graph the one that its generator names, else
  /// one with most out-edges; 0 for what from_device() has not checked.
  [[nodiscard]] vertex default_source() const noexcept;
  /// What a person should know of a file that could be read all the same: that it had negative weights, or edges twice.
  /// One line each, with the file's name; mostly none.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept;

  /// The number that the graph's file has for a vertex: 1 to n in DIMACS and Matrix Market, 0 to n - 1 in Galois, whatever
  /// an edge list uses. For what has no file it is the vertex itself. Ids increase with the vertex.
  /// @throws input_error when it is not a vertex
  [[nodiscard]] std::uint64_t id_of(vertex v) const;
  /// The vertex with this id; nothing when there is none.
  [[nodiscard]] std::optional<vertex> find_id(std::uint64_t id) const noexcept;
  /// The same. @throws input_error that says which ids there are
  [[nodiscard]] vertex vertex_of(std::uint64_t id) const;

 private:
  friend struct detail::access;
  explicit digraph(std::shared_ptr<const detail::digraph_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::digraph_data> data_;
};

}  // namespace mlmq
