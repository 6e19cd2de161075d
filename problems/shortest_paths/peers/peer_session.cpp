// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/peers/peer_session.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "problems/shortest_paths/graph_workload.hpp"
#include "problems/shortest_paths/peers/answer.hpp"
#include "problems/shortest_paths/peers/peer_runner.hpp"
#include "problems/shortest_paths/sources.hpp"

namespace mlmq::problems::search_peers {
namespace {

constexpr const char* delta_parameter = "delta";

/// N of "cuda:N"; processors are numbered by how many threads they are.
unsigned number_of(const backends::device_info& device) {
  const std::size_t colon = device.selector.find(':');
  if (!device.grid || colon == std::string::npos) return 0;
  return static_cast<unsigned>(std::stoul(device.selector.substr(colon + 1)));
}

class session final : public compare::peer_session {
 public:
  session(std::span<const peer> programs, const tuner::workload& on, const tuner::query& asked, bool unit_weights,
          const backends::device_info& device)
      : programs_(programs),
        // A search by levels that reads weights is not to stumble over those of other kinds.
        graph_(unit_weights ? graph::with_unit_weights(graph_of(on)) : graph_of(on)),
        unit_weights_(unit_weights),
        files_(graph_),
        task_{.source = source_of(graph_, asked, on.record.name),
              .delta = std::nullopt,
              .average_weight = unit_weights ? 1 : on.record.feature("avg_weight").value_or(1),
              .samples = 1,
              .threads = device.multiprocessors,
              .device = number_of(device)} {
    if (!(task_.average_weight > 0)) task_.average_weight = 1;
  }

  [[nodiscard]] db::trial_result run(const std::string& name, const tuner::configuration& parameters,
                                     std::uint64_t samples) override {
    const auto program =
        std::find_if(programs_.begin(), programs_.end(), [&](const peer& one) { return one.name == name; });
    if (program == programs_.end()) throw work_error("no peer '" + name + "'");
    if (!unit_weights_ && graph_.weights() == graph::weight_type::float64) {
      db::trial_result refused;
      refused.result = db::outcome::constraint;
      refused.message = "other programs are compared with distances of 4 bytes, not with float64";
      return refused;
    }
    if (!right_) right_ = solve_reference(graph_, task_.source, unit_weights_);
    peer_task task = task_;
    task.samples = samples;
    if (const tuner::value* const delta = parameters.find(delta_parameter)) task.delta = std::get<double>(*delta);
    return run_peer(*program, files_, *right_, task);
  }

 private:
  std::span<const peer> programs_;
  graph::csr_graph graph_;
  bool unit_weights_;
  peer_files files_;
  peer_task task_;
  std::optional<right_answer> right_;
};

}  // namespace

tuner::configuration parameters_with(double delta) {
  tuner::configuration parameters;
  parameters.set(delta_parameter, delta);
  return parameters;
}

std::unique_ptr<compare::peer_session> open_session(std::span<const peer> programs, const tuner::workload& on,
                                                    const tuner::query& asked, bool unit_weights,
                                                    const backends::device_info& device) {
  return std::make_unique<session>(programs, on, asked, unit_weights, device);
}

}  // namespace mlmq::problems::search_peers
