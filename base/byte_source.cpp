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
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"

namespace mlmq {
namespace {

/// A regular file that is open for reading. The destructor closes it.
class regular_file {
 public:
  /// Opens without blocking, so that a pipe without a writer can also be opened and is then rejected.
  explicit regular_file(const std::filesystem::path& file)
      : opened_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (!opened_ || ::fstat(number(), &status) != 0) {
      throw input_error(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
    }
    if (!S_ISREG(status.st_mode)) {
      throw input_error(fmt::format("{}: cannot be read: not a regular file", file.string()));
    }
    size_ = static_cast<std::size_t>(status.st_size);
  }
  [[nodiscard]] int number() const noexcept { return opened_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  descriptor opened_;
  std::size_t size_ = 0;
};

bool is_gzip(const regular_file& file) {
  unsigned char magic[2] = {};
  return ::pread(file.number(), magic, sizeof magic, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
}

class mapping {
 public:
  mapping(const regular_file& file, std::size_t size, const std::filesystem::path& name)
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

/// The data read from the file, and the progress of its decompression.
struct byte_source::stream {
  explicit stream(const std::filesystem::path& name) : file(name), packed(is_gzip(file)) {
    if (!packed && name.extension() == ".gz") {
      throw input_error(fmt::format("{}: the name ends in .gz, but the content is not gzip data", name.string()));
    }
    if (!packed) return;
    input.resize(std::size_t{1} << 18);
    // 15: the largest window; 16: expect a gzip header.
    if (inflateInit2(&unpacking, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() {
    if (packed) inflateEnd(&unpacking);
  }

  /// Reads bytes of the file without decompression. Returns 0 at the end of the file, or if `failure` is set.
  std::size_t read_raw(char* destination, std::size_t count) {
    for (;;) {
      const ssize_t got = ::read(file.number(), destination, std::min(count, most_at_once));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EINTR) continue;
      failure = fmt::format("cannot be read: {}", std::strerror(errno));
      return 0;
    }
  }

  /// Reads more of the file for `unpacking`. Returns false at the end of the file.
  bool refill() {
    unpacking.next_in = reinterpret_cast<Bytef*>(input.data());
    unpacking.avail_in = static_cast<uInt>(read_raw(input.data(), input.size()));
    return unpacking.avail_in > 0;
  }

  /// Reads decompressed bytes. Returns 0 at the end, or if `failure` is set.
  std::size_t read_unpacked(char* destination, std::size_t count) {
    const auto requested = static_cast<uInt>(std::min(count, most_at_once));
    unpacking.next_out = reinterpret_cast<Bytef*>(destination);
    unpacking.avail_out = requested;
    while (unpacking.avail_out == requested && failure.empty()) {
      if (unpacking.avail_in == 0 && !refill()) {
        if (failure.empty() && !between_members) failure = "the gzip data ends early; the file is truncated";
        break;
      }
      if (std::exchange(between_members, false) && *unpacking.next_in != first_of_gzip) {
        failure = "unexpected bytes after the end of the gzip data";
        break;
      }
      const int code = inflate(&unpacking, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        between_members = true;
        inflateReset(&unpacking);
      } else if (code == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        failure =
            fmt::format("the gzip data is corrupt ({})", unpacking.msg != nullptr ? unpacking.msg : "unknown error");
      }
    }
    return requested - unpacking.avail_out;
  }

  static constexpr std::size_t most_at_once = std::size_t{1} << 26;
  static constexpr Bytef first_of_gzip = 0x1F;

  regular_file file;
  bool packed;
  z_stream unpacking{};
  std::vector<char> input;
  bool between_members = false;  ///< a gzip member has ended, and no byte of the next one has been read
  std::string failure;
};

byte_source::byte_source(const std::filesystem::path& file) : stream_(std::make_unique<stream>(file)) {}
byte_source::~byte_source() = default;

const std::string& byte_source::failure() const noexcept { return stream_->failure; }

std::size_t byte_source::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size() && stream_->failure.empty()) {
    throw_if_stopped();
    char* const destination = buffer.data() + filled;
    const std::size_t count = buffer.size() - filled;
    const std::size_t got =
        stream_->packed ? stream_->read_unpacked(destination, count) : stream_->read_raw(destination, count);
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

loaded_bytes load_bytes(const std::filesystem::path& file) {
  const regular_file opened(file);
  if (!is_gzip(opened) && file.extension() != ".gz") {
    if (opened.size() == 0) return {};
    const auto mapped = std::make_shared<mapping>(opened, opened.size(), file);
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
