// SPDX-License-Identifier: Apache-2.0
// Distances that are read on the device after each batch.
#include <catch2/catch.hpp>

#include "graph/generate.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "tests/multi_source/batch_test.hpp"

using namespace mlmq;
using namespace mlmq::multi_source;

namespace {

/// Copies the distances of batches to rows, one per search. The simulator's memory is the host's.
class row_reader final : public distance_reader {
 public:
  row_reader(std::size_t searches, std::size_t vertices) : vertices_(vertices), rows_(searches), times_(searches, 0) {}

  void begin(std::size_t) override {}
  void read(std::size_t, std::span<const graph::distance_bits>) override {}
  void read(std::size_t, std::span<const graph::wide_distance_bits>) override {}
  [[nodiscard]] std::vector<std::uint64_t> results() override { return {}; }
  [[nodiscard]] bool has_saturated() override { return false; }

  void read(const distance_batch& batch, multi_source_control*) override {
    ++batches_;
    for (u32 column = 0; column < batch.columns; ++column) {
      const u32 search = batch.column_searches != nullptr ? batch.column_searches[column] : batch.first_search + column;
      ++times_.at(search);
      rows_[search].resize(vertices_);
      for (u32 v = 0; v < vertices_; ++v) {
        const u32 row = batch.vertex_rows != nullptr ? batch.vertex_rows[v] : v;
        const u32 distance = static_cast<const u32*>(batch.distances)[distance_index(batch, row, column)];
        rows_[search][v] = distance > batch.farthest ? graph::unreached : distance;
      }
    }
  }
  [[nodiscard]] const std::vector<graph::distance_bits>& row(std::size_t search) const { return rows_[search]; }
  [[nodiscard]] bool has_each_search_once() const { return std::ranges::count(times_, 1) == std::ssize(times_); }
  [[nodiscard]] std::size_t batches() const { return batches_; }

 private:
  std::size_t vertices_;
  std::vector<std::vector<graph::distance_bits>> rows_;
  std::vector<std::size_t> times_;
  std::size_t batches_ = 0;
};

std::vector<std::pair<std::string, std::string>> kernels() {
  auto pairs = device_and_label();
  for (const auto& entry : hierarchy_device_and_label()) pairs.push_back(entry);
  std::erase_if(pairs, [](const auto& entry) { return entry.first != "simt"; });
  return pairs;
}

}  // namespace

TEST_CASE("each search is a column of one batch, with the distances that are kept otherwise") {
  const graph::csr_graph graph = graph::generate_named("road7").graph;
  std::vector<graph::vertex_id> sources(70);
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources[i] = static_cast<graph::vertex_id>(i * 31 % graph.vertex_count());
  for (const auto& [device, label] : kernels()) {
    CAPTURE(device, label);
    multi_source_fixture tested(device, graph);
    tested.prepare(label);
    for (const std::size_t batch_searches : {std::size_t{0}, std::size_t{20}}) {
      const graph::wide_distance_bits cutoff = batch_searches == 0 ? graph::wide_unreached : 900;
      row_reader reader(sources.size(), graph.vertex_count());
      distance_reader* const readers[] = {&reader};
      const tuner::run_report report =
          tested.search({.sources = sources, .cutoff = cutoff, .batch_searches = batch_searches, .readers = readers});
      REQUIRE(report.result == db::outcome::ok);
      const bool is_one_group =
          label.find("lane_searches=4") != std::string::npos || label.find("lane_searches=8") != std::string::npos;
      const bool is_few = label.find("supernode") != std::string::npos;  // as many searches as columns
      CHECK((reader.batches() > 1) == (is_few || (batch_searches > 0 && !is_one_group)));
      CHECK(report.milliseconds > 0);
      REQUIRE(reader.has_each_search_once());
      REQUIRE(tested.search({.sources = sources, .cutoff = cutoff, .keep = true}).result == db::outcome::ok);
      for (std::size_t i = 0; i < sources.size(); ++i)
        REQUIRE(reader.row(i) == tested.instance().active_solver().distances(i, 1));
    }
  }
}

TEST_CASE("requests whose distances are read cannot keep them, and have no targets") {
  const std::vector<graph::vertex_id> sources = {1};
  row_reader reader(1, 64);
  distance_reader* const readers[] = {&reader};
  multi_source_fixture tested("simt", graph::generate_road(6));
  tested.prepare("solver=block,threads=32,blocks=1,near_items=32,delta=1");
  CHECK_THROWS_AS(tested.search({.sources = sources, .keep = true, .readers = readers}), std::logic_error);
  CHECK_THROWS_AS(tested.search({.sources = sources, .targets = sources, .readers = readers}), std::logic_error);
}
