// SPDX-License-Identifier: Apache-2.0
// Near-Far (Davidson, Baxter, Garland, Owens 2014): a near and a far pile, bulk-synchronous.

#include "baselines/frontier_search.cuh"

SIMT_KERNEL(near_far, mlmq::frontier_arguments) { mlmq::run_frontier_search<true>(arguments); }
