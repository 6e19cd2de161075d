// SPDX-License-Identifier: Apache-2.0
// Distances as keys of the queues, one class per type of weights: integers that saturate, or non-negative floats.
#pragma once

#include "queues/order.cuh"

namespace mlmq {

using integer_distance = integer_key;
using float_distance = float_key;

}  // namespace mlmq
