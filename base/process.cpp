// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/spawn.hpp"
#include "base/stop.hpp"

namespace mlmq {
namespace {

/// Appends output that is ready to be read. @return false at the end of the output
bool read_some(int descriptor, std::size_t limit, std::string& output) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  output.append(buffer.data(), std::min(limit - output.size(), static_cast<std::size_t>(count)));
  return count > 0;
}

bool is_ready(int descriptor, std::int64_t milliseconds) {
  pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&wait, 1, static_cast<int>(milliseconds)) > 0;
}

}  // namespace

std::string process_result::describe_end() const {
  if (exit_code <= 128) return "ended with exit status " + std::to_string(exit_code);
  const int signal = exit_code - 128;
  const char* const name = ::sigdescr_np(signal);
  return "was ended by signal " + std::to_string(signal) + (name == nullptr ? "" : " (" + std::string(name) + ")");
}

std::uint64_t process_limits::most_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) /
         4 * 3;
}

process_result run_process(const std::vector<std::string>& arguments, const process_limits& limits,
                           const std::map<std::string, std::string>& variables) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw work_error(arguments.at(0) + ": cannot be started: " + std::strerror(errno));
  }
  const descriptor reader(ends[0]);
  descriptor writer(ends[1]);

  process_group running(arguments, {.output = writer.get(),
                                    .errors = writer.get(),
                                    .variables = variables,
                                    .memory_bytes = limits.memory_bytes,
                                    .file_bytes = limits.file_bytes});
  writer = {};

  process_result result;
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  bool has_output = true;
  std::optional<spawn_end> end;
  while (!end) {
    throw_if_stopped();
    const auto remaining =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (remaining.count() <= 0) {
      result.timed_out = true;
      running.kill();
      end = running.wait();
      break;
    }
    // The output usually ends with the program. A process that keeps it open longer must not delay the end.
    constexpr std::int64_t poll_interval = 50;
    if (!has_output) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (is_ready(reader.get(), std::min<std::int64_t>(remaining.count(), poll_interval))) {
      has_output = read_some(reader.get(), limits.kept_output, result.output);
      if (has_output) continue;
    }
    end = running.poll();
  }
  // Read the output that was written before the end. A process outside of the group may still keep the pipe open.
  ::fcntl(reader.get(), F_SETFL, O_NONBLOCK);
  while (has_output && is_ready(reader.get(), 0)) {
    has_output = read_some(reader.get(), limits.kept_output, result.output);
  }
  result.exit_code = WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status) : WEXITSTATUS(end->status);
  result.peak_bytes = end->peak_bytes;
  return result;
}

}  // namespace mlmq
