// SPDX-License-Identifier: Apache-2.0
// A fake device and a fake problem, whose behaviour a test scripts, and which record the calls they get.
#pragma once

#include <stdlib.h>

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tuner/problem.hpp"

namespace mlmq::tuner::test {

using temporary_folder = tests::scratch_folder;

class fake_kernel final : public backends::kernel {
 public:
  explicit fake_kernel(backends::kernel_properties properties) : properties_(std::move(properties)) {}
  [[nodiscard]] const backends::kernel_properties& properties() const override { return properties_; }
  [[nodiscard]] unsigned resident_blocks(std::size_t) const override { return 8; }

 private:
  backends::kernel_properties properties_;
};

/// Returns the text of a variant, for example "alpha=1 counters=0".
inline std::string text_of(const backends::kernel_source& source) {
  std::string text;
  for (const auto& [name, value] : source.defines) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

class fake_backend final : public backends::backend {
 public:
  fake_backend() {
    info_.selector = "fake:0";
    info_.kind = "cuda";
    info_.name = "Fake GPU";
    info_.architecture = "sm_1";
    info_.memory_bytes = 1 << 30;
    info_.multiprocessors = 4;
    info_.driver = "driver 1";
    info_.compiler = "compiler 1";
  }

  /// Called by compile(), on any thread; may throw.
  std::function<backends::kernel_properties(const backends::kernel_source&)> on_compile;
  std::vector<std::uint64_t> seeds;  ///< in the order in which they were set

  /// Returns how often each variant was compiled.
  [[nodiscard]] std::map<std::string, int> compiled() const {
    const std::lock_guard lock(mutex_);
    return compiled_;
  }
  void change_driver(const std::string& driver) { info_.driver = driver; }
  void change_memory(std::uint64_t bytes) { info_.memory_bytes = bytes; }
  void change_kind(const std::string& kind) { info_.kind = kind; }

  [[nodiscard]] const backends::device_info& info() const override { return info_; }
  [[nodiscard]] std::shared_ptr<const backends::kernel> compile(const backends::kernel_source& source) override {
    {
      const std::lock_guard lock(mutex_);
      ++compiled_[text_of(source)];
    }
    backends::kernel_properties properties;
    properties.source_hash = "hash of " + text_of(source);
    if (on_compile) properties = on_compile(source);
    return std::make_shared<fake_kernel>(properties);
  }
  [[nodiscard]] backends::device_memory allocate(std::size_t, const std::string&) override { return {}; }
  void upload(const backends::device_memory&, const void*, std::size_t) override {}
  void download(void*, const backends::device_memory&, std::size_t) override {}
  void fill(const backends::device_memory&, std::size_t, std::size_t, std::uint8_t) override {}
  void launch(const backends::kernel&, const backends::launch_spec&) override {}
  double measure(const std::function<void()>& queue_work) override {
    queue_work();
    return 1;
  }
  void set_seed(std::uint64_t seed) override { seeds.push_back(seed); }

 private:
  void release(void*) noexcept override {}

  backends::device_info info_;
  mutable std::mutex mutex_;
  std::map<std::string, int> compiled_;
};

/// One call of run().
struct fake_run {
  std::string workload;
  std::string label;
  std::string query;
  instrumentation mode = instrumentation::none;
  double time_limit_ms = 0;
  [[nodiscard]] auto operator<=>(const fake_run&) const = default;
};

/// Returns the declarations of two parameters: alpha is compiled in, beta is passed at launch.
inline std::vector<parameter_declaration> fake_declarations() {
  return {{.name = "alpha", .bind = binding::compile, .default_value = value(std::int64_t{1})},
          {.name = "beta", .bind = binding::launch, .default_value = value(std::int64_t{1})}};
}

/// The behaviour of a fake problem, and the calls that the problem got. It outlives the problem's instances.
struct fake_script {
  /// Default: the time is the value of alpha, and the counter is 1.
  std::function<run_report(const fake_run&)> on_run;
  std::function<std::string(const fake_run&)> on_check;
  std::function<void(const configuration&)> on_variant;
  std::function<void(const configuration&)> on_prepare;
  std::set<std::string> too_large;  ///< workloads that do not fit on the device
  std::string source_hash = "kernels 1";
  std::vector<parameter_declaration> declarations = fake_declarations();

  std::vector<std::string> loads;
  std::vector<fake_run> runs;
  int checks = 0;
};

class fake_problem final : public problem {
 public:
  explicit fake_problem(fake_script& script) : script_(script) {}
  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::span<const parameter_declaration> declarations() const override { return script_.declarations; }
  [[nodiscard]] const workload_kind& workloads() const override { return problems::graph_kind(); }
  [[nodiscard]] std::span<const named_meaning> query_settings() const override { return graphs_.query_settings(); }
  [[nodiscard]] std::span<const named_meaning> counters() const override {
    static constexpr std::array meanings{named_meaning{"things", "that were counted"}};
    return meanings;
  }
  [[nodiscard]] work_ratio work() const override { return {"things", "m", "things/vertex"}; }
  [[nodiscard]] std::uint64_t count_queries(const query_rules& rules) const override {
    return graphs_.count_queries(rules);
  }
  [[nodiscard]] std::vector<query> choose_queries(const workload& input, const query_rules& rules) const override {
    return graphs_.choose_queries(input, rules);
  }
  [[nodiscard]] std::string source_hash(const configuration&) const override { return script_.source_hash; }
  [[nodiscard]] std::unique_ptr<problem_instance> load(backends::backend&, const workload& input) const override {
    const std::string& name = input.record.name;
    script_.loads.push_back(name);
    if (script_.too_large.contains(name)) throw backends::out_of_device_memory("no room for " + name);
    return std::make_unique<instance>(script_, name);
  }

 private:
  class instance final : public problem_instance {
   public:
    instance(fake_script& script, std::string name) : script_(script), name_(std::move(name)) {}
    [[nodiscard]] backends::kernel_source variant(const configuration& chosen, instrumentation mode) const override {
      if (script_.on_variant) script_.on_variant(chosen);
      return {.file = "fake.cu",
              .entry = "fake",
              .block_threads = 32,
              .defines = {{"alpha", to_text(chosen.at("alpha"))},
                          {"counters", mode == instrumentation::counters ? "1" : "0"}}};
    }
    void prepare(const configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                 instrumentation mode) override {
      if (compiled == nullptr) throw std::logic_error("prepared without a kernel");
      if (script_.on_prepare) script_.on_prepare(chosen);
      chosen_ = chosen;
      mode_ = mode;
    }
    [[nodiscard]] run_report run(const query& request, double time_limit_ms) override {
      last_ = {name_, chosen_.label(), request.text(), mode_, time_limit_ms};
      script_.runs.push_back(last_);
      if (script_.on_run) return script_.on_run(last_);
      run_report report;
      report.milliseconds = static_cast<double>(std::get<std::int64_t>(chosen_.at("alpha")));
      if (mode_ == instrumentation::counters) report.counters = {{"things", 42}};
      return report;
    }
    [[nodiscard]] std::string check() override {
      ++script_.checks;
      return script_.on_check ? script_.on_check(last_) : "";
    }

   private:
    fake_script& script_;
    std::string name_;
    configuration chosen_;
    instrumentation mode_ = instrumentation::none;
    fake_run last_;
  };

  fake_script& script_;
  problems::search graphs_{problems::search_kind::sssp};  // parses the queries of the fake problem
};

inline run_report report_of(db::outcome result, const std::string& message) {
  run_report report;
  report.result = result;
  report.message = message;
  report.milliseconds = 1;
  return report;
}

}  // namespace mlmq::tuner::test
