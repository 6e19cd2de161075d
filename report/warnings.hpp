// SPDX-License-Identifier: Apache-2.0
// What a reader has to know before believing a picture.
#pragma once

#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

enum class severity {
  note,     ///< says what the numbers are of
  warning,  ///< some numbers may mislead
  error,    ///< something went wrong
};

[[nodiscard]] std::string_view to_string(severity how);

struct remark {
  severity how = severity::note;
  std::string text;  ///< a sentence or two
};

/// About a whole database: trials that are not done, trials of other kernel code, several versions of the program.
[[nodiscard]] std::vector<remark> remarks_on(const db::whole_record& record);

/// About one result set: what kind of times, failures, stopped trials, uncertain medians, lower clocks, several drivers,
/// several versions of the kernels in one table, what is not on record.
[[nodiscard]] std::vector<remark> remarks_on(const result_set& set);

}  // namespace mlmq::report
