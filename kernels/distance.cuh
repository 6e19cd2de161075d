// SPDX-License-Identifier: Apache-2.0
// Distances: keys of the queues, by the type of the weights. Integers that saturate, or non-negative floats.
#pragma once

#include "queues/order.cuh"

namespace mlmq {

using integer_distance = integer_key;
using float_distance = float_key;

}  // namespace mlmq
