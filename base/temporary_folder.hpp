// SPDX-License-Identifier: Apache-2.0
// A new folder in the system's temporary folder, accessible only to this user. The destructor removes it and its
// content.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "base/descriptor.hpp"

namespace mlmq {

/// A temporary folder. If a process is killed, its folders remain until the next temporary_folder with the same purpose
/// removes them.
class temporary_folder {
 public:
  /// @param purpose part of the folder's name. @throws work_error if the folder cannot be created
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
