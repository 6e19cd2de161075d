// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "message.hpp"
#include "tuner/expression.hpp"

using namespace mlmq::tuner;

namespace {

// Parameters: l1 = vector, l2 = bucket, threads = 128, delta = 0.5, counters = true
struct fixture {
  symbol_table symbols;
  std::vector<exact_number> slots;

  fixture() {
    for (const char* text : {"none", "vector", "bucket", "near-far"}) symbols.add_text(text);
    add("l1", std::string("vector"));
    add("l2", std::string("bucket"));
    add("threads", std::int64_t{128});
    add("delta", 0.5);
    add("counters", true);
    symbols.add_text("float4");
    symbols.add_text("double");
    add("number", std::string("float4"));
  }
  void add(const std::string& name, const value& v) {
    symbols.add_parameter(name, type_of(v));
    slots.push_back(symbols.number(v));
  }
  [[nodiscard]] bool holds(const std::string& text) const { return expression({text, {}}, symbols).holds(slots); }
  [[nodiscard]] std::string error(const std::string& text) const {
    return message_of([&] { expression({text, {"space.yaml", 7}}, symbols); });
  }
};

}  // namespace

TEST_CASE("conditions compare texts, bare or quoted") {
  const fixture f;
  CHECK(f.holds("l1 == vector"));
  CHECK(f.holds("l2 != \"vector\""));
  CHECK(f.holds("vector == l1"));
  CHECK(f.holds("l1 != l2"));
  CHECK_FALSE(f.holds("l1 == 'near-far'"));
  CHECK(f.holds("not l1 == none"));
  CHECK(f.holds("!(l1 == none)"));
}

TEST_CASE("conditions compute with numbers and booleans") {
  const fixture f;
  CHECK(f.holds("threads == 128"));
  CHECK(f.holds("threads / 4 <= 32"));
  CHECK(f.holds("threads % 48 == 32"));
  CHECK(f.holds("2 ^ 7 == threads"));
  CHECK(f.holds("-delta < 1e-3"));
  CHECK(f.holds("delta * 1.5E+1 == 7.5"));
  CHECK(f.holds("min(threads, 64, 32) == 32"));
  CHECK(f.holds("max(threads, 256) == 256"));
  CHECK(f.holds("abs(1 - 3) == 2"));
  CHECK(f.holds("power_of_two(1) and power_of_two(64) and power_of_two(2 ^ 40)"));
  CHECK_FALSE(f.holds("power_of_two(0) or power_of_two(-4) or power_of_two(12) or power_of_two(0.5)"));
  CHECK(f.holds("sizeof(number) == 16 and sizeof('double') == 8"));
  CHECK(f.holds("counters"));
  CHECK(f.holds("counters == true"));
  CHECK_FALSE(f.holds("!counters"));
  CHECK(f.holds("1 - -1 == 2"));
  CHECK_FALSE(f.holds("(threads - 128) / (threads - 128)"));
}

TEST_CASE("deeply nested formulas have the values of flat ones") {
  const fixture f;
  for (const int depth : {14, 15, 16, 17, 90}) {
    CAPTURE(depth);
    std::string nested = "delta";
    for (int i = 0; i < depth; ++i) nested = "1 + (" + nested + ")";
    CHECK(f.holds(nested + " == " + std::to_string(depth) + ".5"));
    CHECK_FALSE(f.holds(nested + " == " + std::to_string(depth)));
  }
}

TEST_CASE("threads evaluate one formula at the same time") {
  const fixture f;
  const expression formula({"threads * 2 + 1 == 257 and (counters or l1 == bucket)", {}}, f.symbols);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20'000; ++i) wrong += formula.holds(f.slots) ? 0 : 1;
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("whole numbers are exact up to 2^96, and refused where more could give a wrong result") {
  fixture f;
  f.add("big", std::int64_t{9007199254740993});  // 2^53 + 1
  f.add("most", INT64_MAX);
  CHECK(f.holds("big == 9007199254740993"));
  CHECK(f.holds("big != 9007199254740992 and big - 1 == 9007199254740992 and big > 9007199254740992"));
  CHECK(f.holds("big % 2 == 1 and (big + 1) % 2 == 0"));
  CHECK(f.holds("most % 10 == 7 and most + 1 == 9223372036854775808 and most + 1 > most"));
  CHECK(f.holds("ceil(most / 2) == 4611686018427387904 and floor(most / 2) == 4611686018427387903"));
  CHECK(f.holds("-most // 2 == -4611686018427387904"));
  CHECK(f.holds("3 ^ 40 == 12157665459056928801 and 2 ^ 63 - 1 == most and power_of_two(2 ^ 63)"));
  CHECK_FALSE(f.holds("power_of_two(most)"));
  CHECK(f.holds("max(big, big - 1) == big and min(most, most - 1) == most - 1 and abs(-big) == big"));
  CHECK(f.holds("most * threads > most and most * most > 1e37"));
  CHECK(f.holds("0xFFFFFFFFFFFFFFFF - 1 == 18446744073709551614 and delta * 2 == True"));
  for (const char* const text : {"most * most == 7", "(most * most) % 2", "ceil(most * most)", "most * delta == 1"}) {
    const std::string error = message_of([&] { (void)f.holds(text); });
    CHECK(error.find("too large to be computed exactly") != std::string::npos);
  }
  // Reals keep the precision of a double.
  CHECK(f.holds("ceil(30 * 0.1) == 3 and 1e30 == 1e30"));
}

TEST_CASE("conditions join by words and by signs, with the usual precedence") {
  const fixture f;
  CHECK(f.holds("l1 == vector and threads > 64"));
  CHECK(f.holds("l1 == none || threads > 64 && l2 == bucket"));
  CHECK(f.holds("true or false and false"));
  CHECK_FALSE(f.holds("(true or false) and false"));
  CHECK(f.holds("not false and true"));
  CHECK_FALSE(f.holds("not true or false"));
  CHECK(f.holds("not threads == 64"));
  CHECK(f.holds("not not true"));
  CHECK(f.holds("not -delta > 0"));
  CHECK(f.holds("not l1 == none and not (not l2 == bucket or threads == 1)"));
  CHECK(f.holds("max(not false, 0) == 1"));
  CHECK(f.holds("true == not false"));
  CHECK(f.holds("not (l1 == none and l2 == vector) or threads == 64"));
  // `!` binds tighter than the comparison: 0 == 64 does not hold, and neither does 1 == 64.
  CHECK_FALSE(f.holds("!threads == 64"));
}

TEST_CASE("whatever is not 0 is true") {
  const fixture f;
  CHECK(f.holds("delta and true"));
  CHECK(f.holds("delta or false"));
  CHECK_FALSE(f.holds("not delta"));
  CHECK_FALSE(f.holds("delta - 0.5 or false"));
}

TEST_CASE("signs are weaker than powers, which are taken from the right") {
  const fixture f;
  CHECK(f.holds("-2 ^ 2 == -4"));
  CHECK(f.holds("2 ^ -1 == delta"));
  CHECK(f.holds("2 ^ 3 ^ 2 == 512"));
  CHECK(f.holds("12 / 3 * 2 == 8"));
  CHECK(f.holds("1 + not counters - 1 == 1"));
}

TEST_CASE("nesting is limited, so that no file can exhaust the stack") {
  const fixture f;
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '(') + "threads" + std::string(levels, ')') + " == 128";
  };
  CHECK(f.holds(nested(50)));
  CHECK(f.error(nested(100'000)).find("levels of nesting") != std::string::npos);
  std::string powers = "1";
  for (int i = 0; i < 100'000; ++i) powers += "^1";
  CHECK(f.error(powers).find("levels of nesting") != std::string::npos);
  std::string negations = "true";
  for (int i = 0; i < 100'000; ++i) negations.insert(0, "not ");
  CHECK(f.error(negations).find("levels of nesting") != std::string::npos);
}

TEST_CASE("an expression knows its parameters") {
  const fixture f;
  const expression e({"threads > 1 and l1 == vector and threads < delta", {}}, f.symbols);
  CHECK(std::vector<std::size_t>(e.mentions().begin(), e.mentions().end()) == std::vector<std::size_t>{0, 2, 3});
}

TEST_CASE("errors in expressions point at the place") {
  const fixture f;
  const std::string prefix = "space.yaml:7: in ";
  CHECK(f.error("thread > 64") == prefix + "'thread > 64' at 1: unknown name 'thread'; did you mean 'threads'?");
  CHECK(f.error("l1 == vectr") == prefix + "'l1 == vectr' at 7: unknown name 'vectr'; did you mean 'vector'?");
  CHECK(f.error("l1 == \"buckt\"") ==
        prefix + "'l1 == \"buckt\"' at 7: no parameter has the value 'buckt'; did you mean 'bucket'?");
  CHECK(f.error("threads >= * 4") == prefix + "'threads >= * 4' at 12: a value is missing before '*'");
  CHECK(f.error("threads >=") == prefix + "'threads >=' at 11: a value is missing before the end");
  CHECK(f.error("") == prefix + "'' at 1: a value is missing before the end");
  CHECK(f.error("threads 4") == prefix + "'threads 4' at 9: an operator is missing before '4'");
  CHECK(f.error("(threads > 4") == prefix + "'(threads > 4' at 1: the parenthesis is not closed");
  CHECK(f.error("threads > 4)") == prefix + "'threads > 4)' at 12: ')' without '('");
  CHECK(f.error("threads = 4") == prefix + "'threads = 4' at 9: '=' is not a comparison; use '=='");
  CHECK(f.error("64 <= threads <= 256") ==
        prefix + "'64 <= threads <= 256' at 15: comparisons cannot be chained; join them with 'and'");
  CHECK(f.error("threads > 4, 5") ==
        prefix + "'threads > 4, 5' at 12: ',' is only allowed between the arguments of a function");
  CHECK(f.error("max > 4") == prefix + "'max > 4' at 1: expected '(' after 'max'");
  CHECK(f.error("max() > 4") == prefix + "'max() > 4' at 5: a value is missing before ')'");
  CHECK(f.error("power_of_two(1, 2)") == prefix + "'power_of_two(1, 2)' at 1: 'power_of_two' takes one argument");
  CHECK(f.error("sizeof(threads) > 4") ==
        prefix + "'sizeof(threads) > 4' at 1: 'sizeof' takes the name of a type, or a parameter with such names");
  CHECK(f.error("sizeof('bucket')") == prefix + "'sizeof('bucket')' at 8: 'bucket' is no type whose size is known");
  CHECK(f.error("abs(1, 2) > 4") == prefix + "'abs(1, 2) > 4' at 1: 'abs' takes one argument");
  CHECK(f.error("threads > 4x") == prefix + "'threads > 4x' at 11: '4x' is not a number");
  CHECK(f.error("l1 == 'vector") == prefix + "'l1 == 'vector' at 7: the quote is not closed");
  CHECK(f.error("threads > - -4") == prefix + "'threads > - -4' at 13: '-' after another sign needs parentheses");
  CHECK(f.error("!not counters") == prefix + "'!not counters' at 2: 'not' after another sign needs parentheses");
  CHECK(f.error("threads & 4") == prefix + "'threads & 4' at 9: unexpected '&'");
}

TEST_CASE("texts are only compared, with texts, by == and !=") {
  const fixture f;
  for (const char* text : {"l1", "l1 < l2", "l1 == 3", "threads == vector", "1 + l1 == vector", "l1 == vector + 1",
                           "!l1 == vector", "max(l1, l2)", "(l1) == vector", "-l1 == vector", "l1 and true"}) {
    INFO(text);
    CHECK(f.error(text).find("is a text, which can only be compared with another text, using == or "
                             "!=") != std::string::npos);
  }
  CHECK(f.error("threads == vector") ==
        "space.yaml:7: in 'threads == vector' at 12: 'vector' is a text, which can only be "
        "compared with another text, using == or !=");
}

TEST_CASE("an expression is written in C++") {
  const fixture f;
  const std::vector<std::string> names = {"l1_", "l2_", "threads_", "delta_", "counters_"};
  const auto cpp = [&](const std::string& text) { return expression({text, {}}, f.symbols).to_cpp(names); };
  CHECK(cpp("threads // 3 * 2 ^ delta") == "(std::floor(threads_ / 3.0) * std::pow(2.0, delta_))");
  CHECK(cpp("-threads % 5 - abs(delta)") == "(std::fmod((-threads_), 5.0) - std::fabs(delta_))");
  CHECK(cpp("min(threads, 1, delta)") == "std::min<double>(std::min<double>(threads_, 1.0), delta_)");
  CHECK(cpp("not (l1 == vector and l2 != \"near-far\")") ==
        "(((l1_ == \"vector\") != 0 && (l2_ != \"near-far\") != 0) == 0)");
  CHECK(cpp("ceil(threads / 3) >= floor(2.5) || counters") ==
        "((std::ceil((threads_ / 3.0)) >= std::floor(2.5)) != 0 || counters_ != 0)");
}

TEST_CASE("names of parameters are words outside the language") {
  CHECK(is_parameter_name("l1_capacity"));
  CHECK(is_parameter_name("_x"));
  for (const char* bad : {"", "1l", "a-b", "a b", "and", "min", "true"}) {
    CHECK_FALSE(is_parameter_name(bad));
  }
}
