// SPDX-License-Identifier: Apache-2.0
#include "base/files.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.hpp"

namespace mlmq {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) throw input_error(file.string() + ": cannot be read: it is a folder");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  try {
    if (in) return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  } catch (const std::ios_base::failure&) {
    // An error after the file was opened; the reason is in errno, as for opening it.
  }
  throw input_error(file.string() + ": cannot be read: " + std::strerror(errno));
}

void write_file_atomically(const fs::path& file, std::string_view content) {
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  fs::path temporary = file;
  // A name of its own also for two threads that write the same file.
  static std::atomic<unsigned> number = 0;
  temporary += ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(number++);
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    if (!out) {
      const std::string reason = std::strerror(errno);
      fs::remove(temporary, ignored);
      throw work_error(file.string() + ": cannot be written: " + reason);
    }
  }
  std::error_code failure;
  fs::rename(temporary, file, failure);
  if (failure) {
    fs::remove(temporary, ignored);
    throw work_error(file.string() + ": cannot be written: " + failure.message());
  }
}

fs::path cache_folder() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value != nullptr ? fs::path(value) : fs::path();
  };
  if (const fs::path own = variable("MLMQ_CACHE"); !own.empty()) return own;
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "mlmq";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "mlmq";
  return fs::temp_directory_path() / "mlmq-cache";
}

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace mlmq
