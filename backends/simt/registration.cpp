// SPDX-License-Identifier: Apache-2.0
#include "backends/registry.hpp"
#include "backends/simt/simt_backend.hpp"

namespace mlmq::backends {

extern "C" {
extern const backend_registration mlmq_registers_simt;
const backend_registration mlmq_registers_simt(
    {.name = "simt",
     .selectors = "simt, simt:SxW",
     .traits = simulator::simt_traits,
     .preference = 1,
     .list = [] { return std::vector<std::string>{"simt"}; },
     .canonical = [](const std::string& selector) { return selector; },
     .open = [](const std::string& selector) { return open_simt(selector); },
     .inspect = [](const std::string& selector) { return open_simt(selector)->info(); },
     .report = report_simt});
}

}  // namespace mlmq::backends
