// SPDX-License-Identifier: Apache-2.0
// Compiled code, and other results, that are kept in the cache folder for later processes. A cached file may be damaged
// or belong to another user. It is used only if it belongs to this user and its checksum is right; otherwise its
// content is generated again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace mlmq {

struct cached_code {
  std::string bytes;
  bool from_cache = false;
};

/// Summary of the files in a cache.
struct cache_contents {
  std::size_t files = 0;
  std::size_t damaged = 0;  ///< number of damaged files; their code will be generated again
  std::size_t bytes = 0;
};

/// How a cache keeps its files.
struct cache_policy {
  /// When the files are larger than this in total, those that were not used for the longest time are removed.
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Whether a file is on the disk before it gets its name. Otherwise it may be damaged after a power failure.
  bool is_synced = true;
};

/// A cache of compiled code, or of other results. If the cache folder cannot be read or written, all code is generated,
/// without an error. Thread-safe.
class code_cache {
 public:
  /// @param kind name of the subfolder of the cache folder
  /// @param ending ending of the file names, such as ".so"
  code_cache(std::string kind, std::string ending, cache_policy policy = {})
      : kind_(std::move(kind)), ending_(std::move(ending)), policy_(policy) {}

  /// Returns the code for `key` (a valid file name) and calls `make` if it is not cached. If several processes or
  /// threads request the same key at the same time, one generates the code and the others wait. @throws what `make`
  /// throws
  [[nodiscard]] cached_code find_or_make(const std::string& key, const std::function<std::string()>& make) const;

  /// Returns the code for `key`, if it exists and is intact.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;

  /// Removes the code for `key`, so that it is generated again.
  void forget(const std::string& key) const;

  /// Reads all files of compiled code in a cache folder and summarizes them. Does not create folders.
  [[nodiscard]] static cache_contents inspect(const std::filesystem::path& cache);

 private:
  /// Opens the subfolder of this kind in the cache folder; empty if the cache folder cannot be used.
  [[nodiscard]] descriptor open_folder() const;
  [[nodiscard]] std::optional<std::string> find_in(const descriptor& folder, const std::string& key) const;

  [[nodiscard]] bool is_bounded() const { return policy_.most_bytes != cache_policy().most_bytes; }
  /// Removes files until the cache is no larger than allowed.
  void shrink(int folder) const;

  std::string kind_;
  std::string ending_;
  cache_policy policy_;
};

/// Returns `code` with a checksum appended. Loaders of code ignore appended bytes.
[[nodiscard]] std::string seal_code(std::string_view key, std::string code);

/// Returns the original code of the result of seal_code() for this key; empty for any other input.
[[nodiscard]] std::optional<std::string> unseal_code(std::string_view key, std::string sealed);

}  // namespace mlmq
