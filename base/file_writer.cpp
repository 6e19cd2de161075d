// SPDX-License-Identifier: Apache-2.0
#include "base/file_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"

namespace mlmq {

file_writer::file_writer(const std::filesystem::path& file, int level) : file_(file), target_(file) {
  std::error_code failure;
  if (!is_written_in_place(file)) {
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), failure);
    if (std::filesystem::is_symlink(file, failure)) {
      target_ = std::filesystem::canonical(file, failure);
      if (failure) fail("the symbolic link leads nowhere");
    }
    temporary_ = target_;
    temporary_ += ".tmp" + std::to_string(::getpid());
  }
  const std::filesystem::path& opened = temporary_.empty() ? target_ : temporary_;
  // "T" writes the bytes as they are.
  stream_ = gzopen(opened.c_str(), file.extension() == ".gz" ? fmt::format("wb{}", level).c_str() : "wbT");
  if (stream_ == nullptr) fail(std::strerror(errno));
  gzbuffer(static_cast<gzFile>(stream_), 1u << 18);
}

file_writer::~file_writer() {
  if (stream_ == nullptr) return;
  gzclose_w(static_cast<gzFile>(stream_));
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void file_writer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // gzwrite counts in int.
    const std::string_view piece = bytes.substr(0, std::size_t{1} << 30);
    if (gzwrite(static_cast<gzFile>(stream_), piece.data(), static_cast<unsigned>(piece.size())) == 0) {
      fail(std::strerror(errno));
    }
    bytes.remove_prefix(piece.size());
  }
}

void file_writer::commit() {
  std::error_code failure;
  if (gzclose_w(static_cast<gzFile>(std::exchange(stream_, nullptr))) != Z_OK) {
    const std::string reason = std::strerror(errno);
    if (!temporary_.empty()) std::filesystem::remove(temporary_, failure);
    fail(reason.c_str());
  }
  if (temporary_.empty()) return;
  std::filesystem::rename(temporary_, target_, failure);
  if (failure) {
    const std::string reason = failure.message();
    std::filesystem::remove(temporary_, failure);
    fail(reason.c_str());
  }
}

void file_writer::fail(const char* reason) const {
  throw work_error(fmt::format("{}: cannot be written: {}", file_.string(), reason));
}

}  // namespace mlmq
