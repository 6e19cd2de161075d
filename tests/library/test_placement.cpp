// SPDX-License-Identifier: Apache-2.0
// Where a search runs. The simulator plays the role of a GPU.
#include <fmt/format.h>

#include <unistd.h>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "library/conversions.hpp"
#include "library/processors.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/recommendation.hpp"
#include "problems/shortest_paths/search.hpp"
#include "selector/model_file.hpp"
#include "selector/time_model.hpp"
#include "selector/train.hpp"
#include "sssp_test.hpp"

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
  /// How many of the next kernels cannot be launched.
  unsigned failing_launches = 0;

  [[nodiscard]] const backends::device_info& info() const override { return info_; }
  [[nodiscard]] backends::device_memory allocate(std::size_t bytes, const std::string& name) override {
    return tampered_device::allocate(is_measured ? 16 : bytes, name);
  }
  void upload(const backends::device_memory& target, const void* values, std::size_t bytes) override {
    if (upload_ms_ > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(upload_ms_));
    if (!is_measured) tampered_device::upload(target, values, bytes);
  }
  double measure(const std::function<void()>& queue_work) override {
    if (failing_launches > 0) {
      --failing_launches;
      throw backends::launch_error("too little shared memory");
    }
    static_cast<void>(tampered_device::measure(queue_work));
    return solve_ms_;
  }

 private:
  double upload_ms_;
  double solve_ms_;
  backends::device_info info_;
};

device open_gpu(double upload_ms, double solve_ms = 0, unsigned failing_launches = 0) {
  auto gpu = std::make_unique<pretended_gpu>(upload_ms, solve_ms);
  pretended_gpu& opened = *gpu;
  device handle = detail::adopt(std::move(gpu));
  opened.is_measured = false;
  opened.failing_launches = failing_launches;
  return handle;
}

constexpr double slow_ms = 20;  // far more than processors need for a hundred vertices

const char* const small_kernel = "threads=64";

solve_options with_small_kernel() {
  solve_options options;
  options.configurations = {small_kernel};
  return options;
}

/// Returns the recorded time of a graph on the device. @param thin whether every vertex has one or two neighbours
using recorded_time = std::function<double(double items, bool thin)>;

/// Returns a model of one candidate that expects these times of the device.
model model_that_expects(const recorded_time& device_ms) {
  selector::training_set set;
  set.features = {"m", "nnz", "max_nnz", "dev_nnz"};
  const tuner::configuration full = problems::tests::configuration_of(small_kernel);
  set.candidates.push_back({.label = full.label(), .parameters = {}});
  for (const auto& [name, value] : full.values())
    set.candidates.front().parameters.emplace_back(name, tuner::to_text(value));
  for (std::size_t i = 0; i < 60; ++i) {
    const bool thin = i % 2 == 0;
    const double vertices = std::exp2(4 + static_cast<double>(i) * 0.25);
    const double edges = thin ? 2 * vertices : (4 + static_cast<double>(i % 7)) * vertices;
    const std::string name = fmt::format("g{}", i);
    set.workloads.push_back({.name = name,
                             .group = name,
                             .workload_class = "road",
                             .features = {vertices, edges, thin ? 2.0 : 40.0, thin ? 0.0 : 6.0}});
    set.observations.push_back(
        {.workload = i, .candidate = 0, .milliseconds = device_ms(vertices + edges, thin), .ok = true});
  }
  selector::model trained = selector::train_model(
      set, selector::standard_learning(selector::method::kernel),
      {.device_name = "a GPU", .device_kind = "cuda", .times = "measured", .problem = "sssp", .program_version = "0"});
  // With one candidate there is no choice, and only these features are requested.
  trained.times = selector::fit_times(set, trained.inputs.features, "sssp");
  REQUIRE(trained.times);
  // Tests run in parallel processes.
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mlmq-test-times-{}.json", ::getpid());
  selector::save_model(trained, file);
  model read = model::read(file);
  std::filesystem::remove(file);
  return read;
}

constexpr auto constant(double milliseconds) {
  return [milliseconds](double, auto...) { return milliseconds; };
}

/// Returns the reasons for the second and third search. One of them uses a measured time: if the second one does not,
/// because the other search on processors is expected to take less than the first one took, all have been measured.
std::string reasons_after_first(solver& search, const solve_options& options) {
  const std::string second = search.solve(5, options).choice().reason;
  return second + "; " + search.solve(5, options).choice().reason;
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
  CHECK_THAT(reasons_after_first(search, {}), Contains("as before"));

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
  CHECK(chosen.chosen_by == source::model);
}

TEST_CASE("some of many searches show which solver is the fastest, and their answers count") {
  const digraph graph = digraph::open("complete12");
  std::vector<vertex> sources(22'000);  // fewer are not worth a trial
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = static_cast<vertex>(i % 12);
  std::vector<std::vector<double>> right(12);
  (void)solver(device("cpu"), graph).solve_many(std::span(sources).first(12), {}, [&](const distance_rows& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      for (std::size_t j = 0; j < block.columns; ++j) right[block.first + i].push_back(block.at(i, j));
    }
  });
  constexpr double took_ms = 1e-6;
  const auto failing_launches = GENERATE(0U, 1U);
  CAPTURE(failing_launches);
  const device gpu = open_gpu(0, took_ms, failing_launches);
  solver search(gpu, graph);
  const auto solve = [&](std::span<const vertex> some) {
    std::size_t rows = 0;
    std::size_t wrong = 0;
    batch_summary summary = search.solve_many(some, {.searches_per_try = 100'000}, [&](const distance_rows& block) {
      REQUIRE(block.first == rows);
      rows += block.rows;
      for (std::size_t i = 0; i < block.rows; ++i) {
        for (std::size_t j = 0; j < block.columns; ++j)
          wrong += block.at(i, j) == right[(block.first + i) % 12][j] ? 0 : 1;
      }
    });
    CHECK(rows == some.size());
    CHECK(wrong == 0);
    CHECK(summary.searches == some.size());
    return summary;
  };
  const batch_summary summary = solve(sources);
  REQUIRE_FALSE(summary.tried.empty());
  CHECK(summary.tried.front().searches < 1000);
  CHECK(summary.tried.front().milliseconds == took_ms);
  // The next configuration of the solver replaces one that cannot be launched.
  CHECK_THAT(summary.tried.front().configuration, Contains(failing_launches == 0 ? "blocks=6" : "blocks=12"));
  CHECK(summary.choice.configuration == summary.tried.front().configuration);
  CHECK_THAT(summary.choice.reason, Contains("block: ") && Contains("; measured: 264 block in "));
  // Fewer searches than a trial has.
  CHECK(solve(std::span(sources).first(10)).tried.empty());
}

TEST_CASE("the time of a search on the device is used for later choices") {
  const solve_options options = choosing_with(model_that_expects(constant(1e-3)));
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

TEST_CASE("by its size alone a graph goes to the processors if less total time is expected there") {
  const device gpu = open_gpu(0);
  // The expected time is long enough for the comparison to hold however slow the processors are, even under a
  // sanitizer.
  const solve_options options = choosing_with(model_that_expects(constant(5000)));
  solver search(gpu, digraph::open("rmat14"));
  const choice expected = search.choose(options);
  const solution answer = search.solve(0, options);
  for (const choice& chosen : {expected, answer.choice()}) {
    CHECK(chosen.chosen_by == source::times);
    CHECK(chosen.device == "cpu");
    CHECK_THAT(chosen.reason, Contains("ms expected, of which ") && Contains("cuda:0 is expected to take") &&
                                  Contains("from the size of the graph"));
  }
  // No features were computed, and no data was uploaded.
  CHECK(answer.times().features == 0);
  CHECK_FALSE(search.resident());
  CHECK_THAT(reasons_after_first(search, options), Contains("as before"));
  SECTION("what it took there counts from then on, whatever was expected") {
    const solve_options other = choosing_with(model_that_expects(constant(1e-9)));
    CHECK(search.choose(other).device == "cuda:0");
  }
}

TEST_CASE("a graph that by its size suits the device is uploaded before its features are computed") {
  constexpr double launch_ms = 0.005;  // time of any kernel, including the one for features
  const device gpu = open_gpu(0, launch_ms);
  const solve_options options = choosing_with(model_that_expects(constant(0.001)));
  solver search(gpu, digraph::open("rmat12"));
  // Choosing uploads nothing.
  const choice expected = search.choose(options);
  CHECK(expected.device == "cuda:0");
  CHECK_FALSE(search.resident());
  solver another(gpu, digraph::open("rmat12"));
  const solution answer = another.solve(0, options);
  CHECK(answer.choice().device == "cuda:0");
  CHECK(answer.choice().chosen_by == source::model);
  CHECK_THAT(answer.choice().reason, Contains("ms expected, of which 0.001") && Contains("ms on the processors"));
  CHECK(answer.times().features == launch_ms);
  CHECK(answer.times().upload > 0);
  const solution next = another.solve(0, options);
  CHECK(next.times().features == 0);
  CHECK(next.times().upload == 0);
  CHECK_THAT(next.choice().reason, Contains("ms as before, of which 0.005"));
}

TEST_CASE("a long thin graph is known by its features, and goes to the processors") {
  const device gpu = open_gpu(0);
  // The size hardly distinguishes the graphs: half of those on record are thin.
  const model trained = model_that_expects([](double items, bool thin) { return thin ? 0.05 * items : 1e-12 * items; });
  solver thin(gpu, digraph::open("cycle3000"));
  const solution answer = thin.solve(0, choosing_with(trained));
  CHECK(answer.choice().device == "cpu");
  CHECK(answer.choice().chosen_by == source::times);
  CHECK_THAT(answer.choice().reason, Contains("cuda:0 is expected to take"));
  CHECK(answer.distance(1500) == 1500 * answer.distance(1));
  CHECK(solver(gpu, digraph::open("rmat10")).solve(0, choosing_with(trained)).choice().device == "cuda:0");
}

TEST_CASE("recorded times of one problem are not used for another") {
  const device gpu = open_gpu(0);
  const model for_lengths = model_that_expects(constant(5e6));
  CHECK(solver(gpu, digraph::open("rmat15")).choose(choosing_with(for_lengths)).device == "cpu");
  CHECK(solver(gpu, digraph::open("rmat15"), problem::bfs).choose(choosing_with(for_lengths)).device == "cuda:0");
}

TEST_CASE("options that processors do not support are run on the device") {
  const device gpu = open_gpu(0);
  solve_options options = choosing_with(model_that_expects(constant(5)));
  options.timeline = true;
  const solution answer = solver(gpu, digraph::open("rmat8")).solve(0, options);
  CHECK(answer.choice().device == "cuda:0");
  CHECK(answer.check().empty());
}

TEST_CASE("with a fixed place no other place is considered, and choosing uploads nothing") {
  const device gpu = open_gpu(0);
  solve_options options = choosing_with(model_that_expects(constant(5e6)));
  options.place = placement::device;
  solver search(gpu, digraph::open("rmat8"));
  CHECK(search.choose(options).device == "cuda:0");
  CHECK_FALSE(search.resident());
  CHECK(search.solve(0, options).choice().device == "cuda:0");
}

TEST_CASE("the expected times of processors are scaled by how these processors perform on small graphs") {
  detail::processors host;
  const problems::search sssp(problems::search_kind::sssp);
  problems::recommender recommends(problems::find_problem("sssp"), host.backend().info());
  const double slowdown = host.slowdown(sssp, recommends);
  CHECK(slowdown > 0);
  CHECK(std::isfinite(slowdown));
  // It is measured once.
  CHECK(host.slowdown(sssp, recommends) == slowdown);

  // The reason has the expected time of a first search on processors whose speed was measured by another call, so only
  // its magnitude is known.
  const device gpu = open_gpu(0);
  const solve_options options = choosing_with(model_that_expects(constant(1e6)));
  const std::string reason = solver(gpu, digraph::open("rmat8")).choose(options).reason;
  problems::graph_workload workload;
  workload.graph = graph::generate_named("rmat8").graph;
  const auto expected = recommends.recommend({.name = "rmat8", .loaded = &workload});
  const std::string before = "of which ";
  const double first_ms = std::stod(reason.substr(reason.find(before) + before.size()));
  CHECK(first_ms > 0.01 * slowdown * expected.front().expected_ms.value());
  CHECK(first_ms < 100 * slowdown * expected.front().expected_ms.value());
}
