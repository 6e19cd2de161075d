// SPDX-License-Identifier: Apache-2.0
// A small sweep for tests: temporary folders, records, and child processes.
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

#include "db/export.hpp"
#include "db/retry.hpp"
#include "db/store.hpp"
#include "tests/support/scratch_folder.hpp"

namespace mlmq::db::test {

using temporary_folder = tests::scratch_folder;

/// Makes the trials of the experiment that have one of these outcomes pending again. @return the number of such trials
inline std::size_t retry_all(store& in, std::int64_t experiment, const std::vector<outcome>& outcomes) {
  std::vector<std::int64_t> trials;
  for (const failed_trial& trial : failed_trials(in, experiment, outcomes)) trials.push_back(trial.id);
  return retry(in, experiment, trials);
}

/// Returns the files of an export.
inline std::vector<exported_file> export_files(const store& source, const trial_filter& filter, export_format format,
                                               export_summary* summary = nullptr) {
  std::vector<exported_file> files;
  const export_summary written =
      export_results(source, filter, format, [&](const std::string& file, std::string_view piece) {
        if (files.empty() || files.back().name != file) files.push_back({file, ""});
        files.back().content += piece;
      });
  if (summary != nullptr) *summary = written;
  return files;
}

/// Returns the content of the only file of an export.
inline std::string export_single(const store& source, const trial_filter& filter, export_format format) {
  const std::vector<exported_file> files = export_files(source, filter, format);
  if (files.size() != 1) throw std::logic_error(fmt::format("{} files instead of one", files.size()));
  return files.front().content;
}

inline device_record sample_device() {
  return {"Test GPU", "cuda", false, "sm_90", std::uint64_t{150} << 30, 132, R"({"clock_mhz": 1980})"};
}

inline workload_record sample_workload(const std::string& name = "road-ny") {
  workload_record workload;
  workload.hash = "hash-of-" + name;
  workload.name = name;
  workload.workload_class = "road";
  workload.kind = "graph";
  workload.origin = "/workloads/" + name + ".mtx";
  workload.bytes = 264346 * 12 + 733846 * 8;
  workload.description_json = R"({"weights":"uint32"})";
  workload.family = "family-of-" + name;
  workload.features = {{"avg_degree", 2.77}, {"max_degree", 8}};
  return workload;
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

inline trial_result failed_result(outcome kind, std::string message) {
  trial_result result;
  result.result = kind;
  result.message = std::move(message);
  return result;
}

struct sweep {
  std::int64_t device = 0;
  std::int64_t workload = 0;
  std::int64_t experiment = 0;
  std::vector<trial_key> keys;
};

/// Returns a planned experiment of `count` configurations on one workload and one device.
inline sweep make_sweep(store& into, int count, const std::string& name = "sweep") {
  sweep planned;
  planned.device = into.put_device(sample_device());
  planned.workload = into.put_workload(sample_workload());
  planned.experiment = into.put_experiment(name, "space: text", R"({"repeat": 3})");
  std::vector<configuration_record> configurations;
  for (int i = 0; i < count; ++i) configurations.push_back(sample_configuration(i));
  for (const std::int64_t configuration : into.put_configurations(configurations)) {
    trial_key key;
    key.workload = planned.workload;
    key.configuration = configuration;
    key.device = planned.device;
    key.query = "source=7";
    key.kernel_source_hash = "kernel-1";
    planned.keys.push_back(key);
  }
  into.plan(planned.experiment, planned.keys);
  return planned;
}

/// Forks. The child runs `work` and exits without the parent's clean-up. Returns the child's pid.
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

/// Waits for a child. Returns its status as waitpid() reports it.
inline int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
  }
  return status;
}

}  // namespace mlmq::db::test
