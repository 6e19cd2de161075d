// SPDX-License-Identifier: Apache-2.0
// Graphs as workloads: read from files or generated, weighted as an experiment asks.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "graph/generate.hpp"
#include "graph/io.hpp"
#include "tuner/workload.hpp"

namespace mlmq::problems {

class row_store;

struct graph_workload final : tuner::workload {
  graph::csr_graph graph;
  /// Of its rows on devices, to be shared with others who search this graph; null: an instance has its own.
  std::shared_ptr<row_store> rows = {};
};

/// The kind "graph". Its options: weights, weight_seed, ignore_weights, negative_weights, weight_type.
[[nodiscard]] const tuner::workload_kind& graph_kind();

/// The graph of a workload of this kind. @throws std::bad_cast for one of another
[[nodiscard]] const graph::csr_graph& graph_of(const tuner::workload& on);
/// Its row store, or null. @throws as graph_of()
[[nodiscard]] row_store* rows_of(const tuner::workload& on);

/// A graph as the tuner knows it. @param name for messages and records
[[nodiscard]] db::workload_record record_of(const graph::csr_graph& graph, std::string name, std::string graph_class);

struct opened_graph : graph::generated_graph {
  std::vector<std::string> notes;  ///< as of graph::read_graph()
};

/// The graph that a person names: a file, or something to generate when there is no file of this name. Its source is
/// the generator's; that of a file is a vertex with most out-edges.
/// @throws input_error
[[nodiscard]] opened_graph open_graph(const std::string& name, const graph::read_options& options);

/// The file name without folder, ".gz" and format ending.
[[nodiscard]] std::string graph_name_of(const std::filesystem::path& file);

}  // namespace mlmq::problems
