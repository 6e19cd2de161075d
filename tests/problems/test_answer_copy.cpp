// SPDX-License-Identifier: Apache-2.0
// Distances that are copied to the host behind a search, in one wait, equal those of a download.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "graph/generate.hpp"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;

constexpr auto untouched = std::byte{0x5A};

std::vector<std::byte> bytes_of(const graph::distance_array& distances) {
  return std::visit(
      [](const auto& numbers) {
        const auto bytes = std::as_bytes(std::span(numbers));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
      },
      distances);
}

/// A device that counts waits and copies.
class counting_device final : public tampered_device {
 public:
  using tampered_device::tampered_device;
  unsigned waits = 0;
  std::vector<std::size_t> copied;

  double measure_and_download(const std::function<void()>& queue_work,
                              std::span<const backends::host_copy> requested) override {
    for (const backends::host_copy& copy : requested) copied.push_back(copy.bytes);
    const unsigned before = waits;
    const double milliseconds = backends::backend::measure_and_download(queue_work, requested);
    waits = before + 1;
    return milliseconds;
  }
  void download(void* target, const backends::device_memory& source, std::size_t bytes) override {
    ++waits;
    tampered_device::download(target, source, bytes);
  }
};

}  // namespace

TEST_CASE("a search and its answer are waited for once, whatever solver searches") {
  const auto real = open_simulator();
  struct sample {
    std::string label;
    graph::weight_type weights;
  };
  for (const auto& [label, weights] :
       {sample{"threads=64", graph::weight_type::uint32}, sample{"threads=64", graph::weight_type::float32},
        sample{"solver=near_far,threads=64", graph::weight_type::uint32},
        sample{"solver=near_far,threads=64", graph::weight_type::float64},
        sample{"solver=adds,threads=64", graph::weight_type::uint32}}) {
    CAPTURE(label, graph::name_of(weights));
    for (const hard_graph& hard : {hard_graph_named("shortcuts", weights), hard_graph_named("components", weights)}) {
      counting_device device(*real);
      problems::tests::search tried(device, hard.graph);
      tried.prepare(configuration_of(label));
      std::vector<std::byte> room(hard.graph.vertex_count() * (weights == graph::weight_type::float64 ? 8 : 4),
                                  untouched);
      REQUIRE(tried.run(hard.sources.back()).result == db::outcome::ok);  // initialises what later runs reuse
      device.waits = 0;
      device.copied.clear();
      const auto [report, is_there] = tried.instance().run_from(hard.sources.front(), 1000, room);
      REQUIRE(report.result == db::outcome::ok);
      CHECK(is_there);
      CHECK(device.waits == 1);
      CHECK(device.copied == std::vector<std::size_t>{4, room.size()});
      CHECK(room == bytes_of(tried.instance().all_distances()));
      CHECK(disagreement(tried, hard.graph, hard.sources.front()).empty());

      // Later runs leave the copied answer alone.
      const std::vector<std::byte> before = room;
      std::ranges::fill(room, untouched);
      CHECK(tried.run(hard.sources.front()).result == db::outcome::ok);
      CHECK(std::ranges::all_of(room, [](std::byte byte) { return byte == untouched; }));
      CHECK(bytes_of(tried.instance().all_distances()) == before);
    }
  }
}

TEST_CASE("the answer of a second attempt is the one that is copied") {
  // With one worker, no warp reads while it writes: the ring of 32 slots is too small for the leaves of a star.
  const auto real = open_simulator("simt:1x4");
  counting_device device(*real);
  const hard_graph star = hard_graph_named("hub", graph::weight_type::uint32);
  problems::tests::search tried(device, star.graph, {.first = 32});
  tried.prepare(configuration_of("l0=none,l1=none,l2=vector,l2_batch=1,threads=64"));
  std::vector<std::byte> room(star.graph.vertex_count() * 4, untouched);
  const auto [report, is_there] = tried.instance().run_from(star.sources.front(), 1000, room);
  REQUIRE(report.result == db::outcome::ok);
  CHECK(device.launches > 1);
  CHECK(is_there);
  CHECK(room == bytes_of(tried.instance().all_distances()));
  CHECK(disagreement(tried, star.graph, star.sources.front()).empty());
}

TEST_CASE("the next search does not write into the buffer of a failed one") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("shortcuts", graph::weight_type::uint32);
  problems::tests::search tried(device, hard.graph);
  tried.prepare(configuration_of("threads=64"));
  {
    std::vector<std::byte> room(hard.graph.vertex_count() * 4, untouched);
    device.fault_after_ms = 1e-6;
    CHECK_THROWS_AS(tried.instance().run_from(hard.sources.front(), 1000, room), backends::kernel_fault);
    CHECK(std::ranges::all_of(room, [](std::byte byte) { return byte == untouched; }));
    device.fault_after_ms = 0;
    CHECK(tried.run(hard.sources.front()).result == db::outcome::ok);
    CHECK(std::ranges::all_of(room, [](std::byte byte) { return byte == untouched; }));
  }
  CHECK(disagreement(tried, hard.graph, hard.sources.front()).empty());
}

TEST_CASE("processors copy no answer behind a search") {
  const auto device = backends::open_device("cpu:1");
  const hard_graph hard = hard_graph_named("shortcuts", graph::weight_type::uint32);
  problems::tests::search tried(*device, hard.graph);
  tried.prepare(configuration_of("solver=dijkstra"));
  std::vector<std::byte> room(hard.graph.vertex_count() * 4, untouched);
  const auto [report, is_there] = tried.instance().run_from(hard.sources.front(), 1000, room);
  CHECK(report.result == db::outcome::ok);
  CHECK_FALSE(is_there);
  CHECK(std::ranges::all_of(room, [](std::byte byte) { return byte == untouched; }));
}
