// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "base/spawn.hpp"
#include "base/stop.hpp"

namespace mlmq {
namespace {

/// An open file descriptor, closed when it goes out of scope.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { close(); }
  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// Owner of a child process. The destructor kills and reaps it unless it has already been reaped.
class child {
 public:
  explicit child(pid_t pid) : pid_(pid) {}
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  void kill() const { ::kill(-pid_, SIGKILL); }
  /// @return whether the child has ended
  bool poll() { return reap(WNOHANG); }
  int wait() {
    reap(0);
    return exit_code_;
  }

 private:
  bool reap(int options) {
    if (pid_ == 0) return true;
    int status = 0;
    pid_t reaped = 0;
    do {
      reaped = ::waitpid(pid_, &status, options);
    } while (reaped < 0 && errno == EINTR);
    if (reaped == 0) return false;
    pid_ = 0;
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
  }

  pid_t pid_;
  int exit_code_ = -1;
};

}  // namespace

process_result run_process(const std::vector<std::string>& arguments, std::chrono::milliseconds time_limit,
                           std::size_t output_limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw work_error(arguments.at(0) + ": cannot be started: " + std::strerror(errno));
  }
  const descriptor reader(ends[0]);
  descriptor writer(ends[1]);

  child running(spawn(arguments, {.output = ends[1], .errors = ends[1]}));
  writer.close();

  process_result result;
  const auto deadline = std::chrono::steady_clock::now() + time_limit;
  std::array<char, 4096> buffer{};
  bool has_output = true;
  while (has_output || !running.poll()) {
    throw_if_stopped();
    const auto remaining =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (remaining.count() <= 0) {
      result.timed_out = true;
      running.kill();
      break;
    }
    if (!has_output) {
      // The child has closed its output and is still running. This is rare, so polling is sufficient.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    pollfd wait{.fd = reader.number(), .events = POLLIN, .revents = 0};
    const std::int64_t longest_wait = stop_token_of_thread().stop_possible() ? 50 : 60'000;
    const int ready = ::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(remaining.count(), longest_wait)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) continue;
    const ssize_t count = ::read(reader.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    has_output = count > 0;
    if (!has_output) continue;
    const std::size_t room = output_limit - result.output.size();
    result.output.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
  }
  result.exit_code = running.wait();
  return result;
}

}  // namespace mlmq
