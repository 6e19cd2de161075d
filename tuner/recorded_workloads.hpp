// SPDX-License-Identifier: Apache-2.0
// Where the workload of a recorded trial is now.
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
  /// @param named by the user: where workloads are that are not where they were
  /// @param file_options that files may have been read with though no entry says so: see sweep_request
  recorded_workloads(const db::store& recorded, std::vector<std::string> named,
                     std::map<std::string, std::string> file_options)
      : recorded_(recorded), named_(std::move(named)), file_options_(std::move(file_options)) {}

  /// The input that is this workload, by its content. Nothing when it is not here, or has changed.
  /// @param experiment that it was measured in
  /// @throws input_error for names that cannot be used
  [[nodiscard]] const workload_input* find(std::int64_t workload, std::int64_t experiment, const workload_kind& kind);

 private:
  [[nodiscard]] std::vector<workload_input> candidates_for(const db::workload_record& workload, std::int64_t experiment,
                                                           const workload_kind& kind);
  /// Those that the user, the experiment or the record itself names, as they are told there.
  [[nodiscard]] std::vector<workload_input> entries_for(const db::workload_record& workload, std::int64_t experiment,
                                                        const workload_kind& kind);

  const db::store& recorded_;
  std::vector<std::string> named_;
  std::map<std::string, std::string> file_options_;
  std::map<std::string, std::vector<workload_input>> named_inputs_;  // by kind
  std::map<std::int64_t, std::optional<workload_input>> found_;      // by the workload's row
};

}  // namespace mlmq::tuner
