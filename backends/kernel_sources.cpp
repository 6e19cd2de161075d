// SPDX-License-Identifier: Apache-2.0
#include "backends/kernel_sources.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"

namespace mlmq::backends {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> included_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // Blanks are allowed before and after the '#' and before the quote.
    std::string_view rest = line;
    const auto take = [&rest](std::string_view word) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      if (!rest.starts_with(word)) return false;
      rest.remove_prefix(word.size());
      return true;
    };
    if (!take("#") || !take("include") || !take("\"")) continue;
    const auto end = rest.find('"');
    if (end != std::string_view::npos) names.emplace_back(rest.substr(0, end));
  }
  return names;
}

std::optional<fs::path> find_in(const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders) {
    if (fs::path file = fs::path(folder) / name; fs::is_regular_file(file)) return file;
  }
  return std::nullopt;
}

/// Returns the length of the comment, string, character literal or single character at the start of `text`.
/// @param in_number  whether the previous character belongs to a number, in which a quote separates digits
std::size_t token_length(std::string_view text, bool in_number) {
  const auto through = [text](std::size_t end, std::size_t more) {
    return end == std::string_view::npos ? text.size() : end + more;
  };
  if (text.starts_with("//")) {
    std::size_t end = text.find('\n');
    // A backslash at the end of a line continues the comment.
    while (end != std::string_view::npos && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return through(end, 0);
  }
  if (text.starts_with("/*")) return through(text.find("*/", 2), 2);
  if (text.front() != '"' && (text.front() != '\'' || in_number)) return 1;
  std::size_t end = 1;
  while (end < text.size() && text[end] != text.front()) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string code;
  bool in_number = false;
  const auto ends_with_blank = [&] { return code.empty() || code.back() == ' ' || code.back() == '\n'; };
  // The line after a backslash belongs to the same directive, even if it is empty.
  const auto line_continues = [&] { return code.ends_with('\\') || code.ends_with("\\\n"); };
  while (!text.empty()) {
    const std::string_view token = text.substr(0, token_length(text, in_number));
    text.remove_prefix(token.size());
    const auto letter = static_cast<unsigned char>(token.front());
    const bool is_blank =
        token == " " || token == "\t" || token == "\r" || token.starts_with("//") || token.starts_with("/*");
    if (token == "\n") {
      if (!code.empty() && code.back() == ' ') code.pop_back();
      if (!ends_with_blank() || line_continues()) code += '\n';
    } else if (!is_blank) {
      const bool in_word = !code.empty() && (std::isalnum(static_cast<unsigned char>(code.back())) != 0 ||
                                             code.back() == '_' || (in_number && code.back() == '\''));
      if (!in_word) in_number = std::isdigit(letter) != 0;
      code += token;
      if (std::isalnum(letter) == 0 && letter != '_' && letter != '\'') in_number = false;
    } else if (!ends_with_blank()) {
      in_number = false;
      code += ' ';
    }
  }
  return code;
}

kernel_sources kernel_sources::load(const std::string& folder, const std::string& file) {
  return load(std::vector<std::string>{folder}, file);
}

kernel_sources kernel_sources::load(const std::vector<std::string>& folders, const std::string& file) {
  const std::optional<fs::path> main = find_in(folders, file);
  if (!main) {
    throw input_error("kernel source '" + file + "' is not in " + folders.front() +
                      "; set MLMQ_KERNELS to the folder that holds the kernels");
  }
  kernel_sources sources;
  sources.text = read_file(*main);
  std::map<std::string, std::string> texts;
  std::vector<std::string> open = included_names(sources.text);
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (texts.contains(name)) continue;
    const std::optional<fs::path> header = find_in(folders, name);
    // A missing header belongs to the other implementation of simt/. A compiler that needs it reports an error.
    if (!header) continue;
    const std::string& text = texts[name] = read_file(*header);
    for (std::string& inner : included_names(text)) open.push_back(std::move(inner));
  }
  sources.headers.assign(texts.begin(), texts.end());
  return sources;
}

std::string kernel_sources::hash() const {
  content_hash hash;
  hash.add(text);
  for (const auto& [name, header] : headers) hash.add(name).add(header);
  return hash.hex();
}

std::string kernel_sources::code_hash() const {
  content_hash hash;
  hash.add(without_comments(text));
  for (const auto& [name, header] : headers) hash.add(name).add(without_comments(header));
  // Every recorded trial and an index contain this hash. 64 bits are enough to distinguish a few versions.
  return hash.hex().substr(0, 16);
}

std::string code_identity(const std::string& folder, const std::string& code_hash) {
  const fs::path list = fs::path(folder) / "equal_code.txt";
  if (!fs::is_regular_file(list)) return code_hash;
  std::istringstream lines(read_file(list));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string new_hash;
    std::string identity;
    std::string more;
    if (!(words >> new_hash)) continue;
    if (!(words >> identity) || words >> more) {
      throw input_error(list.string() + ":" + std::to_string(number) +
                        ": expected two hashes: that of a version, and that of the earlier version it is equal to");
    }
    if (new_hash == code_hash) return identity;
  }
  return code_hash;
}

std::string macros_after_headers(std::string_view code, const std::map<std::string, std::string>& defines) {
  std::string text;
  for (const std::string header : {"cooperative_groups.h", "cuda_fp16.h"}) {
    if (code.find(header) != std::string_view::npos) text += "#include <" + header + ">\n";
  }
  for (const auto& [name, value] : defines) text += "#define " + name + ' ' + value + '\n';
  return text;
}

std::string variant_hash(const kernel_sources& sources, const kernel_source& variant, const std::string& toolchain) {
  content_hash hash;
  hash.add(sources.hash()).add(variant.entry).add(std::to_string(variant.block_threads));
  for (const auto& [name, value] : variant.defines) hash.add(name).add(value);
  for (const std::string& function : variant.functions) hash.add("function").add(function);
  for (const std::string& option : variant.options) hash.add("option").add(option);
  return hash.add(toolchain).hex();
}

}  // namespace mlmq::backends
