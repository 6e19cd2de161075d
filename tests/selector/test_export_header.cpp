// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "selector/export_header.hpp"
#include "selector/inference.hpp"
#include "tests/selector/synthetic_times.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

/// The exported header, compiled by the host's compiler with strict warnings and loaded. Each needs
/// a namespace of its own: inline variables of one name are one variable in the whole process.
class compiled_header {
 public:
  /// @param option of the compiler, besides
  compiled_header(const synthetic::scratch_folder& folder, const model& model, const std::string& standard,
                  const std::string& name_space, const std::string& option = "-Wall") {
    export_header(model, folder / "model.hpp", name_space);
    write_file_atomically(folder / "wrapper.cpp", "#define NAME_SPACE " + name_space + R"(
#include "model.hpp"
#include "model.hpp"
namespace model = NAME_SPACE;
static_assert(model::label(0)[0] != '\0');
extern "C" float predict(const float* features, std::size_t candidate) { return model::predict(features, candidate); }
extern "C" std::size_t select_for(const double* features) {
  std::array<double, model::graph_feature_count> copy{};
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = features[i];
  return model::select(copy);
}
extern "C" const char* feature(std::size_t i) { return i < model::graph_feature_count ? model::graph_feature_names[i] : nullptr; }
extern "C" const char* label(std::size_t candidate) { return model::label(candidate); }
extern "C" std::size_t count() { return model::candidate_count; }
extern "C" const char* provenance() { return model::provenance; }
extern "C" std::size_t time_count() { return model::time_count; }
extern "C" const char* time_label(std::size_t i) { return model::time_label(i); }
extern "C" void by_size(double n, double m, double* ms) { model::expected_by_size(n, m, ms); }
extern "C" void times(const float* features, double n, double m, double* ms) { model::expected_times(features, n, m, ms); }
extern "C" unsigned threads() { return model::time_processor_threads; }
extern "C" std::size_t calibrations() { return model::calibration_count; }
extern "C" double calibration(std::size_t i) { return model::calibrations[i].milliseconds; }
)");
    // What was loaded from a file stays: each needs a file of its own too.
    std::string name = name_space;
    std::replace(name.begin(), name.end(), ':', '_');
    const std::string library = (folder / (name + ".so")).string();
    const process_result compiled =
        run_process({"c++", "-std=" + standard, "-O1", option, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                     "-Wshadow", "-Werror", "-shared", "-fPIC", (folder / "wrapper.cpp").string(), "-o", library},
                    std::chrono::seconds(60));
    INFO(compiled.output);
    REQUIRE(compiled.exit_code == 0);
    library_.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
    REQUIRE(library_);
    find("predict", predict);
    find("select_for", select);
    find("feature", feature);
    find("label", label);
    find("count", count);
    find("provenance", provenance);
    find("time_count", time_count);
    find("time_label", time_label);
    find("by_size", by_size);
    find("times", times);
    find("threads", threads);
    find("calibrations", calibrations);
    find("calibration", calibration);
  }

  float (*predict)(const float*, std::size_t) = nullptr;
  std::size_t (*select)(const double*) = nullptr;
  const char* (*feature)(std::size_t) = nullptr;
  const char* (*label)(std::size_t) = nullptr;
  std::size_t (*count)() = nullptr;
  const char* (*provenance)() = nullptr;
  std::size_t (*time_count)() = nullptr;
  const char* (*time_label)(std::size_t) = nullptr;
  void (*by_size)(double, double, double*) = nullptr;
  void (*times)(const float*, double, double, double*) = nullptr;
  unsigned (*threads)() = nullptr;
  std::size_t (*calibrations)() = nullptr;
  double (*calibration)(std::size_t) = nullptr;

 private:
  template <typename Function>
  void find(const char* name, Function& function) {
    void* address = dlsym(library_.get(), name);
    REQUIRE(address != nullptr);
    static_assert(sizeof(function) == sizeof(address));
    std::memcpy(&function, &address, sizeof(address));
  }

  struct closer {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  std::unique_ptr<void, closer> library_;
};

/// Few candidates and trees, so that their header compiles soon.
model small_model(learning how) {
  how.trees.rounds = std::min(how.trees.rounds, 12);
  how.trees.trees_per_round = std::min(how.trees.trees_per_round, 8);
  const std::array<std::size_t, 7> few{0, 3, 8, 11, 14, 20, 26};
  return train_model(keep_candidates(synthetic::make(24), few), how, {});
}

std::uint32_t bits(float number) { return std::bit_cast<std::uint32_t>(number); }

/// Every candidate on every row: header, forest and (for finite rows) XGBoost agree on each bit; so
/// do the choices.
void check_bit_for_bit(const compiled_header& header, const model& trained, std::size_t random_rows) {
  const class selector chooser(trained);
  const bool has_trees = !trained.members.at(0).kernel;
  const forest trees = has_trees ? parse_xgboost_json(trained.members.at(0).xgboost_json) : forest{};
  std::vector<std::string> asked_for;
  for (std::size_t i = 0; header.feature(i) != nullptr; ++i) asked_for.emplace_back(header.feature(i));
  CHECK(asked_for == chooser.features());
  const auto asked = [&](const std::vector<float>& row) {
    const std::vector<double> values = synthetic::asked(chooser, trained, row);
    return std::vector<float>(values.begin(), values.end());
  };
  synthetic::random numbers(3);
  const std::size_t feature_count = trained.graph.features.size();
  auto graphs = synthetic::revealing_rows(trees, feature_count, random_rows, numbers);
  // A kernel's scores are compared with the selector's instead, and those with the definition in test_kernel_fit.cpp.
  std::vector<float> expected;
  if (has_trees) {
    expected = synthetic::predicted_by_xgboost(trained, graphs);
  } else {
    for (const auto& graph : graphs) {
      const std::vector<float> scores = chooser.predict_all(synthetic::asked(chooser, trained, graph));
      expected.insert(expected.end(), scores.begin(), scores.end());
    }
  }
  std::size_t different = 0;
  std::size_t row = 0;
  for (const auto& graph : graphs) {
    const std::vector<float> inputs = asked(graph);
    for (std::size_t c = 0; c < trained.candidates.size(); ++c, ++row)
      different += bits(header.predict(inputs.data(), c)) != bits(expected[row]);
  }
  CHECK(different == 0);

  // XGBoost refuses infinities, so there only the two walks are compared. Doubles beyond float32
  // become infinite.
  graphs.emplace_back(feature_count, INFINITY);
  graphs.emplace_back(feature_count, -INFINITY);
  std::size_t other_choices = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    graph_features features = synthetic::asked(chooser, trained, graphs[i]);
    for (std::size_t f = 0; f < features.size(); ++f) {
      if (i % 5 == 0) features[f] = std::nextafter(features[f], 0.0);  // not a float32
      if (i % 7 == f) features[f] *= 1e40;
    }
    other_choices += header.select(features.data()) != chooser.select(features);
    if (!std::isinf(graphs[i][0])) continue;
    const std::vector<float> predictions = chooser.predict_all(features);
    for (std::size_t c = 0; c < predictions.size(); ++c)
      different += bits(header.predict(asked(graphs[i]).data(), c)) != bits(predictions[c]);
  }
  CHECK(other_choices == 0);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("the exported header compiles as C++17 and C++20 and equals XGBoost bit for bit") {
  const synthetic::scratch_folder folder;
  const model trained = synthetic::quick_model();
  for (const auto& [standard, name_space] :
       {std::pair("c++17", "exported::in_17"), std::pair("c++20", "exported::in_20")}) {
    const compiled_header header(folder, trained, standard, name_space);
    REQUIRE(header.count() == trained.candidates.size());
    for (std::size_t c = 0; c < header.count(); ++c) CHECK(header.label(c) == trained.candidates[c].label);
    CHECK(header.provenance() == provenance_json(trained.provenance));
    check_bit_for_bit(header, trained, 1000);
  }
}

TEST_CASE("the header of every method equals XGBoost bit for bit") {
  const synthetic::scratch_folder folder;
  for (const method how : all_methods) {
    INFO(to_string(how));
    const std::string name_space = "exported::of_" + std::string(to_string(how));
    const model trained = small_model(synthetic::quick_settings(how));
    check_bit_for_bit(compiled_header(folder, trained, "c++17", name_space), trained, 300);
  }
  // Where a processor has no instruction for the distance of two places.
  const model by_likeness = small_model(synthetic::quick_settings(method::kernel));
  check_bit_for_bit(
      compiled_header(folder, by_likeness, "c++17", "exported::narrow_registers", "-DMLMQ_SELECTOR_NO_AVX2"),
      by_likeness, 300);
  check_bit_for_bit(compiled_header(folder, by_likeness, "c++17", "exported::plain_kernel", "-U__SSE2__"), by_likeness,
                    300);
  learning several = synthetic::quick_settings();
  several.members = 4;
  several.start_at_mean = true;
  several.trees.subsample = 0.7;
  const model trained = small_model(several);
  REQUIRE(trained.members.size() == 4);
  CHECK(trained.members[0].xgboost_json != trained.members[1].xgboost_json);
  CHECK(trained.members[0].starts.size() == trained.candidates.size());
  check_bit_for_bit(compiled_header(folder, trained, "c++20", "exported::of_several"), trained, 300);
}

TEST_CASE("the header of a model of other features takes those that it names, and equals XGBoost bit for bit") {
  const synthetic::scratch_folder folder;
  const std::array<std::size_t, 5> few{0, 1, 9, 14, 20};
  const training_set wide = keep_candidates(synthetic::make_wide(40), few);
  for (const method how : {method::classification, method::relative}) {
    learning settings = synthetic::quick_settings(how);
    settings.trees.rounds = 8;
    const model trained = train_model(wide, settings, {});
    const compiled_header header(folder, trained, "c++17", "exported::wide_" + std::string(to_string(how)));
    check_bit_for_bit(header, trained, 300);
  }
  // Without any feature that has a ratio.
  const std::vector<std::string> lone{"hops", "m"};
  const model narrow = train_model(keep_features(wide, lone), synthetic::quick_settings(method::classification), {});
  check_bit_for_bit(compiled_header(folder, narrow, "c++20", "exported::narrow"), narrow, 300);
}

TEST_CASE("the header expects the model's times bit for bit") {
  const synthetic::scratch_folder folder;
  const processor_record processors = synthetic::processors_record();
  for (const bool with_processors : {true, false}) {
    for (const method how : {method::kernel, method::relative}) {
      const model trained = synthetic::model_with_times(with_processors ? &processors : nullptr, how);
      REQUIRE(trained.times);
      const class selector chooser(trained);
      const compiled_header header(
          folder, trained, "c++17",
          fmt::format("exported::times_{}_{}", with_processors ? "of_two" : "of_one", to_string(how)));
      REQUIRE(header.time_count() == (with_processors ? 3 : 1));
      CHECK(header.time_label(0) == std::string());
      CHECK(header.threads() == (with_processors ? 6 : 0));
      if (with_processors) {
        CHECK(header.time_label(2) == std::string("threads"));
        CHECK(header.calibrations() == 4);
        CHECK(header.calibration(3) == trained.times->searchers[1].calibrations[1].milliseconds);
      }
      std::vector<graph_example> graphs = synthetic::graphs_of_all_sizes(200, 11);
      graphs[0].features.assign(graphs[0].features.size(), std::nan(""));
      for (double& value : graphs[1].features) value *= 1e30;
      for (const graph_example& graph : graphs) {
        const graph_features known = pick_features(chooser.features(), synthetic::features, graph.features);
        const std::vector<float> values(known.begin(), known.end());
        std::array<double, 3> found{};
        header.times(values.data(), 1000, 3000, found.data());
        const std::vector<double> expected = chooser.expected(known, 1000, 3000);
        REQUIRE(std::equal(expected.begin(), expected.end(), found.begin()));
        header.by_size(graph.features[2], graph.features[1], found.data());
        if (std::isnan(graph.features[2])) continue;
        const std::vector<double> by_size = chooser.expected_by_size(graph.features[2], graph.features[1]);
        REQUIRE(std::equal(by_size.begin(), by_size.end(), found.begin()));
      }
    }
  }
  const compiled_header without(folder, synthetic::tiny_model(), "c++20", "exported::timeless");
  CHECK(without.time_count() == 0);
  CHECK(without.calibrations() == 0);
}

TEST_CASE("the header of a kernel that looks at ratios computes them as the program does") {
  const synthetic::scratch_folder folder;
  const model trained = train_model(synthetic::make_tailed(), standard_learning(method::kernel), {});
  const compiled_header header(folder, trained, "c++17", "exported::tailed");
  check_bit_for_bit(header, trained, 300);
  // Near the recorded graphs, and where there is no ratio.
  const class selector chooser(trained);
  std::size_t different = 0;
  for (const float average : {0.0F, -1.0F, 3.7F, 20.0F, 1e-38F, NAN}) {
    for (const float tail : {0.0F, 2.0F, 33.3F, 500.0F, 1e38F, NAN}) {
      const std::array<float, 2> row{average, tail};
      const std::vector<float> scores = chooser.predict_all(graph_features{double{average}, double{tail}});
      for (std::size_t c = 0; c < scores.size(); ++c)
        different += bits(header.predict(row.data(), c)) != bits(scores[c]);
    }
  }
  CHECK(different == 0);
}

TEST_CASE("a single candidate and awkward text can be exported") {
  const synthetic::scratch_folder folder;
  training_set set = synthetic::make(6);
  const std::array<std::size_t, 1> one{5};
  set = keep_candidates(set, one);
  set.candidates[0].label =
      "a \"quoted\" \\ back?\?/slash\n\t\xc3\xa9"
      "1";
  const model trained = train_model(set, synthetic::quick_settings(), {"a \"device\"", "simt", "modelled", "", ""});
  const compiled_header header(folder, trained, "c++17", "single");
  CHECK(header.count() == 1);
  CHECK(header.label(0) == set.candidates[0].label);
  CHECK(header.provenance() == provenance_json(trained.provenance));
  check_bit_for_bit(header, trained, 50);
}

TEST_CASE("retraining from the same record, in any order, gives the same header byte for byte") {
  const training_set set = synthetic::make();
  const std::string expected = header_text(train_model(set, synthetic::quick_settings(), {}));
  CHECK(header_text(train_model(set, synthetic::quick_settings(), {})) == expected);

  training_set shuffled = set;
  std::reverse(shuffled.observations.begin(), shuffled.observations.end());
  std::vector<std::size_t> backwards;
  for (std::size_t g = set.graphs.size(); g-- > 0;) backwards.push_back(g);
  shuffled = keep_graphs(shuffled, backwards);
  CHECK(header_text(train_model(shuffled, synthetic::quick_settings(), {})) == expected);

  learning other = synthetic::quick_settings();
  other.trees.max_depth = 4;
  CHECK(header_text(train_model(set, other, {})) != expected);
}

TEST_CASE("the header from a saved model is the header from the model") {
  const model trained = synthetic::quick_model();
  CHECK(header_text(model_from_text(model_to_text(trained), "m")) == header_text(trained));
}

TEST_CASE("the header's namespace must be a name") {
  const model trained = synthetic::tiny_model();
  CHECK_THAT(header_text(trained), Contains("namespace mlmq_selector {"));
  CHECK_THAT(header_text(trained, "a::b_2"), Contains("namespace a::b_2 {"));
  for (const char* bad : {"", "2a", "a::", "::a", "a:b", "a b", "a-b", "a{}"})
    CHECK_THROWS_AS(header_text(trained, bad), input_error);
}

TEST_CASE("an inconsistent model is not exported") {
  model trained = synthetic::tiny_model();
  trained.encodings[0].push_back(1);
  CHECK_THROWS_AS(header_text(trained), input_error);
  trained = synthetic::tiny_model();
  trained.encodings[0][0] = INFINITY;
  CHECK_THROWS_AS(header_text(trained), input_error);
  trained = synthetic::tiny_model();
  trained.candidates.clear();
  CHECK_THROWS_AS(header_text(trained), input_error);
}
