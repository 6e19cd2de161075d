// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/dynamic_library.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace mlmq::backends {

void dynamic_library::closer::operator()(void* handle) const noexcept { ::dlclose(handle); }

dynamic_library::dynamic_library(const std::vector<std::string>& names) {
  std::string reasons;
  for (const std::string& candidate : names) {
    // RTLD_NODELETE keeps the library in memory after it is closed: NVRTC does not free all of its memory, which a
    // sanitizer would report as a leak of this program once the library is unloaded.
    handle_.reset(::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
    if (handle_ != nullptr) {
      name_ = candidate;
      return;
    }
    const char* reason = ::dlerror();
    reasons += (reasons.empty() ? "" : "; ") + std::string(reason != nullptr ? reason : candidate);
  }
  throw work_error(reasons);
}

void* dynamic_library::symbol(const char* name) const {
  void* const symbol = ::dlsym(handle_.get(), name);
  if (symbol == nullptr) throw work_error(name_ + " has no function " + name + "; the library is too old");
  return symbol;
}

}  // namespace mlmq::backends
