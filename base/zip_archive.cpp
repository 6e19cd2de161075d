// SPDX-License-Identifier: Apache-2.0
#include "base/zip_archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace mlmq {
namespace {

/// Builds a structure of the archive: numbers with the lowest byte first.
class fields {
 public:
  fields& add(std::uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) text_ += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
    return *this;
  }
  fields& add(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

constexpr std::uint64_t version = 45;  ///< version of ZIP with 8-byte sizes
/// Value of a 4-byte number whose actual value is in an extra field of 8 bytes.
constexpr std::uint64_t in_extra_field = 0xFFFFFFFFu;
/// 1980-01-01, the earliest date of the format. It is constant so that equal graphs give equal bytes.
constexpr std::uint64_t date = (1u << 5) | 1u;

std::uint32_t checksum_of(std::string_view header, std::span<const std::byte> content) {
  uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size());
  // Without data, crc32_z() returns its start value instead of the sum.
  if (!content.empty()) sum = crc32_z(sum, reinterpret_cast<const Bytef*>(content.data()), content.size());
  return static_cast<std::uint32_t>(sum);
}

// Signatures of the parts of an archive, and their sizes without names and extra fields.
constexpr std::uint64_t file_header = 0x04034B50;
constexpr std::uint64_t file_header_size = 30;
constexpr std::uint64_t directory_entry = 0x02014B50;
constexpr std::uint64_t directory_entry_size = 46;
constexpr std::uint64_t end_record = 0x06054B50;
constexpr std::uint64_t end_record_size = 22;
constexpr std::uint64_t large_end_locator = 0x07064B50;
constexpr std::uint64_t large_end_locator_size = 20;
constexpr std::uint64_t large_end_record = 0x06064B50;

/// Upper bound of deflate's compression ratio, which is 1,032.
constexpr std::uint64_t most_compression = 1040;

}  // namespace

void zip_archive::fail(const std::string& message) const {
  throw input_error(fmt::format("{}: {}", file_.string(), message));
}

std::span<const std::byte> zip_archive::part(std::uint64_t offset, std::uint64_t size) const {
  const std::uint64_t byte_count = bytes_.bytes.size();
  if (offset > byte_count || size > byte_count - offset) fail("the archive is damaged or incomplete");
  return bytes_.bytes.subspan(offset, size);
}

std::uint64_t zip_archive::number(std::uint64_t offset, unsigned bytes) const {
  std::uint64_t value = 0;
  const auto digits = part(offset, bytes);
  for (unsigned i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(digits[i]) << (8 * i);
  return value;
}

zip_archive::zip_archive(const std::filesystem::path& file) : file_(file), bytes_(load_bytes(file)) {
  const std::uint64_t size = bytes_.bytes.size();
  if (size < end_record_size) fail("is not a ZIP archive");
  // A comment may follow the end record.
  const std::uint64_t first = size - std::min<std::uint64_t>(size, end_record_size + 0xFFFF);
  std::uint64_t end = size - end_record_size;
  while (number(end, 4) != end_record) {
    if (end == first) fail("is not a ZIP archive, or is incomplete");
    --end;
  }
  std::uint64_t count = number(end + 10, 2);
  std::uint64_t directory = number(end + 16, 4);
  const bool has_locator =
      end >= large_end_locator_size && number(end - large_end_locator_size, 4) == large_end_locator;
  if (has_locator) {
    const std::uint64_t record = number(end - large_end_locator_size + 8, 8);
    if (number(record, 4) != large_end_record) fail("the archive is damaged");
    count = number(record + 32, 8);
    directory = number(record + 48, 8);
  }
  read_directory(directory, count);
}

void zip_archive::read_directory(std::uint64_t offset, std::uint64_t count) {
  for (; count > 0; --count) {
    if (number(offset, 4) != directory_entry) fail("the directory of the archive is damaged");
    entry file{.offset = number(offset + 42, 4),
               .packed = number(offset + 20, 4),
               .size = number(offset + 24, 4),
               .checksum = static_cast<std::uint32_t>(number(offset + 16, 4)),
               .method = static_cast<unsigned>(number(offset + 10, 2)),
               .flags = static_cast<unsigned>(number(offset + 8, 2))};
    const std::uint64_t name_size = number(offset + 28, 2);
    const std::uint64_t extra_size = number(offset + 30, 2);
    const std::uint64_t comment_size = number(offset + 32, 2);
    const auto name = part(offset + directory_entry_size, name_size);
    read_large_fields(file, offset + directory_entry_size + name_size, extra_size);
    entries_.emplace(std::string(reinterpret_cast<const char*>(name.data()), name.size()), file);
    offset += directory_entry_size + name_size + extra_size + comment_size;
  }
}

void zip_archive::read_large_fields(entry& file, std::uint64_t offset, std::uint64_t size) const {
  const std::uint64_t end = offset + size;
  while (offset + 4 <= end) {
    const std::uint64_t kind = number(offset, 2);
    const std::uint64_t length = number(offset + 2, 2);
    offset += 4;
    if (kind == 1) {
      std::uint64_t position = offset;
      for (std::uint64_t* const field : {&file.size, &file.packed, &file.offset}) {
        if (*field != in_extra_field) continue;
        *field = number(position, 8);
        position += 8;
      }
    }
    offset += length;
  }
}

std::vector<std::byte> zip_archive::read(const std::string& name) const {
  const auto match = entries_.find(name);
  if (match == entries_.end()) fail(fmt::format("has no file {}", name));
  const entry& file = match->second;
  if ((file.flags & 1u) != 0) fail(fmt::format("{} is encrypted", name));
  if (number(file.offset, 4) != file_header) fail(fmt::format("{} is damaged", name));
  const std::uint64_t begin =
      file.offset + file_header_size + number(file.offset + 26, 2) + number(file.offset + 28, 2);
  const auto packed = part(begin, file.packed);
  std::vector<std::byte> content;
  if (file.method == 0) {
    if (file.size != file.packed) fail(fmt::format("{} is damaged", name));
    content.assign(packed.begin(), packed.end());
  } else if (file.method == 8) {
    // Otherwise a few bytes could make the program allocate all memory.
    if (file.size / most_compression > file.packed) fail(fmt::format("{} is damaged", name));
    content.resize(file.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw work_error("zlib cannot be started");
    constexpr std::uint64_t most = std::numeric_limits<uInt>::max();
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    int state = Z_OK;
    while (state == Z_OK) {
      const std::uint64_t in_now = std::min(most, packed.size() - in);
      const std::uint64_t out_now = std::min(most, content.size() - out);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in));
      stream.avail_in = static_cast<uInt>(in_now);
      stream.next_out = reinterpret_cast<Bytef*>(content.data() + out);
      stream.avail_out = static_cast<uInt>(out_now);
      state = inflate(&stream, Z_NO_FLUSH);
      in += in_now - stream.avail_in;
      out += out_now - stream.avail_out;
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END || out != content.size()) fail(fmt::format("{} is damaged", name));
  } else {
    fail(fmt::format("{} is compressed by method {}, expected deflate", name, file.method));
  }
  uLong checksum = crc32(0, nullptr, 0);
  checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(content.data()), content.size());
  if (checksum != file.checksum) fail(fmt::format("{} is damaged: its checksum is wrong", name));
  return content;
}

void zip_writer::put(std::string_view bytes) {
  out_.write(bytes);
  position_ += bytes.size();
}

void zip_writer::add(const std::string& name, std::string_view header, std::span<const std::byte> content) {
  const entry file{.name = name,
                   .offset = position_,
                   .size = header.size() + content.size(),
                   .checksum = checksum_of(header, content)};
  fields local;
  local.add(0x04034B50, 4).add(version, 2).add(0, 2).add(0, 2).add(0, 2).add(date, 2).add(file.checksum, 4);
  local.add(in_extra_field, 4).add(in_extra_field, 4).add(name.size(), 2).add(20, 2).add(name);
  local.add(1, 2).add(16, 2).add(file.size, 8).add(file.size, 8);
  put(local.text());
  put(header);
  // zlib accepts at most 32-bit sizes.
  constexpr std::size_t piece = std::size_t{1} << 30;
  for (std::size_t offset = 0; offset < content.size(); offset += piece) {
    const auto part = content.subspan(offset, std::min(piece, content.size() - offset));
    put({reinterpret_cast<const char*>(part.data()), part.size()});
  }
  entries_.push_back(file);
}

void zip_writer::commit() {
  const std::uint64_t directory = position_;
  for (const entry& file : entries_) {
    fields central;
    central.add(0x02014B50, 4).add(version, 2).add(version, 2).add(0, 2).add(0, 2).add(0, 2).add(date, 2);
    central.add(file.checksum, 4)
        .add(in_extra_field, 4)
        .add(in_extra_field, 4)
        .add(file.name.size(), 2)
        .add(28, 2)
        .add(0, 2);
    central.add(0, 2).add(0, 2).add(0, 4).add(in_extra_field, 4).add(file.name);
    central.add(1, 2).add(24, 2).add(file.size, 8).add(file.size, 8).add(file.offset, 8);
    put(central.text());
  }
  const std::uint64_t end = position_;
  fields last;
  last.add(0x06064B50, 4).add(44, 8).add(version, 2).add(version, 2).add(0, 4).add(0, 4);
  last.add(entries_.size(), 8).add(entries_.size(), 8).add(end - directory, 8).add(directory, 8);
  last.add(0x07064B50, 4).add(0, 4).add(end, 8).add(1, 4);
  const std::uint64_t count = std::min<std::uint64_t>(entries_.size(), 0xFFFF);
  last.add(0x06054B50, 4).add(0, 2).add(0, 2).add(count, 2).add(count, 2);
  last.add(std::min(end - directory, in_extra_field), 4).add(std::min(directory, in_extra_field), 4).add(0, 2);
  put(last.text());
  out_.commit();
}

}  // namespace mlmq
