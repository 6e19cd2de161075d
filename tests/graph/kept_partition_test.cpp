// SPDX-License-Identifier: Apache-2.0
// Partitions in the cache folder: read instead of computed, and computed again after any damage.
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/code_cache.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "graph/generate.hpp"
#include "graph/kept_partition.hpp"
#include "graph/partition.hpp"
#include "tests/support/environment.hpp"

namespace {

namespace fs = std::filesystem;
using namespace mlmq;

constexpr unsigned parts = 300;

struct kept_road {
  graph::csr_graph graph = graph::generate_road(15);
  std::vector<std::uint32_t> loads = std::vector<std::uint32_t>(graph.vertex_count(), 1);
  temporary_folder place{"test"};
  tests::environment variable{"MLMQ_CACHE", place.path().c_str()};
  thread_team team{2};

  [[nodiscard]] std::vector<std::uint32_t> get() { return graph::kept_partition(graph, loads, parts, team); }
  [[nodiscard]] std::vector<std::uint32_t> expected() { return graph::partition(graph, loads, parts, team); }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    if (!fs::exists(place.path() / "parts")) return result;
    for (const auto& entry : fs::directory_iterator(place.path() / "parts")) {
      if (entry.path().filename() != "lock") result.push_back(entry.path());
    }
    return result;
  }
};

void write(const fs::path& file, std::string_view content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace

TEST_CASE("a partition is kept and read again") {
  kept_road road;
  const std::vector<std::uint32_t> expected = road.expected();
  CHECK(road.get() == expected);
  REQUIRE(road.files().size() == 1);
  CHECK(road.get() == expected);
  CHECK(road.files().size() == 1);
  // A valid file with other parts shows that the file is read.
  const fs::path file = road.files().front();
  const std::string content = *unseal_code(file.stem().string(), read_file(file));
  CHECK(content.size() == 2 * expected.size());
  std::string other = content;
  other[0] = static_cast<char>(other[0] ^ 1);
  write(file, seal_code(file.stem().string(), other));
  std::vector<std::uint32_t> changed = expected;
  changed[0] ^= 1;
  CHECK(road.get() == changed);
}

TEST_CASE("a damaged partition is computed again and replaced") {
  kept_road road;
  const std::vector<std::uint32_t> expected = road.expected();
  REQUIRE(road.get() == expected);
  const fs::path file = road.files().front();
  const std::string whole = read_file(file);
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 4);
  for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() / 2), flipped, std::string("parts")}) {
    write(file, damaged);
    CHECK(road.get() == expected);
    CHECK(read_file(file) == whole);
  }
  // Files that are intact but not a partition of this graph.
  const std::string content = *unseal_code(file.stem().string(), whole);
  for (const std::string& wrong : {content.substr(2), std::string(content.size(), '\xFF')}) {
    write(file, seal_code(file.stem().string(), wrong));
    CHECK(road.get() == expected);
  }
}

TEST_CASE("another graph, number of parts or load is another partition") {
  kept_road road;
  (void)road.get();
  (void)graph::kept_partition(road.graph, road.loads, parts + 1, road.team);
  CHECK(road.files().size() == 2);
  road.loads.back() = 2;
  (void)road.get();
  CHECK(road.files().size() == 3);
  road.graph = graph::generate_road(15, 2);
  road.loads.assign(road.graph.vertex_count(), 1);
  CHECK(road.get() == road.expected());
  CHECK(road.files().size() == 4);
  // The weights have no influence on the parts.
  road.graph = graph::with_unit_weights(road.graph);
  CHECK(road.get() == road.expected());
  CHECK(road.files().size() == 4);
  // Small graphs are not worth a file.
  road.graph = graph::generate_road(8);
  road.loads.assign(road.graph.vertex_count(), 1);
  CHECK(road.get() == road.expected());
  CHECK(road.files().size() == 4);
}
