// SPDX-License-Identifier: Apache-2.0
// The workloads of a record that were measured completely, from which 'mlmq tune' learns.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "selector/training_data.hpp"
#include "selector/training_set.hpp"

namespace mlmq::tune {

/// Groups variants of graphs by their names; every other workload becomes a group of its own.
void group_by_workload(selector::training_data& data);

/// Returns the recorded features that selectors use by default.
[[nodiscard]] std::vector<std::string> standard_features(const selector::training_data& data);

/// Workloads that were measured with every needed configuration, with all configurations that were measured on all of
/// these workloads, and with the standard features.
struct complete_record {
  selector::training_set searches;  ///< one instance per query
  selector::training_set means;     ///< one instance per workload
  std::size_t incomplete = 0;       ///< number of instances left out
};
[[nodiscard]] complete_record complete_part(const selector::training_data& data,
                                            const std::vector<std::string>& needed);

/// Message if there is no complete graph yet.
inline constexpr const char* nothing_complete =
    "no graph has been measured with all configurations yet; rerun this command to continue, or give it "
    "more time with --budget";

/// Trials recorded earlier, of the same or of another device, from which 'mlmq tune' learns too.
struct record_request {
  std::string database = {};           ///< path; "none": no record; empty: the shipped database of the problem
  std::filesystem::path shipped = {};  ///< folder of the shipped databases, such as experiments/recorded/
};

struct earlier_record {
  std::optional<selector::training_data> data;
  bool same_device = false;
};

/// Loads the record of the problem and device of `own_data`, or of another GPU if there is none of this one. A shipped
/// database may be missing or unsuitable. @throws input_error for an unsuitable requested database
[[nodiscard]] earlier_record load_record(const record_request& request, const selector::training_data& own_data,
                                         const backends::device_info& device);

/// Counts own graphs with a variant on record: the same name, possibly with other weights.
[[nodiscard]] std::size_t also_recorded(const complete_record& own_record, const earlier_record& record);

}  // namespace mlmq::tune
