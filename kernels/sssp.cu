// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths.

#include "search.cuh"

SIMT_KERNEL(sssp, mlmq::search_arguments) { mlmq::run_search(arguments); }
