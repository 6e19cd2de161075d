// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/elf_symbols.hpp"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/elf_file.hpp"
#include "base/text.hpp"

namespace mlmq::backends::simulator {
namespace {

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
  const elf_file file(object);
  std::vector<elf_symbol> symbols;
  for (const Elf64_Shdr& table : file.sections()) {
    if (table.sh_type != SHT_SYMTAB) continue;
    for (std::uint64_t entry = 0; entry + sizeof(Elf64_Sym) <= table.sh_size; entry += sizeof(Elf64_Sym)) {
      const auto symbol = file.read<Elf64_Sym>(table.sh_offset + entry);
      if (symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= file.sections().size()) continue;
      const std::optional<symbol_kind> kind = kind_of(symbol, file.section(symbol.st_shndx).sh_flags);
      if (!kind) continue;
      std::string mangled(file.name_in(file.section(table.sh_link), symbol.st_name));
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
