// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "problems/compare/peer.hpp"

using namespace mlmq;
using namespace mlmq::compare;
using Catch::Contains;

TEST_CASE("a problem has the peers that are registered for it, as long as they are") {
  CHECK(peers_of("sorting") == nullptr);
  {
    const peer_registration two({{"sorting", "sorters.yaml"}, {"searching", "searchers.yaml"}});
    REQUIRE(peers_of("sorting") != nullptr);
    CHECK(peers_of("sorting")->file == "sorters.yaml");
    CHECK(peers_of("searching")->file == "searchers.yaml");
    CHECK(peers_of("merging") == nullptr);
  }
  CHECK(peers_of("sorting") == nullptr);
}

TEST_CASE("two that have peers for one problem are an error that tells both files") {
  const peer_registration first({{"sorting", "sorters.yaml"}}, "one.cpp");
  {
    const peer_registration second({{"sorting", "others.yaml"}, {"merging", "others.yaml"}}, "two.cpp");
    CHECK_THROWS_AS(peers_of("merging"), work_error);
    CHECK_THROWS_WITH(peers_of("sorting"), Contains("'sorting'") && Contains("one.cpp") && Contains("two.cpp"));
  }
  REQUIRE(peers_of("sorting") != nullptr);
  CHECK(peers_of("sorting")->file == "sorters.yaml");
  CHECK(peers_of("merging") == nullptr);
}
