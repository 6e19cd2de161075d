// SPDX-License-Identifier: Apache-2.0
#include "selector/installed.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"

namespace mlmq::selector {

namespace fs = std::filesystem;

namespace {

fs::path variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? fs::path(value) : fs::path();
}

/// Reduces a name to lower-case letters and digits, with a dash for each run of other characters.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && std::isalnum(byte) != 0) {
      text += static_cast<char>(std::tolower(byte));
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  while (!text.empty() && text.back() == '-') text.pop_back();
  constexpr std::size_t most = 60;
  return text.substr(0, most);
}

void add_from(install_place place, std::vector<installed_selector>& selectors) {
  const fs::path folder = selector_folder(place);
  std::error_code failure;
  if (folder.empty() || !fs::is_directory(folder, failure)) return;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    installed_selector& installed = selectors.emplace_back();
    installed.file = file;
    installed.place = place;
    try {
      tuned_file read = tuned_file_from_text(read_file(file), file.string());
      if (selector_file(folder, read.about.device, read.about.problem) != file)
        throw input_error(fmt::format("{}: the selector is for {}, which the file name does not match", file.string(),
                                      read.about.device));
      installed.about = std::move(read.about);
    } catch (const input_error& error) {
      installed.damage = error.what();
    }
  }
}

}  // namespace

fs::path selector_folder(install_place place) {
  if (place == install_place::system) {
    const fs::path shared = module_folder() / ".." / "share" / "mlmq";
    std::error_code failure;
    return fs::is_directory(shared, failure) ? fs::canonical(shared, failure) / "selectors" : fs::path();
  }
  if (fs::path folder = variable("MLMQ_SELECTORS"); !folder.empty()) return folder;
  if (const fs::path xdg = variable("XDG_DATA_HOME"); !xdg.empty()) return xdg / "mlmq" / "selectors";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".local" / "share" / "mlmq" / "selectors";
  return {};
}

fs::path selector_file(const fs::path& folder, std::string_view device, std::string_view problem) {
  constexpr std::size_t digits = 8;
  return folder / fmt::format("{}-{}-{}.json", plain(device), hash_text(device).substr(0, digits), plain(problem));
}

std::vector<installed_selector> installed_selectors() {
  std::vector<installed_selector> selectors;
  add_from(install_place::user, selectors);
  add_from(install_place::system, selectors);
  return selectors;
}

std::optional<fs::path> installed_file(std::string_view device, std::string_view problem) {
  for (const install_place place : {install_place::user, install_place::system}) {
    const fs::path folder = selector_folder(place);
    if (folder.empty()) continue;
    fs::path file = selector_file(folder, device, problem);
    std::error_code failure;
    if (fs::exists(file, failure)) return file;
  }
  return std::nullopt;
}

selector_lock::selector_lock(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw work_error(fmt::format("{}: cannot be created: {}", folder.string(), failure.message()));
  const fs::path file = folder / "lock";
  file_ = descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file_) throw work_error(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
  while (::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

fs::path install_selector(const tuned_file& tuned, const fs::path& folder) {
  fs::path file = selector_file(folder, tuned.about.device, tuned.about.problem);
  write_file_atomically(file, tuned_file_to_text(tuned));
  return file;
}

}  // namespace mlmq::selector
