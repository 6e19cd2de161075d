// SPDX-License-Identifier: Apache-2.0
// Every caller of problems::recommend() uses the same configurations: on 20 workloads of every problem, for processors,
// a simulated device and a GPU.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "library/conversions.hpp"
#include "library/workload_runner.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/compare/contestants.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "problems/strategy_guide.hpp"
#include "problems/tune/baseline.hpp"
#include "selector/installed.hpp"
#include "selector/train.hpp"
#include "sssp_test.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tuner/workload_list.hpp"

namespace {

using namespace mlmq;
using labels = std::vector<std::string>;
using problems::recommended_configuration;

struct real_device {
  std::unique_ptr<backends::backend> real = problems::tests::open_simulator();
};

/// A simulator that reports the facts of a GPU.
class pretended_gpu final : real_device, public problems::tests::tampered_device {
 public:
  pretended_gpu() : tampered_device(*real), info_(real->info()) {
    info_.kind = "cuda";
    info_.selector = "cuda:0";
    info_.name = "a GPU";
    info_.modelled = false;
    info_.multiprocessors = 132;
    info_.warp_slots = 64;
    info_.shared_bytes_per_block = std::size_t{227} << 10;
    info_.cluster_blocks = 16;
  }

  [[nodiscard]] const backends::device_info& info() const override { return info_; }

 private:
  backends::device_info info_;
};

constexpr std::array device_names = {"processors", "simulator", "GPU"};

device open_named(std::size_t number) {
  if (number == 0) return device("cpu:2");
  if (number == 1) return detail::adopt(problems::tests::open_simulator());
  return detail::adopt(std::make_unique<pretended_gpu>());
}

const std::map<std::string, labels>& workload_names() {
  static const labels graphs = {"path5",  "cycle30", "star64", "grid5",  "grid12", "road6", "road8",
                                "road10", "road12",  "del6",   "del8",   "del10",  "rmat6", "rmat7",
                                "rmat8",  "rmat9",   "rmat10", "rmat11", "rmat12", "rmat14"};
  static const std::map<std::string, labels> by_kind = [] {
    std::map<std::string, labels> named = {{"graph", graphs}};
    for (int i = 0; i < 20; ++i) {
      named["phold"].push_back("phold:entities=" + std::to_string(32 << (i % 10)) +
                               ":events=" + std::to_string(i < 10 ? 4 : 128) + ":seed=" + std::to_string(i));
      named["grid"].push_back("grid" + std::to_string(8 + 8 * (i % 10)) + (i < 10 ? ":density=0.01" : ":density=0.3"));
    }
    return named;
  }();
  return by_kind;
}

std::shared_ptr<const tuner::workload> load(const tuner::workload_kind& kind, const std::string& name) {
  const auto inputs = tuner::list_workloads(kind, std::array{name});
  REQUIRE(inputs.size() == 1);
  return kind.load(inputs.front());
}

template <class Recommended>
labels labels_of(const Recommended& recommended) {
  labels list;
  for (const auto& next : recommended) list.push_back(next.configuration.label());
  return list;
}

/// Returns the solver and the queues that a label names.
std::string queues_of(const std::string& label) {
  std::string queues;
  std::istringstream parts(label);
  for (std::string part; std::getline(parts, part, ',');) {
    for (const char* const name : {"solver=", "l0=", "l1=", "l2=", "queue="}) {
      if (part.starts_with(name)) queues += part + ',';
    }
  }
  return queues;
}

/// Returns the first four, and of the others the first with each other solver and queues.
labels warm_start_of(const labels& ranked) {
  labels starts;
  std::set<std::string> seen;
  for (const std::string& label : ranked) {
    const bool is_new = seen.insert(queues_of(label)).second;
    if (starts.size() < 4 || is_new) starts.push_back(label);
  }
  return starts;
}

/// Returns the example that `mlmq tune` makes from its record.
selector::workload_example example_of(const db::workload_record& record, labels& names) {
  selector::workload_example example{.name = record.name, .group = record.name, .workload_class = "", .features = {}};
  for (const auto& [name, value] : record.features) {
    names.push_back(name);
    example.features.push_back(value);
  }
  return example;
}

labels of_baseline(const problems::problem_entry& entry, const backends::device_info& info,
                   const tuner::workload& workload) {
  labels names;
  const selector::workload_example example = example_of(workload.record, names);
  return tune::baselines(entry, info, names).front().recommended(example);
}

labels of_warm_start(const tuner::problem& problem, const backends::device_info& info,
                     const tuner::workload& workload) {
  tuner::strategy_settings settings;
  settings.name = "model";
  settings.warm_start = true;
  labels list;
  for (const tuner::configuration& next :
       problems::search_guide_for(settings, problem, workload.record, info).recommended)
    list.push_back(next.label());
  return list;
}

labels of_comparison(const problems::problem_entry& entry, const tuner::problem& problem,
                     const backends::device_info& info, const tuner::workload& workload) {
  compare::comparison_options options;
  options.rules = entry.comparison;
  options.recommended_for = &entry;
  const compare::contestants contestants(problem, options);
  return labels_of(contestants.recommended(workload, info));
}

/// Returns the recommendations that the classes of libmlmq and `mlmq solve WORKLOAD` use for any problem.
labels of_runner(const device& device, const problems::problem_entry& entry,
                 const std::shared_ptr<const tuner::workload>& workload) {
  detail::workload_runner runs(device, entry, workload, [&](std::string_view name) {
    return workload->record.feature(std::string(name)).value_or(std::numeric_limits<double>::quiet_NaN());
  });
  return labels_of(runs.recommended(model::standard(), {}));
}

/// Returns the first choice of a solver, for which the library computes the features itself.
std::string of_solver(const device& device, const tuner::workload& workload, problem kind) {
  const auto& graph = dynamic_cast<const problems::graph_workload&>(workload).graph;
  const auto handle = detail::digraph_of(graph, workload.record.name);
  return solver(device, handle, kind).choose({.place = placement::device}).configuration;
}

void check_callers() {
  for (const problems::problem_entry& entry : problems::all_problems()) {
    if (entry.make_defined != nullptr) continue;  // no workloads without an experiment file
    const auto problem = entry.make();
    const tuner::workload_kind& kind = problem->workloads();
    REQUIRE(workload_names().contains(kind.name()));
    REQUIRE(workload_names().at(kind.name()).size() == 20);
    for (std::size_t number = 0; number < device_names.size(); ++number) {
      const device opened = open_named(number);
      const backends::device_info& info = detail::info_of(opened);
      for (const std::string& name : workload_names().at(kind.name())) {
        CAPTURE(entry.name, device_names[number], name);
        const auto workload = load(kind, name);
        const auto recommended = problems::recommend(entry, problems::facts_of(workload->record, workload.get()), info);
        REQUIRE_FALSE(recommended.empty());
        for (const recommended_configuration& next : recommended) CHECK_FALSE(next.reason.empty());
        const labels expected = labels_of(recommended);
        CHECK(of_baseline(entry, info, *workload) == expected);
        CHECK(of_warm_start(*problem, info, *workload) == warm_start_of(expected));
        CHECK(of_comparison(entry, *problem, info, *workload) == expected);
        CHECK(of_runner(opened, entry, workload) == expected);
        if (entry.name == "sssp") CHECK(of_solver(opened, *workload, problem::sssp) == expected.front());
        if (entry.name == "bfs") CHECK(of_solver(opened, *workload, problem::bfs) == expected.front());
      }
    }
  }
}

}  // namespace

TEST_CASE("every caller takes the recommended configurations of every problem", "[recommendation]") {
  const tests::scratch_folder scratch;
  const tests::environment folder("MLMQ_SELECTORS", scratch.path().string());
  check_callers();
}

TEST_CASE("every caller uses a selector from the moment that it is installed", "[recommendation]") {
  const tests::scratch_folder scratch;
  const tests::environment folder("MLMQ_SELECTORS", scratch.path().string());
  const device simulated = open_named(1);
  const backends::device_info& info = detail::info_of(simulated);
  const auto& entry = problems::find_problem("sssp");
  const auto workload = load(problems::graph_kind(), "road8");
  const auto facts = problems::facts_of(workload->record, workload.get());
  const labels before = labels_of(problems::recommend(entry, facts, info));

  selector::training_set set;
  set.features = {"m", "nnz"};
  for (const char* const label : {"threads=64", "threads=128,l2=heap"})
    set.candidates.push_back({.label = problems::tests::configuration_of(label).label(), .parameters = {}});
  for (std::size_t i = 0; i < 20; ++i) {
    const auto size = static_cast<double>(i + 1);
    const std::string name = "g" + std::to_string(i);
    set.workloads.push_back({.name = name, .group = name, .workload_class = "road", .features = {size, size}});
    for (const std::size_t candidate : {0, 1})
      set.observations.push_back(
          {.workload = i, .candidate = candidate, .milliseconds = candidate == 0 ? 1.0 : 2.0, .ok = true});
  }
  selector::tuned_file tuned;
  tuned.about = {.device = info.name,
                 .problem = "sssp",
                 .creation_day = "2026-11-24",
                 .origin = "by a test",
                 .workloads = 20,
                 .held_out = {}};
  tuned.learned_model = selector::train_model(set, selector::standard_learning(selector::method::boosted),
                                              {.device_name = info.name,
                                               .device_kind = info.kind,
                                               .times = "modelled",
                                               .problem = "sssp",
                                               .program_version = "0"});
  (void)selector::install_selector(tuned, scratch.path());

  const auto recommended = problems::recommend(entry, facts, info);
  CHECK(labels_of(recommended) != before);
  CHECK(recommended.front().configuration.label() == set.candidates[0].label);
  CHECK_THAT(recommended.front().reason, Catch::Contains("tuned on this device"));
  check_callers();
  // Without a selector of its own, breadth-first search uses the one of shortest paths.
  CHECK_THAT(problems::recommend(problems::find_problem("bfs"), facts, info).front().reason,
             Catch::Contains("tuned on this device"));
}

TEST_CASE("breadth-first search of a graph with hubs goes by levels for every caller", "[recommendation]") {
  const tests::scratch_folder scratch;
  const tests::environment folder("MLMQ_SELECTORS", scratch.path().string());
  const device simulated = open_named(1);
  const backends::device_info& info = detail::info_of(simulated);
  const auto& entry = problems::find_problem("bfs");
  const auto workload = load(problems::graph_kind(), "rmat9");
  const auto recommended = problems::recommend(entry, problems::facts_of(workload->record, workload.get()), info);
  CHECK(recommended.front().origin == problems::candidate_origin::rule);
  CHECK_THAT(recommended.front().configuration.label(), Catch::Contains("solver=push_pull"));
  CHECK(of_baseline(entry, info, *workload).front() == recommended.front().configuration.label());
}

TEST_CASE("a problem without recommendations gets its defaults", "[recommendation]") {
  problems::problem_entry entry = problems::find_problem("phold");
  entry.name = "of a test's folder";
  entry.recommendation = nullptr;
  const auto recommended = problems::recommend(entry, {.name = "a workload"}, backends::device_info());
  REQUIRE(recommended.size() == 1);
  CHECK(recommended.front().origin == problems::candidate_origin::standard);
  CHECK(recommended.front().reason == "the default");
  CHECK_FALSE(problems::has_recommendations(entry, backends::device_info()));
}
