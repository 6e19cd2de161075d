// SPDX-License-Identifier: Apache-2.0
// Implementation of the handle mlmq::model.
#pragma once

#include "problems/recommendation.hpp"

namespace mlmq::detail {

/// The choice of a ranking model.
struct model_data {
  problems::model_choice choice;
};

}  // namespace mlmq::detail
