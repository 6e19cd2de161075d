// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compile_processes.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/child_process.hpp"
#include "base/error.hpp"

namespace mlmq::backends {
namespace {

using json = nlohmann::json;
using clock = std::chrono::steady_clock;

/// Precedes every answer, so that other output of the compiler is recognised: this, what follows ("code",
/// "compile_error" or "work_error"), its number of bytes, a line feed.
constexpr std::string_view answer_mark = "mlmq-compiled ";

std::string request_of(const kernel_source& variant, const std::string& architecture) {
  return json{{"file", variant.file},       {"entry", variant.entry},         {"block_threads", variant.block_threads},
              {"defines", variant.defines}, {"folder", variant.folder},       {"functions", variant.functions},
              {"options", variant.options}, {"code_hash", variant.code_hash}, {"architecture", architecture}}
             .dump() +
         '\n';
}

kernel_source variant_from(const json& request) {
  return {.file = request.at("file"),
          .entry = request.at("entry"),
          .block_threads = request.at("block_threads"),
          .defines = request.at("defines").get<std::map<std::string, std::string>>(),
          .folder = request.at("folder"),
          .functions = request.at("functions").get<std::vector<std::string>>(),
          .options = request.at("options").get<std::vector<std::string>>(),
          .code_hash = request.at("code_hash")};
}

struct answer {
  std::string kind;
  std::string bytes;
};

/// Returns the answer that `output` contains, or nothing while it is incomplete.
std::optional<answer> answer_in(const std::string& output) {
  const std::size_t mark = output.find(answer_mark);
  if (mark == std::string::npos) return std::nullopt;
  const std::size_t end = output.find('\n', mark);
  if (end == std::string::npos) return std::nullopt;
  const std::string_view head =
      std::string_view(output).substr(mark + answer_mark.size(), end - mark - answer_mark.size());
  const std::size_t space = head.find(' ');
  const std::size_t bytes = std::stoull(std::string(head.substr(space + 1)));
  if (output.size() - (end + 1) < bytes) return std::nullopt;
  return answer{.kind = std::string(head.substr(0, space)), .bytes = output.substr(end + 1, bytes)};
}

/// Returns the variables of a compiling process. NVRTC allocates and frees many megabytes for each variant. By these
/// settings of the C library they stay with the process, in large pages: page faults of many processes at a time wait
/// for each other, most of all under a hypervisor.
std::map<std::string, std::string> memory_variables() {
  constexpr const char* variable = "GLIBC_TUNABLES";
  const char* const before = std::getenv(variable);
  const std::string others = before != nullptr && *before != 0 ? std::string(before) + ':' : "";
  return {{variable, others + "glibc.malloc.trim_threshold=4294967296:glibc.malloc.top_pad=67108864:"
                              "glibc.malloc.mmap_threshold=33554432:glibc.malloc.hugetlb=1"}};
}

/// A process that compiles.
class compiling_process {
 public:
  explicit compiling_process(const std::vector<std::string>& command) : process_(command, memory_variables()) {}

  /// @throws compile_error if the process ends, or exceeds the time limit; it must not be used after that
  [[nodiscard]] answer ask(const std::string& request, const std::string& file, std::chrono::milliseconds limit) {
    const clock::time_point deadline = clock::now() + limit;
    std::string output;
    std::string errors;
    is_alive_ = process_.send(request);
    for (;;) {
      if (std::optional<answer> complete = answer_in(output)) return std::move(*complete);
      if (!is_alive_) break;
      const auto milliseconds_left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
      if (milliseconds_left <= 0) {
        process_.kill();
        throw compile_error(fmt::format("{}: the compiler has not finished after {} ms", file, limit.count()));
      }
      pollfd descriptors[] = {{.fd = process_.output(), .events = POLLIN, .revents = 0},
                              {.fd = process_.errors(), .events = POLLIN, .revents = 0},
                              {.fd = process_.unsent(), .events = POLLOUT, .revents = 0}};
      ::poll(descriptors, 3, static_cast<int>(milliseconds_left));
      process_.read_output(output);
      process_.read_errors(errors);
      is_alive_ = process_.flush() && process_.output() >= 0;
    }
    process_.kill();
    std::optional<process_end> ended = process_.poll_end();
    for (; !ended; ended = process_.poll_end()) ::usleep(1000);
    throw compile_error(
        fmt::format("{}: the compiler ended by {}{}", file, ended->describe(),
                    errors.empty() ? "" : ": " + errors.substr(errors.size() > 500 ? errors.size() - 500 : 0)));
  }

  /// Returns whether the process had not ended when it answered.
  [[nodiscard]] bool is_alive() const { return is_alive_; }

 private:
  child_process process_;
  bool is_alive_ = true;
};

/// Processes that have nothing to do, and the command that starts others.
class process_pool {
 public:
  void set_command(std::vector<std::string> command, std::chrono::milliseconds limit) {
    const std::lock_guard lock(mutex_);
    command_ = std::move(command);
    limit_ = limit;
    idle_.clear();
  }
  [[nodiscard]] bool has_command() const {
    const std::lock_guard lock(mutex_);
    return !command_.empty();
  }

  [[nodiscard]] answer ask(const std::string& request, const std::string& file) {
    std::chrono::milliseconds limit{};
    std::unique_ptr<compiling_process> process = take(limit);
    answer received = process->ask(request, file, limit);
    const std::lock_guard lock(mutex_);
    if (process->is_alive()) idle_.push_back(std::move(process));
    return received;
  }

 private:
  /// Returns a process that has nothing to do, or a new one, and its limit of time.
  std::unique_ptr<compiling_process> take(std::chrono::milliseconds& limit) {
    std::vector<std::string> command;
    {
      const std::lock_guard lock(mutex_);
      limit = limit_;
      if (!idle_.empty()) {
        std::unique_ptr<compiling_process> process = std::move(idle_.back());
        idle_.pop_back();
        return process;
      }
      command = command_;
    }
    return std::make_unique<compiling_process>(command);
  }

  mutable std::mutex mutex_;
  std::vector<std::string> command_;
  std::chrono::milliseconds limit_ = compile_limit;
  std::vector<std::unique_ptr<compiling_process>> idle_;
};

process_pool& processes() {
  static process_pool pool;
  return pool;
}

void send_answer(std::string_view kind, std::string_view bytes) {
  const std::string head = fmt::format("{}{} {}\n", answer_mark, kind, bytes.size());
  std::fwrite(head.data(), 1, head.size(), stdout);
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

void compile_in_processes(std::vector<std::string> command, std::chrono::milliseconds limit) {
  processes().set_command(std::move(command), limit);
}
bool compiles_in_processes() { return processes().has_command(); }

std::string compile_elsewhere(const kernel_source& variant, const std::string& architecture) {
  answer received = processes().ask(request_of(variant, architecture), variant.file);
  if (received.kind == "compile_error") throw compile_error(received.bytes);
  if (received.kind == "work_error") throw work_error(received.bytes);
  return std::move(received.bytes);
}

int serve_compilations(const compilation& compile) {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const json request = json::parse(line);
      send_answer("code", compile(variant_from(request), request.at("architecture")));
    } catch (const compile_error& error) {
      send_answer("compile_error", error.what());
    } catch (const std::exception& error) {
      send_answer("work_error", error.what());
    }
  }
  return 0;
}

}  // namespace mlmq::backends
