// SPDX-License-Identifier: Apache-2.0
// Exception for a variant that must be compiled when no compiler is available.
#pragma once

#include "base/error.hpp"

namespace mlmq::backends {

/// The variant is neither cached nor shipped, and there is no compiler.
class no_compiler : public work_error {
 public:
  using work_error::work_error;
};

}  // namespace mlmq::backends
