// SPDX-License-Identifier: Apache-2.0
// Launch code of the fastest configurations of a kernel, for programs of users.
#pragma once

#include <span>
#include <vector>

#include "db/export.hpp"
#include "db/status.hpp"
#include "problems/kernel/definition.hpp"
#include "problems/kernel/size_workload.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::kernel {

/// Returns a C++17 header without dependencies and a JSON document, named after the kernel.
/// @param best  results of this kernel, at least one
/// @throws input_error for a workload that the definition does not describe
[[nodiscard]] std::vector<db::exported_file> launch_files(const definition& kernel, const size_kind& workloads,
                                                          std::span<const tuner::parameter_declaration> declarations,
                                                          std::span<const db::best_result> best);

}  // namespace mlmq::kernel
