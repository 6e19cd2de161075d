// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/elf_symbols.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::backends::simulator {
namespace {

template <class T>
T read_at(std::string_view object, std::uint64_t offset) {
  if (offset > object.size() || object.size() - offset < sizeof(T)) throw work_error("simt: a damaged shared object");
  T value;
  std::memcpy(&value, object.data() + offset, sizeof value);
  return value;
}

std::optional<symbol_kind> kind_of(const Elf64_Sym& symbol, std::uint64_t section_flags) {
  switch (ELF64_ST_TYPE(symbol.st_info)) {
    case STT_FUNC:
      return symbol_kind::function;
    case STT_OBJECT:
      if ((section_flags & SHF_WRITE) != 0) return symbol_kind::variable;
      return std::nullopt;
    case STT_TLS:
      return symbol_kind::thread_local_variable;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::vector<elf_symbol> read_symbols(std::string_view object) {
  const auto header = read_at<Elf64_Ehdr>(object, 0);
  const auto section = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(object, header.e_shoff + index * header.e_shentsize);
  };
  std::vector<elf_symbol> symbols;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (std::uint64_t entry = 0; entry + sizeof(Elf64_Sym) <= table.sh_size; entry += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(object, table.sh_offset + entry);
      if (symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= header.e_shnum) continue;
      const std::optional<symbol_kind> kind = kind_of(symbol, section(symbol.st_shndx).sh_flags);
      if (!kind) continue;
      std::uint64_t end = names.sh_offset + symbol.st_name;
      while (read_at<char>(object, end) != '\0') ++end;
      const std::uint64_t begin = names.sh_offset + symbol.st_name;
      std::string mangled(object.substr(begin, end - begin));
      std::string name = demangled(mangled);
      const bool is_exported =
          ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT;
      symbols.push_back({*kind, symbol.st_value, symbol.st_size, is_exported, std::move(mangled), std::move(name)});
    }
  }
  std::sort(symbols.begin(), symbols.end(),
            [](const elf_symbol& a, const elf_symbol& b) { return a.offset < b.offset; });
  return symbols;
}

}  // namespace mlmq::backends::simulator
