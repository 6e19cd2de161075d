// SPDX-License-Identifier: Apache-2.0
// Runs peers: writes the files that they read, enforces their time limits, and determines the outcome of a run.
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

/// The files of one graph that peers read, in a temporary folder that the destructor removes. Each format is written
/// once. Vertices are counted from 0 (or from 1 where the format does) instead of using their ids, because peers derive
/// the size of the graph from the largest number.
class peer_files {
 public:
  explicit peer_files(const graph::csr_graph& graph)
      : graph_(graph.with_ids(graph::file_ids::counted_from(0, graph.vertex_count()))) {}
  peer_files(const peer_files&) = delete;
  peer_files& operator=(const peer_files&) = delete;

  /// @throws input_error if the format cannot represent the graph, work_error if the file cannot be written
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
  graph::vertex_id source = 0;  ///< counted from 0, like all peers do after reading their file
  std::optional<double> delta;  ///< in average weights
  double average_weight = 1;
  std::uint64_t samples = 1;  ///< number of times to measure, without warm-up
  unsigned threads = 1;       ///< for peers on processors
  unsigned device = 0;        ///< N of cuda:N
};

/// Starts the peer once and checks its answer. Failures of the peer are reported as outcomes, not as exceptions:
/// timeout (the process group is killed), crashed (a signal or an exit status, with the end of the output),
/// launch_error (the peer cannot be started or prints no time), wrong_answer, constraint (the format cannot represent
/// the graph, or the peer misreads its weights). Its work is reported as the counter `pops`.
[[nodiscard]] db::trial_result run_peer(const peer& program, peer_files& files, const right_answer& right,
                                        const peer_task& task);

}  // namespace mlmq::problems::search_peers
