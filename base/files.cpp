// SPDX-License-Identifier: Apache-2.0
#include "base/files.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/file_writer.hpp"

namespace mlmq {

namespace fs = std::filesystem;

std::string_view irregular_kind(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "is a folder";
    case fs::file_type::fifo:
      return "is a pipe";
    case fs::file_type::socket:
      return "is a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "is a device";
    default:
      return "";
  }
}

std::string read_file(const fs::path& file) {
  std::error_code ignored;
  // Opening a pipe would block until another process writes to it.
  if (const auto kind = irregular_kind(fs::status(file, ignored).type()); !kind.empty()) {
    throw input_error(fmt::format("{}: cannot be read: it {}", file.string(), kind));
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  try {
    if (in) return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  } catch (const std::ios_base::failure&) {
    // The error occurred after the file was opened; its reason is in errno, like that of a failed open.
  }
  throw input_error(file.string() + ": cannot be read: " + std::strerror(errno));
}

bool is_written_in_place(const fs::path& file) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (!fs::exists(status) || fs::is_directory(status)) return false;
  if (!fs::is_regular_file(status)) return true;
  const std::string name = file.lexically_normal().string();
  return name.starts_with("/dev/") || name.starts_with("/proc/");
}

namespace {

/// Writes a file. Returns the reason of a failure, or "".
std::string write_whole(const fs::path& file, std::string_view content) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  return out ? "" : std::strerror(errno);
}

}  // namespace

void write_file_atomically(const fs::path& file, std::string_view content) {
  pending_file pending(file);
  if (const std::string reason = write_whole(pending.path(), content); !reason.empty()) pending.fail(reason);
  pending.commit();
}

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path module_folder() {
  static const char anchor = 0;
  Dl_info info{};
  link_map* map = nullptr;
  const int status = ::dladdr1(&anchor, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  // The program itself has an empty name in the list of loaded objects.
  if (status == 0 || map == nullptr || *map->l_name == '\0') return program_folder();
  std::error_code failure;
  const fs::path file = fs::canonical(map->l_name, failure);
  return failure ? program_folder() : file.parent_path();
}

}  // namespace mlmq
