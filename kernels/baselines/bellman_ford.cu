// SPDX-License-Identifier: Apache-2.0
// Bellman-Ford with a frontier: every superstep relaxes the vertices that the last one improved.

#include "baselines/frontier_search.cuh"

SIMT_KERNEL(bellman_ford, mlmq::frontier_arguments) { mlmq::run_frontier_search<false>(arguments); }
