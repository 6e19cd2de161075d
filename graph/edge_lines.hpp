// SPDX-License-Identifier: Apache-2.0
// The edges of a graph as lines of text, which the text formats have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/file_writer.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Writes "START FROM TO WEIGHT" for every edge, with `separator` between the three, in the order of the rows. Floats
/// are the shortest decimal that reads back to the same float, with a point even when they are whole.
/// @param ids what the file calls the vertices
/// @throws work_error when it cannot be written
void write_edge_lines(const csr_graph& graph, file_writer& out, std::string_view start, const file_ids& ids,
                      char separator = ' ');

/// As above, with vertices called by texts. @param called one for each vertex, written as it is
void write_edge_lines(const csr_graph& graph, file_writer& out, std::string_view start,
                      std::span<const std::string> called, char separator);

}  // namespace mlmq::graph
