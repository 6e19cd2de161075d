// SPDX-License-Identifier: Apache-2.0
// Features of graphs that are on record already, computed anew from the graphs: their definitions may change, and what
// was measured stays.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tuner/inputs.hpp"

namespace mlmq::tuner {

struct feature_update_report {
  std::size_t graphs = 0;            ///< of the database that were among the inputs
  std::size_t added = 0;             ///< features that graphs did not have
  std::size_t changed = 0;           ///< features that had another value
  std::vector<std::string> missing;  ///< graphs of the database that are none of the inputs, by name
  std::vector<std::string> others;   ///< inputs named like a graph of the database, but with other content
};

/// Computes all of graph::feature_definitions() for the graphs of the database that are among the inputs, and adds or
/// replaces them there; nothing else of the database changes. Inputs that no graph of the database is named like are not
/// read. Whether it is the same graph is decided by its content hash. One graph is in memory at a time.
/// @param progress called before each graph, with its name
/// @throws input_error for a graph that cannot be read; what was done until then stays
[[nodiscard]] feature_update_report update_features(db::store& store, std::span<const input> inputs,
                                                    const std::function<void(const std::string& name)>& progress = {});

}  // namespace mlmq::tuner
