// SPDX-License-Identifier: Apache-2.0
#include "base/code_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <vector>

#include "base/cache_folder.hpp"
#include "base/cache_lock.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"

namespace mlmq {
namespace {

constexpr std::string_view seal_name = "\nmlmq code 1 ";
constexpr std::size_t hash_digits = 32;
constexpr std::size_t seal_bytes = seal_name.size() + hash_digits + 1;

std::string seal_of(std::string_view key, std::string_view code) {
  return fmt::format("{}{}\n", seal_name, content_hash().add(key).add(code).hex());
}

/// Returns the whole file, if it belongs to `owner` and no other user can write to it.
std::optional<std::string> read_file_of(uid_t owner, int folder, const std::string& name) {
  const descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != owner ||
      (about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    filled += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::optional<std::string> read_own_file(int folder, const std::string& name) {
  return read_file_of(::geteuid(), folder, name);
}

/// Returns a file of $MLMQ_SHARED_CACHE, if no other user than the owner of that folder can have written it.
std::optional<std::string> read_shared_file(const std::string& kind, const std::string& name) {
  const char* const shared = std::getenv("MLMQ_SHARED_CACHE");
  if (shared == nullptr || *shared == '\0') return std::nullopt;
  const descriptor above(::open(shared, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const descriptor folder(above ? ::openat(above.get(), kind.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
                                : -1);
  struct stat about_above {};
  struct stat about {};
  if (!folder || ::fstat(above.get(), &about_above) != 0 || ::fstat(folder.get(), &about) != 0) return std::nullopt;
  constexpr mode_t others_write = S_IWGRP | S_IWOTH;
  if (about.st_uid != about_above.st_uid || ((about.st_mode | about_above.st_mode) & others_write) != 0) {
    return std::nullopt;
  }
  return read_file_of(about.st_uid, folder.get(), name);
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Writes a file that gets its name only after it is complete, and on the disk if it `is_synced`. If writing fails, the
/// cache remains unchanged.
void write_own_file(int folder, const std::string& name, std::string_view bytes, bool is_synced) {
  static std::atomic<unsigned> number{0};
  const std::string temporary = fmt::format("{}.{}.{}.tmp", name, ::getpid(), number++);
  const descriptor file(
      ::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat about {};
  if (!file || ::fstat(folder, &about) != 0) return;
  // Those who may read the folder may read the file (MLMQ_SHARED_CACHE).
  ::fchmod(file.get(), 0600 | (about.st_mode & (S_IRGRP | S_IROTH)));
  if (write_all(file.get(), bytes) && (!is_synced || ::fsync(file.get()) == 0) &&
      ::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0) {
    if (is_synced) ::fsync(folder);
  } else {
    ::unlinkat(folder, temporary.c_str(), 0);
  }
}

}  // namespace

std::string seal_code(std::string_view key, std::string code) {
  const std::string seal = seal_of(key, code);
  return std::move(code) + seal;
}

std::optional<std::string> unseal_code(std::string_view key, std::string sealed) {
  if (sealed.size() < seal_bytes) return std::nullopt;
  const std::string_view whole = sealed;
  const std::size_t length = sealed.size() - seal_bytes;
  if (whole.substr(length) != seal_of(key, whole.substr(0, length))) return std::nullopt;
  sealed.resize(length);
  return sealed;
}

descriptor code_cache::open_folder() const {
  const std::filesystem::path cache = cache_folder();
  if (cache.empty()) return {};
  std::string ignored;
  const descriptor above = open_own_folder(AT_FDCWD, cache, true, ignored);
  return above ? open_own_folder(above.get(), kind_, false, ignored) : descriptor();
}

std::optional<std::string> code_cache::find_in(const descriptor& folder, const std::string& key) const {
  std::optional<std::string> sealed;
  if (folder) sealed = read_own_file(folder.get(), key + ending_);
  // shrink() removes the files with the oldest times.
  if (sealed && is_bounded()) ::utimensat(folder.get(), (key + ending_).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  if (!sealed) sealed = read_shared_file(kind_, key + ending_);
  return sealed ? unseal_code(key, std::move(*sealed)) : std::nullopt;
}

std::optional<std::string> code_cache::find(const std::string& key) const { return find_in(open_folder(), key); }

cached_code code_cache::find_or_make(const std::string& key, const std::function<std::string()>& make) const {
  const descriptor folder = open_folder();
  if (std::optional<std::string> bytes = find_in(folder, key)) return {.bytes = std::move(*bytes), .from_cache = true};
  if (!folder) return {.bytes = make()};
  const cache_lock alone(folder.get(), key);
  if (std::optional<std::string> bytes = find_in(folder, key)) return {.bytes = std::move(*bytes), .from_cache = true};
  cached_code code{.bytes = make()};
  write_own_file(folder.get(), key + ending_, seal_code(key, code.bytes), policy_.is_synced);
  if (is_bounded()) shrink(folder.get());
  return code;
}

void code_cache::shrink(int folder) const {
  struct kept_file {
    std::int64_t seconds;
    std::int64_t nanoseconds;
    std::uint64_t bytes;
    std::string name;
  };
  std::vector<kept_file> files;
  std::uint64_t total = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(::openat(folder, ".", O_RDONLY | O_CLOEXEC)),
                                                    ::closedir);
  if (!listing) return;
  while (const dirent* const entry = ::readdir(listing.get())) {
    struct stat about {};
    const std::string name = entry->d_name;
    // Includes temporary files of processes that were killed, but not the file of cache_lock.
    if (name.find(ending_) == std::string::npos) continue;
    if (::fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) continue;
    const auto bytes = static_cast<std::uint64_t>(about.st_size);
    files.push_back({about.st_mtim.tv_sec, about.st_mtim.tv_nsec, bytes, name});
    total += bytes;
  }
  std::ranges::sort(files, {}, [](const kept_file& file) { return std::tie(file.seconds, file.nanoseconds); });
  for (const kept_file& file : files) {
    if (total <= policy_.most_bytes) return;
    ::unlinkat(folder, file.name.c_str(), 0);
    total -= file.bytes;
  }
}

void code_cache::forget(const std::string& key) const {
  const descriptor folder = open_folder();
  if (folder) ::unlinkat(folder.get(), (key + ending_).c_str(), 0);
}

cache_contents code_cache::inspect(const std::filesystem::path& cache) {
  cache_contents contents;
  for (const auto& [kind, ending] : {std::pair("simt", ".so"), std::pair("cuda", ".cubin")}) {
    const descriptor folder(::open((cache / kind).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!folder) continue;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(cache / kind, failure)) {
      if (entry.path().extension() != ending) continue;
      std::optional<std::string> sealed = read_own_file(folder.get(), entry.path().filename().string());
      ++contents.files;
      contents.bytes += sealed ? sealed->size() : 0;
      if (!sealed || !unseal_code(entry.path().stem().string(), std::move(*sealed))) ++contents.damaged;
    }
  }
  return contents;
}

}  // namespace mlmq
