// SPDX-License-Identifier: Apache-2.0
// Graph files: their formats, the detection of the format, and the conversion of weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// A file has negative weights, and their absolute values were not requested.
struct negative_weights_error : input_error {
  using input_error::input_error;
};

enum class file_format {
  automatic,      ///< determined by the ending of the file name, see read_graph()
  dimacs,         ///< text: "p sp n m", "a u v w", vertices from 1
  galois,         ///< Galois binary version 1
  matrix_market,  ///< text: coordinate, square; entry (i, j) is the edge from i to j
  snap,           ///< text: one "u v" or "u v w" per line, comments with # or %
  metis,          ///< text: one line of neighbours per vertex, from 1; undirected
  csv,            ///< text: a table of edges; vertices have numbers or names
  scipy,          ///< a sparse matrix written by scipy.sparse.save_npz
};

/// Columns of a table of edges that the caller names, as in its header, or by number from 1 in a table without one.
/// "": the column that the header tells, see read_graph().
struct named_columns {
  std::string source = {};
  std::string target = {};
  std::string weight = {};
  std::string direction = {};  ///< whether the edge of a line leads in one direction or in both

  [[nodiscard]] bool empty() const { return source.empty() && target.empty() && weight.empty() && direction.empty(); }
};

struct read_options {
  file_format format = file_format::automatic;
  std::uint64_t weight_seed = 1;  ///< seed of generated weights, for files without weights
  bool ignore_weights = false;    ///< treat the file's weights as absent
  bool absolute_weights = false;  ///< replace negative weights by their absolute values instead of rejecting the file
  /// Type of the weights. Unset: determined by the file. Floats accept any number and round it to the nearest float.
  std::optional<graph::weight_type> weight_type = std::nullopt;
  /// Without weight_type: decimal weights become whole numbers with csr_graph::decimal_places(). If that is impossible,
  /// they are float64 instead of float32 if float32 would round one of them.
  bool exact_decimals = false;
  /// true: mirror every edge except self-loops. false: take every entry as one directed edge. Unset:
  /// the file decides (SNAP: a comment "# Undirected graph" before the first edge; Matrix Market:
  /// the symmetry; METIS: undirected; others: directed).
  std::optional<bool> undirected = std::nullopt;
  named_columns columns = {};  ///< for tables of edges only
};

/// What a graph took to read.
struct read_times {
  double read_ms = 0;            ///< reading and checking the file
  double build_ms = 0;           ///< making rows of its edges, or generating the graph
  std::uint64_t file_bytes = 0;  ///< size of the file, compressed if it is; 0 for a generated graph
};

/// Reads a graph from a file, which may be compressed with gzip (detected by content).
///
/// The ending of the name, without ".gz", determines the format: .mtx is Matrix Market; .txt, .el, .wel, .snap and .tsv
/// are edge lists; .gr is Galois binary or DIMACS text, distinguished by the first bytes; .graph and .metis are METIS;
/// .csv is a table of edges; .npz is a SciPy matrix.
///
/// Vertices: 0 … n-1, in increasing order of the file's ids, which the graph keeps (csr_graph::ids()).
/// DIMACS and Matrix Market count from 1, Galois from 0. The ids of an edge list are the numbers that occur in it, up
/// to 2^63 - 1. Self-loops and parallel edges are kept.
///
/// Matrix Market: general; symmetric and skew-symmetric (one triangle is stored, the other is added, the diagonal is
/// not doubled); pattern, integer, real. Not supported: array, complex, hermitian, and matrices that are not square.
///
/// Edge lists: the first line with an edge determines whether there are two columns or three. The third is the weight.
/// Read files in which it has another meaning (as-caida: a relation code) with ignore_weights.
///
/// METIS: vertex sizes and weights are skipped. Every edge must be in the lines of both its ends, with the same weight;
/// with `undirected` set to false, each entry is one directed edge. Self-loops are errors.
///
/// Tables (.csv, and an edge list whose first line is a header of fields separated by tabs, commas or semicolons): the
/// header names the columns; table_columns.cpp has the words that it may use. Without a header, there are two or three
/// columns of numbers. A header without a column for the weight must have no column whose use is unknown, unless
/// weights are ignored. A column against the direction, such as reverse_cost, makes each line two edges, and a negative
/// or missing number there or in the weight's column means no edge. A column such as oneway, directed or Type tells
/// for each line whether its edge leads in both directions. If all vertex names are numbers for which parse_id() has an
/// id, they are the ids; otherwise vertices are numbered from 0 in the order in which their names first occur, and the
/// graph keeps the names (file_ids::names()).
///
/// SciPy: square matrices csr, csc and coo; the stored entry (i, j) is the edge from i to j. Booleans are not used as
/// weights.
///
/// Weights:
///  - absent (pattern, two columns, Galois edge data of size 0, ignore_weights): integers 1 … 100,
///    a hash of weight_seed and the two ends (counted from 0, not their ids). They are equal for both directions and do
///    not depend on the order of the edges;
///  - integers: uint32; a number above largest_weight (2^32 - 3) is an error;
///  - any number with a point or an exponent, or the Matrix Market field "real": float32 for the
///    whole file, rounded to the nearest;
///  - read_options::weight_type overrides this: float32 or float64 for every number of any file; with uint32, a number
///    that is not whole is an error;
///  - negative weights are errors, and so are entries of a skew-symmetric matrix, because the other triangle has the
///    opposite sign; with absolute_weights, the absolute value is taken (csr_graph::negated_weights() counts these);
///  - explicit zeros are edges of weight zero;
///  - NaN and infinity are errors, and so is a number that the type cannot hold.
///
/// A text file that announces more than a million vertices must have at least one edge for every 1,024 of them:
/// otherwise a damaged header could make the reader allocate all memory.
///
/// A Galois file without compression and negative weights is mapped, not copied. It must not be overwritten in place
/// while the graph is in use (replacing the file is safe).
///
/// @param notes receives warnings about the graph, one line each, starting with the file's name; also the defaults that
///   were used because neither the file nor the options specify weights or directions
/// @param times receives the durations
/// @throws input_error with a one-line message that names the file and the line (text) or byte offset (binary)
/// @throws negative_weights_error with a message of the same form
[[nodiscard]] csr_graph read_graph(const std::filesystem::path& file, const read_options& options = {},
                                   std::vector<std::string>* notes = nullptr, read_times* times = nullptr);

/// Numbers of vertices and edges of a graph.
struct graph_size {
  std::uint64_t vertices;
  std::uint64_t edges;
};

/// Returns the size that the header of a Galois file announces; nothing for other files, and if the header is invalid.
[[nodiscard]] std::optional<graph_size> announced_size(const std::filesystem::path& file);

/// Returns the format of a file to be read or written, determined by the ending of its name; dimacs for .gr. Empty for
/// an unknown ending.
[[nodiscard]] std::optional<file_format> written_format(const std::filesystem::path& file);

/// Writes a graph, compressed if the name ends in ".gz", through a temporary file in the same folder, so that the file
/// is either complete or unchanged.
///  - dimacs: floats are the shortest decimal that reads back to the same float of the same type;
///  - galois: only integer weights up to 2^31 - 1. The format's edge data has no type, so other programs would read
///    float bits as integers: floats are refused;
///  - matrix_market: general, integer or real;
///  - snap, csv: three columns, with the graph's ids; vertices without an edge are not in the file;
///  - metis: undirected graphs with integer weights above 0 and without self-loops;
///  - scipy: a csr matrix, never compressed;
///    csv writes the names of vertices that have some;
///  - formats other than snap and csv count from 1 (dimacs, matrix_market, metis) or from 0 (galois, scipy), whatever
///    the ids are; in text formats, a comment explains the numbers if they differ from the ids;
///  - automatic: written_format().
/// @return a message about differences between the graph and the file: vertex numbers other than the ids, missing
///   vertices, 8-byte floats that a reader must request, entries that SciPy would add up; "" if there are none
/// @throws input_error if the format cannot represent the graph or its names, or cannot be written
/// @throws work_error if the file cannot be written
std::string write_graph(const csr_graph& graph, const std::filesystem::path& file,
                        file_format format = file_format::automatic);

}  // namespace mlmq::graph
