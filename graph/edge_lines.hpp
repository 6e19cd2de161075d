// SPDX-License-Identifier: Apache-2.0
// Writes the edges of a graph as lines of text. All text formats share this code.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/file_writer.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Writes "START FROM TO WEIGHT" for every edge, with `separator` between the last three fields, in the order of the
/// rows. Floats are the shortest decimal that reads back to the same float, with a decimal point even if they are
/// whole.
/// @param ids the vertex numbers to write
/// @throws work_error if the file cannot be written
void write_edge_lines(const csr_graph& graph, file_writer& out, std::string_view start, const file_ids& ids,
                      char separator = ' ');

/// Overload for vertices with names. @param called the name of each vertex, written verbatim
void write_edge_lines(const csr_graph& graph, file_writer& out, std::string_view start,
                      std::span<const std::string> called, char separator);

}  // namespace mlmq::graph
