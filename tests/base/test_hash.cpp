// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/temporary_folder.hpp"

using mlmq::content_hash;
using mlmq::hash_text;

TEST_CASE("a hash is the same on every machine and in every version") {
  // Databases of different machines are merged by these hashes; a change would detach all recorded results.
  CHECK(content_hash().hex() == "99aa06d3014798d86001c324468d497f");
  CHECK(hash_text("") == "2c0a8a99dc147d5445c3b49d035665b2");
  CHECK(hash_text("mlmq") == "7b6c2af7e79085b4a07f54c58183ed96");
  CHECK(content_hash().add("delta").add("8").hex() == "f1761303e37064e0a1113ee8049a9a4a");
}

TEST_CASE("where one field ends and the next begins is part of the hash") {
  CHECK(content_hash().add("ab").add("c").hex() != content_hash().add("a").add("bc").hex());
  CHECK(content_hash().add("abc").hex() != content_hash().add("abc").add("").hex());
  CHECK(content_hash().add("").hex() != content_hash().hex());
}

TEST_CASE("bytes hash like the text they spell, zeros included") {
  const std::array<std::byte, 3> bytes = {std::byte{'a'}, std::byte{0}, std::byte{'b'}};
  CHECK(content_hash().add(bytes).hex() == hash_text(std::string_view("a\0b", 3)));
  CHECK(hash_text(std::string_view("a\0b", 3)) != hash_text(std::string_view("a\0c", 3)));
}

TEST_CASE("a file hashes like its contents, without being in memory as a whole") {
  const mlmq::temporary_folder place("test-hash");
  const auto file = place.path() / "file";
  for (const std::size_t size : {0UL, 1UL, (1UL << 20) - 1, 1UL << 20, (5UL << 19) + 3}) {
    std::string content(size, ' ');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * i % 251);
    mlmq::write_file_atomically(file, content);
    CHECK(content_hash().add("before").add_file(file).hex() == content_hash().add("before").add(content).hex());
  }
  CHECK_THROWS_WITH(content_hash().add_file(place.path()), Catch::Contains("cannot be read: it is a folder"));
  CHECK_THROWS_WITH(content_hash().add_file(place.path() / "none"), Catch::Contains("No such file"));
}

TEST_CASE("reading the hash does not change it") {
  content_hash hash;
  hash.add("first");
  const std::string early = hash.hex();
  CHECK(hash.hex() == early);
  CHECK(hash.add("second").hex() == content_hash().add("first").add("second").hex());
}

TEST_CASE("a hash has 32 lower-case hexadecimal digits, leading zeros included") {
  for (int i = 0; i < 200; ++i) {
    const std::string hex = hash_text(std::to_string(i));
    REQUIRE(hex.size() == 32);
    REQUIRE(hex.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
}
