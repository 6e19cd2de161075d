// SPDX-License-Identifier: Apache-2.0
// The element of a search: a vertex and the distance it had when it was written (MLMQ, Listing 2).
#pragma once

#include "queues/element.cuh"
#include "queues/order.cuh"

namespace mlmq {

/// The distance is in the upper half: words order by distance.
using element = u64;

SIMT_DEVICE element make_element(u32 vertex, u32 distance) { return static_cast<u64>(distance) << 32 | vertex; }
SIMT_DEVICE u32 vertex_of(element e) { return static_cast<u32>(e); }
SIMT_DEVICE u32 distance_of(element e) { return static_cast<u32>(e >> 32); }

}  // namespace mlmq
