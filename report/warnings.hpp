// SPDX-License-Identifier: Apache-2.0
// Remarks that readers need for interpreting the charts.
#pragma once

#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

enum class severity {
  note,     ///< explains the origin of the numbers
  warning,  ///< some numbers may mislead
  error,    ///< something went wrong
};

[[nodiscard]] std::string_view to_string(severity value);

struct remark {
  severity level = severity::note;
  std::string text;  ///< one or two sentences
};

/// Remarks about a whole database: unfinished trials, trials of other kernel code, several versions of the program.
[[nodiscard]] std::vector<remark> remarks_on(const db::whole_record& record);

/// Remarks about one result set: kind of times, failures, stopped trials, uncertain medians, lower clocks, several
/// drivers, several versions of the kernels in one table, missing data.
[[nodiscard]] std::vector<remark> remarks_on(const result_set& set);

}  // namespace mlmq::report
