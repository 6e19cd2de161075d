// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "selector/encoding.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> table2{"m",       "nnz",        "avg_nnz",    "max_nnz",
                                      "dev_nnz", "avg_weight", "dev_weight", "max_weight"};

}  // namespace

TEST_CASE("numbers stay numbers, words become 0/1 columns, absent is NaN, constants vanish") {
  const std::vector<candidate> candidates{
      {"a", {{"l1", "none"}, {"delta", "0.5"}, {"block", "256"}, {"l2", "bucket"}, {"f", "auto"}}},
      {"b", {{"l1", "near_far"}, {"nf", "8"}, {"delta", "4"}, {"block", "256"}, {"l2", "heap"}, {"f", "2"}}},
      {"c", {{"l1", "filter"}, {"delta", "4"}, {"block", "256"}, {"l2", "heap"}, {"f", "auto"}}},
  };
  const candidate_encoding encoding = encode(candidates);
  // f: one value is not a number, so both count as words; two words need one column, for the second in order. The same
  // holds for l2.
  REQUIRE(encoding.column_names == std::vector<std::string>{"param.delta", "param.f=auto", "param.l1=filter",
                                                            "param.l1=near_far", "param.l1=none", "param.l2=heap",
                                                            "param.nf"});
  REQUIRE(encoding.rows.size() == 3);
  CHECK(encoding.rows[1] == std::vector<float>{4, 0, 0, 1, 0, 1, 8});
  CHECK(encoding.rows[0][0] == 0.5F);
  CHECK(encoding.rows[0][1] == 1.0F);
  CHECK(std::isnan(encoding.rows[0][6]));
  CHECK(std::isnan(encoding.rows[2][6]));
  const auto names = encode_inputs(table2).names();
  REQUIRE(names.size() == 13);
  CHECK(names[0] == "m");
  CHECK(names[7] == "max_weight");
  CHECK(names[8] == "max_nnz/m");
  CHECK(names[12] == "max_weight/avg_weight");
}

TEST_CASE("an absent word is missing in its columns") {
  const std::vector<candidate> candidates{{"a", {{"order", "lifo"}}}, {"b", {}}};
  const candidate_encoding encoding = encode(candidates);
  REQUIRE(encoding.column_names == std::vector<std::string>{"param.order=lifo"});
  CHECK(encoding.rows[0][0] == 1.0F);
  CHECK(std::isnan(encoding.rows[1][0]));
}

TEST_CASE("one candidate needs no columns") {
  const std::vector<candidate> single_candidate{{"a", {{"delta", "8"}, {"l1", "none"}}}};
  CHECK(encode(single_candidate).column_names.empty());
  CHECK(encode(single_candidate).rows.size() == 1);
}

TEST_CASE("candidates with equal encodings are refused") {
  const std::vector<candidate> same{{"a", {{"delta", "8"}}}, {"b", {{"delta", "8.0"}}}};
  CHECK_THROWS_AS(encode(same), input_error);
  CHECK_THROWS_WITH(encode(same), Contains("'a' and 'b'"));
}

TEST_CASE("rounding to float32 is defined everywhere") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(to_float32(0.1) == 0.1F);
  CHECK(to_float32(16777217.0) == 16777216.0F);
  CHECK(to_float32(1e300) == std::numeric_limits<float>::infinity());
  CHECK(to_float32(-1e300) == -std::numeric_limits<float>::infinity());
  CHECK(to_float32(infinity) == std::numeric_limits<float>::infinity());
  CHECK(std::isnan(to_float32(std::nan(""))));
}

TEST_CASE("the workload's inputs are its features and their ratios, unknown where they mean nothing") {
  const input_encoding workload = encode_inputs(table2);
  const auto inputs = workload.inputs(std::vector<double>{1000, 3000, 3, 30, 1.5, 8, 2, 24});
  REQUIRE(inputs.size() == 13);
  CHECK(inputs[0] == 1000.0F);
  CHECK(inputs[7] == 24.0F);
  CHECK(inputs[8] == 0.03F);   // max_nnz / m
  CHECK(inputs[9] == 10.0F);   // max_nnz / avg_nnz
  CHECK(inputs[10] == 0.5F);   // dev_nnz / avg_nnz
  CHECK(inputs[11] == 0.25F);  // dev_weight / avg_weight
  CHECK(inputs[12] == 3.0F);   // max_weight / avg_weight
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(std::isnan(runtime::ratio_of(1, 0)));
  CHECK(std::isnan(runtime::ratio_of(0, 0)));
  CHECK(std::isnan(runtime::ratio_of(1, -1)));
  CHECK(std::isnan(runtime::ratio_of(NAN, 1)));
  CHECK(std::isnan(runtime::ratio_of(1, NAN)));
  CHECK(std::isnan(runtime::ratio_of(3e38F, 0.1F)));
  CHECK(std::isnan(runtime::ratio_of(infinity, 2)));
  CHECK(std::isnan(runtime::ratio_of(infinity, infinity)));
  CHECK(runtime::ratio_of(2, infinity) == 0.0F);
  CHECK(runtime::ratio_of(-1, 4) == -0.25F);
}

TEST_CASE("a model has the ratios of the features that it has, whatever their order") {
  const std::vector<std::string> few{"hops", "avg_weight", "max_weight", "m"};
  const input_encoding workload = encode_inputs(few);
  CHECK(workload.names() == std::vector<std::string>{"hops", "avg_weight", "max_weight", "m", "max_weight/avg_weight"});
  const auto inputs = workload.inputs(std::vector<double>{7, 2, 10, 5});
  REQUIRE(inputs.size() == workload.size());
  CHECK(inputs[4] == 5.0F);
  CHECK(std::isnan(workload.inputs(std::vector<double>{7, NAN, 10, 5})[4]));
  CHECK(workload.place_of("max_weight") == 2);
  CHECK_FALSE(workload.place_of("weight").has_value());
  CHECK_THROWS_AS(workload.inputs(std::vector<double>{7, 2, 10}), std::invalid_argument);
}

TEST_CASE("a kernel's ratios are those of tails and averages, where both are known") {
  const std::vector<std::string> few{"weight_p99", "avg_nnz", "max_nnz", "degree_p99"};
  const input_encoding workload = encode_inputs(few, kernel_ratios);
  CHECK(workload.names() ==
        std::vector<std::string>{"weight_p99", "avg_nnz", "max_nnz", "degree_p99", "degree_p99/avg_nnz"});
  CHECK(workload.inputs(std::vector<double>{1, 4, 100, 10})[4] == 2.5F);
}

TEST_CASE("more inputs than a node can name are refused") {
  std::vector<std::string> many;
  for (std::size_t i = 0; i < runtime::most_inputs; ++i) many.push_back(std::to_string(i));
  CHECK(encode_inputs(many).size() == runtime::most_inputs);
  many.emplace_back("one more");
  CHECK_THROWS_AS(encode_inputs(many), input_error);
}
