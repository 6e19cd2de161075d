// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "backends/registry.hpp"
#include "base/error.hpp"

using namespace mlmq;
using namespace mlmq::backends;
using Catch::Contains;

TEST_CASE("every backend is registered, and its devices match its description") {
  std::vector<std::string> names;
  for (const device_kind& kind : device_kinds()) {
    CAPTURE(kind.name);
    names.push_back(kind.name);
    CHECK(kind.report().name == kind.name);
    for (const std::string& selector : kind.list()) {
      const device_info info = kind.inspect(selector);
      CHECK(info.kind == kind.name);
      CHECK(info.selector == selector);
      CHECK(info.modelled == kind.traits.modelled);
      CHECK(info.grid == kind.traits.grid);
      CHECK(info.timeline == kind.traits.timeline);
      CHECK(info.warp_size == kind.traits.warp_size);
    }
  }
  CHECK(names == std::vector<std::string>{"cuda", "simt", "cpu"});
}

TEST_CASE("traits are known by kind and by selector, without a device") {
  CHECK(traits_of("simt:3x4").modelled);
  CHECK(traits_of("simt:3x4").grid);
  CHECK_FALSE(traits_of("cuda:3").modelled);
  CHECK(traits_of("cuda:3,simt").grid);
  CHECK_FALSE(traits_of("cpu:2").grid);
  CHECK_FALSE(traits_of("cpu").timeline);
  CHECK(traits_of("cpu").warp_size == 1);
  CHECK_FALSE(traits_of_kind("cpu").grid);
  CHECK(traits_of_kind("another GPU").grid);
  CHECK_THROWS_AS(traits_of("nonsense"), input_error);
  CHECK(processors_selector() == "cpu");
}

TEST_CASE("two backends of one name are an error that tells both files") {
  {
    const backend_registration again({.name = "cpu", .selectors = "cpu", .traits = {}});
    CHECK_THROWS_AS(device_kinds(), work_error);
    CHECK_THROWS_WITH(device_kinds(), Contains("two backends are named 'cpu'") && Contains("registration.cpp") &&
                                          Contains("test_registry.cpp"));
  }
  CHECK(device_kinds().size() == 3);
}

TEST_CASE("a backend that is not among those of the program is known while it is registered") {
  {
    const backend_registration other({.name = "other", .selectors = "other", .traits = {.warp_size = 64}});
    CHECK(traits_of_kind("other").warp_size == 64);
  }
  CHECK(traits_of_kind("other").warp_size == 32);
}
