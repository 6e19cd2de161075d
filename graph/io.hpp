// SPDX-License-Identifier: Apache-2.0
// Graph files: their formats, how a format is recognised, and how weights are converted.
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
  automatic,      ///< by the name's ending, see read_graph
  dimacs,         ///< text: "p sp n m", "a u v w", vertices from 1
  galois,         ///< Galois binary version 1
  matrix_market,  ///< text: coordinate, square; entry (i, j) is the edge from i to j
  snap,           ///< text: "u v" or "u v w" a line, comments with # or %
  metis,          ///< text: a line of neighbours for each vertex, from 1; undirected
  csv,            ///< text: a table of edges, vertices called by numbers or names
  scipy,          ///< a sparse matrix as scipy.sparse.save_npz writes it
};

struct read_options {
  file_format format = file_format::automatic;
  std::uint64_t weight_seed = 1;  ///< for the weights of files that have none
  bool ignore_weights = false;    ///< treat the file's weights as absent
  bool absolute_weights = false;  ///< take the absolute values of negative weights instead of refusing them
  /// Unset: as the file has them. Floats hold any number, each the nearest to what is written in the file.
  std::optional<graph::weight_type> weight_type = std::nullopt;
  /// true: mirror every edge but self-loops. false: take every entry as one directed edge. Unset:
  /// the file decides (SNAP: a comment "# Undirected graph" before the first edge; Matrix Market:
  /// the symmetry; METIS: undirected; others: directed).
  std::optional<bool> undirected = std::nullopt;
};

/// Reads a graph, plain or compressed with gzip (told by content).
///
/// Format by the name's ending, less ".gz": .mtx is Matrix Market; .txt, .el, .wel, .snap and .tsv
/// are edge lists; .gr is Galois binary or DIMACS text, told by the first bytes; .graph and .metis are METIS,
/// .csv a table of edges, .npz a matrix of SciPy.
///
/// Vertices: 0 … n-1, in increasing order of the file's ids, which the graph keeps (csr_graph::ids()).
/// DIMACS and Matrix Market count from 1, Galois from 0. The ids of an edge list are those that occur,
/// up to 2^63 - 1. Self-loops and parallel edges are kept.
///
/// Matrix Market: general; symmetric and skew-symmetric (stored as one triangle, the other is
/// added, the diagonal is not doubled); pattern, integer, real. Not: array, complex, hermitian, or
/// a matrix that is not square.
///
/// Edge lists: the first line with an edge decides between two columns and three, the third is the
/// weight. Files that use it for something else (as-caida: a relation code) are to be read with
/// ignore_weights.
///
/// METIS: vertex sizes and weights are skipped. Every edge must be in the lines of both its ends with one weight; with
/// `undirected` set to false entries are taken as they are. No self-loops.
///
/// Tables: a header names the columns (source, target, weight, and synonyms); without one, two or three columns of
/// numbers. If all names of vertices are whole numbers they are the ids; otherwise the vertices are counted from 0 in
/// the order in which their names occur: see read_vertex_names().
///
/// SciPy: square matrices csr, csc and coo; the stored entry (i, j) is the edge from i to j. Truth values are no
/// weights.
///
/// Weights:
///  - absent (pattern, two columns, Galois edge data of size 0, ignore_weights): integers 1 … 100,
///    a hash of weight_seed and the two ends (counted from 0, not their ids), equal for both directions and in
///    whatever order the file has the edges;
///  - integers: uint32; beyond largest_weight (2^32 - 3) an error;
///  - any number with a point or an exponent, or the Matrix Market field "real": float32 for the
///    whole file, rounded to the nearest;
///  - read_options::weight_type decides instead: float32 or float64 for every number of any file, uint32 refuses what
///    is no whole number;
///  - negative ones are errors, and so are entries of a skew-symmetric matrix, whose other triangle
///    has them with the other sign; with absolute_weights the absolute value is taken
///    (csr_graph::negated_weights() counts);
///  - explicit zeros are edges of weight zero;
///  - NaN and infinity are errors, and so is a number that the type cannot hold.
///
/// A text file that announces more than a million vertices must have at least one edge for every 1,024 of them: a
/// damaged header could ask for all memory.
///
/// A Galois file that is neither compressed nor has negative weights is mapped, not copied; it must
/// not be overwritten in place while the graph lives (replacing it is fine).
///
/// @param notes gets warnings about a graph that was read, one line each, starting with the file's name; also defaults
/// for
///   what neither the file nor the options specify (weights; whether edges are directed)
/// @throws input_error one line that names the file and the line (text) or byte offset (binary)
/// @throws negative_weights_error in the same words
[[nodiscard]] csr_graph read_graph(const std::filesystem::path& file, const read_options& options = {},
                                   std::vector<std::string>* notes = nullptr);

/// What the file calls the vertices 0, 1, … of its graph when that is not by numbers; empty when it is.
/// @throws input_error as read_graph()
[[nodiscard]] std::vector<std::string> read_vertex_names(const std::filesystem::path& file);

/// The format of a file of this name, to read or to write: by its ending; dimacs for .gr. Nothing for another name.
[[nodiscard]] std::optional<file_format> written_format(const std::filesystem::path& file);

/// Writes a graph, compressed if the name ends in ".gz", through a temporary file in the same
/// folder, so that the file is either whole or as it was.
///  - dimacs: floats as the shortest decimal that reads back to the same float of the same type;
///  - galois: integer weights up to 2^31 - 1 only. The format's edge data has no type, so float
///    bits in it would be read as integers by every other program: floats are refused;
///  - matrix_market: general, integer or real;
///  - snap, csv: three columns, with the graph's ids; vertices without an edge are not in the file;
///  - metis: undirected graphs with whole weights above 0 and without self-loops;
///  - scipy: a csr matrix; not compressed, whatever the name;
///  - all but snap and csv count from 1 (dimacs, matrix_market, metis) or from 0 (galois, scipy), whatever the ids;
///  text says
///    in a comment which vertex is which when that changes their numbers;
///  - automatic: written_format().
/// @param names what csv calls the vertices 0, 1, … in place of their ids; empty: by their ids. As read_vertex_names()
/// gives
///   them: no line ends in them, and each another one
/// @return a message about differences between graph and file: names of vertices other than their ids, missing
/// vertices,
///   8-byte floats that a reader must request, entries that SciPy would add up; "" if there are none
/// @throws input_error when the format cannot hold the graph or the names, or is not one that is written
/// @throws work_error when the file cannot be written
std::string write_graph(const csr_graph& graph, const std::filesystem::path& file,
                        file_format format = file_format::automatic, std::span<const std::string> names = {});

}  // namespace mlmq::graph
