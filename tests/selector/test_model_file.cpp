// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "selector/inference.hpp"
#include "selector/model_file.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

TEST_CASE("a model survives its file") {
  const model trained = synthetic::quick_model();
  const synthetic::scratch_folder folder;
  save_model(trained, folder / "model.json");
  const model loaded = load_model(folder / "model.json");
  CHECK(model_to_text(loaded) == model_to_text(trained));
  CHECK(loaded.feature_names == trained.feature_names);
  CHECK(loaded.candidates.size() == trained.candidates.size());
  CHECK(loaded.candidates[4].parameters == trained.candidates[4].parameters);
  CHECK(provenance_json(loaded.provenance) == provenance_json(trained.provenance));
  CHECK(loaded.provenance.training_set_hash == hash_of(synthetic::make()));

  // The nested XGBoost model is still one, and still the same.
  const xgboost_model reference = xgboost_model::from_json(trained.members.at(0).xgboost_json);
  const xgboost_model nested = xgboost_model::from_json(loaded.members.at(0).xgboost_json);
  CHECK(nested.to_json() == reference.to_json());

  const class selector before(trained);
  const class selector after = selector::selector::from_model_file(folder / "model.json");
  REQUIRE(before.features() == after.features());
  for (const graph_example& graph : synthetic::make(24, 3).graphs) {
    const graph_features known = pick_features(before.features(), synthetic::features, graph.features);
    CHECK(before.predict_all(known) == after.predict_all(known));
  }
}

TEST_CASE("the same model gives the same text, without a date") {
  const std::string text = model_to_text(synthetic::tiny_model());
  CHECK(model_to_text(synthetic::tiny_model()) == text);
  const auto document = nlohmann::json::parse(text);
  CHECK(document["version"] == model_format_version);
  CHECK(document["provenance"]["settings"]["max_depth"] == 2);
}

TEST_CASE("files that are not models are refused, naming the file and the reason") {
  const std::string text = model_to_text(synthetic::tiny_model());
  const auto refused = [&](const std::string& damaged, const std::string& reason) {
    CHECK_THROWS_AS(model_from_text(damaged, "m.json"), input_error);
    CHECK_THROWS_WITH(model_from_text(damaged, "m.json"), Contains("m.json: ") && Contains(reason));
  };
  const auto edited = [&](const std::string& pointer, const nlohmann::json& value) {
    auto document = nlohmann::json::parse(text);
    document[nlohmann::json::json_pointer(pointer)] = value;
    return document.dump();
  };
  refused("", "not a whole JSON document");
  refused("[]", "not a selector model");
  refused("{}", "not a selector model");
  refused("7", "not a selector model");
  refused(R"({"learner":{}})", "not a selector model");
  refused(edited("/format", 3), "m.json");
  refused(edited("/version", 7), "model format version 7; this program reads version 4");
  refused(edited("/version", "1"), "not a selector model");
  refused(edited("/candidates", nlohmann::json::array()), "no candidates");
  refused(edited("/candidates/0/encoding", nlohmann::json::array()), "encoded values");
  refused(edited("/candidates/0/encoding/0", "x"), "not a selector model");
  refused(edited("/feature_names", nlohmann::json::array({"a"})), "input 0 is not 'graph.m'");
  refused(edited("/feature_names/-", "param.more"), "encoded values instead of");
  refused(edited("/feature_names/9", "graph.other"), "input 9 is not 'graph.max_nnz/avg_nnz'");
  refused(edited("/feature_names/2", "graph.other"), "input 2 is not 'graph.avg_nnz'");
  refused(edited("/graph/features/2", "other"), "a ratio of 'avg_nnz', which is no feature of it");
  refused(edited("/graph/features/1", "other"), "input 1 is not 'graph.other'");
  refused(edited("/graph/features", nlohmann::json::array()), "which is no feature of it");
  refused(edited("/graph/ratios", nlohmann::json::array()), "encoded values instead of");
  refused(edited("/graph", nlohmann::json()), "not a selector model");
  refused(edited("/members/0/xgboost", nlohmann::json::object()), "XGBoost model: ");
  refused(edited("/members", nlohmann::json::array()), "no trees");
  refused(edited("/members/0/weight", 0.3), "0.3 is not a power of two");
  refused(edited("/members/0/weight", -1), "-1 is not a power of two");
  refused(edited("/members/0/starts", nlohmann::json::array({0.5})), "1 starts for 3 candidates");
  refused(edited("/members/0/starts", nlohmann::json::array({0.5, nullptr, 1})), "a start is not a number");
  refused(edited("/provenance/settings/method", "guess"), "there is no method 'guess'; known are relative, log_time");
  refused(edited("/provenance/settings", nullptr), "not a selector model");
  CHECK_THROWS_AS(load_model("/nonexistent/model.json"), input_error);
}

TEST_CASE("text that JSON cannot hold is refused when writing") {
  model trained = synthetic::tiny_model();
  trained.candidates[0].label = "\xff\xfe";
  CHECK_THROWS_AS(model_to_text(trained), input_error);
  trained = synthetic::tiny_model();
  trained.provenance.source.device_name = "\xff\xfe";
  CHECK_THROWS_AS(provenance_json(trained.provenance), input_error);
  trained = synthetic::tiny_model();
  trained.members[0].xgboost_json.pop_back();
  CHECK_THROWS_AS(model_to_text(trained), input_error);
}

TEST_CASE("every truncation of a model file is refused") {
  const std::string text = model_to_text(synthetic::tiny_model());
  const std::size_t whole = text.rfind('}') + 1;
  std::size_t accepted = 0;
  for (std::size_t length = 0; length < whole; ++length) {
    try {
      (void)model_from_text(std::string_view(text).substr(0, length), "m.json");
      ++accepted;
    } catch (const input_error&) {
    }
  }
  CHECK(accepted == 0);
}
