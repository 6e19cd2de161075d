// SPDX-License-Identifier: Apache-2.0
// Tuned selectors in files and in folders.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/files.hpp"
#include "selector/installed.hpp"
#include "synthetic.hpp"
#include "tests/support/environment.hpp"

namespace {

using namespace mlmq::selector;
using mlmq::input_error;
using mlmq::tests::environment;
using mlmq::tests::scratch_folder;
namespace fs = std::filesystem;

tuned_file example(const std::string& device = "A GPU, 7th", const std::string& origin = "a record") {
  return {.about = {.device = device,
                    .problem = "sssp",
                    .creation_day = "2026-11-23",
                    .origin = origin,
                    .workloads = 12,
                    .held_out = {{"road (12345678)", {"a=1", "a=2"}}},
                    .evaluation =
                        {.selector_strategy = "new selector",
                         .workloads = {"road (12345678)", "web (87654321)"},
                         .configurations = {"a=1", "a=2"},
                         .strategies = {{.name = "new selector",
                                         .mean_relative = 0.9,
                                         .near_best = 0.5,
                                         .worst = 0.8,
                                         .choices = {{0, 1}, {1}},
                                         .relative = {0.8, 1.0}},
                                        {.name = "best measured", .mean_relative = 1, .near_best = 1, .worst = 1}}}},
          .learned_model = synthetic::tiny_model()};
}

}  // namespace

TEST_CASE("a tuned selector reads back from its text", "[installed]") {
  const std::string text = tuned_file_to_text(example());
  REQUIRE(is_tuned_file(text));
  const tuned_file read = tuned_file_from_text(text, "f");
  CHECK(read.about.device == "A GPU, 7th");
  CHECK(read.about.held_out == example().about.held_out);
  CHECK(model_to_text(read.learned_model) == model_to_text(synthetic::tiny_model()));
  CHECK(tuned_file_to_text(read) == text);
  CHECK(model_part(text, "f") == model_to_text(synthetic::tiny_model()));
  CHECK(model_part("{}", "f") == "{}");
}

TEST_CASE("a tuned selector keeps the scores that it was judged by", "[installed]") {
  const strategy_evaluations read = about_from_text(tuned_file_to_text(example()), "f").evaluation;
  CHECK(read.selector_strategy == "new selector");
  CHECK(read.workloads == example().about.evaluation.workloads);
  CHECK(read.configurations == example().about.evaluation.configurations);
  REQUIRE(read.strategies.size() == 2);
  const strategy_evaluation* const strategy = read.find(read.selector_strategy);
  REQUIRE(strategy != nullptr);
  CHECK(strategy->mean_relative == 0.9);
  CHECK(strategy->near_best == 0.5);
  CHECK(strategy->worst == 0.8);
  CHECK(strategy->choices == std::vector<std::vector<std::size_t>>{{0, 1}, {1}});
  CHECK(strategy->relative == std::vector<double>{0.8, 1.0});
  CHECK(read.find("another") == nullptr);
  // A file from before scores were added can still be read.
  tuned_file old = example();
  old.about.evaluation = {};
  CHECK(about_from_text(tuned_file_to_text(old), "f").evaluation.strategies.empty());
  // Choices that the file does not contain are refused.
  for (const std::size_t changed : {0U, 1U, 2U, 3U}) {
    CAPTURE(changed);
    tuned_file broken = example();
    strategy_evaluation& broken_strategy = broken.about.evaluation.strategies.front();
    if (changed == 0) broken_strategy.choices.front().front() = 2;
    if (changed == 1) broken_strategy.choices.pop_back();
    if (changed == 2) broken_strategy.relative.pop_back();
    if (changed == 3) broken_strategy.choices.front().clear();
    CHECK_THROWS_WITH(about_from_text(tuned_file_to_text(broken), "f"), Catch::Contains("is incomplete"));
  }
}

TEST_CASE("a tuned selector that was changed or cut off is refused", "[installed]") {
  const std::string text = tuned_file_to_text(example());
  const auto is_refused = [](const std::string& changed) {
    try {
      (void)tuned_file_from_text(changed, "the file");
    } catch (const input_error& error) {
      return std::string(error.what()).find("the file") == 0;
    }
    return false;
  };
  for (std::size_t length = 0; length < text.size(); length += 97) {
    CAPTURE(length);
    CHECK(is_refused(text.substr(0, length)));
  }
  for (std::size_t position = 0; position < text.size(); position += 61) {
    std::string changed = text;
    changed[position] = changed[position] == '1' ? '2' : '1';
    if (changed == text) continue;
    CAPTURE(position);
    CHECK(is_refused(changed));
  }
  CHECK(is_refused(text + " "));
  CHECK(is_refused(model_to_text(synthetic::tiny_model())));
}

TEST_CASE("models are read from tuned selectors, too", "[installed]") {
  const scratch_folder scratch;
  const fs::path file = install_selector(example(), scratch.path());
  CHECK(model_to_text(load_model(file)) == model_to_text(synthetic::tiny_model()));
}

TEST_CASE("where the user's selectors are", "[installed]") {
  const environment home("HOME", "/home/somebody");
  {
    const environment variable("MLMQ_SELECTORS", "/there");
    CHECK(selector_folder(install_place::user) == "/there");
  }
  const environment none("MLMQ_SELECTORS", nullptr);
  {
    const environment xdg("XDG_DATA_HOME", "/data");
    CHECK(selector_folder(install_place::user) == "/data/mlmq/selectors");
  }
  const environment no_xdg("XDG_DATA_HOME", nullptr);
  CHECK(selector_folder(install_place::user) == "/home/somebody/.local/share/mlmq/selectors");
  const environment no_home("HOME", nullptr);
  CHECK(selector_folder(install_place::user).empty());
}

TEST_CASE("a selector is found by the name of its device and the problem", "[installed]") {
  const scratch_folder scratch;
  const environment variable("MLMQ_SELECTORS", scratch.path().string());
  CHECK_FALSE(installed_file("A GPU, 7th", "sssp"));
  CHECK(installed_selectors().empty());
  const fs::path file = install_selector(example(), scratch.path() / "");
  CHECK(installed_file("A GPU, 7th", "sssp") == file);
  CHECK_FALSE(installed_file("A GPU, 7th", "bfs"));
  // Device names that map to the same file name are distinguished.
  CHECK_FALSE(installed_file("A GPU; 7th", "sssp"));
  CHECK(file.filename().string().find("a-gpu-7th-") == 0);
  CHECK_NOTHROW(install_selector(example("another"), scratch.path()));
  const std::vector<installed_selector> installed = installed_selectors();
  REQUIRE(installed.size() == 2);
  CHECK(installed[0].about->device == "A GPU, 7th");
  CHECK(installed[0].place == install_place::user);
  CHECK(installed[1].about->device == "another");
}

TEST_CASE("damaged selectors are listed with the error", "[installed]") {
  const scratch_folder scratch;
  const environment variable("MLMQ_SELECTORS", scratch.path().string());
  const fs::path file = install_selector(example(), scratch.path());
  const std::string text = mlmq::read_file(file);
  mlmq::write_file_atomically(file, text.substr(0, text.size() / 2));
  mlmq::write_file_atomically(scratch.path() / "renamed.json", text);
  const std::vector<installed_selector> installed = installed_selectors();
  REQUIRE(installed.size() == 2);
  for (const installed_selector& entry : installed) {
    CHECK_FALSE(entry.about);
    CHECK(entry.damage.find(entry.file.string()) == 0);
  }
}

TEST_CASE("reading during an installation returns a whole selector", "[installed]") {
  const scratch_folder scratch;
  const fs::path file = install_selector(example(), scratch.path());
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 30; ++i) {
      const selector_lock lock(scratch.path());
      (void)install_selector(example("A GPU, 7th", i % 2 == 0 ? "one" : "another one"), scratch.path());
    }
    done = true;
  });
  std::size_t whole = 0;
  while (!done) {
    const tuned_file read = tuned_file_from_text(mlmq::read_file(file), file.string());
    whole += read.about.workloads == 12 ? 1 : 0;
  }
  writer.join();
  CHECK(whole > 0);
}
