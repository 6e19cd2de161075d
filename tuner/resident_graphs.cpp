// SPDX-License-Identifier: Apache-2.0
#include "tuner/resident_graphs.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/stopwatch.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;

/// Offsets, edges with weights, and distances.
std::uint64_t device_bytes(const graph::csr_graph& graph) { return 12 * graph.vertex_count() + 8 * graph.edge_count(); }

}  // namespace

const planned_graph& resident_graphs::planned(std::int64_t row, const std::string& name) const {
  for (const planned_graph& graph : graphs_) {
    if (graph.row == row) return graph;
  }
  throw input_error(
      "the experiment has unfinished trials on the graph '" + name +
      "', which is not among the graphs given now; name it with --graphs too, or run the shard that has it");
}

bool resident_graphs::holds(std::int64_t row) const {
  return std::any_of(residents_.begin(), residents_.end(), [row](const resident& one) { return one.row == row; });
}

graph::vertex_id resident_graphs::source_of(const resident& graph, std::uint64_t id, const std::string& name) {
  const auto source = graph.ids.find(id);
  if (!source) throw input_error(graph.ids.absence_text(name, id));
  return *source;
}

bool resident_graphs::keep_only_newest() {
  const bool any = std::any_of(residents_.begin(), residents_.end(), [this](const resident& one) {
    return one.instance != nullptr && &one != &residents_.front();
  });
  if (any) residents_.resize(1);
  return any;
}

void resident_graphs::make_room(std::uint64_t bytes) {
  std::uint64_t used = 0;
  for (const resident& one : residents_) used += one.bytes;
  while (!residents_.empty() && used + bytes > capacity_) {
    used -= residents_.back().bytes;
    residents_.pop_back();
  }
}

resident_graphs::resident& resident_graphs::get(std::int64_t row, const std::string& name, db::session_times& times) {
  const auto found =
      std::find_if(residents_.begin(), residents_.end(), [row](const resident& one) { return one.row == row; });
  if (found != residents_.end()) {
    residents_.splice(residents_.begin(), residents_, found);
    return residents_.front();
  }
  const planned_graph& graph = planned(row, name);
  auto start = clock::now();
  const loaded_input loaded = load_input(graph.where);
  times.load += milliseconds_since(start);
  if (loaded.record.hash != graph.hash) {
    throw input_error((graph.where.file.empty() ? name : graph.where.file) +
                      ": the graph has changed since the sweep began; run the command again");
  }
  resident fresh;
  fresh.row = row;
  fresh.bytes = device_bytes(loaded.graph);
  fresh.ids = loaded.graph.ids();
  start = clock::now();
  make_room(fresh.bytes);
  while (fresh.instance == nullptr) {
    try {
      fresh.instance = problem_.load(device_, loaded.graph, name);
    } catch (const backends::out_of_device_memory& error) {
      if (residents_.empty()) {
        fresh.too_large = error.what();
        fresh.bytes = 0;
        break;
      }
      residents_.pop_back();
    }
  }
  times.upload += milliseconds_since(start);
  residents_.push_front(std::move(fresh));
  return residents_.front();
}

}  // namespace mlmq::tuner
