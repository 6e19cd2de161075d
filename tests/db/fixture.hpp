// SPDX-License-Identifier: Apache-2.0
// A small sweep to test with: temporary folders, records, and work done in child processes.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "db/retry.hpp"
#include "db/store.hpp"

namespace mlmq::db::test {

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mlmq-db-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    // Some tests enter it as another user.
    ::chmod(name.c_str(), 0755);
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_, error)) {
      if (entry.is_directory(error)) ::chmod(entry.path().c_str(), 0755);
    }
    std::filesystem::remove_all(path_, error);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Makes the experiment's trials with these outcomes pending again. @return how many
inline std::size_t retry_all(store& in, std::int64_t experiment, const std::vector<outcome>& outcomes) {
  std::vector<std::int64_t> trials;
  for (const failed_trial& trial : failed_trials(in, experiment, outcomes)) trials.push_back(trial.id);
  return retry(in, experiment, trials);
}

inline device_record sample_device() {
  return {"Test GPU", "cuda", "sm_90", std::uint64_t{150} << 30, 132, R"({"clock_mhz": 1980})"};
}

inline graph_record sample_graph(const std::string& name = "road-ny") {
  graph_record graph;
  graph.hash = "hash-of-" + name;
  graph.name = name;
  graph.graph_class = "road";
  graph.path = "/graphs/" + name + ".mtx";
  graph.weight_type = "u32";
  graph.vertices = 264346;
  graph.edges = 733846;
  graph.family = "family-of-" + name;
  graph.features = {{"avg_degree", 2.77}, {"max_degree", 8}};
  return graph;
}

inline configuration_record sample_configuration(int number) {
  return {"sssp", fmt::format(R"({{"l2": "bucket", "delta": {}}})", number), fmt::format("bucket {}", number)};
}

inline trial_result ok_result(std::vector<double> samples = {1, 2, 3}) {
  trial_result result;
  result.samples_ms = std::move(samples);
  result.program_version = "0.1.0";
  result.driver = "550.54";
  result.compile_ms = 40;
  result.upload_ms = 2;
  result.measure_ms = 6;
  result.check_ms = 1;
  return result;
}

inline trial_result failed_result(outcome how, std::string message) {
  trial_result result;
  result.result = how;
  result.message = std::move(message);
  return result;
}

struct sweep {
  std::int64_t device = 0;
  std::int64_t graph = 0;
  std::int64_t experiment = 0;
  std::vector<trial_key> keys;
};

/// One experiment of `count` configurations on one graph and device, planned.
inline sweep make_sweep(store& into, int count, const std::string& name = "sweep") {
  sweep made;
  made.device = into.put_device(sample_device());
  made.graph = into.put_graph(sample_graph());
  made.experiment = into.put_experiment(name, "space: text", R"({"repeat": 3})");
  std::vector<configuration_record> configurations;
  for (int i = 0; i < count; ++i) configurations.push_back(sample_configuration(i));
  for (const std::int64_t configuration : into.put_configurations(configurations)) {
    trial_key key;
    key.graph = made.graph;
    key.configuration = configuration;
    key.device = made.device;
    key.source = 7;
    key.kernel_source_hash = "kernel-1";
    made.keys.push_back(key);
  }
  into.plan(made.experiment, made.keys);
  return made;
}

/// Forks; the child runs `work` and exits without the parent's clean-up. Returns the child's pid.
inline pid_t start_child(const std::function<void()>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("fork");
  if (pid == 0) {
    try {
      work();
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  return pid;
}

/// Status as waitpid gives it.
inline int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
  }
  return status;
}

}  // namespace mlmq::db::test
