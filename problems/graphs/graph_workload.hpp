// SPDX-License-Identifier: Apache-2.0
// Graphs as workloads, read from files or generated, with the weights that an experiment requests.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "graph/generate.hpp"
#include "graph/io.hpp"
#include "tuner/workload.hpp"

namespace mlmq::graph {
class lazy_arc_bound;
class lazily_reduced_graphs;
}  // namespace mlmq::graph

namespace mlmq::problems {

class row_store;

struct graph_workload final : tuner::workload {
  graph::csr_graph graph;
  /// The graph's rows on devices, shared by the instances of this graph; null: each instance has its own.
  std::shared_ptr<row_store> rows = {};
  std::shared_ptr<graph::lazy_arc_bound> arc_bound = {};          ///< of the graph; null: not kept
  std::shared_ptr<graph::lazily_reduced_graphs> reductions = {};  ///< of the graph; null: each instance has its own
};

/// The kind "graph". Its options: weights, weight_seed, ignore_weights, negative_weights, weight_type, and
/// weight_column, source_column, target_column, direction_column.
[[nodiscard]] const tuner::workload_kind& graph_kind();

/// Returns the graph of a workload of this kind. @throws std::bad_cast for a workload of another kind
[[nodiscard]] const graph::csr_graph& graph_of(const tuner::workload& workload);
/// Returns the row store of the workload, or null. @throws like graph_of()
[[nodiscard]] row_store* rows_of(const tuner::workload& workload);

/// Makes the tuner's record of a graph. @param name for messages and records
[[nodiscard]] db::workload_record record_of(const graph::csr_graph& graph, std::string name, std::string graph_class);

struct opened_graph : graph::generated_graph {
  std::vector<std::string> notes;  ///< notes of graph::read_graph()
  graph::read_times times;
};

/// Opens the graph that the user names: a file, or the name of a generated graph if no such file exists. The source of
/// a generated graph is the generator's; that of a file is a vertex of maximum out-degree. The class of a file's graph
/// is not determined.
/// @throws input_error if the graph cannot be read or generated
[[nodiscard]] opened_graph open_graph(const std::string& name, const graph::read_options& options);

/// Returns the file name without folder, ".gz" and format extension.
[[nodiscard]] std::string graph_name_of(const std::filesystem::path& file);

}  // namespace mlmq::problems
