// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.hpp"
#include "backends/registry.hpp"

namespace mlmq::backends {

extern "C" {
extern const backend_registration mlmq_registers_cpu;
const backend_registration mlmq_registers_cpu(
    {.name = "cpu",
     .selectors = "cpu or cpu:N",
     .traits = cpu_traits,
     .preference = 0,
     .list = [] { return std::vector<std::string>{"cpu"}; },
     .canonical = [](const std::string& selector) { return selector; },
     .open = open_cpu,
     .inspect = [](const std::string& selector) { return open_cpu(selector)->info(); },
     .report = report_cpu});
}

}  // namespace mlmq::backends
