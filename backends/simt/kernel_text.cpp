// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/kernel_text.hpp"

#include <optional>
#include <set>
#include <string_view>

#include "base/files.hpp"
#include "base/hash.hpp"

namespace mlmq::backends::simulator {

namespace fs = std::filesystem;

namespace {

/// The names in `#include "name"` lines.
std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const auto skip_blanks = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip_blanks();
    if (!line.starts_with('"')) continue;
    line.remove_prefix(1);
    names.emplace_back(line.substr(0, line.find('"')));
  }
  return names;
}

std::optional<fs::path> find_included(const std::string& name, const fs::path& includer,
                                      const std::vector<fs::path>& folders) {
  std::error_code ignored;
  if (fs::path beside = includer.parent_path() / name; fs::is_regular_file(beside, ignored)) return beside;
  for (const fs::path& folder : folders) {
    if (fs::path found = folder / name; fs::is_regular_file(found, ignored)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::string hash_kernel_text(const fs::path& file, const std::vector<fs::path>& folders) {
  content_hash hash;
  std::set<fs::path> seen{fs::weakly_canonical(file)};
  std::vector<fs::path> to_read{file};
  while (!to_read.empty()) {
    const fs::path next = to_read.back();
    to_read.pop_back();
    const std::string text = read_file(next);
    hash.add(next.filename().string()).add(text);
    for (const std::string& name : included_names(text)) {
      const std::optional<fs::path> found = find_included(name, next, folders);
      if (found && seen.insert(fs::weakly_canonical(*found)).second) to_read.push_back(*found);
    }
  }
  return hash.hex();
}

}  // namespace mlmq::backends::simulator
