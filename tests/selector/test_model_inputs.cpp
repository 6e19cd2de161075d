// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "selector/model_inputs.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;
using strings = std::vector<std::string>;

namespace {

/// Two free features and an expensive one, which models may use only for large workloads.
class with_expensive_feature final : public tuner::workload_features {
 public:
  [[nodiscard]] std::span<const tuner::named_meaning> definitions() const override { return names_; }
  [[nodiscard]] std::span<const tuner::feature_list> lists() const override { return lists_; }
  [[nodiscard]] bool is_usable(std::string_view feature, const tuner::named_features& values) const override {
    const auto size = values.find("size");
    return feature != "dear" || size == values.end() || size->second >= 100;
  }

 private:
  std::array<tuner::named_meaning, 3> names_{{{"size", ""}, {"mean", ""}, {"dear", ""}}};
  std::array<tuner::feature_list, 2> lists_{{{"cheap", "", {"size", "mean"}}, {"standard", "", {"mean", "dear"}}}};
};

const with_expensive_feature kind;

}  // namespace

TEST_CASE("features that a kind withholds are unknown, even if recorded") {
  const std::array<std::string_view, 2> names{"dear", "size"};
  const auto inputs = [&](const named_features& values) { return select_model_inputs(values, names, kind, "some"); };
  CHECK(inputs({{"size", 100}, {"dear", 7}}) == std::vector<double>{7, 100});
  CHECK(std::isnan(inputs({{"size", 99}, {"dear", 7}})[0]));
  CHECK(std::isnan(inputs({{"size", 99}})[0]));
  CHECK(inputs({{"size", 99}})[1] == 99);
  CHECK_THROWS_WITH(inputs({{"size", 100}}), Contains("'some'") && Contains("'dear'"));
  CHECK_THROWS_WITH(inputs({{"dear", 7}}), Contains("'size'"));
}

TEST_CASE("a kind without definitions tells all that is on record") {
  const std::array<std::string_view, 1> names{"entities"};
  CHECK(select_model_inputs({{"entities", 1024}}, names, tuner::unnamed_features(), "phold") ==
        std::vector<double>{1024});
}

TEST_CASE("words stand for features that are known, names for themselves") {
  const strings names{"mean", "dear", "other", "size"};
  const auto named = [&](const strings& list) { return expand_feature_list(list, names, kind); };
  CHECK(named({"cheap"}) == strings{"size", "mean"});
  CHECK(named({"standard"}) == strings{"mean", "dear", "other"});
  CHECK(named({"all"}) == names);
  CHECK(named({"dear", "size", "dear", "unheard"}) == strings{"dear", "size", "unheard"});
  CHECK(named({"dear", "cheap"}) == strings{"dear", "size", "mean"});
  CHECK(expand_feature_list(strings{"cheap"}, strings{"mean"}, kind) == strings{"mean"});
}

TEST_CASE("without lists the standard features are all") {
  const strings names{"mean", "size"};
  const auto named = [&](const strings& list) { return expand_feature_list(list, names, tuner::unnamed_features()); };
  CHECK(named({"standard"}) == names);
  CHECK(named({"all"}) == names);
  CHECK(named({"size"}) == strings{"size"});
}

TEST_CASE("features are in the order of their definitions, others follow by name") {
  CHECK(sort_features(strings{"zeta", "dear", "alpha", "size"}, kind) == strings{"size", "dear", "alpha", "zeta"});
}
