// SPDX-License-Identifier: Apache-2.0
#include "base/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace mlmq {
namespace {

/// An open file descriptor, closed when it goes out of scope.
class descriptor {
 public:
  explicit descriptor(const std::filesystem::path& file) : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) {
      throw input_error(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
    }
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { ::close(number_); }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

bool is_gzip(const descriptor& file) {
  unsigned char magic[2] = {};
  return ::pread(file.number(), magic, sizeof magic, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
}

class mapping {
 public:
  mapping(const descriptor& file, std::size_t size, const std::filesystem::path& name)
      : address_(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0)), size_(size) {
    if (address_ == MAP_FAILED) {
      throw input_error(fmt::format("{}: cannot be mapped: {}", name.string(), std::strerror(errno)));
    }
  }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping() { ::munmap(address_, size_); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {static_cast<const std::byte*>(address_), size_};
  }

 private:
  void* address_;
  std::size_t size_;
};

}  // namespace

void byte_source::closer::operator()(void* stream) const noexcept { gzclose_r(static_cast<gzFile>(stream)); }

byte_source::byte_source(const std::filesystem::path& file) {
  const descriptor opened(file);
  if (file.extension() == ".gz" && !is_gzip(opened)) {
    throw input_error(
        fmt::format("{}: the name ends in .gz, but the content does not start like gzip data", file.string()));
  }
  const int duplicate = ::fcntl(opened.number(), F_DUPFD_CLOEXEC, 0);
  gzFile stream = duplicate < 0 ? nullptr : gzdopen(duplicate, "rb");
  if (stream == nullptr) {
    const std::string reason = std::strerror(errno);
    if (duplicate >= 0) ::close(duplicate);
    throw input_error(fmt::format("{}: cannot be read: {}", file.string(), reason));
  }
  stream_.reset(stream);
  gzbuffer(stream, 1u << 18);
}

std::size_t byte_source::read(std::span<char> buffer) {
  auto* stream = static_cast<gzFile>(stream_.get());
  std::size_t filled = 0;
  while (filled < buffer.size() && failure_.empty()) {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(buffer.size() - filled, 1u << 30));
    const int count = gzread(stream, buffer.data() + filled, wanted);
    if (count > 0) filled += static_cast<std::size_t>(count);
    if (count == static_cast<int>(wanted)) continue;
    // Short: the end, or damage. zlib reports a truncated stream only here, as Z_BUF_ERROR, with
    // the data before it delivered as if nothing had happened.
    int code = Z_OK;
    const char* message = gzerror(stream, &code);
    if (code == Z_BUF_ERROR) {
      failure_ = "the gzip data ends early, the file is truncated";
    } else if (code == Z_ERRNO) {
      failure_ = fmt::format("cannot be read: {}", std::strerror(errno));
    } else if (code != Z_OK && code != Z_STREAM_END) {
      std::string_view reason = message;
      // zlib puts the name of the file, or of the descriptor, in front.
      if (const auto colon = reason.find(": "); colon != std::string_view::npos) {
        reason.remove_prefix(colon + 2);
      }
      failure_ = fmt::format("the gzip data is corrupt ({})", reason);
    }
    break;
  }
  return filled;
}

loaded_bytes load_bytes(const std::filesystem::path& file) {
  const descriptor opened(file);
  struct stat status {};
  if (::fstat(opened.number(), &status) != 0) {
    throw input_error(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  }
  if (!is_gzip(opened) && file.extension() != ".gz") {
    if (status.st_size == 0) return {};
    const auto mapped = std::make_shared<mapping>(opened, static_cast<std::size_t>(status.st_size), file);
    return {.bytes = mapped->bytes(), .owner = mapped};
  }
  byte_source source(file);
  const auto content = std::make_shared<std::vector<char>>();
  std::size_t size = 0;
  do {
    content->resize(std::max<std::size_t>(std::size_t{1} << 20, content->size() * 2));
    size += source.read(std::span(*content).subspan(size));
  } while (size == content->size());
  if (!source.failure().empty()) {
    throw input_error(fmt::format("{}: byte {} (decompressed): {}", file.string(), size, source.failure()));
  }
  content->resize(size);
  return {.bytes = std::as_bytes(std::span(*content)), .owner = content};
}

}  // namespace mlmq
