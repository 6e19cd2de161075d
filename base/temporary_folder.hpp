// SPDX-License-Identifier: Apache-2.0
// A new folder in the system's temporary folder that only this user can use, removed with all in it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "base/descriptor.hpp"

namespace mlmq {

/// A process that is killed leaves its folders. The next one that is made for the same purpose removes them.
class temporary_folder {
 public:
  /// @param purpose part of its name. @throws work_error when it cannot be made
  explicit temporary_folder(std::string_view purpose);
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  pid_t owner_;      // a forked child leaves the folder to its parent
  descriptor lock_;  // held while the folder is in use
};

}  // namespace mlmq
