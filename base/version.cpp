// SPDX-License-Identifier: Apache-2.0
#include "base/version.hpp"

namespace mlmq {

std::string program_version() { return MLMQ_VERSION; }

}  // namespace mlmq
