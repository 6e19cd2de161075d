// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/shared_object.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace mlmq::backends::simulator {

shared_object::shared_object(const std::filesystem::path& file)
    : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) throw work_error(file.string() + ": cannot be loaded: " + ::dlerror());
}

void* shared_object::find(const std::string& symbol) const { return ::dlsym(handle_.get(), symbol.c_str()); }

void shared_object::closer::operator()(void* handle) const noexcept { ::dlclose(handle); }

}  // namespace mlmq::backends::simulator
