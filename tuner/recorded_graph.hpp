// SPDX-License-Identifier: Apache-2.0
// Where the graph of a recorded trial is now.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tuner/inputs.hpp"

namespace mlmq::tuner {

class recorded_graphs {
 public:
  /// @param named by the user: where graphs are that are not where they were
  /// @throws input_error for names that cannot be used
  recorded_graphs(const db::store& recorded, std::span<const std::string> named);

  /// The input that is this graph, by its content. Nothing when it is not here, or has changed.
  /// @param experiment that it was measured in
  [[nodiscard]] const input* find(std::int64_t graph, std::int64_t experiment);

 private:
  [[nodiscard]] std::vector<input> candidates_for(const db::graph_record& graph, std::int64_t experiment) const;

  const db::store& recorded_;
  std::vector<input> named_;
  std::map<std::int64_t, std::optional<input>> found_;  // by the graph's row
};

}  // namespace mlmq::tuner
