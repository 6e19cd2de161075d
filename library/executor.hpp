// SPDX-License-Identifier: Apache-2.0
// Runs searches: uploads the graph, compiles and prepares a configuration, and records the time of each step.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "graph/reduced_graph.hpp"
#include "library/access.hpp"
#include "library/attempt.hpp"
#include "library/device_data.hpp"
#include "library/digraph_data.hpp"
#include "library/distance_scale.hpp"
#include "library/kept_distances.hpp"
#include "library/resident.hpp"
#include "library/rows_on_device.hpp"
#include "mlmq/solver.hpp"
#include "problems/graphs/finished_distances.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::detail {

/// Executor for one graph, problem and device, and for the processors of this machine. Not thread-safe.
class executor {
 public:
  /// @param reductions of the graph, with these or other weights
  executor(std::shared_ptr<device_data> device, digraph graph, problem kind,
           std::shared_ptr<graph::lazily_reduced_graphs> reductions);
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  ~executor();

  [[nodiscard]] device_data& device() const { return *device_; }
  [[nodiscard]] problem kind() const { return kind_; }
  [[nodiscard]] const problems::search& searched() const { return searched_; }
  [[nodiscard]] const digraph_data& data() const { return access::get(graph_); }
  [[nodiscard]] double vertices() const { return static_cast<double>(data().csr.vertex_count()); }
  [[nodiscard]] double edges() const { return static_cast<double>(data().csr.edge_count()); }

  [[nodiscard]] distance_scale scale() const { return {data().csr, kind_}; }
  /// Returns the type of the distances that searches leave.
  [[nodiscard]] graph::weight_type distance_type() const { return scale().searched; }

  /// Returns this machine's processors, opened by the first call.
  [[nodiscard]] processors& host() const;

  [[nodiscard]] const resident& on_device() const { return on_device_; }  ///< on the device
  [[nodiscard]] const resident& on_host() const { return on_host_; }      ///< on the processors of this machine

  /// Returns the storage of the graph's rows, shared by the device and the processors.
  [[nodiscard]] const std::shared_ptr<problems::row_store>& rows() const { return rows_; }
  [[nodiscard]] const std::shared_ptr<graph::lazily_reduced_graphs>& reductions() const { return reductions_; }
  /// Returns the graph without leaves and chains, which the first call makes on the device.
  /// @throws backends::launch_error, backends::out_of_device_memory
  [[nodiscard]] const graph::csr_graph& core(graph::reduction_extent extent, solve_times& times);
  /// Returns whether the caller provided the graph's rows in the memory of this device.
  [[nodiscard]] bool are_rows_here() const {
    return data().device_rows != nullptr && data().device_rows->are_on(*device_->backend);
  }

  /// Uploads the graph unless it is already on the device. @return milliseconds
  double upload();
  void upload(solve_times& times) { upload(on_device_, *device_->backend, times); }

  /// Uploads, compiles and prepares. @throws backends::launch_error if the device or the processors cannot run the
  /// configuration
  resident& make_ready(const attempt& candidate, tuner::instrumentation mode, solve_times& times);

  /// Compiles the missing kernels of the attempts for the device, in parallel. The graph must be on the device.
  void compile_all(std::span<const std::shared_ptr<const attempt>> attempts, tuner::instrumentation mode) {
    on_device_.variants.compile_all(*on_device_.instance, *device_->backend, attempts, mode);
  }

  /// Compiles a kernel for the device during further searches, see compiled_variants. The graph must be on the device.
  [[nodiscard]] bool compile_ahead(const attempt& candidate, tuner::instrumentation mode, solve_times& times) {
    return on_device_.variants.compile_ahead(*on_device_.instance, *device_->backend, candidate.configuration, mode,
                                             times);
  }

  /// Compiles what removes leaves and chains on the device during further searches. @return whether this has ended
  [[nodiscard]] bool compile_reduction_ahead();

  /// Records that the device cannot run a configuration.
  void note_unfit(const std::string& configuration, tuner::instrumentation mode) {
    on_device_.variants.note_unfit(configuration, mode);
  }

  /// Runs the prepared configuration in `place`. @throws search_error if the search does not finish
  /// @param output  receives the distances as the search leaves them, one number of distance_type() per vertex; empty:
  ///   they are not copied
  /// @return the report, and whether `output` has been written
  [[nodiscard]] std::pair<tuner::run_report, bool> run(resident& place, const attempt& candidate, vertex source,
                                                       tuner::instrumentation mode, double time_limit_ms,
                                                       std::span<std::byte> output, solve_times& times);
  /// Returns whether the distances are small enough to be copied as part of the search, which saves a second wait.
  [[nodiscard]] bool is_copied_at_once() const;

  // The functions below deliver the result of the last run in `place` and add to `times`. Those that look at the
  // distances throw search_error if one does not fit its type.
  /// Copies the distances to host memory.
  void download(resident& place, solution_data& solution, solve_times& times) const;
  /// Keeps the distances on the device. @throws backends::out_of_device_memory
  void keep(solution_data& solution, solve_times& times);
  /// Writes the distances to the caller's memory, with infinity for unreachable vertices if they are floats.
  /// @param output  one number of distance_type() per vertex
  void write(resident& place, std::span<std::byte> output, solve_times& times);
  /// Finishes distances that run() has copied to `output`, like write().
  void finish_copied(std::span<std::byte> output) const;

  /// Returns the kernels that finish distances on the device, created by the first call.
  [[nodiscard]] problems::finished_distances& finisher();

  /// Describes an attempt for the public interface.
  [[nodiscard]] mlmq::choice describe(const attempt& candidate) const;

 private:
  void upload(resident& place, backends::backend& device, solve_times& times) const;
  /// Returns the distances of the last run on the device as decimal numbers. @param spare their memory, or empty
  [[nodiscard]] backends::device_memory decimals_on_device(backends::device_memory spare, solve_times& times);
  /// Finishes the distances of the last run on the device, like write().
  void finish_on_device(solve_times& times);
  [[nodiscard]] host_copy_clock host_copy_clock_of_graph() const {
    return [graph_data = access::share(graph_)] { return graph_data->host_copy_ms(); };
  }

  std::shared_ptr<device_data> device_;
  digraph graph_;
  problem kind_;
  problems::search searched_;
  std::shared_ptr<problems::row_store> rows_;
  std::shared_ptr<graph::lazily_reduced_graphs> reductions_;
  std::shared_ptr<spare_memory> spare_ = std::make_shared<spare_memory>();
  std::optional<problems::finished_distances> finisher_;
  std::future<void> reduction_ahead_;  ///< of compile_reduction_ahead()
  resident on_device_{host_copy_clock_of_graph()};
  resident on_host_{host_copy_clock_of_graph()};
};

}  // namespace mlmq::detail
