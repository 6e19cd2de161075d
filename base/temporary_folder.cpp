// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_folder.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace mlmq {

temporary_folder::temporary_folder(std::string_view purpose) : owner_(::getpid()) {
  std::error_code failure;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failure);
  if (failure) throw work_error("the temporary folder (TMPDIR) cannot be used: " + failure.message());
  std::string name = (place / ("mlmq-" + std::string(purpose) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw work_error(place.string() + ": a temporary folder cannot be made: " + std::strerror(errno));
  }
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  if (::getpid() == owner_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace mlmq
