// SPDX-License-Identifier: Apache-2.0
#include "base/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"

extern char** environ;

namespace mlmq {
namespace {

/// Returns the environment of this process, with `variables` added or replaced.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!variables.contains(text.substr(0, text.find('=')))) environment.push_back(text);
  }
  for (const auto& [name, value] : variables) {
    std::string& text = environment.emplace_back(name);
    text.append("=").append(value);
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What a new process does before it runs the program. It shares the memory of this process (vfork), so it allocates
/// nothing.
struct preparation {
  const spawn_settings* settings;
  char* const* arguments;
  char* const* environment;
  sigset_t signals;  ///< signal mask of the program
  int watcher;       ///< socket to the watcher; -1: the process is not watched
  int failure;       ///< descriptor that receives errno if the program cannot be run
};

void set_limit(decltype(RLIMIT_DATA) resource, std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || bytes >= limit.rlim_cur) return;
  limit.rlim_cur = bytes;
  ::setrlimit(resource, &limit);
}

bool redirect(int source, int target) {
  const int origin = source >= 0 ? source : ::open("/dev/null", O_RDWR | O_CLOEXEC);
  return origin >= 0 && ::dup2(origin, target) >= 0;
}

/// Sends "+ PROCESS" or "- PROCESS" to the watcher.
void tell_watcher(int watcher, char sign, pid_t process) {
  std::array<char, 24> line{sign, ' '};
  char* end = std::to_chars(line.data() + 2, line.data() + line.size() - 1, process).ptr;
  *end++ = '\n';
  (void)!::send(watcher, line.data(), static_cast<std::size_t>(end - line.data()), MSG_NOSIGNAL | MSG_DONTWAIT);
}

[[noreturn]] void run_program(const preparation& prepared) {
  // Handlers of this process must not run in the new one, which shares its memory.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    ::sigaction(signal, &action, nullptr);
  }
  const spawn_settings& settings = *prepared.settings;
  bool done = ::setpgid(0, 0) == 0;
  // Told here, so that the group is known before there is a program to leave behind.
  if (prepared.watcher >= 0) tell_watcher(prepared.watcher, '+', ::getpid());
  set_limit(RLIMIT_DATA, settings.memory_bytes);
  set_limit(RLIMIT_FSIZE, settings.file_bytes);
  done = done && redirect(settings.input, STDIN_FILENO) && redirect(settings.output, STDOUT_FILENO) &&
         redirect(settings.errors, STDERR_FILENO);
  if (done) {
    ::sigprocmask(SIG_SETMASK, &prepared.signals, nullptr);
    ::execvpe(prepared.arguments[0], prepared.arguments, prepared.environment);
  }
  const int failure = errno;
  (void)!::write(prepared.failure, &failure, sizeof(failure));
  ::_exit(127);
}

/// Whether this thread is in vfork(). ThreadSanitizer replaces it by fork(), which calls handlers; without them, the
/// child has the watcher's socket, and a thread that has locked the watcher does not wait for itself.
thread_local bool is_starting = false;

/// @throws work_error if the program cannot be started
pid_t start(const std::vector<std::string>& arguments, const spawn_settings& settings, int watcher) {
  const auto fail = [&](int failure) {
    throw work_error(arguments.at(0) + ": cannot be started: " + ::strerror(failure));
  };
  std::vector<std::string> words = arguments;
  std::vector<std::string> environment = environment_with(settings.variables);
  const std::vector<char*> word_pointers = pointers_to(words);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
  const descriptor reader(ends[0]);
  descriptor writer(ends[1]);
  preparation prepared{.settings = &settings,
                       .arguments = word_pointers.data(),
                       .environment = environment_pointers.data(),
                       .signals = {},
                       .watcher = watcher,
                       .failure = writer.get()};
  sigset_t all_signals;
  ::sigfillset(&all_signals);
  ::pthread_sigmask(SIG_SETMASK, &all_signals, &prepared.signals);
  is_starting = true;
  const pid_t pid = ::vfork();
  if (pid == 0) run_program(prepared);
  const int fork_failure = errno;
  is_starting = false;
  ::pthread_sigmask(SIG_SETMASK, &prepared.signals, nullptr);
  if (pid < 0) fail(fork_failure);
  writer = {};
  int failure = 0;
  ssize_t count = 0;
  do {
    count = ::read(reader.get(), &failure, sizeof(failure));
  } while (count < 0 && errno == EINTR);
  if (count == sizeof(failure)) {
    if (watcher >= 0) tell_watcher(watcher, '-', pid);
    ::waitpid(pid, nullptr, 0);
    fail(failure);
  }
  return pid;
}

/// The process that kills the groups which this process leaves behind. It reads their numbers from a socket that closes
/// when this process ends. It is a shell, because a copy of this process would keep its memory, and no child of this
/// process, which may wait for all of its children.
class group_watcher {
 public:
  group_watcher() {
    // A fork of this process starts a watcher of its own. It must not keep the socket of this one open.
    ::pthread_atfork(
        [] {
          if (!is_starting) instance().mutex_.lock();
        },
        [] {
          if (!is_starting) instance().mutex_.unlock();
        },
        [] {
          if (is_starting) return;
          instance().socket_ = {};
          instance().mutex_.unlock();
        });
  }

  static group_watcher& instance() {
    static group_watcher* const watcher = new group_watcher;  // not destroyed before the groups
    return *watcher;
  }

  /// Returns the socket to the watcher, which it starts if there is none. @throws work_error if it cannot be started
  int socket() {
    const std::lock_guard lock(mutex_);
    if (socket_) return socket_.get();
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw work_error("the processes of this program cannot be watched: " + std::string(::strerror(errno)));
    }
    descriptor output(ends[0]);
    const descriptor input(ends[1]);
    ::waitpid(start({"sh", "-c", script}, {.input = input.get()}, -1), nullptr, 0);
    socket_ = std::move(output);
    return socket_.get();
  }

  void remove(pid_t group) {
    const std::lock_guard lock(mutex_);
    if (socket_) tell_watcher(socket_.get(), '-', group);
  }

 private:
  static constexpr const char* script = R"(exec 3<&0
(groups=
while read -r sign group; do
  others=
  for other in $groups; do [ "$other" = "$group" ] || others="$others $other"; done
  groups=$others
  [ "$sign" = - ] || groups="$groups $group"
done
for group in $groups; do kill -9 "-$group"; done) <&3 &)";

  std::mutex mutex_;
  descriptor socket_;
};

}  // namespace

process_group::process_group(const std::vector<std::string>& arguments, const spawn_settings& settings)
    : pid_(start(arguments, settings, group_watcher::instance().socket())) {}

process_group::process_group(process_group&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

process_group& process_group::operator=(process_group&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

process_group::~process_group() {
  kill();
  reap(0);
}

void process_group::kill() const noexcept {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

std::optional<spawn_end> process_group::poll() { return reap(WNOHANG); }
spawn_end process_group::wait() { return reap(0).value_or(spawn_end{}); }

std::optional<spawn_end> process_group::reap(int options) {
  if (pid_ == 0) return std::nullopt;
  siginfo_t info{};
  int failed = 0;
  do {
    failed = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | options);
  } while (failed != 0 && errno == EINTR);
  if (failed == 0 && info.si_pid == 0) return std::nullopt;
  // Until the program is reaped, its group cannot be that of other processes.
  kill();
  group_watcher::instance().remove(pid_);
  spawn_end end;
  rusage usage{};
  ::wait4(std::exchange(pid_, 0), &end.status, 0, &usage);
  end.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return end;
}

}  // namespace mlmq
