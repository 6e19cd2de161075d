// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/gpu_index.hpp"

#include "base/error.hpp"

namespace mlmq::backends {

unsigned gpu_index(const std::string& selector) {
  if (selector == "cuda") return 0;
  const std::string digits = selector.substr(5);
  if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
    throw input_error("device '" + selector + "': expected cuda:N with the number of a GPU, such as cuda:0");
  }
  return static_cast<unsigned>(std::stoul(digits));
}

std::string gpu_selector(const std::string& selector) { return "cuda:" + std::to_string(gpu_index(selector)); }

}  // namespace mlmq::backends
