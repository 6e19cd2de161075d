// SPDX-License-Identifier: Apache-2.0
#include "tuner/element_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>

namespace mlmq::tuner {
namespace {

std::vector<element_type> all_types() {
  struct number {
    const char* name;
    number_kind kind;
    std::size_t bytes;
    const char* npy;
    bool has_vectors;
  };
  constexpr number_kind real = number_kind::real;
  constexpr number_kind whole = number_kind::signed_integer;
  constexpr number_kind natural = number_kind::unsigned_integer;
  constexpr std::array numbers = {
      number{"float", real, 4, "<f4", true},     number{"double", real, 8, "<f8", true},
      number{"half", real, 2, "<f2", false},     number{"bfloat16", number_kind::brain_float, 2, "<V2", false},
      number{"int", whole, 4, "<i4", true},      number{"uint", natural, 4, "<u4", true},
      number{"char", whole, 1, "|i1", true},     number{"uchar", natural, 1, "|u1", true},
      number{"short", whole, 2, "<i2", true},    number{"ushort", natural, 2, "<u2", true},
      number{"long", whole, 8, "<i8", true},     number{"ulong", natural, 8, "<u8", true},
      number{"longlong", whole, 8, "<i8", true}, number{"ulonglong", natural, 8, "<u8", true},
      number{"bool", natural, 1, "|b1", false}};
  std::vector<element_type> types;
  for (const number& plain : numbers) {
    types.push_back({.name = plain.name, .kind = plain.kind, .bytes = plain.bytes, .numbers = 1, .npy = plain.npy});
    for (const std::size_t width : {1U, 2U, 3U, 4U}) {
      if (!plain.has_vectors && (width != 2 || plain.bytes != 2)) continue;
      types.push_back({.name = plain.name + std::to_string(width),
                       .kind = plain.kind,
                       .bytes = plain.bytes,
                       .numbers = width,
                       .npy = plain.npy});
    }
  }
  return types;
}

/// Other names of types, which sources, demangled names and experiment files use.
const std::map<std::string, std::string>& synonyms() {
  static const std::map<std::string, std::string> names = {
      {"__half", "half"},
      {"__half2", "half2"},
      {"__nv_bfloat16", "bfloat16"},
      {"nv_bfloat16", "bfloat16"},
      {"__nv_bfloat162", "bfloat162"},
      {"nv_bfloat162", "bfloat162"},
      {"unsigned", "uint"},
      {"unsigned int", "uint"},
      {"signed char", "char"},
      {"unsigned char", "uchar"},
      {"unsigned short", "ushort"},
      {"unsigned long", "ulong"},
      {"long long", "longlong"},
      {"unsigned long long", "ulonglong"},
      {"size_t", "ulong"},
      {"ptrdiff_t", "long"},
      {"int8_t", "char"},
      {"uint8_t", "uchar"},
      {"int16_t", "short"},
      {"uint16_t", "ushort"},
      {"int32_t", "int"},
      {"uint32_t", "uint"},
      {"int64_t", "long"},
      {"uint64_t", "ulong"},
  };
  return names;
}

const std::vector<element_type>& types() {
  static const std::vector<element_type> known_types = all_types();
  return known_types;
}

/// Returns the type of structures with this number of bytes, or null for an invalid number.
const element_type* structure_of(const std::string& digits) {
  constexpr std::size_t most_digits = 6;
  const bool is_number = !digits.empty() && digits.size() <= most_digits &&
                         std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
  const std::size_t bytes = is_number ? std::stoul(digits) : 0;
  if (bytes == 0) return nullptr;
  static std::mutex mutex;
  static std::map<std::size_t, element_type> structures;  // its entries keep their addresses
  const std::lock_guard lock(mutex);
  element_type& type = structures[bytes];
  if (type.name.empty()) {
    type = {.name = "bytes(" + digits + ")",
            .kind = number_kind::unsigned_integer,
            .bytes = 1,
            .numbers = bytes,
            .npy = ""};
  }
  return &type;
}

}  // namespace

const element_type* find_type(const std::string& name) {
  if (name.starts_with("bytes(") && name.ends_with(')')) return structure_of(name.substr(6, name.size() - 7));
  const std::string plain = name.starts_with("std::") ? name.substr(5) : name;
  const auto synonym = synonyms().find(plain);
  const auto match =
      std::ranges::find(types(), synonym == synonyms().end() ? plain : synonym->second, &element_type::name);
  return match == types().end() ? nullptr : &*match;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const element_type& type : types()) names.push_back(type.name);
  for (const auto& [name, type] : synonyms()) names.push_back(name);
  return names;
}

}  // namespace mlmq::tuner
