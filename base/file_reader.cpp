// SPDX-License-Identifier: Apache-2.0
#include "base/file_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/files.hpp"

namespace mlmq {

file_reader::file_reader(const std::filesystem::path& file) : file_(file) {
  const auto fail = [&](std::string_view reason) {
    throw input_error(fmt::format("{}: cannot be read: {}", file.string(), reason));
  };
  std::error_code ignored;
  if (const auto kind = irregular_kind(std::filesystem::status(file, ignored).type()); !kind.empty()) {
    fail(fmt::format("it {}", kind));
  }
  // Another process may have replaced the file by a pipe.
  opened_ = descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened_) fail(std::strerror(errno));
  struct stat status {};
  if (::fstat(opened_.get(), &status) != 0) fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t file_reader::read(std::uint64_t position, std::span<char> buffer) const {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t count =
        ::pread(opened_.get(), buffer.data() + done, buffer.size() - done, static_cast<off_t>(position + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw input_error(fmt::format("{}: cannot be read: {}", file_.string(), std::strerror(errno)));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void file_reader::read_whole(std::uint64_t position, std::span<char> buffer) const {
  if (read(position, buffer) == buffer.size()) return;
  throw input_error(file_.string() + ": it has become shorter while it was read");
}

}  // namespace mlmq
