// SPDX-License-Identifier: Apache-2.0
#include "base/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/spawn.hpp"

namespace mlmq {
namespace {

void close_once(int& descriptor) noexcept {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

struct descriptor_pair {
  std::array<int, 2> ends{-1, -1};
  descriptor_pair() = default;
  descriptor_pair(const descriptor_pair&) = delete;
  descriptor_pair& operator=(const descriptor_pair&) = delete;
  ~descriptor_pair() {
    close_once(ends[0]);
    close_once(ends[1]);
  }
  [[nodiscard]] int take(std::size_t end) { return std::exchange(ends.at(end), -1); }
};

void read_available(int& descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  while (descriptor >= 0) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      if (count == 0 || errno != EAGAIN) close_once(descriptor);
      return;
    }
  }
}

}  // namespace

std::string process_end::describe() const {
  if (signal == 0) return "exit status " + std::to_string(exit_code);
  const char* const name = ::sigabbrev_np(signal);
  const char* const meaning = ::sigdescr_np(signal);
  return (name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal)) +
         (meaning != nullptr ? " (" + std::string(meaning) + ")" : "");
}

child_process::child_process(const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& variables) {
  descriptor_pair input;
  descriptor_pair output;
  descriptor_pair errors;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input.ends.data()) != 0 ||
      ::pipe2(output.ends.data(), O_CLOEXEC) != 0 || ::pipe2(errors.ends.data(), O_CLOEXEC) != 0) {
    throw work_error(arguments.at(0) + ": cannot be started: " + ::strerror(errno));
  }
  group_ = process_group(
      arguments, {.input = input.ends[1], .output = output.ends[1], .errors = errors.ends[1], .variables = variables});
  pid_ = group_.pid();
  input_ = input.take(0);
  output_ = output.take(0);
  errors_ = errors.take(0);
  ::fcntl(output_, F_SETFL, O_NONBLOCK);
  ::fcntl(errors_, F_SETFL, O_NONBLOCK);
}

child_process::child_process(child_process&& other) noexcept { swap(other); }

child_process& child_process::operator=(child_process&& other) noexcept {
  swap(other);
  return *this;
}

child_process::~child_process() {
  close_once(input_);
  close_once(output_);
  close_once(errors_);
}

void child_process::swap(child_process& other) noexcept {
  std::swap(group_, other.group_);
  std::swap(pid_, other.pid_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
  std::swap(errors_, other.errors_);
  std::swap(unsent_, other.unsent_);
  std::swap(end_, other.end_);
}

void child_process::read_output(std::string& text) { read_available(output_, text); }
void child_process::read_errors(std::string& text) { read_available(errors_, text); }

bool child_process::send(std::string_view text) {
  unsent_ += text;
  return flush();
}

bool child_process::flush() {
  std::size_t done = 0;
  bool alive = true;
  while (alive && done < unsent_.size()) {
    // Do not wait for the child: if it has been stopped, it reads nothing, and this process would be blocked too.
    const ssize_t sent = ::send(input_, unsent_.data() + done, unsent_.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      done += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      alive = false;
    }
  }
  unsent_.erase(0, alive ? done : unsent_.size());
  return alive;
}

void child_process::kill() const noexcept { group_.kill(); }

bool child_process::is_stopped() const noexcept {
  if (pid_ <= 0 || end_) return false;
  siginfo_t info{};
  // WNOWAIT leaves the state for poll_end().
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

std::optional<process_end> child_process::poll_end() {
  const std::optional<spawn_end> ended = group_.poll();
  if (!ended) return end_;
  process_end end;
  if (WIFSIGNALED(ended->status)) {
    end.signal = WTERMSIG(ended->status);
  } else {
    end.exit_code = WEXITSTATUS(ended->status);
  }
  end_ = end;
  return end_;
}

}  // namespace mlmq
