// SPDX-License-Identifier: Apache-2.0
// Graphs in files that other processes of the same program map into memory.
#pragma once

#include <filesystem>
#include <memory>

#include "problems/graphs/graph_workload.hpp"

namespace mlmq::problems {

/// Writes a graph with weights of 4 bytes and consecutive ids, and its record.
/// @param file descriptor of an empty file
/// @return false for other graphs, and if the file cannot be written
[[nodiscard]] bool save_graph(const graph_workload& graph, int file);

/// Maps a file of save_graph(). The graph keeps the memory. @throws work_error if that is not possible
[[nodiscard]] std::unique_ptr<graph_workload> restore_graph(const std::filesystem::path& file);

}  // namespace mlmq::problems
