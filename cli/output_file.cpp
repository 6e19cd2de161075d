// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/files.hpp"
#include "cli/print_text.hpp"

namespace mlmq::cli {
namespace {

bool output_is_closed() {
  const int mode = ::fcntl(STDOUT_FILENO, F_GETFL);
  return mode < 0 || (mode & O_ACCMODE) == O_RDONLY;
}

bool output_has_no_reader() {
  pollfd stream{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&stream, 1, 0) == 1 && (stream.revents & POLLERR) != 0;
}

constexpr auto endings = std::to_array<std::pair<std::string_view, output_kind>>({{".txt", output_kind::text},
                                                                                  {".csv", output_kind::csv},
                                                                                  {".json", output_kind::json},
                                                                                  {".npy", output_kind::npy},
                                                                                  {"/", output_kind::folder}});

/// Endings that belong to no command: files with them are never written.
constexpr auto foreign_endings = std::to_array<std::string_view>({".parquet", ".npz", ".feather", ".xlsx", ".h5"});

}  // namespace

output_kind kind_of_output(std::string_view option, const std::filesystem::path& file,
                           std::initializer_list<output_kind> supported) {
  const auto has = [&](output_kind kind) { return std::ranges::find(supported, kind) != supported.end(); };
  const bool is_compressed = file.extension() == ".gz";
  std::string ending = (is_compressed ? file.stem() : file).extension().string();
  if (!file.has_filename()) ending = "/";
  if (is_standard_output(file) || is_written_in_place(file)) ending.clear();
  if (ending.empty()) {
    if (supported.size() == 1) return *supported.begin();
    for (const output_kind kind : {output_kind::text, output_kind::other}) {
      if (has(kind)) return kind;
    }
  }
  const auto match =
      std::ranges::find(endings, std::string_view(ending), &std::pair<std::string_view, output_kind>::first);
  const bool is_foreign = std::ranges::find(foreign_endings, std::string_view(ending)) != foreign_endings.end();
  const output_kind kind = match == endings.end() ? output_kind::other : match->second;
  // NumPy does not read compressed arrays.
  if (has(kind) && !is_foreign && !(kind == output_kind::npy && is_compressed)) return kind;
  std::vector<std::string> names;
  for (const auto& [name, meaning] : endings) {
    if (has(meaning)) names.push_back(fmt::format("NAME{}", name));
  }
  throw input_error(fmt::format("{} {}: {} is not written here{}", option, file.string(),
                                ending.empty() ? "a name without an ending" : "a file that ends in " + ending,
                                names.empty() ? "" : fmt::format("; expected {}", fmt::join(names, " or "))));
}

void check_output(const std::filesystem::path& file) {
  if (is_standard_output(file)) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw input_error(file.string() + ": is a folder; specify a file in it");
  }
  const std::filesystem::path folder = file.parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  const bool is_file = std::filesystem::exists(folder, ignored);
  throw input_error(fmt::format("{}: cannot be written: {} {}", file.string(), folder.string(),
                                is_file ? "is not a folder" : "does not exist; create the folder first"));
}

void make_output_folder(const std::filesystem::path& folder) {
  if (is_standard_output(folder))
    throw input_error("-: several files cannot be written to standard output; specify a folder");
  std::error_code failure;
  std::filesystem::create_directory(folder, failure);
  if (!failure) return;
  throw input_error(fmt::format("{}: cannot create the folder: {}", folder.string(), failure.message()));
}

void check_replaceable_output(const std::filesystem::path& file) {
  if (is_standard_output(file)) throw input_error("-: standard output is not supported; specify a regular file");
  check_output(file);
  if (is_written_in_place(file)) {
    throw input_error(file.string() + ": is a device or a pipe; specify a regular file");
  }
}

void write_output(const std::filesystem::path& file, std::string_view content) {
  if (is_standard_output(file)) {
    print_data(content);
    return;
  }
  check_output(file);
  std::fflush(stdout);  // the file may be standard output by another name
  file_writer out(file);
  out.write(content);
  out.commit();
}

void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor, which is this one. A read-only file cannot be written to by mistake.
    (void)::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

std::string output_failure(int earlier) {
  errno = 0;
  const bool emptied = std::fflush(stdout) == 0;
  const int error = errno != 0 ? errno : earlier;
  if (emptied && std::ferror(stdout) == 0) return "";
  if (output_is_closed()) return "it is closed";
  if (output_has_no_reader()) return "its reader has closed it";
  // An earlier write failed, and its reason is lost.
  return error != 0 ? std::strerror(error) : "a part of the output was lost";
}

}  // namespace mlmq::cli
