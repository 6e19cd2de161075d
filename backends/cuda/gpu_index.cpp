// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/gpu_index.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace mlmq::backends {
namespace {

constexpr const char* first_gpu_variable = "MLMQ_FIRST_GPU";

}  // namespace

unsigned gpu_index(const std::string& selector) {
  if (selector == "cuda") return 0;
  const std::string digits = selector.substr(5);
  if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
    throw input_error("device '" + selector + "': expected cuda:N with the number of a GPU, such as cuda:0");
  }
  return static_cast<unsigned>(std::stoul(digits));
}

std::string gpu_selector(const std::string& selector) { return "cuda:" + std::to_string(gpu_index(selector)); }

std::map<std::string, std::string> one_gpu_environment(const device_info& gpu) {
  return {{"CUDA_VISIBLE_DEVICES", gpu.uuid}, {first_gpu_variable, std::to_string(gpu_index(gpu.selector))}};
}

unsigned first_gpu() {
  const char* const number = std::getenv(first_gpu_variable);
  return number == nullptr ? 0 : gpu_index("cuda:" + std::string(number));
}

unsigned driver_index(const std::string& selector) {
  const unsigned index = gpu_index(selector);
  if (index < first_gpu()) throw input_error("device '" + selector + "': this process does not see this GPU");
  return index - first_gpu();
}

}  // namespace mlmq::backends
