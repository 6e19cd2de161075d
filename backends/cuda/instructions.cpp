// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "backends/elf_file.hpp"
#include "base/hash.hpp"

namespace mlmq::backends {
namespace {

// How sm_70 and later encode instructions. An operand in constant memory has form 3 or 5 in bits 9 to 11 of the first
// of two words, with its offset in bits 38 to 53 and its bank in bits 54 to 58. The offset of LDCU, which sm_100 has,
// is one bit lower. An operand with an encoding that is not known here only makes equal code count as different.
constexpr std::size_t instruction_bytes = 16;
constexpr unsigned bank_of_arguments = 0;
constexpr unsigned bank_of_addresses = 4;
constexpr unsigned first_offset_bit = 38;
constexpr unsigned ldcu = 0x7ac;
constexpr std::uint64_t offset_mask = 0xffff;

/// Returns where the arguments of a kernel begin in constant bank 0, after what the driver tells every kernel.
/// @param attributes  of the kernel: each has a format, a kind, and a value of 16 bits or the length of a longer one
std::uint64_t first_argument(std::string_view attributes) {
  constexpr char has_length = 4;
  constexpr char place_of_arguments = 0x0a;  // index of a symbol, offset and size of the arguments
  while (attributes.size() >= 4) {
    std::uint16_t length = 0;
    std::memcpy(&length, attributes.data() + 2, sizeof length);
    const std::size_t end = attributes[0] == has_length ? 4U + length : 4U;
    if (attributes[1] == place_of_arguments && end >= 12 && attributes.size() >= end) {
      std::uint16_t offset = 0;
      std::memcpy(&offset, attributes.data() + 8, sizeof offset);
      return offset;
    }
    attributes.remove_prefix(std::min(end, attributes.size()));
  }
  return std::numeric_limits<std::uint64_t>::max();  // a function that is no kernel has no arguments there
}

/// Returns a function in which the offsets of arguments and addresses are numbers in the order of their first use.
std::string without_places(std::string_view function, std::uint64_t arguments) {
  std::string code(function);
  std::map<std::pair<unsigned, std::uint64_t>, std::uint64_t> numbers;  // by bank and offset
  for (std::size_t i = 0; i + instruction_bytes <= code.size(); i += instruction_bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, code.data() + i, sizeof word);
    const auto form = static_cast<unsigned>(word >> 9) & 7;
    const auto bank = static_cast<unsigned>(word >> 54) & 31;
    const unsigned first_bit = (word & 0xfff) == ldcu ? first_offset_bit - 1 : first_offset_bit;
    const std::uint64_t offset = (word >> first_bit) & offset_mask;
    const bool is_constant = form == 3 || form == 5;
    if (!is_constant || !(bank == bank_of_addresses || (bank == bank_of_arguments && offset >= arguments))) continue;
    const std::uint64_t number = numbers.emplace(std::pair(bank, offset), numbers.size()).first->second;
    word = (word & ~(offset_mask << first_bit)) | (number << first_bit);
    std::memcpy(code.data() + i, &word, sizeof word);
  }
  return code;
}

}  // namespace

std::string instruction_hash(std::string_view cubin) {
  constexpr std::string_view code_prefix = ".text.";
  constexpr unsigned first_architecture = 70;
  const elf_file file(cubin);
  // Version 8 of the format moved the number of the architecture.
  const unsigned flags = file.header().e_flags >> (file.header().e_ident[EI_ABIVERSION] >= 8 ? 8 : 0);
  if ((flags & 0xff) < first_architecture) return "";
  std::map<std::string_view, std::string_view> contents;
  for (const Elf64_Shdr& section : file.sections()) contents.emplace(file.name_of(section), file.content_of(section));
  std::vector<std::string> parts;
  for (const Elf64_Shdr& section : file.sections()) {
    const std::string_view name = file.name_of(section);
    if (name.starts_with(code_prefix)) {
      const auto attributes = contents.find(".nv.info." + std::string(name.substr(code_prefix.size())));
      const std::uint64_t arguments = first_argument(attributes == contents.end() ? "" : attributes->second);
      parts.push_back("code " + without_places(file.content_of(section), arguments));
    } else if (name.starts_with(".nv.global") || name.starts_with(".nv.shared") || name.starts_with(".nv.local")) {
      parts.push_back("memory " + std::to_string(section.sh_size) + ' ' + std::string(file.content_of(section)));
    } else if (name.starts_with(".nv.constant") && !name.starts_with(".nv.constant0") &&
               !name.starts_with(".nv.constant4")) {  // the driver fills the banks of arguments and addresses
      parts.push_back("constants " + std::string(file.content_of(section)));
    }
  }
  // Names decide the order of sections.
  std::ranges::sort(parts);
  content_hash hash;
  for (const std::string& part : parts) hash.add(part);
  return hash.hex();
}

}  // namespace mlmq::backends
