// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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

}  // namespace

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
