// SPDX-License-Identifier: Apache-2.0
// Compiled code of many keys in one file: reading returns exactly the written code.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>

#include "base/code_archive.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace mlmq;

std::string noise(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(bytes, '\0');
  for (char& letter : text) letter = static_cast<char>(random());
  return text;
}

const std::map<std::string, std::string> code{
    {"a", noise(1000, 1)}, {"b", std::string(100'000, 'x')}, {"c", ""}, {"d", std::string("\0\n end", 6)}};

struct written_archive {
  written_archive() { code_archive::write(file(), "NVRTC 1.2", "sm_90", code); }
  [[nodiscard]] std::filesystem::path file() const { return folder / "sm_90.kernels"; }
  tests::scratch_folder folder;
};

}  // namespace

TEST_CASE("an archive returns the written code") {
  const written_archive written;
  const code_archive archive(written.file());
  CHECK(archive.compiler() == "NVRTC 1.2");
  CHECK(archive.target() == "sm_90");
  CHECK(archive.size() == code.size());
  CHECK(archive.bytes() == std::filesystem::file_size(written.file()));
  CHECK(archive.bytes() < 3000);  // packed
  for (const auto& [key, bytes] : code) CHECK(archive.find(key) == bytes);
  CHECK_FALSE(archive.find("e"));
  CHECK_FALSE(archive.find(""));
  CHECK(archive.count_damaged() == 0);
}

TEST_CASE("an archive may be empty") {
  const tests::scratch_folder folder;
  code_archive::write(folder / "none", "x", "y", {});
  const code_archive archive(folder / "none");
  CHECK(archive.size() == 0);
  CHECK_FALSE(archive.find("a"));
}

TEST_CASE("every byte that is changed is noticed, in the index or in the code that it belongs to") {
  const written_archive written;
  const std::string whole = read_file(written.file());
  const std::size_t end_of_index = whole.find('\n', whole.find("\nend ") + 1) + 1;
  unsigned refused = 0;
  unsigned damaged = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    written.folder.write("changed", changed);
    CAPTURE(i);
    if (i < end_of_index) {
      CHECK_THROWS_AS(code_archive(written.folder / "changed"), input_error);
      ++refused;
      continue;
    }
    const code_archive archive(written.folder / "changed");
    for (const auto& [key, bytes] : code) CHECK(archive.find(key).value_or(bytes) == bytes);
    // A few bits in zlib's format have no meaning.
    if (archive.count_damaged() == 1) ++damaged;
  }
  CHECK(refused == end_of_index);
  CHECK(damaged > (whole.size() - end_of_index) * 9 / 10);
}

TEST_CASE("an archive that is cut off is refused") {
  const written_archive written;
  const std::string whole = read_file(written.file());
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 50) {
    written.folder.write("cut", whole.substr(0, length));
    CHECK_THROWS_AS(code_archive(written.folder / "cut"), input_error);
  }
  CHECK_THROWS_WITH(code_archive(written.folder / "nothing"), Catch::Contains("cannot be read"));
  CHECK_THROWS_WITH(code_archive(written.folder.path()), Catch::Contains("not a regular file"));
}

TEST_CASE("code of one key is not that of another") {
  const written_archive written;
  std::string whole = read_file(written.file());
  // The index entries of a and c are exchanged: only the hash of the index shows this.
  CHECK_THROWS_WITH(
      [&] {
        whole.replace(whole.find("\na ") + 1, 1, "e");
        written.folder.write("traded", whole);
        return code_archive(written.folder / "traded").size();
      }(),
      Catch::Contains("damaged"));
}

TEST_CASE("entries that cannot be written are refused") {
  const tests::scratch_folder folder;
  CHECK_THROWS_AS(code_archive::write(folder / "x", "by", "for", {{"two words", "code"}}), work_error);
  CHECK_THROWS_AS(code_archive::write(folder / "x", "", "for", {}), work_error);
  CHECK_THROWS_AS(code_archive::write(folder / "x", "by", "for\nkernels 1", {}), work_error);
  CHECK(folder.entries().empty());
}
