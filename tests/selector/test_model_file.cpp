// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "selector/inference.hpp"
#include "selector/model_file.hpp"
#include "selector/packed_numbers.hpp"
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
  CHECK(loaded.inputs.names() == trained.inputs.names());
  CHECK(loaded.candidates.size() == trained.candidates.size());
  CHECK(loaded.candidates[4].parameters == trained.candidates[4].parameters);
  CHECK(provenance_json(loaded.provenance) == provenance_json(trained.provenance));
  CHECK(loaded.provenance.training_set_hash == hash_of(synthetic::make()));

  const class selector before(trained);
  const class selector after = selector::selector::from_model_file(folder / "model.json");
  REQUIRE(before.features() == after.features());
  for (const workload_example& workload : synthetic::make(24, 3).workloads) {
    const feature_values inputs = pick_features(before.features(), synthetic::features, workload.features);
    CHECK(before.predict_all(inputs) == after.predict_all(inputs));
  }
}

TEST_CASE("the models with which fuzzing starts have the present format") {
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MLMQ_FUZZ_MODELS)) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    CHECK_NOTHROW(load_model(entry.path()));
    ++models;
  }
  CHECK(models > 0);
}

TEST_CASE("the same model gives the same text, without a date") {
  const std::string text = model_to_text(synthetic::tiny_model());
  CHECK(model_to_text(synthetic::tiny_model()) == text);
  const auto document = nlohmann::json::parse(text);
  CHECK(document["version"] == model_format_version);
  CHECK(document["provenance"]["settings"]["max_depth"] == 2);
}

TEST_CASE("scores of a combined model are squares") {
  const model trained = synthetic::quick_model(method::combined);
  CHECK(trained.squared);
  CHECK(trained.trees.has_value());
  CHECK(trained.kernel.has_value());
  auto document = nlohmann::json::parse(model_to_text(trained));
  CHECK(model_from_text(document.dump(), "m").squared);
  document["squared"] = false;
  const model plain = model_from_text(document.dump(), "m");
  const training_set set = synthetic::make();
  const class selector roots(trained);
  const class selector squares(plain);
  for (const workload_example& workload : set.workloads) {
    const feature_values inputs = synthetic::model_inputs(roots, set, workload);
    const std::vector<float> predicted = roots.predict_all(inputs);
    const std::vector<float> sums = squares.predict_all(inputs);
    for (std::size_t c = 0; c < sums.size(); ++c)
      CHECK(predicted[c] == (sums[c] < 0 ? -std::sqrt(-sums[c]) : std::sqrt(sums[c])));
    CHECK(roots.select(inputs) == roots.ranked(inputs).front().candidate);
  }
}

TEST_CASE("files that are not models are refused, naming the file and the reason") {
  const std::string text = model_to_text(synthetic::tiny_model());
  const auto check_refused = [&](const std::string& damaged, const std::string& reason) {
    CHECK_THROWS_AS(model_from_text(damaged, "m.json"), input_error);
    CHECK_THROWS_WITH(model_from_text(damaged, "m.json"), Contains("m.json: ") && Contains(reason));
  };
  const auto edited = [&](const std::string& pointer, const nlohmann::json& value) {
    auto document = nlohmann::json::parse(text);
    document[nlohmann::json::json_pointer(pointer)] = value;
    return document.dump();
  };
  // Changes one number of an array.
  const auto with_number = [&]<typename Number>(const std::string& pointer, std::size_t place, Number value) {
    const auto document = nlohmann::json::parse(text);
    auto numbers = unpack<Number>(document.at(nlohmann::json::json_pointer(pointer)).get<std::string>());
    numbers.at(place) = value;
    return edited(pointer, pack(numbers));
  };
  constexpr float infinite = std::numeric_limits<float>::infinity();
  // The high bytes of a node are its input and its cut, the others its left child.
  const auto with_node = [&](unsigned input, unsigned cut, unsigned left_child) {
    return with_number("/trees/nodes", 0, std::uint32_t{input << 24 | cut << 16 | left_child});
  };
  check_refused("", "not a complete JSON document");
  check_refused("[]", "not a selector model");
  check_refused("{}", "not a selector model");
  check_refused("7", "not a selector model");
  check_refused(R"({"learner":{}})", "not a selector model");
  check_refused(edited("/format", 3), "m.json");
  check_refused(edited("/version", 99), "model format version 99, but this program reads version 9");
  check_refused(edited("/version", "1"), "not a selector model");
  check_refused(edited("/candidates", nlohmann::json::array()), "no candidates");
  const auto ratio = nlohmann::json::array({nlohmann::json::array({"other", "m"})});
  check_refused(edited("/inputs/ratios", ratio), "a ratio of 'other', which is not one of its features");
  check_refused(edited("/inputs", nlohmann::json()), "not a selector model");
  check_refused(edited("/importance", nlohmann::json::array()), "its importances are not one number per input");
  check_refused(edited("/starts", pack(std::vector<float>{0.5F})),
                "its starts are not one finite number per candidate");
  check_refused(with_number("/starts", 0, infinite), "its starts are not one finite number per candidate");
  check_refused(edited("/trees", nlohmann::json::object()), "not a selector model");
  check_refused(edited("/kernel", nlohmann::json::object()), "not a selector model");
  check_refused(edited("/trees/unit", 0.3), "the unit of its trees is not a power of two");
  check_refused(edited("/trees/unit", -1), "the unit of its trees is not a power of two");
  check_refused(with_number("/trees/cut_begin", 1, std::uint16_t{9999}),
                "the cuts of its trees are inconsistent with its inputs");
  check_refused(with_number("/trees/cuts", 0, infinite), "the cuts of its trees are not finite and ascending");
  check_refused(with_number("/trees/roots", 1, std::uint32_t{100000}),
                "the sizes of the arrays of its trees are inconsistent");
  check_refused(with_number("/trees/steps", 0, std::uint8_t{0}), "a tree is deeper than its number of steps");
  check_refused(with_node(255, 1, 1), "a node of its trees has an invalid input or cut");
  check_refused(with_node(0, 0, 1), "a node of its trees has an invalid input or cut");
  check_refused(with_node(0, 1, 0), "a node of its trees has no children");
  check_refused(with_node(0, 1, 60000), "a node of its trees has no children");
  check_refused(edited("/trees/nodes", "01"), "an array of numbers is damaged");
  check_refused(edited("/trees/nodes", "0000000G"), "an array of numbers is damaged");
  check_refused(edited("/trees/nodes", 7), "not a selector model");
  check_refused(with_number("/trees/rows", 0, std::uint32_t{1000000}), "a leaf of its trees has no numbers");
  check_refused(with_number("/trees/leaves", 0, std::int16_t{5000}), "a number in a leaf of its trees is too large");
  check_refused(edited("/provenance/settings/method", "guess"),
                "unknown method 'guess'; expected one of combined, boosted, kernel, forest");
  check_refused(edited("/provenance/settings", nullptr), "not a selector model");
  CHECK_THROWS_AS(load_model("/nonexistent/model.json"), input_error);
}

TEST_CASE("text that JSON cannot hold is refused when writing") {
  model trained = synthetic::tiny_model();
  trained.candidates[0].label = "\xff\xfe";
  CHECK_THROWS_AS(model_to_text(trained), input_error);
  trained = synthetic::tiny_model();
  trained.provenance.source.device_name = "\xff\xfe";
  CHECK_THROWS_AS(provenance_json(trained.provenance), input_error);
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
