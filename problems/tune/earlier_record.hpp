// SPDX-License-Identifier: Apache-2.0
// Trials recorded earlier, of the same or of another device, from which 'mlmq tune' learns too.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "problems/tune/complete_record.hpp"
#include "selector/training_data.hpp"

namespace mlmq::tune {

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
