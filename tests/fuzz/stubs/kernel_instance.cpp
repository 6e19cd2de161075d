// SPDX-License-Identifier: Apache-2.0
// Stub of what the problem `kernel` refers to for runs on a device, which the fuzz targets never start.
#include "problems/kernel/kernel_instance.hpp"

#include <cstdlib>

namespace mlmq::kernel {

std::unique_ptr<tuner::problem_instance> make_instance(backends::backend&, std::shared_ptr<const definition>,
                                                       const std::vector<tuner::parameter_declaration>&,
                                                       const size_workload&,
                                                       std::function<std::string(const backends::kernel_source&)>) {
  std::abort();
}

}  // namespace mlmq::kernel
