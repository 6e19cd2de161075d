// SPDX-License-Identifier: Apache-2.0
// Quantities that are computed from the distances of searches, by every solver: on tiny graphs against their
// definitions, on larger ones against the reference for processors.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "backends/cuda/compiler.hpp"
#include "base/error.hpp"
#include "graph/generate.hpp"
#include "graph/hierarchy/customization.hpp"
#include "graph/reference.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "tests/multi_source/batch_test.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

using words = std::vector<std::uint64_t>;

/// The vertices and values of the tests: some vertices twice, some not at all.
std::vector<graph::vertex_id> some_vertices(std::size_t n, std::uint64_t seed) {
  std::vector<graph::vertex_id> vertices;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint64_t times = (i * 7 + seed) % 4; times-- > 1;) vertices.push_back(static_cast<graph::vertex_id>(i));
  }
  vertices.push_back(static_cast<graph::vertex_id>(seed % n));
  return vertices;
}

std::vector<reduction> all_reductions(std::size_t n, std::uint64_t seed, const words& limits, double scale) {
  const std::vector<graph::vertex_id> vertices = some_vertices(n, seed);
  words values;
  for (std::size_t i = 0; i < vertices.size(); ++i) values.push_back((i + seed) % 5 * 1'000'000'000'007);
  std::vector<graph::vertex_id> all_vertices(n);
  std::iota(all_vertices.begin(), all_vertices.end(), graph::vertex_id{0});
  using kind = reduction_kind;
  return {{.kind = kind::binned_sums, .vertices = vertices, .values = values, .limits = limits},
          {.kind = kind::binned_sums, .vertices = all_vertices, .limits = {limits.back()}},
          {.kind = kind::exponential_sum, .vertices = vertices, .values = values, .rate = 1 / scale},
          {.kind = kind::gaussian_sum, .vertices = vertices, .values = values, .rate = 1 / (scale * scale)},
          {.kind = kind::linear_sum, .vertices = vertices, .values = values, .rate = 1 / scale},
          {.kind = kind::distance_sum, .vertices = all_vertices},
          {.kind = kind::farthest, .vertices = vertices},
          {.kind = kind::nearest, .vertices = vertices, .count = 1 + seed % 5}};
}

/// Returns reductions for which a solver may compute sums only.
std::vector<reduction> sums_of_all_vertices(std::size_t n) {
  std::vector<graph::vertex_id> vertices(n);
  std::iota(vertices.begin(), vertices.end(), graph::vertex_id{0});
  return {{.kind = reduction_kind::distance_sum, .vertices = vertices, .has_all_vertices = true},
          {.kind = reduction_kind::farthest, .vertices = vertices, .has_all_vertices = true}};
}

/// Returns the words of a reduction by its definition; of sums with a decay in floating point.
std::vector<double> by_definition(const reduction& quantity, graph::weight_type type, const words& row,
                                  std::uint64_t none) {
  std::vector<double> result(reduction_width(quantity, type), static_cast<double>(first_word(quantity.kind)));
  std::vector<std::pair<std::uint64_t, std::size_t>> nearest;
  for (std::size_t i = 0; i < quantity.vertices.size(); ++i) {
    const std::uint64_t word = row[quantity.vertices[i]];
    if (word == none) continue;
    const double distance = number_of(type, word);
    const double value = quantity.values.empty() ? 1 : static_cast<double>(quantity.values[i]);
    switch (quantity.kind) {
      case reduction_kind::binned_sums:
        for (std::size_t bin = 0; bin < quantity.limits.size(); ++bin) {
          if (word <= quantity.limits[bin] && (bin == 0 || word > quantity.limits[bin - 1])) result[bin] += value;
        }
        break;
      case reduction_kind::exponential_sum:
        result[0] += value * std::exp2(-distance * quantity.rate);
        break;
      case reduction_kind::gaussian_sum:
        result[0] += value * std::exp2(-distance * distance * quantity.rate);
        break;
      case reduction_kind::linear_sum:
        result[0] += value * std::max(0.0, 1 - distance * quantity.rate);
        break;
      case reduction_kind::distance_sum:
        result.front() += distance;
        result.back() += 1;
        break;
      case reduction_kind::farthest:
        result[0] = std::max(result[0], static_cast<double>(word));
        break;
      case reduction_kind::nearest:
        nearest.emplace_back(word, i);
    }
  }
  std::ranges::sort(nearest);
  for (std::size_t i = 0; i < std::min(nearest.size(), quantity.count); ++i) {
    result[i] = static_cast<double>(nearest[i].first);
    result[quantity.count + i] = static_cast<double>(nearest[i].second);
  }
  return result;
}

std::vector<distance_reader*> addresses(const std::vector<std::unique_ptr<distance_reader>>& readers) {
  std::vector<distance_reader*> result;
  for (const auto& reader : readers) result.push_back(reader.get());
  return result;
}

/// Readers on the device of a fixture.
struct all_readers {
  all_readers(multi_source_fixture& tested, graph::weight_type type, const std::vector<reduction>& quantities,
              const std::vector<std::uint32_t>& first_pair, const std::vector<graph::vertex_id>& pair_vertices) {
    for (const reduction& quantity : quantities) readers.push_back(make_reducer(tested.device(), type, quantity));
    readers.push_back(make_pair_reader(tested.device(), type, first_pair, pair_vertices));
    pointers = addresses(readers);
  }
  std::vector<std::unique_ptr<distance_reader>> readers;
  std::vector<distance_reader*> pointers;
};

std::vector<std::pair<std::string, std::string>> every_device_and_label() {
  auto entries = device_and_label();
  for (const auto& entry : hierarchy_device_and_label()) entries.push_back(entry);
  return entries;
}

bool is_decayed(reduction_kind kind) {
  return kind == reduction_kind::exponential_sum || kind == reduction_kind::gaussian_sum ||
         kind == reduction_kind::linear_sum;
}

bool is_by_hierarchy(const std::string& label) {
  const std::size_t begin = std::string("solver=").size();
  return solver_named(label.substr(begin, label.find(',') - begin)).has_hierarchy;
}

}  // namespace

TEST_CASE("every reduction of tiny graphs is as defined, by every solver") {
  const auto entries = every_device_and_label();
  std::size_t by_hierarchy = 0;
  std::size_t turn = 0;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    if (!tests::in_share(seed)) continue;
    const oracle::tiny_graph tiny = oracle::random_tiny_graph(seed);
    const graph::csr_graph graph = tiny.csr();
    const problems::search_kind kind = seed % 3 == 0 ? problems::search_kind::bfs : problems::search_kind::sssp;
    const graph::weight_type type = kind == problems::search_kind::bfs ? graph::weight_type::uint32 : graph.weights();
    const auto& [device, label] = entries[turn++ % entries.size()];
    if (is_by_hierarchy(label)) {
      if (type != graph::weight_type::uint32) continue;
      ++by_hierarchy;
    }
    CAPTURE(seed, device, label, tiny.text());
    const std::size_t n = graph.vertex_count();
    std::vector<graph::vertex_id> sources(2 * n);
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = static_cast<graph::vertex_id>(i % n);
    std::vector<words> rows;
    for (const graph::vertex_id source : sources) {
      const auto narrow = oracle::brute_force(tiny, source, kind == problems::search_kind::bfs);
      rows.emplace_back(narrow.begin(), narrow.end());
    }
    const std::uint64_t middle = std::min<std::uint64_t>(rows[0][seed % n], graph::unreached - 2);
    const words limits = {middle / 2, middle, middle + 1};
    const double scale = std::max(1.0, 2 * number_of(type, middle));
    std::uint64_t farthest = 0;  // of vertices that are reached
    for (const words& row : rows) {
      for (const std::uint64_t word : row) farthest = word == graph::unreached ? farthest : std::max(farthest, word);
    }
    if (!std::isfinite(scale) || !std::isfinite(number_of(type, farthest))) continue;
    const std::vector<reduction> quantities = all_reductions(n, seed, limits, scale);
    std::vector<std::uint32_t> first_pair = {0};
    std::vector<graph::vertex_id> pair_vertices;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (std::size_t k = 0; k < (i + seed) % 4; ++k)
        pair_vertices.push_back(static_cast<graph::vertex_id>((i + 3 * k) % n));
      first_pair.push_back(static_cast<std::uint32_t>(pair_vertices.size()));
    }
    multi_source_fixture tested(device, graph, kind);
    tested.prepare(label);
    const all_readers readers(tested, type, quantities, first_pair, pair_vertices);
    for (int run = 0; run < 2; ++run)  // the second one begins with used memory
      REQUIRE(tested.search({.sources = sources, .readers = readers.pointers}, seed).result == db::outcome::ok);
    for (std::size_t r = 0; r < quantities.size(); ++r) {
      const words results = readers.readers[r]->results();
      const std::size_t width = reduction_width(quantities[r], type);
      REQUIRE(results.size() == sources.size() * width);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::vector<double> expected = by_definition(quantities[r], type, rows[i], graph::unreached);
        if (quantities[r].kind == reduction_kind::distance_sum) {
          const auto result = std::span(results).subspan(i * width, width);
          REQUIRE(distance_sum_of(type, result) == Approx(expected.front()).epsilon(1e-14));
          REQUIRE(static_cast<double>(result.back()) == expected.back());
          continue;
        }
        const auto rounded = static_cast<double>(quantities[r].vertices.size());  // each term is an integer
        for (std::size_t k = 0; k < width; ++k) {
          CAPTURE(r, i, k);
          REQUIRE(static_cast<double>(results[i * width + k]) == Approx(expected[k]).epsilon(1e-8).margin(rounded));
          if (!is_decayed(quantities[r].kind)) REQUIRE(static_cast<double>(results[i * width + k]) == expected[k]);
        }
      }
    }
    const words distances = readers.readers.back()->results();
    REQUIRE(distances.size() == pair_vertices.size());
    bool has_saturated = false;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (std::size_t pair = first_pair[i]; pair < first_pair[i + 1]; ++pair) {
        const std::uint64_t expected = rows[i][pair_vertices[pair]];
        REQUIRE(distances[pair] == (expected == graph::unreached ? no_result : expected));
        const std::uint64_t largest = type == graph::weight_type::float32
                                          ? std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity())
                                          : graph::saturated_distance;
        has_saturated = has_saturated || expected == largest;
      }
    }
    CHECK(readers.readers.back()->has_saturated() == has_saturated);
    if (type != graph::weight_type::uint32) continue;

    // The same sums, alone: between two runs in which the readers are given distances.
    const std::vector<reduction> sums = sums_of_all_vertices(n);
    const all_readers sum_readers(tested, type, sums, first_pair, pair_vertices);
    const auto alone = std::span(sum_readers.pointers).first(sums.size());
    for (const auto pointers : {std::span(sum_readers.pointers), alone, std::span(sum_readers.pointers)}) {
      REQUIRE(tested.search({.sources = sources, .readers = pointers}, seed).result == db::outcome::ok);
      for (std::size_t r = 0; r < sums.size(); ++r) {
        REQUIRE(alone[r]->needs_sums_only());
        const words results = alone[r]->results();
        const std::size_t width = reduction_width(sums[r], type);
        REQUIRE(results.size() == sources.size() * width);
        for (std::size_t i = 0; i < sources.size(); ++i) {
          CAPTURE(r, i, pointers.size());
          const std::vector<double> expected = by_definition(sums[r], type, rows[i], graph::unreached);
          for (std::size_t k = 0; k < width; ++k) REQUIRE(static_cast<double>(results[i * width + k]) == expected[k]);
        }
        CHECK(alone[r]->has_saturated() == (farthest == graph::saturated_distance));
      }
    }
  }
  CHECK(turn > 150);
  CHECK(by_hierarchy > 10);
}

TEST_CASE("reductions of larger graphs are those of the reference for processors, bit by bit") {
  std::size_t turn = 0;
  for (const char* name : tests::share_of(std::vector{"road9", "del8", "rmat7", "path300"})) {
    for (const graph::weight_type type :
         {graph::weight_type::uint32, graph::weight_type::float32, graph::weight_type::float64}) {
      const graph::csr_graph graph = graph::with_weight_type(graph::generate_named(name).graph, type);
      const std::size_t n = graph.vertex_count();
      std::vector<graph::vertex_id> sources(40);
      for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = static_cast<graph::vertex_id>(i * 31 % n);
      std::vector<std::uint32_t> first_pair = {0};
      std::vector<graph::vertex_id> pair_vertices;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) pair_vertices.push_back(static_cast<graph::vertex_id>((i + 13 * k) % n));
        first_pair.push_back(static_cast<std::uint32_t>(pair_vertices.size()));
      }
      std::vector<words> expected;
      for (const auto& [device, label] : every_device_and_label()) {
        if (++turn % 3 != 0 && device == "simt") continue;
        if (is_by_hierarchy(label) && (type != graph::weight_type::uint32 || std::string(name) == "rmat7")) continue;
        CAPTURE(name, graph::name_of(type), device, label);
        multi_source_fixture tested(device, graph);
        tested.prepare(label);
        const words limits = type == graph::weight_type::uint32 ? words{100, 2000, 3000}
                             : type == graph::weight_type::float32
                                 ? words{std::bit_cast<std::uint32_t>(100.F), std::bit_cast<std::uint32_t>(2000.F)}
                                 : words{std::bit_cast<std::uint64_t>(100.0), std::bit_cast<std::uint64_t>(2000.0)};
        const std::vector<reduction> quantities = all_reductions(n, 3, limits, 500);
        const all_readers readers(tested, type, quantities, first_pair, pair_vertices);
        REQUIRE(tested.search({.sources = sources, .readers = readers.pointers}, turn).result == db::outcome::ok);
        std::vector<words> results;
        for (const auto& reader : readers.readers) {
          results.push_back(reader->results());
          CHECK_FALSE(reader->has_saturated());
        }
        if (expected.empty()) {
          // The reference, from distances of Dijkstra.
          multi_source_fixture on_processors("cpu:1", graph);
          on_processors.prepare("solver=cpu_dijkstra");
          const all_readers reference(on_processors, type, quantities, first_pair, pair_vertices);
          REQUIRE(on_processors.search({.sources = sources, .readers = reference.pointers}).result == db::outcome::ok);
          for (const auto& reader : reference.readers) expected.push_back(reader->results());
        }
        CHECK(results == expected);
      }
    }
  }
}

TEST_CASE("the kernels of reductions compile to machine code") {
  try {
    (void)backends::nvrtc_version();
  } catch (const work_error&) {
    WARN("no NVRTC on this machine: the kernels are not compiled for a GPU");
    return;
  }
  const tests::scratch_folder folder;
  const tests::environment cache("MLMQ_CACHE", folder.path().string());
  using kind = reduction_kind;
  for (const graph::weight_type type :
       {graph::weight_type::uint32, graph::weight_type::float32, graph::weight_type::float64}) {
    for (const kind quantity : {kind::binned_sums, kind::exponential_sum, kind::gaussian_sum, kind::linear_sum,
                                kind::distance_sum, kind::farthest, kind::nearest}) {
      CAPTURE(graph::name_of(type), static_cast<int>(quantity));
      CHECK(backends::compile_for_gpu(reduction_variant(quantity, type), "sm_90").cubin.substr(1, 3) == "ELF");
    }
    CHECK(backends::compile_for_gpu(pair_variant(type), "sm_90").cubin.substr(1, 3) == "ELF");
  }
}

TEST_CASE("reductions with a cutoff of the searches do not see vertices beyond it") {
  const graph::csr_graph graph = graph::generate_road(8);
  const std::vector<graph::vertex_id> sources = {0, 5, 60};
  for (const auto& [device, label] : every_device_and_label()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    const all_readers readers(tested, graph::weight_type::uint32, all_reductions(graph.vertex_count(), 1, {5000}, 500),
                              {0, 0, 0, 0}, {});
    REQUIRE(tested.search({.sources = sources, .cutoff = 700, .readers = readers.pointers}).result == db::outcome::ok);
    const words reached = readers.readers[1]->results();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::vector<graph::distance_bits> row = graph::dijkstra(graph, sources[i]);
      CHECK(reached[i] == static_cast<std::uint64_t>(std::ranges::count_if(row, [](auto d) { return d <= 700; })));
    }
    const all_readers sum_readers(tested, graph::weight_type::uint32, sums_of_all_vertices(graph.vertex_count()),
                                  {0, 0, 0, 0}, {});
    const auto alone = std::span(sum_readers.pointers).first(2);
    REQUIRE(tested.search({.sources = sources, .cutoff = 700, .readers = alone}).result == db::outcome::ok);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      CHECK(alone[0]->results()[2 * i + 1] == reached[i]);
      CHECK(alone[1]->results()[i] <= 700);
    }
  }
}

TEST_CASE("distances that are read cannot be kept as well") {
  const std::vector<graph::vertex_id> sources = {1};
  multi_source_fixture tested("cpu:1", graph::generate_road(6));
  tested.prepare("solver=cpu_dijkstra");
  const all_readers readers(tested, graph::weight_type::uint32, {}, {0, 1}, {2});
  CHECK_THROWS_AS(tested.search({.sources = sources, .keep = true, .readers = readers.pointers}), std::logic_error);
  CHECK_THROWS_AS(make_reducer(tested.device(), graph::weight_type::uint32,
                               {.kind = reduction_kind::nearest, .count = most_reduction_words}),
                  std::logic_error);
}
