// SPDX-License-Identifier: Apache-2.0
// Runs of peers: the files they read, the limit they keep, and the outcome of a run.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/temporary_folder.hpp"
#include "db/records.hpp"
#include "graph/csr.hpp"
#include "problems/shortest_paths/peers/answer.hpp"
#include "problems/shortest_paths/peers/peer.hpp"

namespace mlmq::problems::search_peers {

/// One graph as the files that peers read, in a temporary folder that goes with the object. Each format is written once.
/// Vertices are counted from 0, or from 1 in formats that do, whatever their ids: peers take large numbers for large graphs.
class peer_files {
 public:
  explicit peer_files(const graph::csr_graph& graph)
      : graph_(graph.with_ids(graph::file_ids::counted_from(0, graph.vertex_count()))) {}
  peer_files(const peer_files&) = delete;
  peer_files& operator=(const peer_files&) = delete;

  /// @throws input_error when the format cannot hold the graph, work_error when it cannot be written
  [[nodiscard]] std::filesystem::path graph_file(const peer& reader);
  [[nodiscard]] std::filesystem::path output_file();
  [[nodiscard]] const graph::csr_graph& graph() const { return graph_; }

 private:
  [[nodiscard]] const std::filesystem::path& folder();

  graph::csr_graph graph_;
  std::optional<temporary_folder> folder_;
  std::map<graph::file_format, std::filesystem::path> files_;
};

struct peer_task {
  graph::vertex_id source = 0;  ///< counted from 0, as all peers count once they have read their file
  std::optional<double> delta;  ///< in average weights
  double average_weight = 1;
  std::uint64_t samples = 1;  ///< times wanted, besides those that warm up
  unsigned threads = 1;       ///< for peers on processors
  unsigned device = 0;        ///< N of cuda:N
};

/// Starts the peer once and checks its answer. Never throws for what the peer does: outcome timeout (it and its process
/// group are killed), crashed (a signal or an exit status, with the end of what it printed), launch_error (it cannot be
/// started, or prints no time), wrong_answer, constraint (the format cannot hold the graph, or the peer
/// misreads its weights). Work is the counter `pops`.
[[nodiscard]] db::trial_result run_peer(const peer& what, peer_files& files, const right_answer& right,
                                        const peer_task& task);

}  // namespace mlmq::problems::search_peers
