// SPDX-License-Identifier: Apache-2.0
// Compile-time parameters change the variant, launch parameters do not, and no other name is accepted.
#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "problems/registry.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "sssp_test.hpp"
#include "tuner/parameter.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using tuner::instrumentation;

/// Returns everything that identifies a variant.
std::string text_of(const backends::kernel_source& source) {
  std::string text = source.file + " " + source.entry + " " + std::to_string(source.block_threads);
  for (const auto& [name, value] : source.defines) text += " " + name + "=" + value;
  return text;
}

}  // namespace

TEST_CASE("exactly the parameters that are compiled in change the variant") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("path", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  const std::string levels = "l0=vector,l1=vector,l2=bucket";
  struct change {
    std::string name;
    std::string base_label;
    std::string changed_label;
  };
  const std::vector<change> changes = {
      {"l0", levels, "l0=none,l1=vector,l2=bucket"},
      {"l0_depth", levels, levels + ",l0_depth=3"},
      {"l0_spill", levels, levels + ",l0_spill=full"},
      {"l2_reader", levels, levels + ",l2_reader=every_warp"},
      {"l1", levels, "l0=vector,l1=none,l2=bucket"},
      {"l1_sharing", levels, levels + ",l1_sharing=block"},
      {"l1_batch", levels, levels + ",l1_batch=8"},
      {"l1_capacity", levels, levels + ",l1_capacity=64"},
      {"l1_spill", levels, levels + ",l1_spill=worst"},
      {"wb", levels, levels + ",wb=5"},
      {"l1_delta", "l1=near_far", "l1=near_far,l1_delta=2.5"},
      {"nf", "l1=near_far", "l1=near_far,nf=2.5"},
      {"l2", levels, "l0=vector,l1=vector,l2=vector"},
      {"bmax", levels, levels + ",bmax=16"},
      {"pnum", "l2=multi_heap", "l2=multi_heap,pnum=7"},
      {"bnum", levels, levels + ",bnum=3"},
      {"idle_buckets", levels, levels + ",idle_buckets=4"},
      {"delta", levels, levels + ",delta=2.5"},
      {"delta_mode", levels, levels + ",delta_mode=adaptive"},
      {"l2_batch", levels, levels + ",l2_batch=4"},
      {"l2_share", levels, levels + ",l2_share=3"},
      {"heavy_degree", levels, levels + ",heavy_degree=9"},
      {"split_degree", levels, levels + ",split_degree=512"},
      {"ell_width", levels, levels + ",ell_width=4"},
      {"ell_overflow", levels + ",ell_width=4", levels + ",ell_width=4,ell_overflow=queued"},
      {"ell_width", "solver=adds", "solver=adds,ell_width=8"},
      {"read_first", levels, levels + ",read_first=false"},
      {"prefetch", levels, levels + ",prefetch=true"},
      {"dispatcher_pause", levels, levels + ",dispatcher_pause=20"},
      {"threads", levels, levels + ",threads=128"},
      {"blocks_per_multiprocessor", levels, levels + ",blocks_per_multiprocessor=2"},
      {"solver", levels, "solver=near_far"},
      {"one_block", "solver=near_far", "solver=near_far,one_block=9"},
      {"launches", "solver=near_far,one_block=0", "solver=near_far,one_block=0,launches=each_step"},
      {"delta_rule", "solver=adds", "solver=adds,delta_rule=fixed"},
      {"delta_c", "solver=adds", "solver=adds,delta_c=3"},
      {"delta_fixed", "solver=adds,delta_rule=fixed", "solver=adds,delta_rule=fixed,delta_fixed=3"},
      {"adds_buckets", "solver=adds", "solver=adds,adds_buckets=9"},
      {"adds_delta_mode", "solver=adds", "solver=adds,adds_delta_mode=static"},
      {"adds_load", "solver=adds", "solver=adds,adds_load=2"},
      {"adds_open", "solver=adds", "solver=adds,adds_open=2"},
      {"adds_open_mode", "solver=adds", "solver=adds,adds_open_mode=dynamic"},
      {"adds_chunk", "solver=adds", "solver=adds,adds_chunk=9"},
      {"adds_least", "solver=adds", "solver=adds,adds_least=9"},

      {"cpu_delta", "solver=delta_stepping", "solver=delta_stepping,cpu_delta=2.5"},
      {"lookahead", "solver=delta_stepping", "solver=delta_stepping,lookahead=2"},
      {"fusion", "solver=delta_stepping", "solver=delta_stepping,fusion=9"},
      {"pull", "solver=bfs", "solver=bfs,pull=9"},
      {"heavy_degree", "solver=push_pull", "solver=push_pull,heavy_degree=9"},
      {"one_block", "solver=push_pull", "solver=push_pull,one_block=9"},
      {"pull_share", "solver=push_pull", "solver=push_pull,pull_share=9"},
      {"pull_edges", "solver=push_pull", "solver=push_pull,pull_edges=9"},
      {"piece_edges", "solver=push_pull", "solver=push_pull,piece_edges=9"},
      {"long_row", "solver=push_pull", "solver=push_pull,long_row=9"},
      {"gather", "solver=push_pull", "solver=push_pull,gather=9"},
      {"one_block_edges", "solver=push_pull", "solver=push_pull,one_block_edges=9"},
      {"one_block_graph", "solver=push_pull", "solver=push_pull,one_block_graph=9"},
      {"read_edges", "solver=push_pull", "solver=push_pull,read_edges=9"},
      {"near_limit", "solver=near_pull", "solver=near_pull,near_limit=2"},
      {"pull_share", "solver=near_pull", "solver=near_pull,pull_share=9"},
      {"piece_edges", "solver=near_pull", "solver=near_pull,piece_edges=9"},
      {"parts", "solver=partitioned", "solver=partitioned,parts=2"},
      {"hub_degree", "solver=partitioned", "solver=partitioned,hub_degree=100"},
      {"slot_arcs", "solver=partitioned", "solver=partitioned,slot_arcs=3"},
      {"arcs", "solver=partitioned", "solver=partitioned,arcs=shared"},
      {"part_work", "solver=partitioned", "solver=partitioned,part_work=groups"},
      {"part_work", "solver=partitioned,part_work=groups", "solver=partitioned,part_work=pulled_groups"},
      {"part_order", "solver=partitioned", "solver=partitioned,part_order=window"},
      {"part_window", "solver=partitioned,part_order=window", "solver=partitioned,part_order=window,part_window=4"},
      {"reduction", "reduction=leaves", "reduction=core"},
      {"chunk", "solver=delta_stepping", "solver=delta_stepping,chunk=9"}};
  const auto processors = backends::open_device("cpu:1");
  search on_processors(*processors, hard.graph, {}, problems::search_kind::bfs);
  search by_levels(*device, hard.graph, {}, problems::search_kind::bfs);
  const auto variant_of = [&](const std::string& label, instrumentation kind) {
    const std::string solver = problems::solver_of(configuration_of(label));
    search& fitting = problems::is_cpu_solver(solver)        ? on_processors
                      : problems::needs_unit_weights(solver) ? by_levels
                                                             : tried;
    return text_of(fitting.instance().variant(configuration_of(label), kind));
  };
  const auto parameters = tuner::parameter_set::from_declarations(problems::search_declarations());
  std::set<std::string> named;
  for (const auto& [name, base_label, changed_label] : changes) {
    CAPTURE(name);
    named.insert(name);
    const tuner::parameter* const declared = parameters.find(name);
    REQUIRE(declared != nullptr);
    CHECK_FALSE(declared->declared.description.empty());
    const bool is_another =
        variant_of(base_label, instrumentation::none) != variant_of(changed_label, instrumentation::none);
    CHECK(is_another == (declared->declared.bind == tuner::binding::compile));
  }
  // A new parameter must be added to the list above.
  CHECK(named.size() == problems::search_declarations().size());
  CHECK(variant_of(levels, instrumentation::counters) != variant_of(levels, instrumentation::none));
}

TEST_CASE("compile-time parameters are macros, except the kernel's file and the threads of a block") {
  std::set<std::string> macros;
  for (const tuner::parameter_declaration& declared : problems::search_declarations()) {
    CAPTURE(declared.name);
    const bool is_compiled_in = declared.bind == tuner::binding::compile;
    const bool is_no_macro = declared.name == "solver" || declared.name == "threads";
    CHECK(declared.macro.name.empty() == (!is_compiled_in || is_no_macro));
    if (!declared.macro.name.empty()) CHECK(macros.insert(declared.macro.name).second);
  }
}

TEST_CASE("kernels get exactly the macros that they are written for") {
  const auto defines_of = [](const char* label) {
    std::string text;
    for (const auto& [name, value] : problems::defines_of(configuration_of(label), {.wide_offsets = true})) {
      text += name.substr(5) + "=" + value + " ";
    }
    return text;
  };
  CHECK(defines_of("l0=vector,l1=near_far,l2=multi_heap,ell_width=4,ell_overflow=queued") ==
        "ADAPTS_DELTA=0 BMAX=8 BNUM=1 COUNTERS=0 DISPATCHER_PAUSE=50 DISTANCE=integer_distance "
        "EDGES=weighted_edges "
        "ELL_WIDTH=4 HEAVY_DEGREE=64 IDLE_BUCKETS=0 L0=l0_vector L0_DEPTH=2 L0_SPILLS_FULL=0 L1=l1_near_far "
        "L1_BATCH=32 L1_CAPACITY=128 "
        "L1_SHARING=l1_of_warp L1_SPILL=spill_everything L2=l2_multi_heap L2_BATCH=32 L2_SHARE=0 OFFSET=u64 PNUM=4 "
        "PREFETCH=0 QUEUE_ELL_OVERFLOW=1 READ_FIRST=1 SPLIT_DEGREE=0 WARPS_READ_L2=0 WB=0 ");
  CHECK(defines_of("l1=none") ==
        "ADAPTS_DELTA=0 BMAX=32 BNUM=2 COUNTERS=0 DISPATCHER_PAUSE=50 DISTANCE=integer_distance "
        "EDGES=weighted_edges "
        "ELL_WIDTH=0 HEAVY_DEGREE=64 IDLE_BUCKETS=0 L0=l0_none L0_DEPTH=1 L0_SPILLS_FULL=0 L1=l1_none L1_BATCH=32 "
        "L1_CAPACITY=0 "
        "L1_SHARING=l1_of_warp L1_SPILL=spill_everything L2=l2_bucket L2_BATCH=32 L2_SHARE=1 OFFSET=u64 PNUM=2 "
        "PREFETCH=0 QUEUE_ELL_OVERFLOW=0 READ_FIRST=1 SPLIT_DEGREE=0 WARPS_READ_L2=0 WB=0 ");
  CHECK(defines_of("solver=near_far") ==
        "COUNTERS=0 DISTANCE=integer_distance EDGES=weighted_edges ELL_WIDTH=0 HEAVY_DEGREE=64 LAUNCH_PER_STEP=0 "
        "OFFSET=u64 READ_FIRST=1 ");
  CHECK(defines_of("solver=adds,adds_delta_mode=static,read_first=false") ==
        "ADDS_BUCKETS=32 ADDS_DYNAMIC=0 ADDS_OPEN_DYNAMIC=0 COUNTERS=0 DISTANCE=integer_distance EDGES=weighted_edges "
        "ELL_WIDTH=0 "
        "HEAVY_DEGREE=64 OFFSET=u64 READ_FIRST=0 ");
  CHECK(defines_of("solver=dijkstra") == "COUNTERS=0 DISTANCE=integer_distance EDGES=weighted_edges OFFSET=u64 ");
}

TEST_CASE("the variant depends on the type of the weights") {
  const auto device = open_simulator();
  const search whole(*device, hard_graph_named("path", graph::weight_type::uint32).graph);
  const search real(*device, hard_graph_named("path", graph::weight_type::float32).graph);
  const auto variant_of = [](const search& s) {
    return text_of(const_cast<search&>(s).instance().variant(configuration_of("l2=vector"), instrumentation::none));
  };
  CHECK(variant_of(whole) != variant_of(real));
}

TEST_CASE("values out of range and parameters of absent queues are refused") {
  for (const char* const label : {"threads=32",
                                  "threads=2048",
                                  "bmax=64",
                                  "bmax=4",
                                  "l1_capacity=16",
                                  "delta=0",
                                  "l2_batch=0",
                                  "l2_batch=33",
                                  "l0=heap",
                                  "pnum=2",
                                  "l1=none,wb=2",
                                  "l2=vector,delta=1",
                                  "cpu_delta=1",
                                  "solver=dijkstra,fusion=1",
                                  "solver=delta_stepping,chunk=0",
                                  "solver=dijkstra,threads=128",
                                  "l0=none,l0_depth=2",
                                  "colour=red",
                                  "one_block=3",
                                  "solver=near_far,l1=none",
                                  "solver=bellman_ford,delta_c=1",
                                  "solver=adds,adds_buckets=1",
                                  "solver=adds,adds_delta_mode=static,adds_load=1",
                                  "solver=nothing"}) {
    CAPTURE(label);
    CHECK_THROWS_AS(configuration_of(label), input_error);
  }
}

TEST_CASE("configurations beyond a limit are refused, and no queue can be built with them") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("path", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  struct broken_value {
    const char* label;
    const char* name;
    std::int64_t value;
    const char* limit;
  };
  for (const broken_value& broken :
       {broken_value{"", "bmax", 12, "power_of_two(bmax)"},
        {"", "l1_capacity", 100, "power_of_two(l1_capacity)"},
        {"bmax=8", "bnum", 6, "max(bnum, idle_buckets) + 2 < bmax"},
        {"bmax=8", "idle_buckets", 6, "max(bnum, idle_buckets) + 2 < bmax"},
        {"l1=near_far", "l1_capacity", 32, "l1 != near_far or l1_capacity >= 64"},
        {"", "ell_width", 3, "ell_width == 0 or ell_width > 1 and power_of_two(ell_width)"}}) {
    tuner::configuration chosen = configuration_of(broken.label);
    chosen.set(broken.name, broken.value);
    CAPTURE(chosen.label());
    CHECK_THROWS_AS(configuration_of(chosen.label()), input_error);
    CHECK_THROWS_WITH(configuration_of(chosen.label()),
                      Catch::Contains(std::string("violates the limit '") + broken.limit + "': "));
    // The limit is not stricter than the kernels.
    CHECK_THROWS_AS(tried.prepare(chosen), backends::compile_error);
  }
  CHECK_THROWS_WITH(
      configuration_of("threads=100"),
      "threads=100 violates the limit 'threads % 32 == 0': a block consists of whole warps of 32 threads");
  CHECK_NOTHROW(configuration_of("bmax=8,bnum=5,idle_buckets=5"));
  CHECK_NOTHROW(configuration_of("l2=vector,threads=96"));
}

TEST_CASE("short labels can be read again") {
  const auto parameters = tuner::parameter_set::from_declarations(problems::search_declarations());
  const tuner::configuration chosen = configuration_of("bmax=32,bnum=8");
  CHECK(parameters.short_label(chosen) == "bnum=8");
  CHECK(parameters.parse_label(parameters.short_label(chosen)) == chosen);
}

TEST_CASE("problems are made by name, and an unknown name lists the known ones") {
  CHECK(problems::make_problem("sssp")->name() == "sssp");
  CHECK(problems::make_problem("sssp")->source_hash(configuration_of("")).size() == 16);
  CHECK_THROWS_AS(problems::make_problem("tsp"), input_error);
  CHECK_THROWS_WITH(problems::make_problem("tsp"), Catch::Contains("tsp") && Catch::Contains("sssp"));
}
