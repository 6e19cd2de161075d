// SPDX-License-Identifier: Apache-2.0
// A file in memory, for functions that take a path.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/fuzz/require.hpp"

namespace mlmq::fuzz {

class memory_file {
 public:
  memory_file() : number_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(number_)) {
    require(number_ >= 0, "there is a file in memory");
  }
  ~memory_file() { ::close(number_); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  /// @pre there is no mapping of the file
  void set(std::string_view content) {
    require(::ftruncate(number_, 0) == 0 &&
                ::pwrite(number_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()),
            "a file in memory can be written");
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  int number_;
  std::filesystem::path path_;
};

}  // namespace mlmq::fuzz
