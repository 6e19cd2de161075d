// SPDX-License-Identifier: Apache-2.0
#include "base/pending_file.hpp"

#include <unistd.h>

#include <atomic>

#include "base/error.hpp"
#include "base/files.hpp"

namespace mlmq {
namespace fs = std::filesystem;

pending_file::pending_file(const fs::path& file) : file_(file), target_(file) {
  if (is_written_in_place(file)) return;
  std::error_code failure;
  if (fs::is_symlink(file, failure)) {
    target_ = fs::canonical(file, failure);
    if (failure) fail("the symbolic link is broken");
  }
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), failure);
  // Gives each pending file a distinct name, even if two threads write the same file.
  static std::atomic<unsigned> number = 0;
  temporary_ = target_;
  temporary_ += ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(number++);
}

pending_file::~pending_file() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void pending_file::commit() {
  if (temporary_.empty()) return;
  std::error_code failure;
  fs::rename(temporary_, target_, failure);
  if (failure) fail(failure.message());
  temporary_.clear();
}

void pending_file::fail(const std::string& reason) const {
  throw work_error(file_.string() + ": cannot be written: " + reason);
}

}  // namespace mlmq
