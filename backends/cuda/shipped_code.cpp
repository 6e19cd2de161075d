// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/shipped_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"

namespace mlmq::backends {
namespace {

namespace fs = std::filesystem;

constexpr const char* ending = ".kernels";

struct known_archives {
  std::mutex mutex;
  std::map<fs::path, std::shared_ptr<const code_archive>> opened;  // null if a file cannot be read
  std::set<std::string> refused;

  static known_archives& get() {
    static known_archives instance;
    return instance;
  }
};

}  // namespace

fs::path machine_code_folder() {
  if (const char* folder = std::getenv("MLMQ_MACHINE_CODE"); folder != nullptr) return folder;
  const fs::path installed = module_folder() / ".." / "share" / "mlmq" / "machine-code";
  std::error_code failure;
  return fs::is_directory(installed, failure) ? fs::canonical(installed, failure) : fs::path();
}

fs::path machine_code_file(const fs::path& folder, const std::string& architecture) {
  return folder / (architecture + ending);
}

std::shared_ptr<const code_archive> shipped_for(const std::string& architecture) {
  const fs::path folder = machine_code_folder();
  if (folder.empty()) return nullptr;
  const fs::path file = machine_code_file(folder, architecture);
  known_archives& archives = known_archives::get();
  const std::lock_guard lock(archives.mutex);
  const auto [place, is_new] = archives.opened.try_emplace(file);
  if (is_new) {
    try {
      auto opened = std::make_shared<const code_archive>(file);
      // Ignore a file whose content is for a different architecture than its name says.
      if (opened->target() == architecture) place->second = std::move(opened);
    } catch (const input_error&) {
      // The file is missing or damaged: kernels are compiled instead. `mlmq doctor` reports this.
    }
  }
  return place->second;
}

std::optional<std::string> find_shipped(const std::string& hash, const std::string& architecture) {
  const std::shared_ptr<const code_archive> archive = shipped_for(architecture);
  if (archive == nullptr) return std::nullopt;
  {
    known_archives& archives = known_archives::get();
    const std::lock_guard lock(archives.mutex);
    if (archives.refused.contains(hash)) return std::nullopt;
  }
  return archive->find(hash);
}

void refuse_shipped(const std::string& hash) {
  known_archives& archives = known_archives::get();
  const std::lock_guard lock(archives.mutex);
  archives.refused.insert(hash);
}

void reopen_shipped() {
  known_archives& archives = known_archives::get();
  const std::lock_guard lock(archives.mutex);
  archives.opened.clear();
}

std::vector<std::pair<std::string, std::string>> report_shipped(const std::string& compiler) {
  std::vector<std::pair<std::string, std::string>> lines;
  const fs::path folder = machine_code_folder();
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() != ending) continue;
    const std::string name = entry.path().stem().string();
    try {
      const code_archive archive(entry.path());
      std::string text = fmt::format("{} kernels by {}, {:.1f} MB", archive.size(), archive.compiler(),
                                     static_cast<double>(archive.bytes()) / 1e6);
      if (archive.target() != name) text += fmt::format("; not used, they are for {}", archive.target());
      if (!compiler.empty() && archive.compiler() != compiler) text += fmt::format("; not used by {}", compiler);
      if (const std::size_t damaged = archive.count_damaged(); damaged > 0) {
        text += fmt::format("; {} damaged, compiled when needed", damaged);
      }
      lines.emplace_back(name, text);
    } catch (const input_error& error) {
      lines.emplace_back(name, fmt::format("not used: {}", error.what()));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace mlmq::backends
