// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: every edge has length 1, distances are levels.

#include "search.cuh"

SIMT_KERNEL(bfs, mlmq::search_arguments) { mlmq::run_search(arguments); }
