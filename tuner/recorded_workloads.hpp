// SPDX-License-Identifier: Apache-2.0
// Locates the workloads of recorded trials.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {

class recorded_workloads {
 public:
  /// @param named names given by the user for workloads that have moved
  /// @param file_options options that may have been applied to files without being in their entries; see sweep_request
  recorded_workloads(const db::store& recorded, std::vector<std::string> named,
                     std::map<std::string, std::string> file_options)
      : recorded_(recorded), named_(std::move(named)), file_options_(std::move(file_options)) {}

  /// Returns the input with the content of the recorded workload, or null if it is missing or has changed.
  /// @param experiment experiment in which it was measured
  /// @throws input_error for invalid names
  [[nodiscard]] const workload_input* find(std::int64_t workload, std::int64_t experiment, const workload_kind& kind);

 private:
  [[nodiscard]] std::vector<workload_input> candidates_for(const db::workload_record& workload, std::int64_t experiment,
                                                           const workload_kind& kind);
  /// Returns the inputs that the user, the experiment or the record itself names.
  [[nodiscard]] std::vector<workload_input> entries_for(const db::workload_record& workload, std::int64_t experiment,
                                                        const workload_kind& kind);

  const db::store& recorded_;
  std::vector<std::string> named_;
  std::map<std::string, std::string> file_options_;
  std::map<std::string, std::vector<workload_input>> named_inputs_;       // inputs named by the user, by kind
  std::map<std::int64_t, std::optional<workload_input>> located_inputs_;  // input of each workload, by its database row
};

}  // namespace mlmq::tuner
