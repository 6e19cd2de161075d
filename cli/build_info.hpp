// SPDX-License-Identifier: Apache-2.0
// Version, commit and toolkit of this build.
#pragma once

#include <fmt/format.h>

#include <string>

namespace mlmq::cli {

struct build_info {
  std::string version;  ///< such as "0.1.0"
  std::string commit;   ///< 12 digits, followed by "+changes" if files differed from the commit; "": unknown
  std::string toolkit;  ///< version of the CUDA toolkit whose headers were used; "": without CUDA
};

/// Defined in a file that each build writes (cmake/WriteBuildInfo.cmake).
[[nodiscard]] build_info this_build();

/// Returns a text such as "mlmq 0.1.0 (commit 0123456789ab, CUDA toolkit 13.0.88)".
[[nodiscard]] inline std::string text_of(const build_info& build) {
  return fmt::format("mlmq {} (commit {}, {})", build.version, build.commit.empty() ? "unknown" : build.commit,
                     build.toolkit.empty() ? "without CUDA" : fmt::format("CUDA toolkit {}", build.toolkit));
}

}  // namespace mlmq::cli
