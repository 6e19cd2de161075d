// SPDX-License-Identifier: Apache-2.0
// The sections of a 64-bit ELF file of this machine's byte order: a shared object, or machine code of a GPU.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace mlmq::backends {

/// A view of the bytes of a file, which must stay in memory. Every function throws work_error for what is not there.
class elf_file {
 public:
  explicit elf_file(std::string_view bytes) : bytes_(bytes), header_(read<Elf64_Ehdr>(0)) {
    for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + i * header_.e_shentsize));
    }
  }

  [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }
  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  [[nodiscard]] const Elf64_Shdr& section(std::uint64_t index) const {
    if (index >= sections_.size()) fail();
    return sections_[index];
  }

  template <class T>
  [[nodiscard]] T read(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, piece(offset, sizeof value).data(), sizeof value);
    return value;
  }
  /// Returns the bytes of a section. Memory that only a loader allocates has none.
  [[nodiscard]] std::string_view content_of(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::string_view() : piece(section.sh_offset, section.sh_size);
  }
  /// @param names  a section of names, each of which ends with a zero
  [[nodiscard]] std::string_view name_in(const Elf64_Shdr& names, std::uint64_t offset) const {
    const std::string_view table = content_of(names);
    const std::size_t end = table.find('\0', offset);
    if (end == std::string_view::npos) fail();
    return table.substr(offset, end - offset);
  }
  [[nodiscard]] std::string_view name_of(const Elf64_Shdr& section) const {
    return name_in(this->section(header_.e_shstrndx), section.sh_name);
  }

 private:
  [[noreturn]] static void fail() { throw work_error("a damaged ELF file"); }

  [[nodiscard]] std::string_view piece(std::uint64_t offset, std::uint64_t length) const {
    if (offset > bytes_.size() || bytes_.size() - offset < length) fail();
    return bytes_.substr(offset, length);
  }

  std::string_view bytes_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace mlmq::backends
