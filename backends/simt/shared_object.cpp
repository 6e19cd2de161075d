// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/shared_object.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace mlmq::backends::simulator {
namespace {

/// Returns a path to an open file that no earlier call has returned. The loader identifies objects by path, but
/// descriptor numbers are reused. Therefore the binary digits of a counter are added to the path as "/." and "/", which
/// the system ignores.
std::string unused_path(int file) {
  static std::atomic<std::uint64_t> count{0};
  std::string path = "/proc/self/fd";
  for (std::uint64_t rest = ++count; rest != 0; rest >>= 1U) path += (rest & 1U) != 0 ? "/." : "/";
  return path + "/" + std::to_string(file);
}

}  // namespace

shared_object::shared_object(std::string_view content, const std::string& name) {
  const descriptor file(::memfd_create(name.c_str(), MFD_CLOEXEC));
  const auto refuse = [&](const char* reason) { throw work_error(name + ": cannot be loaded: " + reason); };
  if (!file) refuse(std::strerror(errno));
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(std::strerror(errno));
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  handle_.reset(::dlopen(unused_path(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle_) refuse(::dlerror());
}

void* shared_object::find(const std::string& symbol) const { return ::dlsym(handle_.get(), symbol.c_str()); }

void shared_object::closer::operator()(void* handle) const noexcept { ::dlclose(handle); }

}  // namespace mlmq::backends::simulator
