// SPDX-License-Identifier: Apache-2.0
// The identities of a kernel: one covers its complete text, the other only its code.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "backends/kernel_sources.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace mlmq;
using backends::kernel_source;
using backends::kernel_sources;
using backends::variant_hash;

/// A small folder of kernels: main.cu includes a.cuh and queues/b.cuh, which includes queues/c.cuh and a.cuh again.
class kernel_files {
 public:
  kernel_files() {
    write("main.cu", "#include \"a.cuh\"\n#include \"queues/b.cuh\"\n#include <vector>\nkernel\n");
    write("a.cuh", "a\n");
    write("queues/b.cuh", "#include \"queues/c.cuh\"\n#include \"a.cuh\"\nb\n");
    write("queues/c.cuh", "c\n");
  }

  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  [[nodiscard]] kernel_sources load(const std::string& file = "main.cu") const {
    return kernel_sources::load(folder_.path().string(), file);
  }
  [[nodiscard]] std::vector<std::string> headers() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : load().headers) names.push_back(name);
    return names;
  }
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }

 private:
  tests::scratch_folder folder_;
};

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("a kernel comes with everything it includes, once each and sorted by name") {
  const kernel_files files;
  const kernel_sources sources = files.load();
  CHECK(sources.text == read_file(fs::path(files.folder()) / "main.cu"));
  CHECK(files.headers() == names{"a.cuh", "queues/b.cuh", "queues/c.cuh"});
  CHECK(sources.headers.at(2).second == "c\n");
}

TEST_CASE("headers that include each other end") {
  const kernel_files files;
  files.write("a.cuh", "#include \"queues/b.cuh\"\n#include \"main.cu\"\n");
  CHECK(files.headers() == names{"a.cuh", "main.cu", "queues/b.cuh", "queues/c.cuh"});
}

TEST_CASE("includes are found however they are spaced, comments and other brackets are not") {
  const kernel_files files;
  files.write("main.cu",
              "  #include \"a.cuh\"\n#  include\t\"queues/c.cuh\"  // why\n// #include \"queues/b.cuh\"\n"
              "#include <queues/b.cuh>\n#include \"unfinished\n#includes \"queues/b.cuh\"\n");
  CHECK(files.headers() == names{"a.cuh", "queues/c.cuh"});
}

TEST_CASE("the hash changes with every text and name, and comes back with them") {
  const kernel_files files;
  std::set<std::string> hashes = {files.load().hash()};
  const std::string first = *hashes.begin();
  for (const char* const name : {"main.cu", "a.cuh", "queues/b.cuh", "queues/c.cuh"}) {
    CAPTURE(name);
    const std::string before = read_file(fs::path(files.folder()) / name);
    files.write(name, before + " ");
    CHECK(hashes.insert(files.load().hash()).second);
    files.write(name, before);
    CHECK(files.load().hash() == first);
  }
  // Renaming a file changes the hash.
  files.write("queues/d.cuh", "c\n");
  files.write("queues/b.cuh", "#include \"queues/d.cuh\"\n#include \"a.cuh\"\nb\n");
  const std::string renamed = files.load().hash();
  CHECK(hashes.insert(renamed).second);
}

TEST_CASE("comments and blank space are no code") {
  using backends::without_comments;
  CHECK(without_comments("a  b\t c // d\n\n  // e\n/* f\n g */ h /* i */ j \n") == "a b c\nh j\n");
  CHECK(without_comments("x = \"// no /* comment\\\"  here\";  // y") == "x = \"// no /* comment\\\"  here\"; ");
  CHECK(without_comments("c = '\"';  d = '\\'';") == "c = '\"'; d = '\\'';");
  CHECK(without_comments("n = 1'000'000; // many\nm") == "n = 1'000'000;\nm");
  CHECK(without_comments("#define A 1 \\\n  + 2\n") == "#define A 1 \\\n+ 2\n");
  // A directive or a comment ends before the text that follows it.
  CHECK(without_comments("#define X 1 \\\n\nfoo();") != without_comments("#define X 1 \\\nfoo();"));
  CHECK(without_comments("#define X 1 \\\n// c\nfoo();") != without_comments("#define X 1 \\\nfoo();"));
  CHECK(without_comments("a; // c \\\nfoo();\nb") == "a;\nb");
  CHECK(without_comments("u8'\"'; s = \"//a\";") != without_comments("u8'\"'; s = \"//b\";"));
  CHECK(without_comments("case'\"': s = \"//a\";") != without_comments("case'\"': s = \"//b\";"));
  CHECK(without_comments("n = 0x1'F; m = 'a'; // b") == "n = 0x1'F; m = 'a'; ");
  CHECK(without_comments("a1'x' // b") == "a1'x' ");
  CHECK(without_comments("a/**/b") == "a b");
  CHECK(without_comments("a / b * c") == "a / b * c");
  CHECK(without_comments("/* never ends") == "");
  CHECK(without_comments("\"never ends") == "\"never ends");
}

TEST_CASE("measurements stay valid when only comments of the code change") {
  const kernel_files files;
  const std::string before = files.load().code_hash();
  const std::string binary = files.load().hash();
  files.write("queues/c.cuh", "// what c is\n\n  c  /* why */\n");
  CHECK(files.load().code_hash() == before);
  CHECK(files.load().hash() != binary);
  std::set<std::string> hashes = {before};
  for (const char* const text : {"cc\n", "c c\n", "c\nc\n", "\"c\"\n", "c // d\n e\n"}) {
    CAPTURE(text);
    files.write("queues/c.cuh", text);
    CHECK(hashes.insert(files.load().code_hash()).second);
  }
}

TEST_CASE("files that are not included, and where the folder is, do not change the hash") {
  const kernel_files files;
  const kernel_files elsewhere;
  const std::string before = files.load().hash();
  files.write("other.cu", "#include \"a.cuh\"\n");
  files.write("queues/e.cuh", "e\n");
  CHECK(files.load().hash() == before);
  CHECK(elsewhere.load().hash() == before);
}

TEST_CASE("a header that is not there is left to the compiler") {
  const kernel_files files;
  files.write("main.cu", "#include \"absent.cuh\"\n#include \"a.cuh\"\n");
  CHECK(files.headers() == names{"a.cuh"});
}

TEST_CASE("names that no file can have, and folders that cannot be read, are left to the compiler") {
  const kernel_files files;
  const std::string longest(300, 'a');
  files.write("main.cu", "#include \"" + longest + "\"\n#if __has_include(<" + longest +
                             ">)\n#endif\n#define NAME(x) #x\n#include NAME(a.cuh)\n");
  kernel_source variant;
  variant.file = "main.cu";
  variant.options = {"-I" + files.folder() + "/missing", "-I" + files.folder() + "/main.cu", "-I" + longest,
                     "-include " + longest};
  CHECK(kernel_sources::load({files.folder()}, variant).headers.size() == 4);  // main.cu may include itself
}

TEST_CASE("a kernel that is not there names the file, the folder and the remedy") {
  const kernel_files files;
  CHECK_THROWS_AS(files.load("absent.cu"), input_error);
  CHECK_THROWS_WITH(files.load("absent.cu"), Catch::Contains("'absent.cu'") && Catch::Contains(files.folder()) &&
                                                 Catch::Contains("MLMQ_KERNELS"));
  CHECK_THROWS_AS(files.load("queues"), input_error);
}

TEST_CASE("everything that can change a variant's code changes its hash") {
  const kernel_files files;
  const kernel_sources sources = files.load();
  const kernel_source base = {
      .file = "main.cu", .entry = "main", .block_threads = 256, .defines = {{"A", "1"}, {"B", "2"}}};
  std::set<std::string> hashes = {variant_hash(sources, base, "c++ 12")};
  CHECK(hashes.contains(variant_hash(files.load(), base, "c++ 12")));
  const auto is_new = [&](const kernel_source& variant) {
    return hashes.insert(variant_hash(sources, variant, "c++ 12")).second;
  };
  kernel_source changed = base;
  changed.entry = std::string("other");
  CHECK(is_new(changed));
  changed = base;
  changed.block_threads = 128;
  CHECK(is_new(changed));
  changed = base;
  changed.defines.insert_or_assign("A", std::string("2"));
  CHECK(is_new(changed));
  changed = base;
  changed.defines.emplace("C", "");
  CHECK(is_new(changed));
  changed = base;
  changed.defines = {{"A", "12"}, {"B", ""}};
  CHECK(is_new(changed));
  changed.defines = {{"A1", ""}, {"B", "2"}};
  CHECK(is_new(changed));
  changed.defines = {{"A", "1"}};
  CHECK(is_new(changed));
  CHECK(hashes.insert(variant_hash(sources, base, "c++ 13")).second);
  files.write("queues/c.cuh", "another c\n");
  CHECK(hashes.insert(variant_hash(files.load(), base, "c++ 12")).second);
}
