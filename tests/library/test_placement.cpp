// SPDX-License-Identifier: Apache-2.0
// Where a search runs. The simulator plays the role of a GPU.
#include <fmt/format.h>

#include <unistd.h>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <thread>

#include "graph/features.hpp"
#include "graph/reference.hpp"
#include "library/conversions.hpp"
#include "library/processors.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/shortest_paths/search.hpp"
#include "selector/model_file.hpp"
#include "selector/time_model.hpp"
#include "selector/train.hpp"
#include "sssp_test.hpp"
#include "tests/support/speed.hpp"

namespace {

using namespace mlmq;
using Catch::Contains;
using source = choice::source;

struct real_device {
  std::unique_ptr<backends::backend> real = problems::tests::open_simulator();
};

/// A fake GPU whose copies and searches take the times that a test sets.
class pretended_gpu final : real_device, public problems::tests::tampered_device {
 public:
  explicit pretended_gpu(double upload_ms, double solve_ms = 0)
      : tampered_device(*real), upload_ms_(upload_ms), solve_ms_(solve_ms), info_(real->info()) {
    info_.kind = "cuda";
    info_.selector = "cuda:0";
    info_.name = "a GPU";
    info_.modelled = false;
  }

  /// Whether the device is being measured, as when it is opened. Copies then take only the time that the test sets.
  bool is_measured = true;

  [[nodiscard]] const backends::device_info& info() const override { return info_; }
  [[nodiscard]] backends::device_memory allocate(std::size_t bytes, const std::string& name) override {
    return tampered_device::allocate(is_measured ? 16 : bytes, name);
  }
  void upload(const backends::device_memory& target, const void* values, std::size_t bytes) override {
    if (upload_ms_ > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(upload_ms_));
    if (!is_measured) tampered_device::upload(target, values, bytes);
  }
  double measure(const std::function<void()>& queue_work) override {
    static_cast<void>(tampered_device::measure(queue_work));
    return solve_ms_;
  }

 private:
  double upload_ms_;
  double solve_ms_;
  backends::device_info info_;
};

device open_gpu(double upload_ms, double solve_ms = 0) {
  auto gpu = std::make_unique<pretended_gpu>(upload_ms, solve_ms);
  pretended_gpu& opened = *gpu;
  device handle = detail::adopt(std::move(gpu));
  opened.is_measured = false;
  return handle;
}

constexpr double slow_ms = 20;  // far more than processors need for a hundred vertices

const char* const small_kernel = "threads=64";

solve_options with_small_kernel() {
  solve_options options;
  options.configurations = {small_kernel};
  return options;
}

/// Returns a model of two candidates that predicts these values for every graph.
model model_of(double kernel, double processors, const char* on_processors = "solver=dijkstra") {
  selector::training_set set;
  set.features = {"m", "nnz", "avg_nnz", "max_nnz", "dev_nnz", "avg_weight", "dev_weight", "max_weight"};
  for (const char* const label : {small_kernel, on_processors}) {
    const tuner::configuration full = problems::tests::configuration_of(label);
    selector::candidate candidate{.label = full.label(), .parameters = {}};
    for (const auto& [name, value] : full.values()) candidate.parameters.emplace_back(name, tuner::to_text(value));
    set.candidates.push_back(candidate);
  }
  const double best = std::max(kernel, processors);
  for (std::size_t i = 0; i < 20; ++i) {
    const auto size = static_cast<double>(i + 1);
    const std::string name = fmt::format("g{}", i);
    set.workloads.push_back(
        {.name = name, .group = name, .workload_class = "road", .features = {size, size, 1, 1, 0, 1, 0, 1}});
    set.observations.push_back({.workload = i, .candidate = 0, .milliseconds = best / kernel, .ok = true});
    set.observations.push_back({.workload = i, .candidate = 1, .milliseconds = best / processors, .ok = true});
  }
  // Tests run in parallel processes.
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mlmq-test-placement-{}.json", ::getpid());
  selector::save_model(selector::train_model(set, selector::standard_learning(selector::method::boosted),
                                             {.device_name = "a GPU",
                                              .device_kind = "cuda",
                                              .times = "measured",
                                              .problem = "sssp",
                                              .program_version = "0"}),
                       file);
  model read = model::read(file);
  std::filesystem::remove(file);
  return read;
}

/// Recorded times of a graph at each place. `thin`: whether every vertex has one or two neighbours.
struct recorded_times {
  std::function<double(double items, bool thin)> device_ms;
  std::function<double(double items)> processors_ms;
};

/// Returns a model of one candidate that expects these times of the device and of Dijkstra's algorithm.
model model_that_expects(const recorded_times& times, std::vector<selector::calibration> calibrations = {}) {
  selector::training_set set;
  set.features = {"m", "nnz", "max_nnz", "dev_nnz"};
  selector::processor_record beside;
  const auto add_candidate = [](selector::training_set& target, const char* label) {
    const tuner::configuration full = problems::tests::configuration_of(label);
    selector::candidate candidate{.label = full.label(), .parameters = {}};
    for (const auto& [name, value] : full.values()) candidate.parameters.emplace_back(name, tuner::to_text(value));
    target.candidates.push_back(candidate);
  };
  add_candidate(set, small_kernel);
  add_candidate(beside.set, "solver=dijkstra");
  beside.set.features = set.features;
  for (std::size_t i = 0; i < 60; ++i) {
    const bool thin = i % 2 == 0;
    const double vertices = std::exp2(4 + static_cast<double>(i) * 0.25);
    const double edges = thin ? 2 * vertices : (4 + static_cast<double>(i % 7)) * vertices;
    const std::string name = fmt::format("g{}", i);
    const selector::workload_example graph{.name = name,
                                           .group = name,
                                           .workload_class = "road",
                                           .features = {vertices, edges, thin ? 2.0 : 40.0, thin ? 0.0 : 6.0}};
    set.workloads.push_back(graph);
    beside.set.workloads.push_back(graph);
    const double items = vertices + edges;
    set.observations.push_back(
        {.workload = i, .candidate = 0, .milliseconds = times.device_ms(items, thin), .ok = true});
    beside.set.observations.push_back(
        {.workload = i, .candidate = 0, .milliseconds = times.processors_ms(items), .ok = true});
  }
  selector::model trained = selector::train_model(
      set, selector::standard_learning(selector::method::kernel),
      {.device_name = "a GPU", .device_kind = "cuda", .times = "measured", .problem = "sssp", .program_version = "0"});
  // With one candidate there is no choice, and only these features are requested.
  trained.times = selector::fit_times(set, &beside, trained.inputs.features, "sssp");
  REQUIRE(trained.times);
  REQUIRE(trained.times->searchers.size() == 1);
  trained.times->searchers[0].calibrations = std::move(calibrations);
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mlmq-test-times-{}.json", ::getpid());
  selector::save_model(trained, file);
  model read = model::read(file);
  std::filesystem::remove(file);
  return read;
}

constexpr auto constant(double milliseconds) {
  return [milliseconds](double, auto...) { return milliseconds; };
}

solve_options choosing_with(const model& trained) {
  solve_options options;
  options.model = trained;
  return options;
}

}  // namespace

TEST_CASE("a tiny graph that is not on the device is searched by the processors, with the reason") {
  const device gpu = open_gpu(slow_ms);
  CHECK(gpu.facts().array_ms > 0.5 * slow_ms);
  const digraph graph = digraph::open("grid8");
  solver search(gpu, graph);
  const choice expected = search.choose();
  const solution answer = search.solve(0);
  for (const choice& chosen : {expected, answer.choice()}) {
    CHECK(chosen.chosen_by == source::times);
    CHECK(chosen.device == "cpu");
    CHECK(chosen.device_name == device("cpu").facts().name);
    CHECK(chosen.configuration == "solver=dijkstra");
    CHECK_THAT(chosen.reason,
               Contains("ms expected") && Contains("transferring the graph and the answer to and from cuda:0 alone"));
  }
  CHECK(answer.distance(63) == 14);
  CHECK_FALSE(search.resident());
  // After the first search, its measured time is used.
  CHECK_THAT(search.solve(5).choice().reason, Contains("as before"));

  SECTION("unless the device is wanted") {
    solve_options pinned;
    pinned.place = placement::device;
    CHECK(search.choose(pinned).device == "cuda:0");
    CHECK(search.choose(pinned).chosen_by == source::model);
  }
  SECTION("or the configuration is given") {
    const solution answer_on_device = search.solve(0, with_small_kernel());
    CHECK(answer_on_device.choice().device == "cuda:0");
    CHECK(answer_on_device.distance(63) == 14);
    CHECK(search.resident());
  }
  SECTION("levels too") {
    solver levels(gpu, graph, problem::bfs);
    CHECK(levels.solve(0).choice().device == "cpu");
  }
}

TEST_CASE("a graph that would take the processors longer than the transfer goes to the device") {
  // 300,000 vertices and edges take some milliseconds on processors, and less than a millisecond to copy.
  const device gpu = open_gpu(0);
  const choice chosen = solver(gpu, digraph::open("rmat15")).choose();
  CHECK(chosen.device == "cuda:0");
  CHECK(chosen.chosen_by == source::rule);  // near_pull, because the graph has hubs
}

TEST_CASE("the time of a search on the device is used for later choices") {
  const model trained = model_of(1, 0.5);
  solve_options options;
  options.model = trained;
  // The measured time is either zero or ten seconds.
  for (const double took_ms : {0.0, 10'000.0}) {
    CAPTURE(took_ms);
    const device gpu = open_gpu(0, took_ms);
    solver search(gpu, digraph::open("rmat10"));
    const solution first = search.solve(0, with_small_kernel());
    CHECK(first.times().solve == took_ms);
    const choice next = search.choose(options);
    CHECK(next.device == (took_ms > 0 ? "cpu" : "cuda:0"));
    if (took_ms > 0) CHECK_THAT(next.reason, Contains("cuda:0 took 1e+04 ms"));
  }
}

TEST_CASE("a model that includes processors predicts the time on the device") {
  const device gpu = open_gpu(0);
  solve_options options;
  // The device is a thousand times as fast as the processors, then a thousand times as slow.
  options.model = model_of(1, 0.001);
  solver search(gpu, digraph::open("path100000"));
  search.upload();
  CHECK(search.choose(options).chosen_by == source::model);
  CHECK(search.choose(options).predicted.value() > 0.9);
  options.model = model_of(0.001, 1);
  const choice chosen = search.choose(options);
  CHECK(chosen.chosen_by == source::times);
  CHECK(chosen.device == "cpu");
  CHECK(chosen.predicted.value() > 0.9);
  CHECK_THAT(chosen.reason, Contains("cuda:0 is predicted to take"));
  // On the processors themselves, the model's candidates for processors are ranked.
  const choice on_processors = solver(device("cpu:1"), digraph::open("path5")).choose(options);
  CHECK(on_processors.chosen_by == source::model);
  CHECK(on_processors.configuration == "solver=dijkstra");
  // The simulator's times are modelled, so it is not compared with processors.
  CHECK(solver(detail::adopt(problems::tests::open_simulator()), digraph::open("path5")).choose(options).device ==
        "simt");
}

TEST_CASE("a candidate for processors that cannot solve the problem is passed over") {
  const device gpu = open_gpu(slow_ms);
  solve_options options;
  options.model = model_of(1, 0.5, "solver=bfs");
  const digraph graph = digraph::open("grid8");
  CHECK(solver(gpu, graph).solve(0, options).choice().configuration == "solver=dijkstra");
  CHECK_THAT(solver(gpu, graph, problem::bfs).solve(0, options).choice().configuration, Contains("solver=bfs"));
}

TEST_CASE("by its size alone a graph goes to the processors if less total time is expected there") {
  const device gpu = open_gpu(0);
  // The expected time is long enough for the comparison to hold however slow the processors are, even under a
  // sanitizer.
  const solve_options options = choosing_with(model_that_expects({constant(5000), constant(0.5)}));
  solver search(gpu, digraph::open("rmat14"));
  const choice expected = search.choose(options);
  const solution answer = search.solve(0, options);
  for (const choice& chosen : {expected, answer.choice()}) {
    CHECK(chosen.chosen_by == source::times);
    CHECK(chosen.device == "cpu");
    CHECK_THAT(chosen.configuration, Contains("solver=dijkstra"));
    CHECK_THAT(chosen.reason, Contains("ms expected, of which 1.0") && Contains("cuda:0 is expected to take") &&
                                  Contains("from the size of the graph"));
  }
  // No features were computed, and no data was uploaded.
  CHECK(answer.times().features == 0);
  CHECK_FALSE(search.resident());
  CHECK_THAT(search.choose(options).reason, Contains("as before"));
  SECTION("what it took there counts from then on, whatever was expected") {
    const solve_options other = choosing_with(model_that_expects({constant(1e-9), constant(1e-12)}));
    CHECK(search.choose(other).device == "cuda:0");
  }
}

TEST_CASE("the first search of a graph on processors is expected to take longer than those on record") {
  if (!tests::has_usual_speed) return;
  const device gpu = open_gpu(0);
  solver search(gpu, digraph::open("rmat14"));
  // The expected time on the processors is 20 ms.
  CHECK(search.choose(choosing_with(model_that_expects({constant(15), constant(10)}))).device == "cuda:0");
  const solve_options options = choosing_with(model_that_expects({constant(30), constant(10)}));
  const choice first = search.choose(options);
  CHECK(first.device == "cpu");
  const std::string before = "of which ";
  CHECK(std::stod(first.reason.substr(first.reason.find(before) + before.size())) == Approx(20).epsilon(0.1));
  // From then on its time is known, without the surcharge for a first search.
  CHECK(search.solve(0, options).choice().device == "cpu");
  CHECK_THAT(search.choose(options).reason, Contains("as before"));
}

TEST_CASE("a graph that by its size suits the device is uploaded before its features are computed") {
  constexpr double launch_ms = 0.25;  // time of any kernel, including the one for features
  const device gpu = open_gpu(0, launch_ms);
  const solve_options options = choosing_with(model_that_expects({constant(0.5), constant(500)}));
  solver search(gpu, digraph::open("rmat8"));
  // Choosing uploads nothing.
  const choice expected = search.choose(options);
  CHECK(expected.device == "cuda:0");
  CHECK_FALSE(search.resident());
  solver another(gpu, digraph::open("rmat8"));
  const solution answer = another.solve(0, options);
  CHECK(answer.choice().device == "cuda:0");
  CHECK(answer.choice().chosen_by == source::model);
  CHECK_THAT(answer.choice().reason, Contains("ms expected, of which 0.") && Contains("ms on the processors"));
  CHECK(answer.times().features == launch_ms);
  CHECK(answer.times().upload > 0);
  const solution next = another.solve(0, options);
  CHECK(next.times().features == 0);
  CHECK(next.times().upload == 0);
  CHECK_THAT(next.choice().reason, Contains("ms as before, of which 0.25"));
}

TEST_CASE("a long thin graph is known by its features, and goes to the processors") {
  const device gpu = open_gpu(0);
  // The size hardly distinguishes the graphs: half of those on record are thin.
  const model trained = model_that_expects({[](double items, bool thin) { return thin ? 0.05 * items : 1e-6 * items; },
                                            [](double items) { return 1e-3 * items; }});
  solver thin(gpu, digraph::open("cycle3000"));
  const solution answer = thin.solve(0, choosing_with(trained));
  CHECK(answer.choice().device == "cpu");
  CHECK(answer.choice().chosen_by == source::times);
  CHECK_THAT(answer.choice().reason, Contains("cuda:0 is expected to take"));
  CHECK(answer.distance(1500) == 1500 * answer.distance(1));
  CHECK(solver(gpu, digraph::open("rmat10")).solve(0, choosing_with(trained)).choice().device == "cuda:0");
}

TEST_CASE("recorded times of other processors are scaled by how these processors perform on the same graphs") {
  const device gpu = open_gpu(0);
  const recorded_times close{constant(0.4), constant(0.5)};
  const auto with = [&](double recorded_ms) {
    const model scaled =
        model_that_expects(close, {{.workload = "road12", .query = "source=3", .milliseconds = recorded_ms},
                                   {.workload = "rmat12", .query = "source=0", .milliseconds = recorded_ms}});
    return solver(gpu, digraph::open("rmat8")).choose(choosing_with(scaled));
  };
  // The recorded machine took an hour for these graphs: this one is a million times as fast. Then the other way round.
  CHECK(with(3.6e6).device == "cpu");
  CHECK(with(1e-6).device == "cuda:0");
  // Without calibrations, times are not scaled.
  CHECK(solver(gpu, digraph::open("rmat8")).choose(choosing_with(model_that_expects(close))).device == "cuda:0");
}

TEST_CASE("recorded times of one problem are not used for another") {
  const device gpu = open_gpu(0);
  const model for_lengths = model_that_expects({constant(5e6), constant(1e-6)});
  CHECK(solver(gpu, digraph::open("rmat15")).choose(choosing_with(for_lengths)).device == "cpu");
  CHECK(solver(gpu, digraph::open("rmat15"), problem::bfs).choose(choosing_with(for_lengths)).device == "cuda:0");
}

TEST_CASE("options that processors do not support are run on the device") {
  const device gpu = open_gpu(0);
  solve_options options = choosing_with(model_that_expects({constant(5), constant(0.5)}));
  options.timeline = true;
  const solution answer = solver(gpu, digraph::open("rmat8")).solve(0, options);
  CHECK(answer.choice().device == "cuda:0");
  CHECK(answer.check().empty());
}

TEST_CASE("with a fixed place no other place is considered, and choosing uploads nothing") {
  const device gpu = open_gpu(0);
  solve_options options = choosing_with(model_that_expects({constant(5e6), constant(1e-6)}));
  options.place = placement::device;
  solver search(gpu, digraph::open("rmat8"));
  CHECK(search.choose(options).device == "cuda:0");
  CHECK_FALSE(search.resident());
  CHECK(search.solve(0, options).choice().device == "cuda:0");
}

TEST_CASE("a parallel search is scaled by the time of one thread and the number of threads") {
  detail::processors host;
  const problems::search sssp(problems::search_kind::sssp);
  // One thread is a million times as fast as recorded; the parallel search on the small graph suggests the opposite.
  const std::vector<selector::calibration> of_one_thread = {{"road12", "source=0", 1e6}};
  const std::vector<selector::calibration> of_many = {{"road12", "source=0", 1e-9}};
  const std::vector<detail::processors::option> options = {
      {problems::tests::configuration_of("solver=dijkstra"), 1e9, std::nullopt, of_one_thread},
      {problems::tests::configuration_of("solver=delta_stepping"), 1e6, std::nullopt, of_many}};
  const unsigned threads = host.backend().info().multiprocessors;
  const auto alike = host.fastest(sssp, options, threads);
  CHECK(alike.index == 1);
  CHECK(alike.milliseconds > 0);
  CHECK(alike.milliseconds < 1e4);
  // The record used four times as many threads; a record of fewer threads is not scaled.
  CHECK(host.fastest(sssp, options, 4 * threads).milliseconds == 4 * alike.milliseconds);
  CHECK(host.fastest(sssp, options, 1).milliseconds == alike.milliseconds);
  CHECK(host.fastest(sssp, options, 0).milliseconds == alike.milliseconds);
  // With a hundred-thousandth of the recorded threads, one thread is better.
  CHECK(host.fastest(sssp, options, 100'000 * threads).index == 0);

  SECTION("by itself when there is no other") {
    const auto alone = host.fastest(sssp, std::span(options).subspan(1), threads);
    CHECK(alone.milliseconds > 1e6);
  }
  SECTION("and what was measured stands") {
    std::vector<detail::processors::option> measured = options;
    measured[0].measured_ms = 1e-7;
    CHECK(host.fastest(sssp, measured, threads).index == 0);
    CHECK(host.fastest(sssp, measured, threads).milliseconds == 1e-7);
  }
}
