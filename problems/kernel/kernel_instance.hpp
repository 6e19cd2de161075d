// SPDX-License-Identifier: Apache-2.0
// A kernel of an experiment file with its arrays on one device.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "problems/kernel/definition.hpp"
#include "problems/kernel/size_workload.hpp"
#include "tuner/problem.hpp"

namespace mlmq::kernel {

/// @param declarations  parameters of the problem; must outlive the instance
/// @param code_hash  returns the code hash that a variant must have (backends::kernel_source::code_hash)
[[nodiscard]] std::unique_ptr<tuner::problem_instance> make_instance(
    backends::backend& device, std::shared_ptr<const definition> kernel,
    const std::vector<tuner::parameter_declaration>& declarations, const size_workload& workload,
    std::function<std::string(const backends::kernel_source&)> code_hash);

}  // namespace mlmq::kernel
