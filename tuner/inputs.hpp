// SPDX-License-Identifier: Apache-2.0
// The inputs of an experiment: graphs by name, and the vertices to start from.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "graph/csr.hpp"
#include "graph/generate.hpp"
#include "graph/io.hpp"
#include "tuner/shard.hpp"
#include "tuner/space_file.hpp"

namespace mlmq::tuner {

/// One graph of an experiment. The graph itself is read or generated when it is asked for.
struct input {
  std::string name;       ///< file name without endings, or what was generated
  std::string file;       ///< empty for a generated graph
  std::string generated;  ///< what to generate; empty for a file
  graph_request request;
  source_rules sources;
  std::string graph_class = {};  ///< known for generated graphs; else found from the features
  std::string family = {};       ///< name of the graph without what makes it a variant
};

/// How many edges the graph probably has, without reading or generating it: files are guessed by their size.
[[nodiscard]] std::uint64_t expected_edges(const input& wanted);

/// A graph in memory with what the database records of it.
struct loaded_input {
  graph::csr_graph graph;
  db::graph_record record;
  std::vector<graph::vertex_id> sources;
  std::vector<std::string> notes;  ///< as of graph::read_graph()
};

/// The graphs that the experiment asks for, or those of `instead` (files, glob patterns, folders,
/// generator names or lists of graphs, .yaml, from the command line) when it is not empty.
/// @throws input_error for a pattern that matches nothing, or a name that cannot be generated
[[nodiscard]] std::vector<input> list_inputs(const experiment_file& experiment, std::span<const std::string> instead);

/// Those of the inputs that a part of a sweep reads, in their order: all, unless it divides graphs. Then the largest
/// go first, each to the part that has least so far, where every graph counts as many edges as it probably has and a
/// million more for what it costs besides. All parts must be given the same inputs.
[[nodiscard]] std::vector<input> inputs_of(const shard& part, const std::vector<input>& inputs);

/// @throws input_error for a file that cannot be read, or a listed source that is not a vertex
[[nodiscard]] loaded_input load_input(const input& wanted);

/// The vertices that `rule` picks. `random` draws among vertices with out-edges. Without
/// repetition, so there may be fewer than asked for. @throws input_error naming `graph_name` for a
/// listed vertex that is not in the graph
[[nodiscard]] std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rule& rule,
                                                           const std::string& graph_name);

/// Those of all rules in their order, each vertex once: one that an earlier rule has picked makes the list shorter.
/// @throws input_error as for one rule
[[nodiscard]] std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rules& rules,
                                                           const std::string& graph_name);

struct opened_graph : graph::generated_graph {
  std::vector<std::string> notes;  ///< as of graph::read_graph()
};

/// The graph that a person names: a file, or something to generate when there is no file of this name. Its source is
/// the generator's; that of a file is a vertex with most out-edges.
/// @throws input_error
[[nodiscard]] opened_graph open_graph(const std::string& name, const graph::read_options& options);

/// The file name without folder, ".gz" and format ending.
[[nodiscard]] std::string graph_name_of(const std::filesystem::path& file);

}  // namespace mlmq::tuner
