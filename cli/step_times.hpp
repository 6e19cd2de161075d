// SPDX-License-Identifier: Apache-2.0
// The time of each step of `mlmq solve`, from opening the file to writing the answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/stopwatch.hpp"
#include "cli/result_report.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// Times the steps of a command. Steps may overlap, so their sum can exceed the total.
class step_times {
 public:
  /// Adds a step. @param bytes read, copied or written; 0: not counted
  void add(const std::string& name, double ms, std::uint64_t bytes = 0) { steps_.push_back({name, ms, bytes}); }
  /// Runs `work` as a step.
  template <class Work>
  void measure(const std::string& name, const Work& work) {
    add(name, milliseconds_of(work));
  }
  /// Adds the steps of opening a graph.
  void add(const open_times& opened) {
    if (opened.file_bytes > 0) add("read", opened.read, opened.file_bytes);
    if (opened.build > 0) add(opened.file_bytes > 0 ? "build" : "generate", opened.build);
  }
  /// Adds the steps of searches. @param upload_bytes size of the graph on a device @param download_bytes of the answers
  void add(const solve_times& searched, std::uint64_t upload_bytes, std::uint64_t download_bytes) {
    add("features", searched.features);
    add("choice", searched.choice);
    add("upload", searched.upload + searched.host_copy, upload_bytes);
    add("compile", searched.compile);
    add("prepare", searched.prepare);
    add("search", searched.solve);
    add("download", searched.download, searched.download > 0 ? download_bytes : 0);
  }

  /// Prints the steps and the time since this object was made.
  void report(result_report& results) const {
    json_document& document = results["timings"];
    document = {{"total_ms", milliseconds_since(start_)}, {"steps", json_document::array()}};
    const char* label = "timings";
    for (const step& done : steps_) {
      const double gigabytes = static_cast<double>(done.bytes) / 1e9;
      results.line(
          label, "{:<14}{:>11.2f} ms{}", done.name, done.ms,
          done.bytes == 0 ? "" : fmt::format("{:>10.3f} GB{:>9.2f} GB/s", gigabytes, gigabytes * 1e3 / done.ms));
      document["steps"].push_back({{"step", done.name}, {"ms", done.ms}, {"bytes", done.bytes}});
      label = "";
    }
    results.line(label, "{:<14}{:>11.2f} ms", "total", milliseconds_since(start_));
  }

 private:
  struct step {
    std::string name;
    double ms;
    std::uint64_t bytes;
  };

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<step> steps_;
};

}  // namespace mlmq::cli
