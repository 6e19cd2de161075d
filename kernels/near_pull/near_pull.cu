// SPDX-License-Identifier: Apache-2.0
// Shortest paths: near vertices are settled by pushing, the others pull.

#include "near_pull/search.cuh"

SIMT_KERNEL(near_pull, mlmq::near_pull::arguments) { mlmq::near_pull::run_search(arguments); }
