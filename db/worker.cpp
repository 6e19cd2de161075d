// SPDX-License-Identifier: Apache-2.0
#include "db/worker.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace mlmq::db {
namespace {

struct process_state {
  char state = '?';
  std::string start_time;
};

std::optional<process_state> read_process(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // The second field is the program's name in parentheses; the name may contain blanks and parentheses.
  const auto end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(end_of_name + 1));
  process_state process;
  fields >> process.state;                                                 // field 3
  for (int field = 4; field <= 22; ++field) fields >> process.start_time;  // field 22
  if (!fields) return std::nullopt;
  return process;
}

}  // namespace

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

std::string this_worker() {
  const auto process = read_process("self");
  return fmt::format("{}:{}:{}", host_name(), ::getpid(), process ? process->start_time : "0");
}

liveness worker_liveness(std::string_view worker) {
  const auto second = worker.rfind(':');
  if (second == std::string_view::npos || second == 0) return liveness::unknown;
  const auto first = worker.rfind(':', second - 1);
  if (first == std::string_view::npos || worker.substr(0, first) != host_name()) {
    return liveness::unknown;
  }
  const std::string pid_text(worker.substr(first + 1, second - first - 1));
  const std::string_view start_time = worker.substr(second + 1);
  pid_t pid = 0;
  const auto parsed = std::from_chars(pid_text.data(), pid_text.data() + pid_text.size(), pid);
  if (parsed.ec != std::errc() || parsed.ptr != pid_text.data() + pid_text.size() || pid <= 0) {
    return liveness::unknown;
  }
  if (const auto process = read_process(pid_text)) {
    // A zombie has ended, but its parent has not reaped it yet.
    if (process->state == 'Z' || process->state == 'X') return liveness::dead;
    return start_time == "0" || process->start_time == start_time ? liveness::alive : liveness::dead;
  }
  // /proc may hide the processes of other users.
  return ::kill(pid, 0) == 0 || errno == EPERM ? liveness::alive : liveness::dead;
}

}  // namespace mlmq::db
