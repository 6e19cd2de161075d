// SPDX-License-Identifier: Apache-2.0
#include "base/zip_writer.hpp"

#include <zlib.h>

#include <algorithm>

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
constexpr std::uint64_t in_extra_field = 0xFFFFFFFFu;
/// 1980-01-01, the earliest date of the format. It is constant so that equal graphs give equal bytes.
constexpr std::uint64_t date = (1u << 5) | 1u;

std::uint32_t checksum_of(std::string_view header, std::span<const std::byte> content) {
  uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size());
  // Without data, crc32_z() returns its start value instead of the sum.
  if (!content.empty()) sum = crc32_z(sum, reinterpret_cast<const Bytef*>(content.data()), content.size());
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

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
