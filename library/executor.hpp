// SPDX-License-Identifier: Apache-2.0
// Runs searches: brings a graph to its place, compiles and prepares a configuration there, and keeps what each took.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "library/search_types.hpp"
#include "problems/shortest_paths/finished_distances.hpp"
#include "problems/shortest_paths/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::detail {

/// One graph, one problem and one device, with the processors beside it. Not thread-safe.
class executor {
 public:
  executor(std::shared_ptr<device_data> on, digraph searched, problem which);
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  ~executor();

  [[nodiscard]] device_data& device() const { return *device_; }
  [[nodiscard]] problem kind() const { return kind_; }
  [[nodiscard]] const problems::search& searched() const { return searched_; }
  [[nodiscard]] const digraph_data& data() const { return access::get(graph_); }
  [[nodiscard]] double vertices() const { return static_cast<double>(data().csr.vertex_count()); }
  [[nodiscard]] double edges() const { return static_cast<double>(data().csr.edge_count()); }

  /// Of the distances that are searched for.
  [[nodiscard]] graph::weight_type distance_type() const {
    return kind_ == problem::bfs ? graph::weight_type::uint32 : data().csr.weights();
  }

  /// This machine's processors, opened by the first call.
  [[nodiscard]] processors& host() const;

  [[nodiscard]] const resident& here() const { return here_; }    ///< on the device
  [[nodiscard]] const resident& there() const { return there_; }  ///< on the processors beside it

  /// Where the graph's rows are, on the device and on the processors beside it.
  [[nodiscard]] const std::shared_ptr<problems::row_store>& rows() const { return rows_; }
  /// Whether the graph's rows are in the memory of the device without being brought there.
  [[nodiscard]] bool are_rows_here() const {
    return data().elsewhere != nullptr && data().elsewhere->are_on(*device_->own);
  }

  /// Brings the graph to the device, unless it is there. @return milliseconds
  double upload();
  void upload(solve_times& times) { upload(here_, *device_->own, times); }

  /// Uploads, compiles and prepares. @throws backends::launch_error when the place cannot run it
  resident& make_ready(const attempt& tried, tuner::instrumentation mode, solve_times& times);

  /// Compiles those that are missing on the device, on all processors at once. The graph is there. What cannot be compiled
  /// is still missing then.
  void compile_all(std::span<const std::shared_ptr<const attempt>> all, tuner::instrumentation mode);

  /// Notes that the device cannot run a configuration.
  void note_unfit(const std::string& configuration, tuner::instrumentation mode) {
    here_.unfit.emplace(configuration, mode);
  }

  /// Runs what is prepared in `place`. @throws search_error for what is not answered
  /// @param to where the distances are wanted, as the search leaves them: a number of distance_type() for each vertex. Empty:
  ///   nowhere
  /// @return the report, and whether they are there
  [[nodiscard]] std::pair<tuner::run_report, bool> run(resident& place, const attempt& tried, vertex source,
                                                       tuner::instrumentation mode, double time_limit_ms,
                                                       std::span<std::byte> to, solve_times& times);
  /// Whether an answer is so small that it is copied behind the search: a second wait would cost more than the copy.
  [[nodiscard]] bool is_copied_at_once() const;

  // What the last run in `place` found; `times` get what it takes to have it.
  /// In host memory.
  void bring(resident& place, solution_data& to, solve_times& times) const;
  /// Where it is, on the device. @throws backends::out_of_device_memory
  void keep(solution_data& to, solve_times& times);
  /// Written to the caller's memory, floats that no path leads to as infinity. @param to a number of distance_type() for each
  /// vertex @return whether every distance fits its type
  [[nodiscard]] bool write(resident& place, std::span<std::byte> to, solve_times& times);
  /// The same of distances that run() has copied there.
  [[nodiscard]] bool finish_copied(std::span<std::byte> to) const;

  /// Of the device, made when first needed.
  [[nodiscard]] problems::finished_distances& finisher();

  /// An attempt as a caller sees it.
  [[nodiscard]] mlmq::choice described(const attempt& tried) const;

 private:
  void upload(resident& to, backends::backend& device, solve_times& times) const;
  std::shared_ptr<device_data> device_;
  digraph graph_;
  problem kind_;
  problems::search searched_;
  std::shared_ptr<problems::row_store> rows_;
  std::shared_ptr<spare_memory> spare_ = std::make_shared<spare_memory>();
  std::optional<problems::finished_distances> finisher_;
  resident here_;
  resident there_;
};

}  // namespace mlmq::detail
