// SPDX-License-Identifier: Apache-2.0
// Arrays that stay on the device: graphs in device memory, answers that are not copied to the host, and paths.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "sssp_test.hpp"
#include "tests/support/speed.hpp"

namespace {

using namespace mlmq;
using Catch::Contains;

device simulator() { return detail::adopt(problems::tests::open_simulator()); }

struct real_device {
  std::unique_ptr<backends::backend> real = problems::tests::open_simulator();
};

/// The simulator, with counted allocations.
class watched_device final : real_device, public problems::tests::tampered_device {
 public:
  /// @param is_modelled false: the device's times count as measured, so that processors are compared with it
  explicit watched_device(bool is_modelled = true) : tampered_device(*real), info_(real->info()) {
    info_.modelled = is_modelled;
  }
  [[nodiscard]] const backends::device_info& info() const override { return info_; }

 private:
  backends::device_info info_;
};

struct watched {
  std::unique_ptr<watched_device> owned;
  watched_device& counts;
  device handle;

  explicit watched(bool is_modelled = true)
      : owned(std::make_unique<watched_device>(is_modelled)), counts(*owned), handle(detail::adopt(std::move(owned))) {}
};

/// Rows in device memory that belong to the caller.
class caller_rows {
 public:
  explicit caller_rows(const device& target) : target_(target) {}

  template <class T>
  const void* put(const std::vector<T>& values) {
    const std::shared_ptr<void> memory = target_.allocate(values.size() * sizeof(T));
    target_.write(memory.get(), values.data(), values.size() * sizeof(T));
    allocations_.push_back(memory);
    return memory.get();
  }

  enum class layout { apart, pairs, without_weights };

  device_rows upload(const graph::csr_graph& csr, unsigned offset_bits, layout order) {
    device_rows rows{.vertices = csr.vertex_count(), .edges = csr.edge_count(), .offset_bits = offset_bits};
    const std::vector<std::uint64_t> wide(csr.offsets().begin(), csr.offsets().end());
    rows.offsets = offset_bits == 64 ? put(wide) : put(std::vector<std::uint32_t>(wide.begin(), wide.end()));
    const std::vector<vertex> targets(csr.targets().begin(), csr.targets().end());
    const std::vector<std::uint32_t> weights(csr.weight_bits().begin(), csr.weight_bits().end());
    if (order == layout::pairs) {
      std::vector<std::uint32_t> pairs;
      for (std::size_t i = 0; i < targets.size(); ++i) pairs.insert(pairs.end(), {targets[i], weights[i]});
      rows.pairs = put(pairs);
    } else {
      rows.targets = put(targets);
      if (order == layout::apart) rows.weights = put(weights);
    }
    if (order != layout::without_weights && csr.weights() == graph::weight_type::float32) {
      rows.weight_type = number_type::float32;
    }
    return rows;
  }

 private:
  device target_;
  std::vector<std::shared_ptr<void>> allocations_;
};

graph::csr_graph small_graph(graph::weight_type type, const char* name = "rmat7") {
  const graph::csr_graph csr = graph::generate_named(name).graph;
  return type == graph::weight_type::float32 ? graph::with_weight_type(csr, graph::weight_type::float32) : csr;
}

std::vector<double> distances_of(const graph::csr_graph& csr, vertex source) {
  std::vector<double> distances;
  for (const graph::distance_bits bits : graph::dijkstra(csr, source)) {
    distances.push_back(graph::distance_value(csr.weights(), bits));
  }
  return distances;
}

std::vector<double> distances_of(const solution& answer, vertex count) {
  std::vector<double> distances;
  for (vertex v = 0; v < count; ++v) distances.push_back(answer.distance(v));
  return distances;
}

/// Returns a host copy of an array in device memory.
std::vector<double> read_back(const device& target, const device_array& array) {
  std::vector<std::uint32_t> words(array.count);
  target.read(words.data(), array.data, words.size() * sizeof words[0]);
  std::vector<double> values;
  for (const std::uint32_t word : words) {
    if (array.type == number_type::float32) {
      values.push_back(static_cast<double>(std::bit_cast<float>(word)));
    } else {
      values.push_back(word == unreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(word));
    }
  }
  return values;
}

solve_options options_with(const std::string& configuration, bool keeps = false) {
  solve_options options;
  options.configurations = {configuration};
  options.keep_on_device = keeps;
  return options;
}

std::string error_of(const device& target, const device_rows& rows, const device_rows_options& options = {}) {
  try {
    (void)digraph::from_device(target, rows, options);
  } catch (const input_error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("rows in device memory are searched where they are, in every layout") {
  const device simulated = simulator();
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    const graph::csr_graph csr = small_graph(type);
    for (const unsigned bits : {32U, 64U}) {
      for (const auto order : {caller_rows::layout::apart, caller_rows::layout::pairs}) {
        caller_rows memory(simulated);
        const digraph graph = digraph::from_device(simulated, memory.upload(csr, bits, order), {.name = "theirs"});
        CHECK(graph.name() == "theirs");
        CHECK(graph.vertex_count() == csr.vertex_count());
        CHECK(graph.edge_count() == csr.edge_count());
        CHECK((graph.weight_type() == number_type::float32) == (type == graph::weight_type::float32));
        for (const problem kind : {problem::sssp, problem::bfs}) {
          solver search(simulated, graph, kind);
          const graph::csr_graph searched = kind == problem::bfs ? graph::with_unit_weights(csr) : csr;
          for (const char* const configuration : {"", "solver=near_far", "solver=adds", "ell_width=4"}) {
            CAPTURE(bits, configuration, kind == problem::bfs, order == caller_rows::layout::pairs);
            const solution answer = search.solve(3, options_with(configuration, true));
            CHECK(answer.times().host_copy == 0);
            CHECK(distances_of(answer, csr.vertex_count()) == distances_of(searched, 3));
            CHECK(answer.exact());
          }
        }
        // None of the searches above needed the rows on the host; this one does.
        CHECK_FALSE(graph.on_host());
        solver search(simulated, graph);
        const solution answer = search.solve(5, options_with("split_degree=64"));
        CHECK(answer.times().host_copy > 0);
        CHECK(graph.on_host());
        CHECK(answer.check().empty());
        CHECK(distances_of(answer, csr.vertex_count()) == distances_of(csr, 5));
        CHECK(search.solve(6, options_with("split_degree=128")).times().host_copy == 0);
      }
    }
  }
}

TEST_CASE("a graph in device memory equals the one of from_rows()") {
  const device simulated = simulator();
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32);
  caller_rows memory(simulated);
  const digraph on_device = digraph::from_device(simulated, memory.upload(csr, 32, caller_rows::layout::apart));
  const digraph on_host =
      digraph::from_rows({csr.offsets().begin(), csr.offsets().end()}, {csr.targets().begin(), csr.targets().end()},
                         std::vector<std::uint32_t>(csr.weight_bits().begin(), csr.weight_bits().end()));
  CHECK(on_host.on_host());
  CHECK(on_device.default_source() == on_host.default_source());
  CHECK(on_device.id_of(3) == 3);
  CHECK(on_device.vertex_of(5) == 5);
  CHECK(on_device.notes().empty());
  // The model gets the same features of both, and so chooses the same configuration.
  CHECK(solver(simulated, on_device).choose().configuration == solver(simulated, on_host).choose().configuration);
  CHECK_FALSE(on_device.on_host());

  // Processors search the copy in host memory.
  solver on_processors(device("cpu:1"), on_device);
  const solution answer = on_processors.solve(2);
  CHECK(answer.choice().device == "cpu:1");
  CHECK(answer.times().host_copy > 0);
  CHECK(distances_of(answer, csr.vertex_count()) == distances_of(csr, 2));
  CHECK(on_processors.solve(3).times().host_copy == 0);

  SECTION("without weights all are 1") {
    const digraph bare = digraph::from_device(simulated, memory.upload(csr, 64, caller_rows::layout::without_weights));
    CHECK(bare.weight_type() == number_type::uint32);
    solver search(simulated, bare);
    CHECK(distances_of(search.solve(4), csr.vertex_count()) == distances_of(graph::with_unit_weights(csr), 4));
  }
  SECTION("no edge, one vertex") {
    const device_rows rows{.vertices = 1, .edges = 0, .offsets = memory.put(std::vector<std::uint32_t>{0, 0})};
    solver search(simulated, digraph::from_device(simulated, rows));
    CHECK(search.solve(0).distance(0) == 0);
  }
}

TEST_CASE("rows in the layout of a search are not copied") {
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32);
  using layout = caller_rows::layout;
  const auto allocated = [&](layout order, unsigned bits, problem kind) {
    watched counted;
    caller_rows memory(counted.handle);
    solver search(counted.handle, digraph::from_device(counted.handle, memory.upload(csr, bits, order), {.name = "g"}),
                  kind);
    CHECK(search.upload() >= 0);
    return std::pair(counted.counts.allocations["the row starts of g"], counted.counts.allocations["the edges of g"]);
  };
  CHECK(allocated(layout::apart, 32, problem::bfs) == std::pair(0U, 0U));
  CHECK(allocated(layout::pairs, 32, problem::sssp) == std::pair(0U, 0U));
  CHECK(allocated(layout::apart, 32, problem::sssp) == std::pair(0U, 1U));
  CHECK(allocated(layout::pairs, 32, problem::bfs) == std::pair(0U, 1U));
  CHECK(allocated(layout::apart, 64, problem::bfs) == std::pair(1U, 0U));
}

TEST_CASE("broken rules are named, with the place") {
  const device simulated = simulator();
  using offsets = std::vector<std::uint32_t>;
  using numbers = std::vector<std::uint32_t>;
  caller_rows memory(simulated);
  const auto rows_of = [&](const offsets& starts, const numbers& targets, const numbers& weights) {
    return device_rows{.vertices = static_cast<vertex>(starts.size() - 1),
                       .edges = targets.size(),
                       .offsets = memory.put(starts),
                       .targets = memory.put(targets),
                       .weights = memory.put(weights)};
  };
  CHECK(error_of(simulated, rows_of({0, 1, 2}, {1, 0}, {3, 4})) == "none");
  CHECK(error_of(simulated, rows_of({1, 1, 2}, {1, 0}, {3, 4}), {.name = "roads"}) ==
        "roads: graph: the first offset is 1, expected 0");
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 3}, {1, 0}, {3, 4})),
             Contains("the last offset is 3, expected the 2 edges"));
  CHECK_THAT(error_of(simulated, rows_of({0, 2, 1, 2}, {1, 0}, {3, 4})),
             Contains("the offsets fall from 2 to 1 at vertex 1"));
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 4}, {1, 0, 2, 7}, {3, 4, 5, 6})),
             Contains("edge 2 leads to vertex 2, but there are 2 vertices (0 to 1)"));
  // The target would be negative as a 32-bit number.
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 2}, {1, 0xFFFFFFFFU}, {3, 4})),
             Contains("edge 1 leads to vertex 4294967295"));
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 2}, {1, 0}, {3, 0xFFFFFFFEU})),
             Contains("edge 1 has weight 4294967294, at most 4294967293"));
  for (const float weight : {-1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    device_rows rows =
        rows_of({0, 1, 2}, {1, 0}, {std::bit_cast<std::uint32_t>(0.5F), std::bit_cast<std::uint32_t>(weight)});
    rows.weight_type = number_type::float32;
    CHECK_THAT(error_of(simulated, rows),
               Contains("edge 1 has weight") && Contains("expected a finite number of at least 0"));
  }
  SECTION("wide offsets, and pairs") {
    device_rows rows{.vertices = 2,
                     .edges = 2,
                     .offsets = memory.put(std::vector<std::uint64_t>{0, std::uint64_t{1} << 40, 2}),
                     .offset_bits = 64,
                     .pairs = memory.put(numbers{1, 3, 0, 4})};
    CHECK_THAT(error_of(simulated, rows), Contains("the offsets fall from 1099511627776 to 2 at vertex 1"));
    rows.offsets = memory.put(std::vector<std::uint64_t>{0, 1, 2});
    CHECK(error_of(simulated, rows) == "none");
    rows.pairs = memory.put(numbers{1, 3, 9, 4});
    CHECK_THAT(error_of(simulated, rows), Contains("edge 1 leads to vertex 9"));
    // In separate arrays the weight is replaced by zero; pairs are searched as they are.
    rows.weight_type = number_type::float32;
    rows.pairs = memory.put(numbers{1, 0x80000000U, 0, 0});
    CHECK_THAT(error_of(simulated, rows), Contains("edge 0 has weight -0") && Contains("zero without sign"));
    rows.targets = memory.put(numbers{1, 0});
    rows.weights = memory.put(numbers{0x80000000U, 0});
    rows.pairs = nullptr;
    CHECK(solver(simulated, digraph::from_device(simulated, rows)).solve(0).distance(1) == 0);
  }
  SECTION("unchecked, what is right is searched") {
    const digraph graph = digraph::from_device(simulated, rows_of({0, 1, 2}, {1, 0}, {3, 4}), {.check = false});
    CHECK(graph.default_source() == 0);
    CHECK(solver(simulated, graph).solve(1).distance(0) == 4);
    std::vector<vertex> distances;
    solver many(simulated, graph);
    many.solve_many(std::vector<vertex>{0, 1}, {},
                    [&](const distance_rows& rows) { distances.push_back(rows.uint32[1]); });
    CHECK(distances == std::vector<vertex>{3});
  }
  SECTION("unchecked, the copy in host memory shows what is wrong") {
    const digraph graph = digraph::from_device(simulated, rows_of({0, 1, 2}, {1, 9}, {3, 4}), {.check = false});
    CHECK_THROWS_WITH(solver(device("cpu:1"), graph).solve(0), Contains("edge 1 leads to vertex 9"));
  }
}

TEST_CASE("pointers outside the device's memory are refused") {
  const device simulated = simulator();
  caller_rows memory(simulated);
  const std::vector<std::uint32_t> host{0, 1, 2};
  const device_rows right{.vertices = 2,
                          .edges = 2,
                          .offsets = memory.put(host),
                          .targets = memory.put(std::vector<std::uint32_t>{1, 0}),
                          .weights = memory.put(std::vector<std::uint32_t>{3, 4})};
  REQUIRE(error_of(simulated, right) == "none");
  const auto error_with = [&](const auto& change) {
    device_rows rows = right;
    change(rows);
    return error_of(simulated, rows, {.name = "g"});
  };
  CHECK_THAT(error_with([&](device_rows& rows) { rows.offsets = host.data(); }),
             Contains("g: the offsets") && Contains("not memory of simt"));
  CHECK_THAT(error_with([&](device_rows& rows) { rows.targets = host.data(); }), Contains("g: the targets"));
  CHECK_THAT(error_with([&](device_rows& rows) { rows.weights = host.data(); }), Contains("g: the weights"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.vertices = 4; }), Contains("the offsets: 20 bytes"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.edges = 1000; }), Contains("the targets: 4000 bytes"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.offsets = static_cast<const char*>(rows.offsets) + 2; }),
             Contains("not a multiple of 4 bytes"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.offsets = nullptr; }), Contains("the offsets: there are none"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.targets = nullptr; }), Contains("neither targets nor pairs"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.pairs = rows.targets; }), Contains("but both are given"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.offset_bits = 16; }), Contains("16 bits, expected 32 or 64"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.vertices = 0; }), Contains("no vertices"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.edges = std::uint64_t{1} << 33; }),
             Contains("cannot be counted with 32 bits"));
  CHECK_THAT(error_with([](device_rows& rows) {
               rows.weights = nullptr;
               rows.weight_type = number_type::float32;
             }),
             Contains("not float32"));
  CHECK_THAT(error_of(device("cpu:1"), right), Contains("processors have no memory of their own"));
  // Another device of the same kind has other memory.
  CHECK_THAT(error_of(simulator(), right), Contains("not memory of simt"));
  int stream = 0;
  CHECK_THAT(error_of(simulated, right, {.stream = &stream}), Contains("has no streams"));

  std::uint32_t word = 0;
  CHECK_THROWS_WITH(simulated.write(&word, host.data(), 4), Contains("not memory of simt"));
  CHECK_THROWS_WITH(simulated.read(&word, host.data(), 4), Contains("not memory of simt"));
  CHECK_THROWS_AS(device("cpu:1").allocate(8), input_error);
}

TEST_CASE("processors search a graph in device memory only on request") {
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32, "path9");
  watched unmodelled(false);
  caller_rows memory(unmodelled.handle);
  const digraph graph = digraph::from_device(unmodelled.handle, memory.upload(csr, 32, caller_rows::layout::pairs));
  solver device_solver(unmodelled.handle, graph);
  CHECK(device_solver.choose().device == "simt");
  CHECK(device_solver.solve(0).choice().device == "simt");
  // A graph on the host is searched on processors, because it is small.
  const digraph on_host = digraph::open("path9");
  if (tests::has_usual_speed) CHECK(solver(unmodelled.handle, on_host).solve(0).choice().device == "cpu");
  // But not if the answer must stay on the device.
  CHECK(solver(unmodelled.handle, on_host).solve(0, {.keep_on_device = true}).choice().device == "simt");
}

TEST_CASE("answers that stay on the device are not brought to the host") {
  const device simulated = simulator();
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    const graph::csr_graph csr = small_graph(type);
    const digraph graph = detail::digraph_of(csr, "tested");
    for (const problem kind : {problem::sssp, problem::bfs}) {
      const graph::csr_graph searched = kind == problem::bfs ? graph::with_unit_weights(csr) : csr;
      solver search(simulated, graph, kind);
      const solution first = search.solve(0, {.keep_on_device = true});
      const device_array array = first.device_distances();
      CHECK(first.times().download == 0);
      CHECK(array.count == csr.vertex_count());
      CHECK(array.type == first.type());
      CHECK(array.device == "simt");
      const std::vector<double> right = distances_of(searched, 0);
      CHECK(read_back(simulated, array) == right);

      // Later searches write to other memory, whether or not their answers stay on the device.
      const solution second = search.solve(1, {.keep_on_device = true});
      const solution third = search.solve(2);
      CHECK(second.device_distances().data != array.data);
      CHECK(read_back(simulated, array) == right);
      CHECK(read_back(simulated, second.device_distances()) == distances_of(searched, 1));
      CHECK(distances_of(third, csr.vertex_count()) == distances_of(searched, 2));
      CHECK_THROWS_WITH(third.device_distances(), Contains("keep_on_device"));

      // Copied to the host, they are the same as without keep_on_device, for any number of threads.
      std::vector<std::vector<double>> seen(3);
      {
        std::vector<std::jthread> threads;
        for (auto& mine : seen) threads.emplace_back([&] { mine = distances_of(first, csr.vertex_count()); });
      }
      for (const auto& mine : seen) CHECK(mine == right);
      if (first.type() == number_type::uint32) {
        CHECK(first.distances_uint32().size() == csr.vertex_count());
        CHECK_THROWS_AS(first.distances_float32(), input_error);
      } else {
        CHECK(std::isinf(first.distances_float32().back()) == std::isinf(right.back()));
      }
      CHECK(first.check().empty());
      CHECK(first.exact());
      CHECK(first.predecessors().at(0) == no_vertex);
    }
  }
}

TEST_CASE("memory of answers is used again when they are gone, and lives as long as they do") {
  watched counted;
  const auto allocations = [&] { return counted.counts.allocations["the distances of path9"]; };
  const digraph graph = digraph::open("path9");
  std::optional<solver> search(std::in_place, counted.handle, graph);
  const solve_options keep{.configurations = {""}, .keep_on_device = true};
  auto first = std::make_unique<solution>(search->solve(0, keep));
  const void* const place = first->device_distances().data;
  CHECK(allocations() == 1);
  auto second = std::make_unique<solution>(search->solve(1, keep));
  CHECK(allocations() == 2);
  first.reset();
  for (int i = 0; i < 3; ++i) CHECK(search->solve(2, keep).device_distances().data != second->device_distances().data);
  CHECK(allocations() <= 3);
  const unsigned before = allocations();
  CHECK(search->solve(2, keep).device_distances().count == graph.vertex_count());
  CHECK(allocations() == before);
  CHECK(place != nullptr);

  // The solver and the device may be destroyed before the answer.
  const std::vector<double> right = distances_of(*second, graph.vertex_count());
  search.reset();
  CHECK(read_back(counted.handle, second->device_distances()) == right);
  second.reset();
}

TEST_CASE("a too large float distance differs from unreached") {
  const device simulated = simulator();
  const graph::csr_graph chain = problems::tests::chain_to_infinity();
  caller_rows memory(simulated);
  const digraph graph = digraph::from_device(simulated, memory.upload(chain, 32, caller_rows::layout::pairs));
  solver search(simulated, graph);
  const solution answer = search.solve(0, options_with("", true));
  CHECK_FALSE(answer.exact());
  CHECK_THAT(answer.check(), Contains("too large for its type"));
  CHECK(answer.check() == search.solve(0, options_with("")).check());
  CHECK(read_back(simulated, answer.device_distances()) == distances_of(chain, 0));
  std::vector<float> out(chain.vertex_count());
  CHECK_FALSE(search.solve_into(0, out, options_with("")).exact);
}

namespace {

/// Returns 0 - 1 - 2 with lengths that float32 cannot hold, and a vertex without incoming edges.
digraph tenths() { return digraph::from_rows({0, 1, 2, 2, 2}, {1, 2}, std::vector<double>{0.1, 0.7}, "tenths"); }
const std::vector<double> right_tenths = {0, 0.1, 0.1 + 0.7, std::numeric_limits<double>::infinity()};

}  // namespace

TEST_CASE("distances of 8 bytes stay on the device, or are written to the caller's memory") {
  const device simulated = simulator();
  solver search(simulated, tenths());
  const solution answer = search.solve(0, {.keep_on_device = true});
  CHECK(answer.times().download == 0);
  const device_array array = answer.device_distances();
  CHECK(array.type == number_type::float64);
  REQUIRE(array.count == right_tenths.size());
  std::vector<double> distances(array.count);
  simulated.read(distances.data(), array.data, distances.size() * sizeof distances[0]);
  CHECK(distances == right_tenths);
  // They are copied to the host on request.
  CHECK(std::ranges::equal(answer.distances_float64(), right_tenths));
  CHECK(answer.exact());
  CHECK(answer.check().empty());
  CHECK(answer.path(2) == std::vector<vertex>{0, 1, 2});
  CHECK(answer.path(3).empty());

  for (const char* const name : {"simt", "cpu:2"}) {
    solver into(std::string_view(name) == "simt" ? simulator() : device(name), tenths());
    std::vector<double> out(right_tenths.size(), 12345);
    CHECK(into.solve_into(0, out).exact);
    CHECK(out == right_tenths);
    std::vector<float> narrow(right_tenths.size());
    CHECK_THROWS_WITH(into.solve_into(0, narrow), Contains("the distances of tenths are float64"));
    CHECK_THROWS_WITH(into.solve_into(0, std::span(out).first(2)), Contains("room for 2 distances"));
  }
}

TEST_CASE("a too large distance of 8 bytes differs from unreached") {
  const device simulated = simulator();
  const digraph huge = digraph::from_rows({0, 1, 2, 2, 2}, {1, 2}, std::vector<double>{1.5e308, 1.5e308});
  solver search(simulated, huge);
  const solution answer = search.solve(0, {.keep_on_device = true});
  CHECK_FALSE(answer.exact());
  CHECK_THAT(answer.check(), Contains("too large for its type"));
  CHECK(answer.path(2).size() == 3);
  CHECK(answer.path(3).empty());
  std::vector<double> out(4);
  CHECK_FALSE(search.solve_into(0, out).exact);
  CHECK_FALSE(solver(device("cpu:1"), huge).solve_into(0, out).exact);
  for (const device& target : {simulated, device("cpu:1")}) {
    solver many(target, huge);
    CHECK_FALSE(many.solve_many(std::vector<vertex>{0}, {}, [](const distance_rows&) {}).exact);
    CHECK_FALSE(many.solve_many(std::vector<vertex>{0}, {.targets = {2}}, [](const distance_rows&) {}).exact);
    CHECK(many.solve_many(std::vector<vertex>{1}, {}, [](const distance_rows&) {}).exact);
  }
}

TEST_CASE("blocks of distances of 8 bytes stay on the device") {
  const device simulated = simulator();
  solver search(simulated, tenths());
  for (const std::vector<vertex>& targets : {std::vector<vertex>{}, std::vector<vertex>{2, 3}}) {
    std::size_t rows = 0;
    const batch_summary done = search.solve_many(
        std::vector<vertex>{0, 1, 0},
        {.targets = targets, .memory_bytes = 2 * 4 * sizeof(double), .keep_on_device = true},
        [&](const distance_rows& block) {
          REQUIRE(block.on_device != nullptr);
          CHECK(block.type == number_type::float64);
          CHECK(block.float64.empty());
          std::vector<double> numbers(block.rows * block.columns);
          std::memcpy(numbers.data(), block.on_device, numbers.size() * sizeof numbers[0]);
          for (std::size_t i = 0; i < block.rows; ++i) {
            for (std::size_t k = 0; k < block.columns; ++k) {
              const std::size_t v = targets.empty() ? k : targets[k];
              const double from_1 = v == 1 ? 0 : v == 2 ? 0.7 : std::numeric_limits<double>::infinity();
              CHECK(numbers[i * block.columns + k] == (block.first + i == 1 ? from_1 : right_tenths[v]));
            }
          }
          rows += block.rows;
        });
    CHECK(rows == 3);
    CHECK(done.exact);
  }
}

TEST_CASE("weights of 8 bytes in device memory are refused") {
  const device simulated = simulator();
  caller_rows memory(simulated);
  device_rows rows = memory.upload(small_graph(graph::weight_type::uint32), 32, caller_rows::layout::apart);
  rows.weight_type = number_type::float64;
  CHECK_THAT(error_of(simulated, rows), Contains("float64") && Contains("from_rows()"));
}

TEST_CASE("distances are written to the caller's memory") {
  for (const char* const name : {"simt", "cpu:2"}) {
    const device target = std::string_view(name) == "simt" ? simulator() : device(name);
    for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
      const graph::csr_graph csr = small_graph(type);
      const digraph graph = detail::digraph_of(csr, "tested");
      solver search(target, graph);
      const std::vector<double> right = distances_of(csr, 7);
      std::vector<std::uint32_t> whole(csr.vertex_count(), 12345);
      std::vector<float> floats(csr.vertex_count(), 12345);
      if (type == graph::weight_type::uint32) {
        const search_summary summary = search.solve_into(7, whole);
        CHECK(summary.exact);
        CHECK(summary.choice.device == name);
        CHECK(summary.times.solve > 0);
        for (std::size_t v = 0; v < right.size(); ++v) {
          REQUIRE(right[v] == graph::distance_value(type, whole[v]));
        }
        CHECK_THROWS_WITH(search.solve_into(7, floats), Contains("the distances of tested are uint32"));
        CHECK_THROWS_WITH(search.solve_into(7, std::span(whole).first(3)), Contains("room for 3 distances"));
        CHECK_THROWS_WITH(search.solve_into(7, whole, {.keep_on_device = true}), Contains("cannot both"));
        CHECK(search.solve_into(7, whole, {.configurations = {}, .counters = true}).counters.size() > 1);
      } else {
        CHECK(search.solve_into(7, floats).exact);
        for (std::size_t v = 0; v < right.size(); ++v) REQUIRE(right[v] == static_cast<double>(floats[v]));
        CHECK_THROWS_WITH(search.solve_into(7, whole), Contains("the distances of tested are float32"));
      }
    }
  }
  const digraph graph = digraph::open("path9");
  solver processors(device("cpu:1"), graph);
  CHECK_THROWS_WITH(processors.solve(0, {.keep_on_device = true}), Contains("processors have no memory of their own"));
  int stream = 0;
  CHECK_THROWS_WITH(processors.solve(0, {.stream = &stream}), Contains("has no streams"));
  CHECK_THROWS_WITH(processors.solve_many(std::vector<vertex>{0}, {.keep_on_device = true}),
                    Contains("processors have no memory of their own"));
}

TEST_CASE("blocks of many searches stay on the device, and share the rows of single ones") {
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    watched counted;
    const graph::csr_graph csr = small_graph(type);
    const digraph graph = detail::digraph_of(csr, "tested");
    solver search(counted.handle, graph);
    (void)search.solve(0);
    const std::vector<vertex> sources{0, 5, 9, 11, 60};
    const std::vector<vertex> targets{3, 100, 0};
    for (const bool has_targets : {false, true}) {
      const std::size_t columns = has_targets ? targets.size() : csr.vertex_count();
      batch_options options{.memory_bytes = 2 * columns * 4, .keep_on_device = true};
      if (has_targets) options.targets = targets;
      std::size_t rows = 0;
      const batch_summary summary = search.solve_many(sources, options, [&](const distance_rows& block) {
        REQUIRE(block.on_device != nullptr);
        CHECK(block.uint32.empty());
        CHECK(block.float32.empty());
        CHECK(block.first == rows);
        CHECK_THROWS_AS(block.at(0, 0), input_error);
        std::vector<std::uint32_t> words(block.rows * block.columns);
        // This copies from the device directly: a simulated device uses host memory.
        std::memcpy(words.data(), block.on_device, words.size() * sizeof words[0]);
        for (std::size_t i = 0; i < block.rows; ++i, ++rows) {
          const std::vector<double> right = distances_of(csr, sources[rows]);
          for (std::size_t j = 0; j < block.columns; ++j) {
            const std::uint32_t word = words[i * block.columns + j];
            const double distance = block.type == number_type::float32 ? static_cast<double>(std::bit_cast<float>(word))
                                                                       : graph::distance_value(type, word);
            REQUIRE(distance == right[has_targets ? targets[j] : j]);
          }
        }
      });
      CHECK(rows == sources.size());
      CHECK(summary.times.download == 0);
      CHECK(summary.exact);
    }
    CHECK(counted.counts.allocations["the edges of tested"] == 1);
    CHECK(counted.counts.allocations["the row starts of tested"] == 1);
  }
}

TEST_CASE("many searches of a graph in device memory") {
  const device simulated = simulator();
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32);
  caller_rows memory(simulated);
  for (const problem kind : {problem::sssp, problem::bfs}) {
    const graph::csr_graph searched = kind == problem::bfs ? graph::with_unit_weights(csr) : csr;
    const digraph graph = digraph::from_device(simulated, memory.upload(csr, 64, caller_rows::layout::apart));
    solver search(simulated, graph, kind);
    std::size_t rows = 0;
    const batch_summary summary = search.solve_many(
        std::vector<vertex>{4, 8}, {.configurations = {"ell_width=8"}}, [&](const distance_rows& block) {
          for (std::size_t i = 0; i < block.rows; ++i, ++rows) {
            const std::vector<double> right = distances_of(searched, rows == 0 ? 4 : 8);
            for (std::size_t j = 0; j < block.columns; ++j) REQUIRE(block.at(i, j) == right[j]);
          }
        });
    CHECK(rows == 2);
    CHECK(summary.times.host_copy == 0);
    CHECK_FALSE(graph.on_host());
    CHECK(search.solve_many(std::vector<vertex>{4}, {.check = true}).searches == 1);
    CHECK(graph.on_host());
  }
}

TEST_CASE("functions that a search calls may drop handles of the device, and search between blocks") {
  const device simulated = simulator();
  const digraph graph = digraph::open("path9");
  solver search(simulated, graph);
  std::optional<solver> other(std::in_place, simulated, graph);
  auto answer = std::make_unique<solution>(other->solve(0, options_with("", true)));
  unsigned calls = 0;
  search.solve_many(std::vector<vertex>{0}, {}, [&](const distance_rows&) {
    ++calls;
    other.reset();
    answer.reset();
    CHECK(search.solve(0).distance(0) == 0);
  });
  CHECK(calls == 1);
  CHECK(search.solve(0).distance(0) == 0);
}

TEST_CASE("an owner is kept as long as the graph is") {
  const device simulated = simulator();
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32, "path9");
  caller_rows memory(simulated);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> alive = owner;
  {
    auto graph = std::make_unique<digraph>(digraph::from_device(
        simulated, memory.upload(csr, 32, caller_rows::layout::pairs), {.owner = std::move(owner)}));
    std::optional<solver> search(std::in_place, simulated, *graph);
    auto answer = std::make_unique<solution>(search->solve(0));
    graph.reset();
    CHECK_FALSE(alive.expired());
    search.reset();
    CHECK_FALSE(alive.expired());
    CHECK(answer->check().empty());
    answer.reset();
  }
  CHECK(alive.expired());
}

TEST_CASE("paths lead along edges whose weights add up to the distance") {
  const device processors("cpu:1");
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    const graph::csr_graph csr = small_graph(type);
    const digraph graph = detail::digraph_of(csr, "tested");
    solver search(processors, graph);
    const solution answer = search.solve(graph.default_source());
    CHECK(answer.path(graph.default_source()) == std::vector<vertex>{graph.default_source()});
    std::vector<std::vector<std::vector<vertex>>> by_thread(2);
    {
      std::vector<std::jthread> threads;
      for (auto& mine : by_thread) {
        threads.emplace_back([&] {
          for (vertex v = 0; v < csr.vertex_count(); ++v) mine.push_back(answer.path(v));
        });
      }
    }
    CHECK(by_thread[0] == by_thread[1]);
    unsigned unreached = 0;
    for (vertex v = 0; v < csr.vertex_count(); ++v) {
      const std::vector<vertex>& path = by_thread[0][v];
      if (std::isinf(answer.distance(v))) {
        ++unreached;
        REQUIRE(path.empty());
        continue;
      }
      REQUIRE(path.front() == answer.source());
      REQUIRE(path.back() == v);
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        bool is_edge = false;
        for (std::size_t e = csr.offsets()[path[i]]; e < csr.offsets()[path[i] + std::size_t{1}]; ++e) {
          is_edge = is_edge || (csr.targets()[e] == path[i + 1] &&
                                answer.distance(path[i]) + csr.weight(e) == answer.distance(path[i + 1]));
        }
        REQUIRE(is_edge);
      }
    }
    CHECK(unreached > 0);
    CHECK_THROWS_AS(answer.path(csr.vertex_count()), input_error);
  }
}
