// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "selector/export_header.hpp"
#include "selector/inference.hpp"
#include "selector/runtime_text.hpp"
#include "tests/selector/synthetic_times.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

/// The exported header, compiled alone by the host's compiler with strict warnings, and loaded. Each header needs a
/// namespace of its own: inline variables of the same name are one variable in the whole process.
class compiled_header {
 public:
  compiled_header(const synthetic::scratch_folder& folder, const model& model, const std::string& standard,
                  const std::string& name_space) {
    export_header(model, folder / "model.hpp", name_space);
    write_file_atomically(folder / "wrapper.cpp", R"(#include "model.hpp"
#include "model.hpp"
namespace exported_model = )" + name_space + R"(;
using exported_model::model;
static_assert(exported_model::feature_count > 0 && exported_model::candidate_count > 0);
static_assert(model.labels[0][0] != '\0');
extern "C" void scores(const double* values, float* result) { model.scores(values, result); }
extern "C" std::size_t select_for(const double* values) { return model.select(values); }
extern "C" const char* feature(std::size_t i) { return i < model.feature_count ? model.features[i] : nullptr; }
extern "C" const char* label(std::size_t i) { return i < model.candidate_count ? model.labels[i] : nullptr; }
extern "C" const char* provenance() { return model.provenance; }
const auto* const expected = model.expected;
extern "C" const void* times() { return expected; }
extern "C" double by_size(double m, double nnz) { return model.expected_best_ms(m, nnz); }
extern "C" double by_features(const double* values, double m, double nnz) {
  return model.expected_best_ms(values, m, nnz);
}
)");
    // A loaded library stays loaded: each header needs its own file name.
    std::string name = name_space;
    std::replace(name.begin(), name.end(), ':', '_');
    const std::string library = (folder / (name + ".so")).string();
    const process_result compiled =
        run_process({"c++", "-std=" + standard, "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
                     "-Werror", "-shared", "-fPIC", (folder / "wrapper.cpp").string(), "-o", library},
                    {.time = std::chrono::seconds(60)});
    INFO(compiled.output);
    REQUIRE(compiled.exit_code == 0);
    library_.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
    REQUIRE(library_);
    find("scores", scores);
    find("select_for", select);
    find("feature", feature);
    find("label", label);
    find("provenance", provenance);
    find("times", times);
    find("by_size", by_size);
    find("by_features", by_features);
  }

  void (*scores)(const double*, float*) = nullptr;
  std::size_t (*select)(const double*) = nullptr;
  const char* (*feature)(std::size_t) = nullptr;
  const char* (*label)(std::size_t) = nullptr;
  const char* (*provenance)() = nullptr;
  const void* (*times)() = nullptr;
  double (*by_size)(double, double) = nullptr;
  double (*by_features)(const double*, double, double) = nullptr;

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

/// Trains a model with few candidates and trees, so that its header compiles quickly.
model small_model(method kind) {
  learning settings = synthetic::quick_settings(kind);
  settings.trees.rounds = std::min(settings.trees.rounds, 12);
  settings.trees.trees_per_round = std::min(settings.trees.trees_per_round, 8);
  const std::array<std::size_t, 7> few{0, 3, 8, 11, 14, 20, 26};
  return train_model(keep_candidates(synthetic::make(24), few), settings, {});
}

std::uint32_t bits(float number) { return std::bit_cast<std::uint32_t>(number); }

/// Compares header and program for every candidate on every row, bit for bit, and compares their choices.
void check_bit_for_bit(const compiled_header& header, const model& trained, std::size_t random_rows) {
  const class selector chooser(trained);
  const std::size_t feature_count = trained.inputs.features.size();
  for (std::size_t i = 0; i < feature_count; ++i) REQUIRE(header.feature(i) == trained.inputs.features[i]);
  CHECK(header.feature(feature_count) == nullptr);
  for (std::size_t c = 0; c < trained.candidates.size(); ++c) REQUIRE(header.label(c) == trained.candidates[c].label);
  CHECK(header.label(trained.candidates.size()) == nullptr);
  CHECK(header.provenance() == provenance_json(trained.provenance));

  std::vector<std::vector<float>> cuts(feature_count, {10.0F, 1e5F});
  if (trained.trees) cuts = synthetic::cuts_of(*trained.trees);
  cuts.resize(feature_count);
  synthetic::random numbers(3);
  auto rows = synthetic::revealing_rows(cuts, random_rows, numbers);
  rows.emplace_back(feature_count, std::numeric_limits<float>::infinity());
  rows.emplace_back(feature_count, -std::numeric_limits<float>::infinity());
  std::size_t different = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> values(rows[i].begin(), rows[i].end());
    for (std::size_t f = 0; f < feature_count; ++f) {
      if (i % 5 == 0) values[f] = std::nextafter(values[f], 0.0);  // not a float32
      if (i % 7 == f) values[f] *= 1e40;                           // beyond float32
    }
    std::vector<float> scores(trained.candidates.size());
    header.scores(values.data(), scores.data());
    const std::vector<float> expected = chooser.predict_all(values);
    for (std::size_t c = 0; c < scores.size(); ++c) different += bits(scores[c]) != bits(expected[c]);
    different += header.select(values.data()) != chooser.select(values);
  }
  CHECK(rows.size() > random_rows);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("the exported header compiles as C++17 and C++20 and equals the program bit for bit") {
  const synthetic::scratch_folder folder;
  const model trained = synthetic::quick_model();
  for (const auto& [standard, name_space] :
       {std::pair("c++17", "exported::in_17"), std::pair("c++20", "exported::in_20")})
    check_bit_for_bit(compiled_header(folder, trained, standard, name_space), trained, 1000);
}

TEST_CASE("the header of every method equals the program bit for bit") {
  const synthetic::scratch_folder folder;
  for (const method kind : all_methods) {
    INFO(to_string(kind));
    const model trained = small_model(kind);
    check_bit_for_bit(compiled_header(folder, trained, "c++17", "exported::of_" + std::string(to_string(kind))),
                      trained, 300);
  }
  // One model with ratios of features, and one without.
  const model tailed = train_model(synthetic::make_tailed(), standard_learning(method::kernel), {});
  check_bit_for_bit(compiled_header(folder, tailed, "c++17", "exported::tailed"), tailed, 300);
  const std::vector<std::string> lone{"hops", "m"};
  const model narrow =
      train_model(keep_features(synthetic::make_wide(40), lone), synthetic::quick_settings(method::boosted), {});
  check_bit_for_bit(compiled_header(folder, narrow, "c++20", "exported::narrow"), narrow, 300);
}

TEST_CASE("two headers in one program have the runtime once") {
  const synthetic::scratch_folder folder;
  export_header(synthetic::tiny_model(), folder / "a.hpp", "a");
  export_header(small_model(method::kernel), folder / "b.hpp", "b::c");
  write_file_atomically(folder / "both.cpp",
                        "#include \"a.hpp\"\n#include \"b.hpp\"\nint main() { return "
                        "a::model.candidate_count == 3 && b::c::model.candidate_count == 7 ? 0 : 1; }\n");
  const std::string program = (folder / "both").string();
  const process_result compiled =
      run_process({"c++", "-std=c++17", "-Wall", "-Werror", (folder / "both.cpp").string(), "-o", program},
                  {.time = std::chrono::seconds(60)});
  INFO(compiled.output);
  REQUIRE(compiled.exit_code == 0);
  CHECK(run_process({program}, {.time = std::chrono::seconds(10)}).exit_code == 0);
}

TEST_CASE("a header has the text of the runtime byte for byte") {
  const std::string whole = header_text(synthetic::tiny_model());
  const auto place = whole.find(runtime_text());
  REQUIRE(place != std::string::npos);
  CHECK(whole.find("selector/runtime.hpp") == std::string::npos);
}

TEST_CASE("the header expects the model's times bit for bit") {
  const synthetic::scratch_folder folder;
  for (const method kind : {method::kernel, method::boosted}) {
    const model trained = synthetic::model_with_times(kind);
    REQUIRE(trained.times);
    const class selector chooser(trained);
    const compiled_header header(folder, trained, "c++17", fmt::format("exported::times_{}", to_string(kind)));
    REQUIRE(header.times() != nullptr);
    std::vector<workload_example> workloads = synthetic::workloads_of_all_sizes(200, 11);
    workloads[0].features.assign(workloads[0].features.size(), std::nan(""));
    for (double& value : workloads[1].features) value *= 1e30;
    for (const workload_example& workload : workloads) {
      const feature_values inputs = pick_features(chooser.features(), synthetic::features, workload.features);
      REQUIRE(header.by_features(inputs.data(), 1000, 3000) == chooser.expected_best_ms(inputs, 1000, 3000).value());
      if (std::isnan(workload.features[2])) continue;
      REQUIRE(header.by_size(workload.features[2], workload.features[1]) ==
              chooser.expected_best_ms(workload.features[2], workload.features[1]).value());
    }
  }
  const compiled_header without(folder, synthetic::tiny_model(), "c++20", "exported::timeless");
  CHECK(without.times() == nullptr);
}

TEST_CASE("a single candidate and awkward text can be exported") {
  const synthetic::scratch_folder folder;
  training_set set = synthetic::make(6);
  const std::array<std::size_t, 1> candidate_indices{5};
  set = keep_candidates(set, candidate_indices);
  set.candidates[0].label =
      "a \"quoted\" \\ back?\?/slash\n\t\xc3\xa9"
      "1";
  const model trained = train_model(set, synthetic::quick_settings(), {"a \"device\"", "simt", "modelled", "", ""});
  check_bit_for_bit(compiled_header(folder, trained, "c++17", "single"), trained, 50);
}

TEST_CASE("retraining from the same record, in any order, gives the same header byte for byte") {
  const training_set set = synthetic::make();
  const std::string expected = header_text(train_model(set, synthetic::quick_settings(), {}));
  CHECK(header_text(train_model(set, synthetic::quick_settings(), {})) == expected);

  training_set shuffled = set;
  std::reverse(shuffled.observations.begin(), shuffled.observations.end());
  std::vector<std::size_t> backwards;
  for (std::size_t w = set.workloads.size(); w-- > 0;) backwards.push_back(w);
  shuffled = keep_workloads(shuffled, backwards);
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
  trained.starts.push_back(1);
  CHECK_THROWS_AS(header_text(trained), input_error);
  trained = synthetic::tiny_model();
  trained.starts[0] = INFINITY;
  CHECK_THROWS_AS(header_text(trained), input_error);
  trained = synthetic::tiny_model();
  trained.candidates.clear();
  CHECK_THROWS_AS(header_text(trained), input_error);
}
