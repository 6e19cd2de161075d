// SPDX-License-Identifier: Apache-2.0
#include "cli/shipped_files.hpp"

#include "backends/backend.hpp"

namespace mlmq::cli {

std::filesystem::path shipped_folder() {
  return std::filesystem::absolute(backends::kernel_folder()).lexically_normal().parent_path();
}

}  // namespace mlmq::cli
