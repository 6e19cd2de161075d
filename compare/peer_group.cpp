// SPDX-License-Identifier: Apache-2.0
#include "compare/peer_group.hpp"

#include "problems/shortest_paths/graph_workload.hpp"
#include "problems/shortest_paths/sources.hpp"

namespace mlmq::compare {

peer_group::peer_group(const tuner::workload& loaded, const tuner::query& asked, const std::string& problem,
                       const backends::device_info& device)
    : loaded_(loaded),
      source_(problems::source_of(problems::graph_of(loaded), asked, loaded.record.name)),
      unit_weights_(problem == "bfs"),
      threads_(device.multiprocessors),
      on_grid_(device.grid),
      selector_(device.selector),
      files_(problems::graph_of(loaded)) {}

db::trial_result peer_group::run(const peer& what, const tuner::configuration& chosen, std::uint64_t samples) {
  if (!right_) right_ = solve_reference(problems::graph_of(loaded_), source_, unit_weights_);
  const double average_weight = unit_weights_ ? 1 : loaded_.record.feature("avg_weight").value_or(1);
  peer_task task{.source = source_,
                 .delta = std::nullopt,
                 .average_weight = average_weight > 0 ? average_weight : 1,
                 .samples = samples,
                 .threads = threads_,
                 .device = 0};
  if (const tuner::value* const delta = chosen.find("delta")) task.delta = std::get<double>(*delta);
  // Processors are numbered by how many threads they are.
  if (const std::size_t colon = selector_.find(':'); on_grid_ && colon != std::string::npos) {
    task.device = static_cast<unsigned>(std::stoul(selector_.substr(colon + 1)));
  }
  return run_peer(what, files_, *right_, task);
}

}  // namespace mlmq::compare
