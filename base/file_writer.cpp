// SPDX-License-Identifier: Apache-2.0
#include "base/file_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

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

}  // namespace mlmq
