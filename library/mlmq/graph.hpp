// SPDX-License-Identifier: Apache-2.0
// Graphs to search.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
struct digraph_data;
}  // namespace detail

/// A vertex: an array index from 0 to vertex_count() - 1. The id of a vertex is its number in the graph's file:
/// digraph::id_of().
using vertex = std::uint32_t;

inline constexpr vertex no_vertex = std::numeric_limits<vertex>::max();
/// The distance of an unreachable vertex, for integer distances.
inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

/// Type of weights and distances.
enum class number_type { uint32, float32, float64 };

/// Durations of digraph::open() in milliseconds.
struct open_times {
  double read = 0;               ///< reading and checking the file
  double build = 0;              ///< making rows of the file's edges; for a generated graph, generating it
  std::uint64_t file_bytes = 0;  ///< size of the file, compressed if it is
};

/// How to read a graph file. For generated graphs only weight_type has an effect.
struct read_options {
  std::uint64_t weight_seed = 1;  ///< seed of random weights for a file without weights: integers from 1 to 100
  bool ignore_weights = false;    ///< treat the weights of the file as absent
  bool absolute_weights = false;  ///< take the absolute values of negative weights, which are an error otherwise
  /// Absent: integer weights are uint32, decimal ones float64, if possible with digraph::decimal_places(); otherwise
  /// float32 if it represents them exactly. Otherwise weights are converted to the nearest number of this type. For a
  /// file with decimal weights, uint32 is an input_error. Not all solvers support float64 without decimal places.
  std::optional<number_type> weight_type = std::nullopt;
  /// true: add the reverse of every edge; false: do not; absent: as the file specifies.
  std::optional<bool> undirected = std::nullopt;
  /// For a table of edges (.csv): names of its columns, or their numbers from 1 if it has no header. "": chosen by the
  /// header (docs/reference/graphs.md); digraph::notes() says which. The direction tells for each line whether its edge
  /// leads in one direction or in both.
  std::string weight_column = {};
  std::string source_column = {};
  std::string target_column = {};
  std::string direction_column = {};
};

class device;

/// Compressed sparse rows in device memory, for digraph::from_device(). Numbers are little-endian.
struct device_rows {
  vertex vertices = 0;      ///< n, at least 1
  std::uint64_t edges = 0;  ///< m
  /// n + 1 non-decreasing numbers from 0 to m, aligned to their size.
  const void* offsets = nullptr;
  unsigned offset_bits = 32;      ///< bits per offset: 32 or 64
  const void* targets = nullptr;  ///< m 32-bit integers, signed or not, from 0 to n - 1
  /// m numbers of `weight_type`, with the same rules as from_rows(). Null: all weights are 1, of type uint32.
  const void* weights = nullptr;
  number_type weight_type = number_type::uint32;  ///< uint32 or float32; float64 is supported by from_rows() only
  /// Alternative to `targets` and `weights`, which must then be null: m pairs of a target and its weight, 32 bits each,
  /// aligned to 8 bytes. Shortest-path searches read this layout directly, without converting it.
  const void* pairs = nullptr;
};

struct device_rows_options {
  std::string name = "graph";  ///< used in messages
  /// Whether a kernel checks the rules. Without the check, the caller guarantees them: searching invalid rows may read
  /// and write arbitrary memory.
  bool check = true;
  /// The CUstream (or cudaStream_t) that writes the arrays: they are read after all work that is in it now. Null: the
  /// default stream. Must be null for the simulator, which has no streams.
  void* stream = nullptr;
  /// Kept alive until the last copy of the graph and of everything derived from it is destroyed. Empty: the caller
  /// keeps the arrays alive that long.
  std::shared_ptr<const void> owner = {};
};

/// A directed graph with non-negative weights, in host or device memory.
class MLMQ_API digraph {
 public:
  /// Reads a graph from a file: DIMACS or Galois (.gr), Matrix Market (.mtx), edge list (.txt, .el, .wel, .snap, .tsv),
  /// METIS (.graph, .metis), table of edges (.csv), SciPy matrix (.npz), each optionally compressed (.gz). If there is
  /// no such file, generates a graph from a name: "road18", "del16", "rmat20", "power14:degree=8:seed=2", "grid100",
  /// "path9"; docs/reference/graphs.md has the list.
  /// @throws input_error
  [[nodiscard]] static digraph open(const std::string& name, const read_options& options = {});

  /// Makes a graph from compressed sparse rows: the edges of vertex v are at positions offsets[v] to offsets[v + 1] - 1
  /// of `targets` and `weights`. Self-loops and parallel edges are allowed.
  /// @param offsets n + 1 non-decreasing numbers, from 0 to the number of edges; n at least 1
  /// @param targets each below n
  /// @param weights one per target, finite and at least 0; integers at most 4,294,967,293, so that the length of a
  ///   single edge is an exact distance below `unreachable`
  /// @param name used in messages
  /// @throws input_error for a broken rule, naming the rule and the position
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<std::uint32_t> weights, std::string name = "graph");
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<float> weights, std::string name = "graph");
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<double> weights, std::string name = "graph");

  /// Makes a graph from rows in device memory, without copying: an array is copied only if a configuration needs
  /// another layout (docs/guide/library.md). The rows must not change while the graph or anything derived from it is in
  /// use.
  ///
  /// A copy in host memory is made when first needed: by solvers of other devices, processors, features of large
  /// graphs, partitioned searches, and the host functions of a solution (predecessors(), path(), check()). See
  /// on_host() and solve_times::host_copy.
  /// @param device the GPU or simulator whose memory `rows` points to
  /// @throws input_error for pointers that are not memory of this device or not aligned to the size of their numbers;
  ///   for a broken rule, naming the rule and the position; for float64 weights; for processors
  /// @throws memory_error, device_error, compile_error
  [[nodiscard]] static digraph from_device(const device& device, const device_rows& rows,
                                           const device_rows_options& options = {});

  /// Returns the graph with every edge reversed, and the same vertices and ids. A search from a vertex in it finds the
  /// distances to that vertex.
  [[nodiscard]] digraph reversed() const;

  /// Returns the graph with decimal_places() if its weights are floats that allow it, otherwise the graph itself. All
  /// weights must be the doubles nearest to multiples of 10^-9, and the length of every path must be below 2^32 of the
  /// units. open() does this by itself for files.
  [[nodiscard]] digraph with_decimal_places() const;
  /// Returns k if weights and distances are float64 for callers, but searched as whole numbers of 10^-k: by every
  /// solver, without rounding any sum. Every distance is the double nearest to the exact decimal number.
  [[nodiscard]] std::optional<unsigned> decimal_places() const noexcept;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] vertex vertex_count() const noexcept;
  [[nodiscard]] std::uint64_t edge_count() const noexcept;
  [[nodiscard]] number_type weight_type() const noexcept;
  /// Returns whether the rows are in host memory. Rows of from_device() are copied there when first needed.
  [[nodiscard]] bool on_host() const noexcept;
  /// Returns a suitable vertex for a single search: for a generated graph its generator's choice, otherwise a vertex
  /// with the most out-edges; 0 for unchecked rows of from_device().
  [[nodiscard]] vertex default_source() const noexcept;
  /// Returns warnings about a file that was read successfully, for example negative weights or duplicate edges. One
  /// line each, with the file's name; usually empty.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept;
  /// Returns how long open() took; zeros for a graph that was made in another way.
  [[nodiscard]] open_times times_to_open() const noexcept;

  /// Returns the number of a vertex in the graph's file: 1 to n in DIMACS and Matrix Market, 0 to n - 1 in Galois, any
  /// number in an edge list. For graphs without a file it is the vertex itself. Ids increase with the vertex.
  /// @throws input_error for an invalid vertex
  [[nodiscard]] std::uint64_t id_of(vertex v) const;
  /// Returns the vertex with this id, or nothing.
  [[nodiscard]] std::optional<vertex> find_id(std::uint64_t id) const noexcept;
  /// Returns the vertex with this id. @throws input_error if there is none, with the range of ids
  [[nodiscard]] vertex vertex_of(std::uint64_t id) const;
  /// Returns the vertex that the graph's file calls so: by its name if vertices have names, as in a table of edges, or
  /// else by its id in digits. @throws input_error if there is none
  [[nodiscard]] vertex vertex_of(std::string_view name) const;
  /// Returns what the graph's file calls the vertex: its name, or else its id in digits.
  /// @throws input_error for an invalid vertex
  [[nodiscard]] std::string name_of(vertex v) const;
  /// Returns whether the vertices have names, which vertex_of() expects and name_of() returns.
  [[nodiscard]] bool has_names() const noexcept;

 private:
  friend struct detail::access;
  explicit digraph(std::shared_ptr<const detail::digraph_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::digraph_data> data_;
};

}  // namespace mlmq
