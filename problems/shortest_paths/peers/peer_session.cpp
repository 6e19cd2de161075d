// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/peers/peer_session.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "problems/compare/peer_process.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/sources.hpp"
#include "problems/shortest_paths/peers/answer.hpp"
#include "problems/shortest_paths/peers/peer_runner.hpp"
#include "problems/shortest_paths/peers/whole_weights.hpp"

namespace mlmq::problems::search_peers {
namespace {

constexpr const char* delta_parameter = "delta";

/// A graph in the form that some peers read, with the reference answer.
struct peer_input {
  peer_input(const graph::csr_graph& searched, double average)
      : graph(searched), files(searched), average_weight(average) {}

  graph::csr_graph graph;
  peer_files files;
  double average_weight;
  std::optional<right_answer> right = {};  ///< computed for the first peer
};

bool needs_whole_weights(const peer& program) {
  return program.whole_weights || program.format == graph::file_format::galois;
}

class session final : public compare::peer_session {
 public:
  session(std::span<const peer> programs, const tuner::workload& workload, const tuner::query& query, bool unit_weights,
          const backends::device_info& device)
      : programs_(programs),
        // A breadth-first search that reads weights must not fail on unsupported weights.
        graph_(unit_weights ? graph::with_unit_weights(graph_of(workload)) : graph_of(workload)),
        unit_weights_(unit_weights),
        as_given_(graph_, average_weight_of(workload, unit_weights)),
        task_{.source = source_of(graph_, query, workload.record.name),
              .delta = std::nullopt,
              .average_weight = 1,
              .samples = 1,
              .threads = device.multiprocessors,
              .device = compare::device_number(device)} {}

  [[nodiscard]] db::trial_result run(const std::string& name, const tuner::configuration& parameters,
                                     std::uint64_t samples) override {
    const auto program =
        std::find_if(programs_.begin(), programs_.end(), [&](const peer& entry) { return entry.name == name; });
    if (program == programs_.end()) throw work_error("no peer '" + name + "'");
    const bool has_decimals = !unit_weights_ && graph_.weights() != graph::weight_type::uint32;
    const bool is_scaled = has_decimals && needs_whole_weights(*program);
    if (is_scaled && !scale_weights()) {
      return refused("it reads only whole weights, and no factor turns these into whole numbers");
    }
    if (!is_scaled && has_decimals && graph_.weights() == graph::weight_type::float64) {
      return refused("peers are only compared with distances of 4 bytes, not with float64");
    }
    peer_input& input = is_scaled ? *whole_ : as_given_;
    if (!input.right) input.right = solve_reference(input.graph, task_.source, unit_weights_);
    peer_task task = task_;
    task.average_weight = input.average_weight;
    task.samples = samples;
    if (const tuner::value* const delta = parameters.find(delta_parameter)) task.delta = std::get<double>(*delta);
    return run_peer(*program, input.files, *input.right, task);
  }

 private:
  static double average_weight_of(const tuner::workload& workload, bool unit_weights) {
    const double average = unit_weights ? 1 : workload.record.feature("avg_weight").value_or(1);
    return average > 0 ? average : 1;
  }

  static db::trial_result refused(std::string reason) {
    db::trial_result result;
    result.result = db::outcome::constraint;
    result.message = std::move(reason);
    return result;
  }

  /// Makes the input with integer weights. @return whether one exists
  bool scale_weights() {
    if (!std::exchange(was_scaling_tried_, true)) {
      if (const std::optional<scaled_graph> scaled = with_whole_weights(graph_)) {
        whole_.emplace(scaled->graph, as_given_.average_weight * scaled->factor);
      }
    }
    return whole_.has_value();
  }

  std::span<const peer> programs_;
  graph::csr_graph graph_;
  bool unit_weights_;
  peer_input as_given_;
  std::optional<peer_input> whole_;  // the same graph with integer weights
  bool was_scaling_tried_ = false;
  peer_task task_;
};

}  // namespace

tuner::configuration parameters_with(double delta) {
  tuner::configuration parameters;
  parameters.set(delta_parameter, delta);
  return parameters;
}

std::unique_ptr<compare::peer_session> open_session(std::span<const peer> programs, const tuner::workload& workload,
                                                    const tuner::query& query, bool unit_weights,
                                                    const backends::device_info& device) {
  return std::make_unique<session>(programs, workload, query, unit_weights, device);
}

}  // namespace mlmq::problems::search_peers
