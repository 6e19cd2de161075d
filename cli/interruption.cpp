// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "cli/command_line.hpp"

namespace mlmq::cli {
namespace {

volatile std::sig_atomic_t noted = 0;
std::atomic<const char*> last_words = nullptr;
std::atomic<int> last_words_go_to = STDOUT_FILENO;

void handle(int signal) {
  if (const char* const message = last_words.load(std::memory_order_relaxed)) {
    (void)!::write(last_words_go_to.load(std::memory_order_relaxed), message, std::strlen(message));
    ::_exit(exit_failed);
  }
  noted = 1;
  std::signal(signal, SIG_DFL);
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

bool interrupted() noexcept { return noted != 0; }

void exit_on_interruption(const char* message, bool to_errors) noexcept {
  last_words_go_to.store(to_errors ? STDERR_FILENO : STDOUT_FILENO, std::memory_order_relaxed);
  last_words.store(message, std::memory_order_relaxed);
}

}  // namespace mlmq::cli
