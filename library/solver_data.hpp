// SPDX-License-Identifier: Apache-2.0
// A solver on one device: what searches, what chooses, and what both share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "library/access.hpp"
#include "library/batch_runner.hpp"
#include "library/betweenness_runner.hpp"
#include "library/configuration_chooser.hpp"
#include "library/device_data.hpp"
#include "library/device_shares.hpp"
#include "library/digraph_data.hpp"
#include "library/distance_scale.hpp"
#include "library/executor.hpp"
#include "library/path_sums.hpp"
#include "problems/graphs/resident_weights.hpp"

namespace mlmq::detail {

/// An executor and its chooser, for one device.
class solver_data {
 public:
  solver_data(std::shared_ptr<device_data> device, const digraph& graph, problem kind)
      : graph_(graph),
        weighted_graph_(graph),
        kind_(kind),
        device_(std::move(device)),
        path_graphs_(device_, kind == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp) {
    make_executor();
  }

  [[nodiscard]] device_data& device() const { return executor_->device(); }
  /// Returns the graph with its first weights. Any thread may call it.
  [[nodiscard]] const digraph& graph() const { return graph_; }
  [[nodiscard]] problem kind() const { return kind_; }
  /// Returns the type of the distances that callers receive, whatever the weights are.
  [[nodiscard]] number_type delivered_type() const {
    return distance_scale(access::get(graph_).csr, kind_).delivered();
  }
  [[nodiscard]] bool is_resident() const { return executor_->on_device().instance != nullptr; }
  void enter() { executor_->device().backend->enter(); }
  double upload() { return executor_->upload(); }

  [[nodiscard]] mlmq::choice choose(const solve_options& options) {
    solve_times times;
    return executor_->describe(*chooser_->attempts(placed(options), times, attempt_purpose::description).front());
  }
  /// Waits for the caller's work in a stream, if the search may depend on it.
  /// @param keeps  whether the solution stays on the device
  /// @throws input_error  for an invalid stream, or if the device has no memory of its own
  void wait_for_stream(void* stream, bool keeps);

  [[nodiscard]] solution solve(vertex source, const solve_options& options);
  /// @param output  one number of delivered_type() per vertex
  [[nodiscard]] search_summary solve_into(vertex source, std::span<std::byte> output, const solve_options& options);
  /// @param output  one number of the type of distances that searches leave, per vertex; receives infinity in floats
  [[nodiscard]] search_summary solve_into_words(vertex source, std::span<std::byte> output,
                                                const solve_options& options, attempt_purpose purpose);
  [[nodiscard]] std::vector<tried> try_out(std::span<const vertex> sources, unsigned count,
                                           const solve_options& options);
  /// @throws input_error  for weights of another type or number, or while other calls use runners
  void update_weights(graph::csr_graph::weight_array weights);
  void update_weights(const device_weight_array& weights);

  /// Takes a runner that no other call uses. Called with the device locked.
  [[nodiscard]] std::unique_ptr<multi_source_runner> take_multi_source_runner() {
    const std::lock_guard lock(idle_mutex_);
    ++runners_in_use_;
    if (idle_multi_source_runners_.empty())
      return std::make_unique<multi_source_runner>(device_, weighted_graph_, kind_, *executor_);
    std::unique_ptr<multi_source_runner> runner = std::move(idle_multi_source_runners_.back());
    idle_multi_source_runners_.pop_back();
    return runner;
  }
  /// Keeps a runner, with what it has compiled and allocated, for the next call.
  void keep(std::unique_ptr<multi_source_runner> runner) {
    const std::lock_guard lock(idle_mutex_);
    --runners_in_use_;
    idle_multi_source_runners_.push_back(std::move(runner));
  }
  /// A runner for the duration of a call.
  struct runner_lease {
    explicit runner_lease(solver_data& solver) : owner(solver), runner(solver.take_multi_source_runner()) {}
    runner_lease(const runner_lease&) = delete;
    runner_lease& operator=(const runner_lease&) = delete;
    ~runner_lease() { owner.keep(std::move(runner)); }
    solver_data& owner;
    std::unique_ptr<multi_source_runner> runner;
  };
  /// Returns which searches the first configuration of a list is for; any if there is none.
  [[nodiscard]] configuration_use use_of(std::span<const std::string> configurations);
  [[nodiscard]] path_graph_cache& path_graphs() { return path_graphs_; }
  /// Adds the other devices of a solver, whose first device this is.
  void add_device(std::shared_ptr<device_data> device) {
    others_.push_back(std::make_unique<solver_data>(std::move(device), graph_, kind_));
  }
  /// Returns the first device of a solver and the others.
  [[nodiscard]] std::vector<solver_data*> devices() {
    std::vector<solver_data*> devices{this};
    for (const std::unique_ptr<solver_data>& other : others_) devices.push_back(other.get());
    return devices;
  }
  [[nodiscard]] shared_requests& shared() { return shared_; }
  /// Replaces the weights by those of another device, which is locked too.
  void take_weights_of(const solver_data& other) { adopt(access::get(other.weighted_graph_).csr, nullptr); }
  [[nodiscard]] betweenness_runner& betweenness() {
    if (betweenness_runner_ == nullptr)
      betweenness_runner_ = std::make_unique<betweenness_runner>(device_, weighted_graph_, kind_);
    return *betweenness_runner_;
  }

 private:
  /// @param on_device  the weights in memory of the device, or null
  void adopt(graph::csr_graph weighted, const std::shared_ptr<const problems::resident_weights>& on_device);

  const digraph graph_;
  digraph weighted_graph_;  ///< with the weights of the last update; used with the device locked
  problem kind_;
  std::shared_ptr<device_data> device_;
  path_graph_cache path_graphs_;
  /// The result of a finished search, before its distances are delivered.
  struct search_result {
    resident* place = nullptr;  ///< null: a solver of many searches has copied and checked the distances
    std::shared_ptr<const attempt> candidate;
    tuner::run_report report;
    bool is_copied = false;
    solve_times times;
  };
  /// @param room  returns memory for the distances, which are copied to it if the search has to do that, or if it saves
  ///   a second wait
  [[nodiscard]] search_result search(vertex source, const solve_options& options, attempt_purpose purpose,
                                     const std::function<std::span<std::byte>()>& room);
  /// Makes an attempt, and adds its times, also those of one that fails. @throws like executor::make_ready() and
  /// executor::run()
  [[nodiscard]] search_result make_attempt(const std::shared_ptr<const attempt>& candidate, vertex source,
                                           const solve_options& options,
                                           const std::function<std::span<std::byte>()>& room, solve_times& times);
  /// Returns the options with the only possible placement, if there is just one.
  [[nodiscard]] solve_options placed(const solve_options& options) const;

  void make_executor() {
    const auto extent = chooser_ ? chooser_->searched_extent() : std::nullopt;
    chooser_.reset();
    executor_.emplace(device_, weighted_graph_, kind_, reductions_);
    chooser_.emplace(*executor_, [this] { return runner_lease(*this).runner->prepared_search(); });
    if (extent) chooser_->search_core(*extent);
  }

  std::map<std::string, configuration_use> uses_;  ///< by text of a configuration

  const std::shared_ptr<graph::lazily_reduced_graphs> reductions_ = std::make_shared<graph::lazily_reduced_graphs>();
  // Made again for new weights. The runners refer to the executor, whose address stays the same.
  std::optional<executor> executor_;
  std::optional<configuration_chooser> chooser_;
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<multi_source_runner>> idle_multi_source_runners_;  // several after nested calls
  std::size_t runners_in_use_ = 0;
  std::unique_ptr<betweenness_runner> betweenness_runner_;  // created by the first call of betweenness()
  std::vector<std::unique_ptr<solver_data>> others_;        // the other devices of a solver
  shared_requests shared_;                                  // of all devices of a solver, kept by the first
};

}  // namespace mlmq::detail
