// SPDX-License-Identifier: Apache-2.0
// One trial: the runs that count, and the outcome of each failure.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "backends/device_recorder.hpp"
#include "base/version.hpp"
#include "fakes.hpp"
#include "graph/generate.hpp"
#include "tuner/measurement.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;

workload named_workload(const std::string& name) {
  workload input;
  input.record.name = name;
  return input;
}

/// A fake problem loaded on a fake device.
class measurement_fixture {
 public:
  fake_backend device;
  fake_script script;
  measurement_settings settings{.warmup = 2, .repeats = 3, .time_limit_ms = 77, .counters = true, .seed = 10};

  measurement_context context;

  [[nodiscard]] db::trial_result measure(instrumentation mode = instrumentation::none) {
    configuration chosen;
    chosen.set("alpha", std::int64_t{5});
    chosen.set("beta", std::int64_t{1});
    return measure_trial(device, *instance_, variants_, "fake", chosen, {{"source", "3"}}, mode, settings, context);
  }

 private:
  fake_problem problem_{script};
  variant_cache variants_{device, 1};
  std::unique_ptr<problem_instance> instance_ = problem_.load(device, named_workload("path"));
};

/// Returns runs with times 1, 2, 3, …, in which run number `special_index` is `special`.
auto numbered_runs(measurement_fixture& setup, std::size_t special_index = 0, run_report special = {}) {
  return [&setup, special_index, special](const fake_run&) {
    run_report report;
    report.milliseconds = static_cast<double>(setup.script.runs.size());
    return setup.script.runs.size() == special_index ? special : report;
  };
}

}  // namespace

TEST_CASE("warm-up runs are checked but do not count, and every sample is kept in order") {
  measurement_fixture setup;
  setup.script.on_run = numbered_runs(setup);
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::ok);
  CHECK(result.message == "");
  CHECK(result.samples_ms == std::vector<double>{3, 4, 5});
  CHECK(setup.script.checks == 5);
  CHECK(result.counters.empty());
  for (const fake_run& run : setup.script.runs) {
    CHECK(run.query == "source=3");
    CHECK(run.time_limit_ms == 77);
    CHECK(run.mode == instrumentation::none);
  }
}

TEST_CASE("every run has a seed of its own, the same in every trial") {
  measurement_fixture setup;
  CHECK(setup.measure().seed == 10);
  CHECK(setup.device.seeds == std::vector<std::uint64_t>{10, 11, 12, 13, 14});
  setup.device.seeds.clear();
  setup.settings.seed = 20;
  static_cast<void>(setup.measure());
  CHECK(setup.device.seeds == std::vector<std::uint64_t>{20, 21, 22, 23, 24});
}

TEST_CASE("counting is one run of another variant, without samples") {
  measurement_fixture setup;
  const db::trial_result result = setup.measure(instrumentation::counters);
  CHECK(result.result == db::outcome::ok);
  CHECK(result.samples_ms.empty());
  CHECK(result.counters == std::vector<std::pair<std::string, double>>{{"things", 42}});
  CHECK(setup.script.runs.size() == 1);
  CHECK(setup.script.checks == 1);
  CHECK(setup.device.compiled() == std::map<std::string, int>{{"alpha=5 counters=1", 1}});
}

TEST_CASE("the record names the code, the compiler and the device") {
  measurement_fixture setup;
  setup.device.on_compile = [](const backends::kernel_source&) {
    backends::kernel_properties properties;
    properties.compile_ms = 12;
    properties.from_cache = true;
    properties.registers = 40;
    properties.source_hash = "of the text";
    return properties;
  };
  const db::trial_result result = setup.measure();
  REQUIRE(result.variant.has_value());
  CHECK(result.variant->problem == "fake");
  CHECK(result.variant->defines_json == R"({"MLMQ_BLOCK_THREADS":"32","alpha":"5","counters":"0"})");
  CHECK(result.variant->source_hash == "of the text");
  CHECK(result.variant->compiler == "compiler 1");
  CHECK(result.variant->architecture == "sm_1");
  CHECK(result.variant->compile_ms == 12);
  CHECK(result.variant->from_cache);
  CHECK(result.variant->registers == 40);
  CHECK(result.driver == "driver 1");
  CHECK(result.program_version == program_version());
  CHECK_FALSE(result.times_modelled);
}

TEST_CASE("a failing run ends the trial with its outcome and message, and keeps the samples before it") {
  for (const db::outcome kind : {db::outcome::timeout, db::outcome::overflow, db::outcome::launch_error}) {
    measurement_fixture setup;
    setup.script.on_run = numbered_runs(setup, 5, report_of(kind, "because"));
    const db::trial_result result = setup.measure();
    CHECK(result.result == kind);
    CHECK(result.message == "because");
    CHECK(result.samples_ms == std::vector<double>{3, 4});
    CHECK(setup.script.runs.size() == 5);
    // There is no answer to check.
    CHECK(setup.script.checks == 4);
  }
}

TEST_CASE("a failing warm-up run ends the trial too") {
  measurement_fixture setup;
  setup.script.on_run = numbered_runs(setup, 1, report_of(db::outcome::timeout, "slow"));
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::timeout);
  CHECK(result.samples_ms.empty());
  CHECK(setup.script.runs.size() == 1);
}

TEST_CASE("one wrong answer among right ones makes the trial wrong") {
  measurement_fixture setup;
  setup.script.on_check = [&setup](const fake_run&) { return setup.script.checks == 4 ? "vertex 7 is too far" : ""; };
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::wrong_answer);
  CHECK(result.message == "vertex 7 is too far");
  CHECK(setup.script.runs.size() == 4);
}

TEST_CASE("the achieved rates of a timed run are recorded with it") {
  measurement_fixture setup;
  setup.script.on_run = [](const fake_run&) {
    run_report report;
    report.milliseconds = 1;
    report.counters = {{"events", 1000}};
    return report;
  };
  CHECK(setup.measure().counters == std::vector<std::pair<std::string, double>>{{"events", 1000}});
}

TEST_CASE("counts of a failed run are not recorded") {
  measurement_fixture setup;
  setup.script.on_run = [](const fake_run&) {
    run_report report = report_of(db::outcome::overflow, "full");
    report.counters = {{"things", 1}};
    return report;
  };
  const db::trial_result result = setup.measure(instrumentation::counters);
  CHECK(result.result == db::outcome::overflow);
  CHECK(result.counters.empty());
}

TEST_CASE("a variant that does not compile is a compile_error with the compiler's log") {
  measurement_fixture setup;
  setup.device.on_compile = [](const backends::kernel_source&) -> backends::kernel_properties {
    throw backends::compile_error("line 1: no");
  };
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::compile_error);
  CHECK(result.message == "line 1: no");
  CHECK_FALSE(result.variant.has_value());
  CHECK(setup.script.runs.empty());
}

TEST_CASE("exceeding the device's limits is a constraint, wherever it is noticed") {
  const auto refuse = [](const configuration&) { throw backends::launch_error("too many threads"); };
  const auto no_memory = [](const fake_run&) -> run_report { throw backends::out_of_device_memory("no room"); };
  measurement_fixture before_compiling;
  before_compiling.script.on_variant = refuse;
  measurement_fixture before_running;
  before_running.script.on_prepare = refuse;
  measurement_fixture running;
  running.script.on_run = no_memory;
  for (measurement_fixture* const setup : {&before_compiling, &before_running, &running}) {
    const db::trial_result result = setup->measure();
    CHECK(result.result == db::outcome::constraint);
    CHECK(result.message == (setup == &running ? "no room" : "too many threads"));
    CHECK(result.samples_ms.empty());
  }
}

TEST_CASE("a fault that the device survives is an outcome") {
  measurement_fixture setup;
  setup.script.on_run = [](const fake_run&) -> run_report { throw backends::kernel_fault("out of bounds", false); };
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::crashed);
  CHECK(result.message == "out of bounds");
}

TEST_CASE("a fault that the device does not survive carries the trial's result with it") {
  measurement_fixture setup;
  setup.script.on_run = [](const fake_run&) -> run_report { throw backends::kernel_fault("illegal address", true); };
  try {
    static_cast<void>(setup.measure());
    FAIL("no device_lost");
  } catch (const device_lost& lost) {
    CHECK(std::string(lost.what()) == "illegal address");
    CHECK(lost.result.result == db::outcome::crashed);
    CHECK(lost.result.message == "illegal address");
    CHECK(lost.result.variant.has_value());
  }
}

TEST_CASE("runs are repeated until the median is known well enough, or there are enough of them") {
  measurement_fixture setup;
  setup.settings.warmup = 0;
  setup.settings.repeats = 3;
  setup.settings.max_repeats = 20;
  SECTION("equal times need no more") {
    setup.settings.spread = 0.01;
    setup.script.on_run = [](const fake_run&) { return report_of(db::outcome::ok, ""); };
    CHECK(setup.measure().samples_ms.size() == 3);
  }
  SECTION("spread times need more") {
    setup.settings.spread = 0.08;
    // Of 1, 1.2, 1, 1.2, … the quartiles are 1 and 1.2: 1.57 * 0.2 / √n is 8 % of the median from n = 13 on.
    setup.script.on_run = [&](const fake_run&) {
      run_report report;
      report.milliseconds = setup.script.runs.size() % 2 == 0 ? 1.2 : 1.0;
      return report;
    };
    const std::size_t count = setup.measure().samples_ms.size();
    CHECK(count > 3);
    CHECK(count <= 17);
  }
  SECTION("hopeless times end") {
    setup.settings.spread = 0.001;
    setup.script.on_run = numbered_runs(setup);
    CHECK(setup.measure().samples_ms.size() == 20);
  }
  SECTION("a failure on the way is the outcome") {
    setup.settings.spread = 0.001;
    setup.script.on_run = numbered_runs(setup, 7, report_of(db::outcome::overflow, "full"));
    const db::trial_result result = setup.measure();
    CHECK(result.result == db::outcome::overflow);
    CHECK(result.samples_ms.size() == 6);
  }
}

namespace {

/// A monitor that reports 0.5 W, which is 0.5 mJ per millisecond.
class fake_monitor final : public backends::device_monitor {
 public:
  explicit fake_monitor(std::atomic<int>& reads) : reads_(reads) {}
  [[nodiscard]] backends::device_readings read() override {
    ++reads_;
    backends::device_readings now;
    now.sm_clock_mhz = 1980;
    now.power_w = 512.5;
    now.throttle_reasons = {"power_cap"};
    return now;
  }
  [[nodiscard]] std::optional<double> energy_mj() override {
    return 0.5 * std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::atomic<int>& reads_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

TEST_CASE("the state of the device is recorded with the times, without delaying a trial") {
  measurement_fixture setup;
  std::atomic<int> reads = 0;
  SECTION("a short trial has no energy: the counter is too slow for it") {
    backends::device_recorder recorder(std::make_unique<fake_monitor>(reads), std::chrono::hours(1));
    setup.context.recorder = &recorder;
    const auto environment = nlohmann::json::parse(setup.measure().environment_json);
    CHECK(environment ==
          nlohmann::json{{"sm_clock_mhz", 1980}, {"power_w", 512.5}, {"throttle_reasons", {"power_cap"}}});
    CHECK(reads == 1);
  }
  SECTION("a longer one has") {
    backends::device_recorder recorder(std::make_unique<fake_monitor>(reads), std::chrono::milliseconds(1));
    setup.context.recorder = &recorder;
    // Wait until two samples of the monitor are far enough apart, even on a busy machine.
    setup.script.on_run = [&](const fake_run&) {
      while (!recorder.energy_since_begin()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return report_of(db::outcome::ok, "");
    };
    const auto before = std::chrono::steady_clock::now();
    const auto environment = nlohmann::json::parse(setup.measure().environment_json);
    const double whole = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count();
    const double window = environment.at("energy_window_ms");
    CHECK(window >= 100);
    CHECK(window <= whole);
    CHECK(environment.at("energy_mj") == Approx(0.5 * window).epsilon(0.3));
    // Five runs, each of which takes a fifth of the time.
    const double of_a_solve = environment.at("energy_mj_per_solve");
    CHECK(of_a_solve <= 0.5 * whole / 5 * 1.3);
    CHECK(of_a_solve >= 0.5 * window / 5 * 0.7);
    CHECK(reads > 2);
  }
  SECTION("counting has neither") {
    backends::device_recorder recorder(std::make_unique<fake_monitor>(reads));
    setup.context.recorder = &recorder;
    CHECK(setup.measure(instrumentation::counters).environment_json == "{}");
  }
}

TEST_CASE("energy is that since the beginning of the stretch") {
  std::atomic<int> reads = 0;
  backends::device_recorder recorder(std::make_unique<fake_monitor>(reads), std::chrono::milliseconds(1));
  while (!recorder.energy_since_begin()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  recorder.begin();
  CHECK_FALSE(recorder.energy_since_begin().has_value());
  CHECK(recorder.latest().sm_clock_mhz == 1980U);
}

namespace {

/// A profiler that runs three times.
class fake_profiler final : public backends::hardware_profiler {
 public:
  [[nodiscard]] std::optional<std::vector<std::pair<std::string, double>>> count(
      const std::function<bool()>& run) override {
    if (!run() || !run() || !run()) return std::nullopt;
    return std::vector<std::pair<std::string, double>>{{"dram_read_bytes", 512}};
  }
};

/// A device that needs 50 W, and 250 W from its second run on.
class changing_power final : public backends::device_monitor {
 public:
  explicit changing_power(std::atomic<int>& runs) : runs_(runs) {}
  [[nodiscard]] backends::device_readings read() override { return {}; }
  [[nodiscard]] std::optional<double> energy_mj() override {
    const auto now = std::chrono::steady_clock::now();
    energy_mj_ += (runs_ > 1 ? 250 : 50) * std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return energy_mj_;
  }

 private:
  std::atomic<int>& runs_;
  double energy_mj_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

TEST_CASE("hardware counts the variant that is timed, and the answer is checked once") {
  measurement_fixture setup;
  fake_profiler profiler;
  setup.context.profiler = &profiler;
  SECTION("a run that succeeds") {
    const db::trial_result result = setup.measure();
    CHECK(result.result == db::outcome::ok);
    CHECK(result.samples_ms.empty());
    CHECK(result.counters == std::vector<std::pair<std::string, double>>{{"dram_read_bytes", 512}});
    CHECK(setup.script.runs.size() == 3);
    CHECK(setup.script.checks == 1);
    // Equal work in all passes.
    CHECK(setup.device.seeds == std::vector<std::uint64_t>{10, 10, 10});
    CHECK(setup.device.compiled() == std::map<std::string, int>{{"alpha=5 counters=0", 1}});
  }
  SECTION("a run that fails") {
    setup.script.on_run = numbered_runs(setup, 2, report_of(db::outcome::timeout, "too slow"));
    const db::trial_result result = setup.measure();
    CHECK(result.result == db::outcome::timeout);
    CHECK(result.message == "too slow");
    CHECK(result.counters.empty());
    CHECK(setup.script.checks == 0);
  }
  SECTION("a wrong answer") {
    setup.script.on_check = [](const fake_run&) { return "vertex 3 is wrong"; };
    const db::trial_result result = setup.measure();
    CHECK(result.result == db::outcome::wrong_answer);
    CHECK(result.counters.empty());
  }
}

TEST_CASE("the energy of a run is that above the idle device") {
  measurement_fixture setup;
  std::atomic<int> runs = 0;
  changing_power monitor(runs);
  setup.context.energy_monitor = &monitor;
  constexpr int run_ms = 20;
  double longest_ms = 0;
  setup.script.on_run = [&](const fake_run&) {
    ++runs;
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(run_ms));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    longest_ms = std::max(longest_ms, took.count());
    return report_of(db::outcome::ok, "");
  };
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::ok);
  CHECK(result.samples_ms.empty());
  const std::map<std::string, double> counters(result.counters.begin(), result.counters.end());
  REQUIRE(counters.size() == energy_values.size());
  for (const auto& [name, meaning] : energy_values) CHECK(counters.count(std::string(name)) == 1);
  CHECK(counters.at("idle_power_w") == Approx(50).epsilon(0.1));
  CHECK(counters.at("power_w") == Approx(250).epsilon(0.1));
  // A run may take longer than 20 ms, but not less.
  CHECK(counters.at("energy_mj") >= 200 * run_ms * 0.85);
  CHECK(counters.at("energy_mj") <= 200 * longest_ms * 2.0);
  CHECK(setup.script.checks == 2);
}

TEST_CASE("a run that fails while its energy is measured fails the trial") {
  measurement_fixture setup;
  std::atomic<int> runs = 0;
  changing_power monitor(runs);
  setup.context.energy_monitor = &monitor;
  setup.script.on_run = numbered_runs(setup, 4, report_of(db::outcome::overflow, "full"));
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::overflow);
  CHECK(result.message == "full");
  CHECK(result.counters.empty());
}

TEST_CASE(
    "a trial without room is tried again when something else can leave the device, and is a constraint otherwise") {
  measurement_fixture setup;
  int calls = 0;
  int room_after = 1;
  setup.context.on_out_of_memory = [&] { return ++calls <= 1; };
  setup.script.on_prepare = [&](const configuration&) {
    if (calls < room_after) throw backends::out_of_device_memory("no room for the queue");
  };
  CHECK(setup.measure().result == db::outcome::ok);
  CHECK(calls == 1);
  calls = 0;
  room_after = 9;
  const db::trial_result result = setup.measure();
  CHECK(result.result == db::outcome::constraint);
  CHECK(result.message == "no room for the queue");
  CHECK(calls == 2);
}
