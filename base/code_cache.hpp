// SPDX-License-Identifier: Apache-2.0
// Compiled code kept in the cache folder for the next process. A file there may be damaged or be somebody else's, so
// it is used only when it is this user's and its checksum is right; else the code is made again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace mlmq {

struct cached_code {
  std::string bytes;
  bool from_cache = false;
};

/// What the files of a cache are like.
struct cache_contents {
  std::size_t files = 0;
  std::size_t damaged = 0;  ///< of these; they will be made again
  std::size_t bytes = 0;
};

/// A cache that cannot be read or written never fails: then everything is made. Any number of threads may use it.
class code_cache {
 public:
  /// @param kind names the folder in the cache folder, @param ending of the names of its files: ".so"
  code_cache(std::string kind, std::string ending) : kind_(std::move(kind)), ending_(std::move(ending)) {}

  /// The code for `key`, a name for a file. Of processes and threads that ask for the same key at the same time one
  /// makes it and the others wait. @throws what `make` throws
  [[nodiscard]] cached_code find_or_make(const std::string& key, const std::function<std::string()>& make) const;

  /// Returns the code for `key`, if it exists and is intact.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;

  /// Removes the code for `key`, so that it is made again.
  void forget(const std::string& key) const;

  /// Reads all files. Makes no folder.
  [[nodiscard]] static cache_contents inspect(const std::filesystem::path& cache);

 private:
  /// The folder of this kind in the cache folder; none where that cannot be used.
  [[nodiscard]] descriptor open_folder() const;
  [[nodiscard]] std::optional<std::string> find_in(const descriptor& folder, const std::string& key) const;

  std::string kind_;
  std::string ending_;
};

/// `code` with its checksum behind it, where loaders of code do not look.
[[nodiscard]] std::string seal_code(std::string_view key, std::string code);

/// The code of what seal_code() made for this key; nothing for anything else.
[[nodiscard]] std::optional<std::string> unseal_code(std::string_view key, std::string sealed);

}  // namespace mlmq
