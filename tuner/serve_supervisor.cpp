// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "tuner/measurement.hpp"
#include "tuner/supervisor.hpp"
#include "tuner/sweep_worker.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {
namespace {

/// Heartbeat of a worker. A separate thread sends the beats: they prove that the process runs and that its link to the
/// supervisor works, even if the main thread is busy. A beat carries the progress of a run without a wall-time limit,
/// so that the supervisor can distinguish a long run from a stuck one.
class heartbeat {
 public:
  /// Sends a beat immediately and then every `interval`. @param link must outlive the heartbeat and have a thread-safe
  /// send()
  heartbeat(worker_link& link, std::chrono::milliseconds interval);
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;
  ~heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }

  /// Selects the device whose progress() the beats report. @param device null: none; must outlive the watch
  void watch(const backends::backend* device) {
    const std::lock_guard lock(mutex_);
    device_ = device;
  }

 private:
  void beat() {
    std::unique_lock lock(mutex_);
    do {
      link_.send({.type = worker_event::kind::beat, .progress = device_ == nullptr ? 0 : device_->progress()});
    } while (!ended_.wait_for(lock, interval_, [this] { return ending_; }));
  }

  worker_link& link_;
  std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  const backends::backend* device_ = nullptr;
  std::thread thread_;
};

heartbeat::heartbeat(worker_link& link, std::chrono::milliseconds interval)
    : link_(link), interval_(interval), thread_([this] { beat(); }) {}

/// Reads lines from standard input and writes events to standard output.
class pipe_link final : public worker_link {
 public:
  /// Returns the next line, or "" if the supervisor is gone.
  std::string read_line() {
    for (;;) {
      const auto end = input_.find('\n');
      if (end != std::string::npos) {
        std::string line = input_.substr(0, end);
        input_.erase(0, end + 1);
        return line;
      }
      if (!read_some()) return {};
    }
  }

  void send(const worker_event& event) override {
    const std::string line = event.to_line();
    const std::lock_guard lock(output_mutex_);
    for (std::size_t written = 0; written < line.size();) {
      const ssize_t count = ::write(STDOUT_FILENO, line.data() + written, line.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) std::_Exit(EXIT_FAILURE);  // the supervisor is gone
      written += static_cast<std::size_t>(count);
    }
  }

  [[nodiscard]] bool stop_requested() override {
    pollfd waiting{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    while (!stopped_ && ::poll(&waiting, 1, 0) > 0) (void)receive();
    return stopped_;
  }

  [[nodiscard]] bool wait_for_more() override {
    while (!stopped_) {
      if (receive() == message::more) return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<planned_workload> take_workloads() override { return std::exchange(announced_, {}); }

  [[nodiscard]] bool wait_for_workloads() override {
    while (announced_.empty() && !all_announced_) (void)receive();
    return !announced_.empty();
  }

  void expect_workloads() { all_announced_ = false; }

 private:
  enum class message { more, workload, planned, stop };

  /// Reads and applies the next message of the supervisor.
  message receive() {
    const std::string line = read_line();
    if (line == "more") return message::more;
    if (std::optional<planned_workload> workload = workload_from_message(line)) {
      announced_.push_back(std::move(*workload));
      return message::workload;
    }
    // The supervisor announces nothing after a stop.
    all_announced_ = true;
    if (line == "planned") return message::planned;
    stopped_ = true;
    return message::stop;
  }

  bool read_some() {
    std::array<char, 4096> buffer{};
    ssize_t count = 0;
    do {
      count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    input_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }

  std::mutex output_mutex_;  // keeps lines whole
  std::string input_;
  std::vector<planned_workload> announced_;
  bool all_announced_ = true;
  bool stopped_ = false;
};

/// Several beats fit into the grace period, so that a late one does not get the worker killed.
std::chrono::milliseconds beat_interval(double grace_ms) {
  return std::chrono::milliseconds(std::clamp<std::int64_t>(std::llround(grace_ms / 4), 10, 1000));
}

class watched_device {
 public:
  watched_device(heartbeat& beats, const backends::backend& device) : beats_(beats) { beats_.watch(&device); }
  watched_device(const watched_device&) = delete;
  watched_device& operator=(const watched_device&) = delete;
  ~watched_device() { beats_.watch(nullptr); }

 private:
  heartbeat& beats_;
};

void work(pipe_link& link, const std::function<std::unique_ptr<problem>(const experiment_file&)>& make_problem) {
  const worker_task task = worker_task::from_json(link.read_line());
  if (task.more_workloads) link.expect_workloads();
  // A worker that waits for a kernel that does not end would notice nothing else.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != task.parent) std::_Exit(EXIT_FAILURE);
  heartbeat beats(link, beat_interval(task.grace_ms));
  auto store = db::store::open(task.database, db::open_mode::read_write_create, lock_timeout(task.grace_ms));
  const experiment_file experiment = parse_experiment(store.experiment_text(task.plan.experiment), task.file);
  const auto device = backends::open_device(task.device);
  const watched_device watched(beats, *device);
  run_worker(task, experiment, *make_problem(experiment), *device, store, link);
}

}  // namespace

int serve_supervisor(const std::function<std::unique_ptr<problem>(const experiment_file&)>& make_problem) {
  pipe_link link;
  try {
    work(link, make_problem);
    return EXIT_SUCCESS;
  } catch (const device_lost&) {
    // Releasing device resources would wait for the lost device.
    std::_Exit(EXIT_FAILURE);
  } catch (const input_error& error) {
    link.send({.type = worker_event::kind::failed, .text = error.what(), .is_input = true});
  } catch (const std::bad_alloc&) {
    link.send({.type = worker_event::kind::failed, .text = "not enough memory on this machine"});
  } catch (const std::exception& error) {
    link.send({.type = worker_event::kind::failed, .text = error.what()});
  }
  return EXIT_FAILURE;
}

}  // namespace mlmq::tuner
