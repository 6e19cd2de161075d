// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/source_text.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace mlmq::kernel {

TEST_CASE("comments and literals are blanks, and lines stay") {
  CHECK(without_comments("a // b\nc /* d\ne */ f \"g // \\\" h\" i") == "a     \nc     \n     f             i");
  CHECK(without_comments("a /* b") == "a     ");
}

TEST_CASE("a declaration of a parameter's name is found") {
  const std::vector<std::string> macros = {"tile", "threads"};
  for (const char* const source :
       {"const int threads = 3;", "int tile;", "void f(int* a, unsigned threads)", "template <int threads>",
        "float tile[3];", "for (int tile = 0; tile < 3; ++tile)", "auto& threads = x;", "float *tile = p;"}) {
    CAPTURE(source);
    CHECK_FALSE(declared_macro(source, macros).empty());
  }
  for (const char* const source :
       {"x = tile * threads;", "// int tile;", "#define tile 3", "#ifndef threads", "return tile;", "f(tile, threads);",
        "float a[tile][threads];", "if (i < tile) {}", "else tile;", "f(tile * threads);", "  tile * threads",
        "\"int tile;\"", "subtile = mytile;"}) {
    CAPTURE(source);
    CHECK(declared_macro(source, macros).empty());
  }
}

TEST_CASE("sources of any length are scanned in linear time and without recursion") {
  const std::vector<std::string> macros = {"tile"};
  const std::string letters(1'000'000, '_');
  CHECK(declared_macro("int x; " + letters + " tile * 3", macros).empty());
  std::string words;
  for (int i = 0; i < 200'000; ++i) words += "const tile * ";
  CHECK(declared_macro(words, macros).empty());
  CHECK(declared_macro(words + "int tile;", macros) == "tile");
  CHECK(source_tokens(letters).size() == 1);
  CHECK(source_tokens("#define a \\\n b\nint std::x;").size() == 6);
}

}  // namespace mlmq::kernel
