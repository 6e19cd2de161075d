// SPDX-License-Identifier: Apache-2.0
// Handles standard streams that the caller has closed.
#pragma once

#include <string>

namespace mlmq::cli {

/// Opens /dev/null for closed standard streams; otherwise the next opened file would take their descriptor and receive
/// the output. Writing to standard output is an error then.
void hold_closed_streams();

/// Flushes standard output. @return why output could not be written, or ""
/// @param earlier errno of an earlier failed write, if known; the stream does not keep it
[[nodiscard]] std::string output_failure(int earlier = 0);

}  // namespace mlmq::cli
