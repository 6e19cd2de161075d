// SPDX-License-Identifier: Apache-2.0
#include "base/file_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"

namespace mlmq {

file_writer::file_writer(const std::filesystem::path& file, int level) : pending_(file) {
  // "T" disables compression.
  stream_ = gzopen(pending_.path().c_str(), file.extension() == ".gz" ? fmt::format("wb{}", level).c_str() : "wbT");
  if (stream_ == nullptr) pending_.fail(std::strerror(errno));
  gzbuffer(static_cast<gzFile>(stream_), 1u << 18);
}

file_writer::~file_writer() {
  if (stream_ != nullptr) gzclose_w(static_cast<gzFile>(stream_));
}

void file_writer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // gzwrite() returns an int, so write pieces that are smaller than 2 GiB.
    const std::string_view piece = bytes.substr(0, std::size_t{1} << 30);
    if (gzwrite(static_cast<gzFile>(stream_), piece.data(), static_cast<unsigned>(piece.size())) == 0) {
      pending_.fail(std::strerror(errno));
    }
    bytes.remove_prefix(piece.size());
  }
}

void file_writer::commit() {
  if (gzclose_w(static_cast<gzFile>(std::exchange(stream_, nullptr))) != Z_OK) pending_.fail(std::strerror(errno));
  pending_.commit();
}

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
