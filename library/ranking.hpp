// SPDX-License-Identifier: Apache-2.0
// The recommendations of one model for one graph, on the solver's device and on this machine's processors.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "library/executor.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/recommendation.hpp"

namespace mlmq::detail {

class ranking {
 public:
  /// @param executor  must outlive this
  /// @param graph  the executor's graph or its core
  /// @throws input_error if the model was trained for another problem
  ranking(const executor& executor, const graph::csr_graph& graph, const problems::model_choice& choice);

  /// Returns the names of the features that recommended() needs in addition to the size of the graph; empty if its size
  /// is enough.
  [[nodiscard]] std::span<const std::string_view> features() const {
    return recommends_.model() == nullptr ? std::span<const std::string_view>() : recommends_.features();
  }

  /// Returns recommendations for the solver's device. @param features  features of the graph
  [[nodiscard]] std::vector<problems::recommended_configuration> recommended(const tuner::named_features& features,
                                                                             problems::graph_split split);
  /// Returns the milliseconds that the model expects of a search on the solver's device, by the size of the graph.
  [[nodiscard]] std::optional<double> expected_ms_by_size() const {
    return recommends_.expected_ms_by_size(static_cast<double>(workload_.graph.vertex_count()),
                                           static_cast<double>(workload_.graph.edge_count()));
  }

  /// Returns what recommends searches on this machine's processors.
  [[nodiscard]] problems::recommender& on_processors();
  /// Returns the searches of the graph on this machine's processors that are expected to be the fastest, at least one.
  [[nodiscard]] std::span<const problems::recommended_configuration> searches_on_processors();

 private:
  [[nodiscard]] problems::workload_facts facts(const tuner::named_features& features) const;

  const executor& executor_;
  problems::graph_workload workload_;
  problems::recommender recommends_;
  std::optional<problems::recommender> on_processors_;  // created when first needed
  std::vector<problems::recommended_configuration> searches_on_processors_;
};

}  // namespace mlmq::detail
