// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "base/printable.hpp"

namespace {

using namespace mlmq;

}  // namespace

TEST_CASE("printable text has no control characters") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("line\n\tnext\r") == "line\n\tnext\\x0d");
  CHECK(printable("\x7f\x07") == "\\x7f\\x07");
  CHECK(printable(std::string(1, '\0')) == "\\x00");
  CHECK(printable("Zürich, 東京, \U0001F600") == "Zürich, 東京, \U0001F600");
  // CSI as a single character, and the last character of its range.
  CHECK(printable("\u009b31m\u009f\u00a0") == "\\xc2\\x9b31m\\xc2\\x9f\u00a0");
  CHECK(printable("\x9b"
                  "31m\xff") == "\\x9b31m\\xff");
  CHECK(printable("\xc3") == "\\xc3");
}

TEST_CASE("messages quote at most 200 bytes of an input") {
  const std::string name(150, 'n');
  CHECK(with_short_quotes(name + ": cannot be read") == name + ": cannot be read");
  const std::string path = std::string(5000, 'p') + "/roads.gr";
  const std::string message = with_short_quotes(path + ": cannot be read: the program's limit, 'it' says");
  CHECK(message.starts_with(std::string(100, 'p')));
  CHECK(message.ends_with("p/roads.gr: cannot be read: the program's limit, 'it' says"));
  CHECK(message.size() < 260);
  std::string sentence = "'";
  for (int i = 0; i < 1000; ++i) sentence += "word and ";
  const std::string quoted = with_short_quotes("--config: " + sentence + "' is unknown; see 'x'");
  CHECK(quoted.starts_with("--config: 'word and word"));
  CHECK(quoted.ends_with("word and ' is unknown; see 'x'"));
  CHECK(quoted.size() < 260);
  // Characters are not cut in the middle.
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += "東";
  CHECK(printable(with_short_quotes("'" + wide + "'")).find("\\x") == std::string::npos);
  const std::string plain = "the program's words, 'quoted', don't change\nnor lines";
  CHECK(with_short_quotes(plain) == plain);
  CHECK(with_short_quotes("") == "");
}
