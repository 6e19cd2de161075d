// SPDX-License-Identifier: Apache-2.0
// Exception for a variant that would have to be compiled without a compiler.
#pragma once

#include "base/error.hpp"

namespace mlmq::backends {

/// The variant is neither cached nor shipped.
class no_compiler : public work_error {
 public:
  using work_error::work_error;
};

}  // namespace mlmq::backends
