// SPDX-License-Identifier: Apache-2.0
// The graphs that a worker keeps on its device, the least recently used one leaving first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/sessions.hpp"
#include "graph/file_ids.hpp"
#include "tuner/problem.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

class resident_graphs {
 public:
  /// One graph on the device. `instance` is null when it does not fit even alone; `too_large` then says why.
  struct resident {
    std::int64_t row = 0;
    std::uint64_t bytes = 0;  ///< of device memory, roughly
    std::unique_ptr<problem_instance> instance;
    graph::file_ids ids;  ///< trials name their sources so
    std::string too_large;
  };

  /// Half of the device's memory is for graphs; the rest is for queues.
  resident_graphs(const problem& what, backends::backend& device, const std::vector<planned_graph>& graphs)
      : problem_(what), device_(device), graphs_(graphs), capacity_(device.info().memory_bytes / 2) {}

  /// Brings the graph to the device unless it is there. Adds the time it took to times.load and times.upload.
  /// @param name for the message. @throws input_error for a graph that is not among those given, has become another one,
  ///   or cannot be read
  resident& get(std::int64_t row, const std::string& name, db::session_times& times);

  [[nodiscard]] bool holds(std::int64_t row) const;

  /// The vertex that a trial of this graph starts from. @throws input_error when the graph has no such id
  [[nodiscard]] static graph::vertex_id source_of(const resident& graph, std::uint64_t id, const std::string& name);

  /// Takes all graphs but the one used last from the device. @return whether there was one
  bool keep_only_newest();

 private:
  [[nodiscard]] const planned_graph& planned(std::int64_t row, const std::string& name) const;
  void make_room(std::uint64_t bytes);

  const problem& problem_;
  backends::backend& device_;
  const std::vector<planned_graph>& graphs_;
  std::uint64_t capacity_;
  std::list<resident> residents_;  // the one used last is the first
};

}  // namespace mlmq::tuner
