// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/plain_object.hpp"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <typeinfo>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"

namespace mlmq::backends::simulator {
namespace {

struct loaded_range {
  std::uintptr_t address;  // an address in the object that is searched
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::size_t thread_bytes = 0;
};

/// Describes the loaded object that contains an address.
loaded_range find_range(const void* address) {
  loaded_range range{.address = reinterpret_cast<std::uintptr_t>(address)};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        auto& result = *static_cast<loaded_range*>(data);
        loaded_range candidate{.address = result.address};
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          if (part.p_type == PT_LOAD) candidate.end = std::max(candidate.end, part.p_vaddr + part.p_memsz);
          if (part.p_type == PT_TLS) candidate.thread_bytes = part.p_memsz;
        }
        candidate.begin = info->dlpi_addr;
        candidate.end += info->dlpi_addr;
        if (result.address < candidate.begin || result.address >= candidate.end) return 0;
        result = candidate;
        return 1;
      },
      &range);
  return range;
}

/// Returns the prefix of the mangled names of the variables in a function.
std::string local_prefix(const std::string& mangled_function) {
  if (mangled_function.starts_with("_Z")) return "_ZZ" + mangled_function.substr(2) + "E";
  return fmt::format("_ZZ{}{}E", mangled_function.size(), mangled_function);
}

}  // namespace

plain_object::plain_object(std::string content, const std::string& name, std::size_t functions)
    : content_(std::move(content)), object_(content_, name) {
  std::vector<elf_symbol> symbols = read_symbols(content_);
  const auto require = [&](const std::string& symbol) {
    void* const address = object_.find(symbol);
    if (address == nullptr) throw work_error(fmt::format("{}: the compiled object has no {}", name, symbol));
    return address;
  };
  const loaded_range range = find_range(require("mlmq_find_dynamic_shared"));
  load_address_ = range.begin;
  load_end_ = range.end;
  window_bytes_ = range.thread_bytes;
  const auto dynamic = std::ranges::find(symbols, "mlmq_dynamic_shared", &elf_symbol::mangled_name);
  if (dynamic == symbols.end()) throw work_error(name + ": the compiled object has no mlmq_dynamic_shared");
  dynamic_offset_ = dynamic->offset;
  std::vector<elf_symbol> shared_variables;
  for (elf_symbol& symbol : symbols) {
    switch (symbol.kind) {
      case symbol_kind::function:
        code_.push_back(std::move(symbol));
        break;
      case symbol_kind::variable:
        variables_.push_back({reinterpret_cast<std::byte*>(load_address_ + symbol.offset), symbol.bytes, symbol.name});
        break;
      case symbol_kind::thread_local_variable:
        // The extern arrays are further names of the dynamic shared memory.
        if (symbol.offset != dynamic_offset_) shared_variables.push_back(std::move(symbol));
        break;
    }
  }
  for (std::size_t i = 0; i < functions; ++i) {
    function entry;
    entry.call = reinterpret_cast<void (*)(void* const*)>(require(fmt::format("mlmq_function_{}", i)));
    const auto* const sizes = static_cast<const std::uint32_t*>(require(fmt::format("mlmq_parameter_sizes_{}", i)));
    // The object is in this process, and the C++ runtime with it.
    const auto* const type = *static_cast<const std::type_info* const*>(require(fmt::format("mlmq_type_{}", i)));
    for (std::string& parameter : parameter_types(type->name())) {
      entry.parameters.push_back({std::move(parameter), sizes[entry.parameters.size()]});
    }
    const auto address = *static_cast<std::uintptr_t*>(require(fmt::format("mlmq_address_{}", i))) - load_address_;
    for (const elf_symbol& shared : shared_variables) {
      if (is_of_other_kernel(shared, address)) continue;
      entry.shared_variables.push_back(shared);
      entry.shared_bytes += shared.bytes;
    }
    functions_.push_back(std::move(entry));
  }
}

// Variables of functions that kernels call count for every kernel, since the object does not tell which of them call.
bool plain_object::is_of_other_kernel(const elf_symbol& shared_variable, std::uint64_t function_offset) const {
  return std::any_of(code_.begin(), code_.end(), [&](const elf_symbol& owner) {
    return owner.is_exported && owner.offset != function_offset &&
           shared_variable.mangled_name.starts_with(local_prefix(owner.mangled_name));
  });
}

bool plain_object::contains(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return value >= load_address_ && value < load_end_;
}

shared_window plain_object::window() const {
  // The first use in a thread makes the thread's block. dl_iterate_phdr() does not always know it: it gives null while
  // other threads load objects.
  auto* const find = reinterpret_cast<void* (*)()>(object_.find("mlmq_find_dynamic_shared"));
  auto* const dynamic = static_cast<std::byte*>(find());
  return {dynamic - dynamic_offset_, window_bytes_, dynamic_offset_};
}

std::string plain_object::name_code(const void* return_address) const {
  // The call is before the address to which it returns.
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(return_address) - load_address_ - 1;
  try {
    const temporary_folder place("place");
    const std::filesystem::path file = place.path() / "kernel.so";
    write_file_atomically(file, content_);
    const process_result result = run_process({"addr2line", "-e", file.string(), fmt::format("{:#x}", offset)},
                                              {.time = std::chrono::seconds(20)});
    std::string line = split(result.output, '\n').front();
    if (const std::size_t more = line.find(" (discriminator"); more != std::string::npos) line.resize(more);
    if (const std::string folder = std::string(source_folder) + "/"; line.starts_with(folder)) {
      line.erase(0, folder.size());
    }
    if (result.exit_code == 0 && !line.starts_with("??") && !line.ends_with(":?") && !line.ends_with(":0")) return line;
  } catch (const work_error&) {
    // There is no addr2line.
  }
  for (const elf_symbol& symbol : code_) {
    if (offset >= symbol.offset && offset - symbol.offset < symbol.bytes) return symbol.name;
  }
  return "an unknown place";
}

}  // namespace mlmq::backends::simulator
