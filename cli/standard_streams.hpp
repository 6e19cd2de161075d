// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error, which a caller may have closed.
#pragma once

#include <string>

namespace mlmq::cli {

/// Where a standard stream is closed, the next file that is opened would take its place, and what is printed would go into
/// that file. Puts something there that holds the place: writing to standard output is an error then.
void hold_closed_streams();

/// Empties the buffer of standard output, where a full disk shows only then. @return why something that was printed has
/// not been written, or ""
/// @param earlier errno of a write that has failed, if known: the stream does not keep it
[[nodiscard]] std::string output_failure(int earlier = 0);

}  // namespace mlmq::cli
