// SPDX-License-Identifier: Apache-2.0
// Invalid models, and failing runs.
#include <catch2/catch.hpp>
#include <string>

#include "problems/phold/simulation.hpp"
#include "tests/phold/phold_test.hpp"

using namespace mlmq;
using namespace mlmq::phold;
using Catch::Contains;

TEST_CASE("invalid models are refused with a one-line error") {
  for (const auto& [text, says] : {std::pair("phold:entities=0", "entities"),
                                   {"phold:rate=0", "rate"},
                                   {"phold:rate=-1", "rate"},
                                   {"phold:rate=nan", "rate"},
                                   {"phold:rate=1e9", "rate"},
                                   {"phold:lookahead=0", "lookahead"},
                                   {"phold:events=1099511627776", "events"},
                                   {"phold:entities=1048576:events=1048576", "2^30"},
                                   {"phold:speed=1", "known: entities"},
                                   {"phold:entitys=4", "did you mean 'entities'"},
                                   {"phold:rate", "rate"},
                                   {"phold:seed=1:seed=2", "given twice"},
                                   {"phold:events=2.5", "whole number"},
                                   {"phold:", "unknown option ''"}}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(workload_of(text), Contains(text) && Contains(says) && !Contains("\n"));
  }
}

TEST_CASE("a model has one name, however it is written") {
  const auto name = [](const char* text) { return workload_of(text)->record; };
  CHECK(name("phold").name == "phold:entities=1024:events=128:rate=0.1");
  CHECK(name("phold:rate=1e-1:seed=1:lookahead=10.0").name == name("phold").name);
  CHECK(name("phold:rate=1e-1:seed=1").hash == name("phold").hash);
  CHECK(name("phold:seed=2").hash != name("phold").hash);
  CHECK(name("phold:seed=2").family == name("phold").family);
  CHECK(name("phold:seed=2").name == "phold:entities=1024:events=128:rate=0.1:seed=2");
}

TEST_CASE("solvers run where they belong") {
  const auto grid = open_device("simt");
  loaded_model on_grid(*grid, "phold:entities=8");
  CHECK_THROWS_WITH(on_grid.prepare("solver=cpu_heap"), Contains("does not run on simt"));
  CHECK_THROWS_WITH(on_grid.prepare("solver=calendar,threads=48"), Contains("threads=48 violates the limit"));
  CHECK_THROWS_WITH(on_grid.prepare("solver=queues,queue=bucket,lanes=32"), Contains("total order"));
  const auto processors = open_device("cpu:1");
  loaded_model on_processors(*processors, "phold:entities=8");
  CHECK_THROWS_WITH(on_processors.prepare("solver=calendar"), Contains("cpu_heap"));
}

TEST_CASE("a bucket that is full is an overflow with its capacity, or is made larger") {
  const auto device = open_device("simt");
  loaded_model model(*device, "phold:entities=4:events=64:rate=1");
  model.prepare("solver=calendar,bucket_capacity=4,threads=64");
  const tuner::run_report full = model.run("30");
  CHECK(full.result == db::outcome::overflow);
  CHECK_THAT(full.message, Contains("full at 4 events"));
  // Windows are as wide as the lookahead: every bucket has room for more than the average.
  model.prepare("solver=calendar,threads=64");
  CHECK(model.run("30").result == db::outcome::ok);
  CHECK(model.check().empty());
}

TEST_CASE("a cluster that the device has not, or a model that does not fit into it, is refused") {
  const auto device = open_device("simt");
  loaded_model small(*device, "phold:entities=64:events=8:rate=0.1");
  CHECK_THROWS_WITH(small.prepare("solver=cluster,cluster_blocks=6"), Contains("2, 4, 8 or 16"));
  small.prepare("solver=cluster,cluster_blocks=8,threads=256");
  CHECK_THROWS_WITH(small.run("20"), Contains("no room for a cluster of 8 blocks"));
  loaded_model large(*device, "phold:entities=4096:events=128:rate=0.001");
  large.prepare("solver=cluster,cluster_blocks=4,threads=64");
  CHECK_THROWS_WITH(large.run("20"), Contains("do not fit into the shared memory of a cluster of 4"));
}

TEST_CASE("a run that takes too long is a timeout, and its answer is found to be incomplete") {
  const auto device = open_device("simt");
  loaded_model model(*device, "phold:entities=64:events=8:rate=0.1");
  for (const char* const label :
       {"solver=calendar,threads=64", "solver=one_block,threads=64", "solver=cluster,threads=64,cluster_blocks=4",
        "solver=queues,threads=64", "solver=parallel_heap,threads=64"}) {
    CAPTURE(label);
    model.prepare(label);
    CHECK(model.run("20000", 0.02).result == db::outcome::timeout);
    CHECK_THAT(model.check(), Contains("were executed"));
    CHECK(model.run("50").result == db::outcome::ok);
    CHECK(model.check().empty());
  }
  const auto processors = open_device("cpu:1");
  loaded_model slow(*processors, "phold:entities=64:events=8:rate=0.1");
  slow.prepare("solver=cpu_heap");
  CHECK(slow.run("1e7", 5).result == db::outcome::timeout);
}
