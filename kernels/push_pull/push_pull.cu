// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels that are pushed or pulled.

#include "push_pull/search.cuh"

SIMT_KERNEL(push_pull, mlmq::push_pull::arguments) { mlmq::push_pull::run_search(arguments); }
