// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/command_line.hpp"

namespace mlmq::cli {
namespace {

// Atomic, because threads read it as well as the one that the signal interrupts.
std::atomic<bool> was_interrupted = false;
std::atomic<const char*> exit_message = nullptr;
std::atomic<int> exit_message_file = STDOUT_FILENO;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);  // or a signal handler could not use them

void handle(int signal) {
  const int interrupted_errno = errno;
  if (const char* const message = exit_message.load(std::memory_order_relaxed)) {
    (void)!::write(exit_message_file.load(std::memory_order_relaxed), message, std::strlen(message));
    ::_exit(exit_failed);
  }
  was_interrupted.store(true, std::memory_order_relaxed);
  std::signal(signal, SIG_DFL);
  errno = interrupted_errno;
}

}  // namespace

void note_interruptions() {
  std::signal(SIGINT, handle);
  std::signal(SIGTERM, handle);
}

void end_on_interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool interrupted() noexcept { return was_interrupted.load(std::memory_order_relaxed); }

void exit_on_interruption(const char* message, bool to_errors) noexcept {
  exit_message_file.store(to_errors ? STDERR_FILENO : STDOUT_FILENO, std::memory_order_relaxed);
  exit_message.store(message, std::memory_order_relaxed);
}

}  // namespace mlmq::cli
