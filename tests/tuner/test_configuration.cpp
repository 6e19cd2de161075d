// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "message.hpp"
#include "tuner/configuration.hpp"

using namespace mlmq::tuner;

namespace {

configuration example() {
  configuration c;
  c.set("l2", std::string("bucket"));
  c.set("delta", 8.0);
  c.set("threads", std::int64_t{128});
  c.set("counters", false);
  return c;
}

}  // namespace

TEST_CASE("a configuration's label and JSON are sorted by name") {
  CHECK(example().label() == "counters=false,delta=8,l2=bucket,threads=128");
  CHECK(example().to_json() == R"({"counters":false,"delta":8.0,"l2":"bucket","threads":128})");
  CHECK(configuration().label().empty());
  CHECK(configuration().to_json() == "{}");
}

TEST_CASE("JSON reads back with its types") {
  CHECK(configuration::from_json(example().to_json()) == example());
  CHECK(configuration::from_json("{}") == configuration());
  configuration c;
  c.set("x", 0.1);
  c.set("y", 1e300);
  c.set("z", std::int64_t{INT64_MIN});
  CHECK(configuration::from_json(c.to_json()) == c);
}

TEST_CASE("JSON that is no configuration is refused") {
  CHECK(message_of([] { (void)configuration::from_json("[1]"); }) ==
        "configuration: expected a JSON object, got array");
  CHECK(message_of([] { (void)configuration::from_json(R"({"a":[1]})"); }) ==
        "configuration: 'a': array is not a boolean, a number or a text");
  CHECK(message_of([] { (void)configuration::from_json(R"({"a":18446744073709551615})"); }) ==
        "configuration: 'a': 18446744073709551615 does not fit in a signed 64-bit integer");
  CHECK(message_of([] { (void)configuration::from_json("{"); }).find("configuration: not JSON: ") == 0);
}

TEST_CASE("the hash identifies names, values and types, and never changes") {
  CHECK(example().hash() == "10ce8be6fa88d4835cc9af68feb6b5db");
  configuration integer;
  integer.set("a", std::int64_t{2});
  configuration real;
  real.set("a", 2.0);
  CHECK(integer.hash() != real.hash());
  CHECK(integer.label() == real.label());
}

TEST_CASE("a missing parameter is null for find and an error for at") {
  const configuration c = example();
  CHECK(c.find("nf") == nullptr);
  REQUIRE(c.find("delta") != nullptr);
  CHECK(c.at("delta") == value(8.0));
  CHECK_THROWS_AS((void)c.at("nf"), mlmq::work_error);
}
