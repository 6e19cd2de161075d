// SPDX-License-Identifier: Apache-2.0
// Invalid files: every message names the file and the place, and no prefix of a file crashes the reader.
#include <catch2/catch.hpp>

#include "graph/io.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct wrong_file {
  std::string name;
  std::string content;
  std::string message;  ///< the message after the path
};

void check(const scratch_folder& folder, const wrong_file& wrong) {
  const auto file = folder.write(wrong.name, wrong.content);
  const std::string message = error_of([&] { return read_graph(file); });
  INFO(wrong.content);
  CHECK_THAT(message, StartsWith(file.string() + wrong.message));
  CHECK(message.find('\n') == std::string::npos);
}

const std::string mtx = "%%MatrixMarket matrix coordinate ";

std::string galois(std::initializer_list<std::uint64_t> words, std::initializer_list<std::uint32_t> halves = {}) {
  return bytes_of(words) + bytes_of(halves);
}

}  // namespace

TEST_CASE("wrong DIMACS files") {
  const scratch_folder folder;
  const std::vector<wrong_file> files{
      {"a.gr", "", ":0: the file ends without a line 'p sp"},
      {"a.gr", "c only\n", ":1: the file ends without a line 'p sp"},
      {"a.gr", "a 1 2 3\n", ":1: an arc before the line 'p sp"},
      {"a.gr", "p max 2 1\n", ":1: expected 'p sp VERTICES ARCS'"},
      {"a.gr", "p sp 2\n", ":1: expected 'p sp VERTICES ARCS'"},
      {"a.gr", "p sp 2 1 0\n", ":1: expected 'p sp VERTICES ARCS'"},
      {"a.gr", "p sp -2 1\n", ":1: expected 'p sp VERTICES ARCS'"},
      {"a.gr", "p sp 0 0\n", ":1: the graph has no vertices"},
      {"a.gr", "p sp 4294967295 0\n", ":1: 4294967295 vertices, expected at most 4294967294"},
      {"a.gr", "p sp 2 1\np sp 2 1\n", ":2: a second 'p' line"},
      {"a.gr", "p sp 2 1\nc\na 1 3 1\n", ":3: vertex 3 is out of range, expected 1 to 2"},
      {"a.gr", "p sp 2 1\na 0 1 1\n", ":2: vertex 0 is out of range, expected 1 to 2"},
      {"a.gr", "p sp 2 1\na x 1 1\n", ":2: 'x' is not a vertex"},
      {"a.gr", "p sp 2 1\na 1\n", ":2: '' is not a vertex"},
      {"a.gr", "p sp 2 1\na 1 2\n", ":2: the weight is missing"},
      {"a.gr", "p sp 2 1\na 1 2 3 4\n", ":2: text after the weight"},
      {"a.gr", "p sp 2 1\na 1 2 abc\n", ":2: weight 'abc' is not a number"},
      {"a.gr", "p sp 2 1\na 1 2 1.5x\n", ":2: weight '1.5x' is not a number"},
      {"a.gr", "p sp 2 1\na 1 2 --1\n", ":2: weight '--1' is not a number"},
      {"a.gr", "p sp 2 1\na 1 2 .\n", ":2: weight '.' is not a number"},
      {"a.gr", "p sp 2 1\na 1 2 0x10\n", ":2: weight '0x10' is not a number"},
      {"a.gr", "p sp 2 1\na 1 2 nan\n", ":2: weight 'nan' is not finite"},
      {"a.gr", "p sp 2 1\na 1 2 -Inf\n", ":2: weight '-Inf' is not finite"},
      {"a.gr", "p sp 2 1\na 1 2 1e39\n", ":2: weight '1e39' is too large"},
      {"a.gr", "p sp 2 1\na 1 2 1e99999\n", ":2: weight '1e99999' is too large"},
      {"a.gr", "p sp 2 1\na 1 2 10e9223372036854775807\n", ":2: weight '10e9223372036854775807' is too large"},
      {"a.gr", "p sp 2 2\na 1 2 4294967294\na 1 2 1\n",
       ":2: integer weight '4294967294' is too large, expected at most 4294967293"},
      {"a.gr", "p sp 2 1\na 1 2 99999999999999999999999\n", ":2: integer weight"},
      {"a.gr", "p sp 2 1\na 1 2 1\na 2 1 1\n", ":3: more arcs than the 1"},
      {"a.gr", "p sp 2 3\na 1 2 1\na 2 1 1\n", ":3: the file ends after 2 of the 3 arcs"},
      {"a.gr", "p sp 2 1\ne 1 2 1\n", ":2: the line starts with 'e', expected c, p or a"},
      {"a.gr", "p sp 4294967294 99999999999999\na 1 2 1\n", ":2: the file ends after 1 of"},
      {"a.gr", "p sp 4294967294 4194302\n", ":1: 4294967294 vertices with only 4194302 edges, expected at least one"},
      {"a.gr", "p sp 42949674 0\n", ":1: 42949674 vertices with only 0 edges, expected at least one"},
  };
  for (const wrong_file& file : files) check(folder, file);
}

TEST_CASE("wrong Matrix Market files") {
  const scratch_folder folder;
  const std::vector<wrong_file> files{
      {"a.mtx", "", ": is empty"},
      {"a.mtx", "3 3 1\n1 1\n", ":1: expected '%%MatrixMarket"},
      {"a.mtx", "%%MatrixMarket matrix\n", ":1: expected '%%MatrixMarket"},
      {"a.mtx", "%%MatrixMarket vector coordinate real general\n", ":1: object 'vector' is not supported, expected"},
      {"a.mtx", "%%MatrixMarket matrix array real general\n", ":1: layout 'array'"},
      {"a.mtx", mtx + "complex general\n", ":1: field 'complex'"},
      {"a.mtx", mtx + "real hermitian\n", ":1: symmetry 'hermitian'"},
      {"a.mtx", mtx + "real general\n", ":1: the file ends before the line 'ROWS"},
      {"a.mtx", mtx + "real general\n2 2\n", ":2: expected 'ROWS COLUMNS ENTRIES'"},
      {"a.mtx", mtx + "real general\n% c\n2 3 1\n", ":3: the matrix is 2 x 3, expected a square matrix"},
      {"a.mtx", mtx + "real general\n0 0 0\n", ":2: the graph has no vertices"},
      {"a.mtx", mtx + "real general\n5000000000 5000000000 0\n", ":2: 5000000000 vertices"},
      {"a.mtx", mtx + "real general\n40000000 40000000 0\n", ":2: 40000000 vertices with only 0 edges"},
      {"a.mtx", mtx + "real general\n2 2 1\n1 3 1\n", ":3: index 3 is out of range"},
      {"a.mtx", mtx + "real general\n2 2 1\n0 1 1\n", ":3: index 0 is out of range"},
      {"a.mtx", mtx + "real general\n2 2 1\n1 b 1\n", ":3: 'b' is not a row or column number"},
      {"a.mtx", mtx + "real general\n2 2 1\n1 1\n", ":3: the value is missing"},
      {"a.mtx", mtx + "real general\n2 2 1\n1 1 1 1\n", ":3: text after the value"},
      {"a.mtx", mtx + "real general\n2 2 1\n1 1 NaN\n", ":3: weight 'NaN' is not finite"},
      {"a.mtx", mtx + "pattern general\n2 2 1\n1 1 1\n", ":3: text after the column"},
      {"a.mtx", mtx + "pattern general\n2 2 1\n1 1\n1 2\n", ":4: more entries than"},
      {"a.mtx", mtx + "pattern general\n2 2 3\n1 1\n", ":3: the file ends after 1 of the"},
  };
  for (const wrong_file& file : files) check(folder, file);
}

TEST_CASE("wrong edge lists") {
  const scratch_folder folder;
  const std::vector<wrong_file> files{
      {"a.txt", "", ": the graph has no vertices"},
      {"a.txt", "# nothing\n", ": the graph has no vertices"},
      {"a.txt", "0 1\n2\n", ":2: only one column"},
      {"a.txt", "0 1\n-2 1\n", ":2: '-2' is not a vertex id"},
      {"a.txt", "0 1.5\n", ":1: '1.5' is not a vertex id"},
      {"a.txt", "0 18446744073709551616\n", ":1: '18446744073709551616' is not a vertex id"},
      {"a.txt", "0 1 2 3\n", ":1: more than the three columns"},
      {"a.txt", "# c\n0 1 2\n1 2\n", ":3: 2 columns, expected 3 as in line 2"},
      {"a.txt", "0 1\n1 2 3\n", ":2: 3 columns, expected 2 as in line 1"},
      {"a.txt", "0 1 inf\n", ":1: weight 'inf' is not finite"},
      {"a.txt", "0 1 5000000000\n", ":1: integer weight '5000000000' is too large"},
      {"a.txt", std::string("\1\0\0\0\xFF\x80", 6), ":1: '?"},
      {"a.txt", std::string(3000000, 'x'), ":1: the line is longer than"},
  };
  for (const wrong_file& file : files) check(folder, file);
}

TEST_CASE("wrong Galois files") {
  const scratch_folder folder;
  const std::vector<wrong_file> files{
      {"a.gr", galois({1, 4}), ": byte 16: the file ends within the 32-byte Galois header"},
      {"a.gr", galois({2, 4, 1, 0, 0}), ": byte 0: version 2, expected 1"},
      {"a.gr", galois({1, 8, 1, 0, 0}), ": byte 8: edge data of 8 bytes, expected 0 or 4"},
      {"a.gr", galois({1, 4, 0, 0}), ": byte 16: the graph has no vertices"},
      {"a.gr", galois({1, 4, 0xFFFFFFFF, 0}), ": byte 16: 4294967295 vertices, expected at most"},
      {"a.gr", galois({1, 4, ~0ull, ~0ull}), ": byte 16: 18446744073709551615 vertices"},
      {"a.gr", galois({1, 4, 0xFFFFFFFE, 0}), ": byte 32: the file ends early"},
      {"a.gr", galois({1, 4, 1, ~0ull, 0}), ": byte 40: the file ends early"},
      {"a.gr", galois({1, 4, 1, 1ull << 62, 0}), ": byte 40: the file ends early"},
      {"a.gr", galois({1, 4, 1, 2, 2}, {0, 0, 7}), ": byte 52: the file has 52 bytes, but"},
      {"a.gr", galois({1, 4, 1, 0, 0}, {0}), ": byte 40: the file has 44 bytes, but"},
      {"a.gr", galois({1, 4, 2, 2, 3, 2}, {0, 0, 7, 7}), ": byte 32: the edges of vertex 0 end"},
      {"a.gr", galois({1, 4, 2, 2, 2, 1}, {0, 0, 7, 7}), ": byte 40: the edges of vertex 1 end"},
      {"a.gr", galois({1, 4, 2, 2, 1, 1}, {0, 0, 7, 7}), ": byte 40: the edges of the last"},
      {"a.gr", galois({1, 4, 2, 2, 1, 2}, {0, 2, 7, 7}), ": byte 52: edge 1 leads to vertex 2"},
  };
  for (const wrong_file& file : files) {
    check(folder, file);
    check(folder, {"z.gr.gz", gzip(file.content), file.message});
  }
}

TEST_CASE("files that cannot be read at all") {
  const scratch_folder folder;
  const std::string path = folder.path().string();
  CHECK(error_of([&] { return read_graph(folder.path() / "none.gr"); }) == path + "/none.gr: no such file");
  std::filesystem::create_directory(folder.path() / "folder.gr");
  CHECK_THAT(error_of([&] { return read_graph(folder.path() / "folder.gr"); }), Contains("folder.gr: is a folder"));
  check(folder, {"a.gr.gz", "p sp 1 0\n", ": the name ends in .gz, but the content"});
  check(folder, {"a.gr.gz", "", ": the name ends in .gz, but the content"});
  check(folder, {"a.png", "", ": the file name does not end in a known extension"});
}

TEST_CASE("damaged gzip data is noticed and placed") {
  const scratch_folder folder;
  std::string text = "p sp 1000 20000\n";
  for (int i = 0; i < 20000; ++i) {
    text += "a " + std::to_string(i % 1000 + 1) + " " + std::to_string(i * 7919 % 1000 + 1) + " " +
            std::to_string(i * 31 % 977) + "\n";
  }
  const std::string whole = gzip(text);
  const auto error = [&](const std::string& content) {
    const auto file = folder.write("a.gr.gz", content);
    return error_of([&] { return read_graph(file); });
  };
  CHECK_THAT(error(whole.substr(0, whole.size() / 2)), Contains("a.gr.gz:"));
  CHECK_THAT(error(whole.substr(0, whole.size() / 2)), Contains("file is truncated"));
  CHECK_THAT(error(whole.substr(0, whole.size() - 1)),
             Contains("a.gr.gz:20002: the gzip data ends early; the file is truncated"));
  std::string checksum = whole;
  checksum[whole.size() - 6] = static_cast<char>(checksum[whole.size() - 6] ^ 1);
  CHECK_THAT(error(checksum), Contains("the gzip data is corrupt (incorrect data check)"));
  // Any flipped bit must be noticed, in the text or by the checksum, except for trailing bits of the header.
  for (std::size_t position = 20; position < whole.size() - 8; position += whole.size() / 150) {
    std::string flipped = whole;
    flipped[position] = static_cast<char>(flipped[position] ^ 0x10);
    REQUIRE_THAT(error(flipped), Contains("a.gr.gz:"));
  }
}

TEST_CASE("gzip data that ends anywhere but at its end is noticed") {
  const scratch_folder folder;
  // A little compressed data holds much text: more than one buffer is still to come when the file has ended.
  std::string text;
  while (text.size() < 5'000'000) text += "1 2 3\n";
  const std::string whole = gzip(text);
  CHECK(read_graph(folder.write("a.txt.gz", whole)).edge_count() == text.size() / 6);
  // Tries each end within the last bytes (the end of the last block, the checksum and the size), and some before.
  for (std::size_t size = 18; size < whole.size(); size += whole.size() < 24 + size ? 1 : 397) {
    CAPTURE(size);
    REQUIRE_THAT(error_of([&] { return read_graph(folder.write("a.txt.gz", whole.substr(0, size))); }),
                 Contains("the gzip data ends early; the file is truncated"));
  }
  // Members may follow each other, but no other data may follow them.
  CHECK(read_graph(folder.write("a.txt.gz", gzip("0 1\n") + gzip("1 2\n") + gzip(""))).edge_count() == 2);
  CHECK_THAT(error_of([&] { return read_graph(folder.write("a.txt.gz", gzip("0 1\n") + "1 2\n")); }),
             Contains("a.txt.gz:2: unexpected bytes after the end of the gzip data"));
  CHECK_THAT(error_of([&] {
               return read_graph(folder.write("a.gr.gz", gzip(galois({1, 0, 1, 0, 0})) + '\0'));
             }),
             Contains("unexpected bytes after the end of the gzip data"));
}

TEST_CASE("every prefix of a file gives a graph or an input_error") {
  const scratch_folder folder;
  const std::vector<std::pair<std::string, std::string>> files{
      {"a.gr", "c comment\np sp 12 5\na 1 12 10\na 3 1 7.25\na 12 3 0\na 2 2 4\na 11 10 1e2\n"},
      {"b.gr", galois({1, 4, 4, 5, 2, 2, 4, 5}, {1, 2, 3, 0, 1, 0, 5, 6, 7, 8, 9})},
      {"c.gr", galois({1, 0, 4, 5, 2, 2, 4, 5}, {1, 2, 3, 0, 1, 0})},
      {"a.mtx", mtx + "real symmetric\n% c\n12 12 4\n1 1 3\n12 1 1.25e-1\n3 2 4\n12 11 0.5\n"},
      {"b.mtx", mtx + "pattern general\n12 12 3\n10 1\n12 11\n3 2\n"},
      {"a.txt", "# Undirected graph\n# c\n10 20\n20 300\n300 10\n"},
      {"b.txt", "10 20 1\n20 300 2.5\n300 10 31\n"},
  };
  for (const auto& [name, content] : files) {
    const std::string packed = gzip(content);
    CHECK(read_graph(folder.write(name, content)).vertex_count() > 0);
    CHECK(read_graph(folder.write(name + ".gz", packed)).vertex_count() > 0);
    for (std::size_t length = 0; length < content.size(); ++length) {
      const auto file = folder.write(name, content.substr(0, length));
      try {
        const csr_graph graph = read_graph(file);
        REQUIRE(graph.vertex_count() > 0);
        REQUIRE(graph.offsets().back() == graph.edge_count());
      } catch (const mlmq::input_error& error) {
        REQUIRE_THAT(error.what(), StartsWith(file.string() + ":"));
      }
    }
    for (std::size_t length = 0; length < packed.size(); ++length) {
      const auto file = folder.write(name + ".gz", packed.substr(0, length));
      REQUIRE_THAT(error_of([&] { return read_graph(file); }), StartsWith(file.string() + ":"));
    }
  }
}
