// SPDX-License-Identifier: Apache-2.0
// Chooses which configurations to try for a search, and in which order.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "library/executor.hpp"
#include "library/exploration.hpp"
#include "library/graph_features.hpp"
#include "library/place_chooser.hpp"
#include "library/preparation_adoption.hpp"
#include "library/ranking.hpp"
#include "problems/searches/plan.hpp"
#include "problems/shortest_paths/parameters.hpp"

namespace mlmq::detail {

[[nodiscard]] tuner::instrumentation instrumentation_of(const solve_options& options);

/// Which searches a configuration is for.
enum class configuration_use {
  any,     ///< solve() and solve_many() take it, or neither
  single,  ///< only solve() takes it: solve_many() searches one source after another
  many,    ///< only solve_many() takes it
};
/// Takes as long as several searches.
[[nodiscard]] configuration_use use_of(const std::string& configuration);

/// What attempts are for.
enum class attempt_purpose {
  description,     ///< to name the choice: the graph is not uploaded
  search,          ///< one search
  search_of_many,  ///< a search of solve_many(), which has its own use of elimination hierarchies
};

/// Chooser for one graph and device. Not thread-safe.
class configuration_chooser {
 public:
  /// @param executor  must outlive this
  /// @param find_elimination  returns searches that sweep over an elimination hierarchy, see
  ///   problems::prepared_search_for()
  configuration_chooser(executor& executor, std::function<std::optional<problems::prepared_search>()> find_elimination);

  /// Returns the configurations to try, in this order; at least one.
  /// @throws input_error  for invalid configurations
  [[nodiscard]] attempt_list attempts(const solve_options& options, solve_times& times, attempt_purpose purpose);

  /// Records the device time of a finished search. @param ms  milliseconds
  void note(const attempt& finished, double ms);
  /// Records that the device cannot make a search that a rule has chosen.
  void give_up(const attempt& failed, tuner::instrumentation mode);
  /// Returns whether an attempt searches the core of the reduced graph because the searches so far have paid for it.
  [[nodiscard]] bool has_reduced(const attempt& candidate) const {
    const auto extent = problems::reduction_of(candidate.configuration);
    return extent && adoption_.is_due(index_of(*extent)) && candidate.chosen_by != choice::source::caller &&
           !candidate.is_for_many;
  }

  /// Returns which core of the reduced graph searches are of; nothing: of the whole graph.
  [[nodiscard]] std::optional<graph::reduction_extent> searched_extent() const {
    if (adoption_.is_due(core)) return graph::reduction_extent::core;
    return adoption_.is_due(chains) ? std::optional(graph::reduction_extent::chains) : std::nullopt;
  }
  /// Makes the next searches, too, searches of a core, whose vertices are known.
  void search_core(graph::reduction_extent extent) { adoption_.keep(index_of(extent)); }

  /// Puts the fastest configuration of try_out() first in later recommendations of the model.
  void prefer(const model& chosen_model, std::string configuration, std::string reason);

 private:
  /// A graph to be searched, and what is known about it.
  struct searched_graph {
    searched_graph(graph::csr_graph searched, std::optional<graph::reduction_extent> reduction)
        : graph(std::move(searched)), extent(reduction), features(graph) {}
    searched_graph(const searched_graph&) = delete;
    searched_graph& operator=(const searched_graph&) = delete;
    ~searched_graph() = default;

    const graph::csr_graph graph;
    const std::optional<graph::reduction_extent> extent;  ///< of the reduction that has left it
    graph_features features;
    std::map<std::shared_ptr<const model_data>, std::unique_ptr<ranking>> rankings;
  };
  /// Returns the recommendations of a model for a graph. model::standard() is resolved for this device only once.
  /// @throws input_error for a model of another problem
  [[nodiscard]] ranking& ranking_by(const model& chosen, searched_graph& searched);
  /// A core of the graph.
  struct reduced_graph {
    explicit reduced_graph(graph::reduction_extent of_reduction) : extent(of_reduction) {}

    const graph::reduction_extent extent;
    std::optional<searched_graph> searched;  ///< once searches are of it
    bool is_ready = false;                   ///< whether its first kernel has been compiled
  };
  /// Returns the smallest core that searches should be of; without one, the whole graph. Makes the core once its
  /// kernels have been compiled, during further searches of the former graph, and then compiles that of a search of the
  /// core.
  [[nodiscard]] searched_graph& searched_in(const solve_options& options, bool for_search, solve_times& times);
  /// @throws backends::launch_error, backends::out_of_device_memory
  [[nodiscard]] bool prepare_core(reduced_graph& reduced, const solve_options& options, solve_times& times);

  /// Computes the missing features that a ranking needs.
  void find_features(searched_graph& searched, const ranking& model_ranking, graph_features::samples sampling,
                     solve_times& times);

  /// @throws input_error  for an invalid configuration
  [[nodiscard]] std::shared_ptr<const attempt> caller_attempt(const std::string& text);
  /// Returns the attempts on the solver's device, once the features of the graph are known. Cached for the next call.
  [[nodiscard]] const attempt_list& on_device(const solve_options& options, searched_graph& searched);
  /// Returns the recommended configurations without those that the device failed to run; the winner of try_out() comes
  /// first, after partitioned searches.
  [[nodiscard]] attempt_list make_list(searched_graph& searched, ranking& model_ranking, tuner::instrumentation mode,
                                       problems::graph_split split);
  /// Indices of the preparations.
  static constexpr std::size_t chains = 0;
  static constexpr std::size_t core = 1;
  static constexpr std::size_t parts = 2;
  static constexpr std::size_t elimination = 3;
  [[nodiscard]] static std::size_t index_of(graph::reduction_extent extent) {
    return extent == graph::reduction_extent::core ? core : chains;
  }
  /// Returns the milliseconds that the next reduction is expected to take; nothing if little would be removed.
  [[nodiscard]] std::optional<double> chains_ms() const;
  [[nodiscard]] std::optional<double> low_degrees_ms() const;
  /// Returns whether the solver of a configuration can search a graph, which may be a core.
  [[nodiscard]] static bool suits(const attempt& candidate, const searched_graph& searched);
  /// Makes a configuration search the core if its solver can, and if that is the graph to be searched.
  void reduce(attempt& candidate, const searched_graph& searched) const;
  /// Returns the expected time of preparing an elimination hierarchy; nothing if searches are not expected to become
  /// faster.
  [[nodiscard]] std::optional<double> elimination_ms(double search_ms);
  /// Returns whether the next search should use an elimination hierarchy.
  [[nodiscard]] bool takes_elimination(const solve_options& options) const;
  /// Returns whether the device can search this graph in parts.
  [[nodiscard]] bool fits_in_parts() const;

  /// Moves the configuration that a comparison of solve_options::tries needs next to the front of the attempts on the
  /// device. Begins a comparison if there is none, and compiles its kernels.
  void explore(const solve_options& options, solve_times& times, attempt_list& attempts);
  /// Returns the key of kept_winner() for this graph.
  [[nodiscard]] std::string winner_key() const;

  struct winner {
    const ranking* ranked_by = nullptr;
    std::string configuration;
    std::string reason;
  };

  executor& executor_;
  searched_graph whole_;
  /// One for each of the first two preparations.
  std::array<reduced_graph, 2> reduced_{reduced_graph(graph::reduction_extent::chains),
                                        reduced_graph(graph::reduction_extent::core)};
  place_chooser place_chooser_;
  preparation_adoption adoption_;
  bool are_parts_ready_ = false;  ///< whether the kernel of the adopted parts has been compiled
  tuner::parameter_set parameters_;
  std::function<std::optional<problems::prepared_search>()> find_elimination_;
  std::shared_ptr<const attempt> elimination_search_;  ///< null: not considered yet
  winner trial_winner_;
  std::optional<exploration> exploration_;  ///< the comparison that has not ended
  const ranking* explored_ = nullptr;       ///< the ranking that was compared last

  /// The last result of on_device().
  struct device_list {
    searched_graph* searched = nullptr;  ///< null: empty
    ranking* ranked_by = nullptr;
    tuner::instrumentation mode = tuner::instrumentation::none;
    std::size_t unfit = 0;  ///< number of configurations that the device was known to be unable to run
    problems::graph_split split = problems::graph_split::never;
    attempt_list attempts;
  };
  device_list cached_list_;
  std::map<std::string, std::shared_ptr<const attempt>> parsed_configurations_;  ///< keyed by text
};

}  // namespace mlmq::detail
