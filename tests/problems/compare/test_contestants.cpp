// SPDX-License-Identifier: Apache-2.0
// To whom configurations belong in a comparison, for a problem with the parameters alpha and beta.
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "problems/compare/contestants.hpp"
#include "problems/compare/table.hpp"
#include "tests/tuner/fakes.hpp"
#include "tuner/configuration.hpp"

using namespace mlmq;
using namespace mlmq::compare;

namespace {

tuner::experiment_file file(const std::string& configurations) {
  return tuner::parse_experiment(
      "name: some\nproblem: fake\nconfigurations: [" + configurations + "]\nworkloads: [{generate: path5}]\n",
      "s.yaml");
}

tuner::configuration configuration_with(std::int64_t alpha, std::int64_t beta) {
  tuner::configuration chosen;
  chosen.set("alpha", alpha);
  chosen.set("beta", beta);
  return chosen;
}

class one_peer final : public peer_list {
 public:
  [[nodiscard]] std::span<const peer> peers() const override { return peers_; }
  [[nodiscard]] std::span<const std::string> notes() const override { return {}; }
  [[nodiscard]] std::unique_ptr<peer_session> open(const tuner::workload& /*on*/, const tuner::query& /*asked*/,
                                                   const backends::device_info& /*device*/) const override {
    return nullptr;
  }

 private:
  std::vector<peer> peers_ = {
      {.name = "other", .hash = "of other", .device_kind = "cpu", .parameter_sets = {{}}, .turns = 0}};
};

comparison_options options() {
  comparison_options settings;
  settings.configurations = file("{alpha: 1, beta: 1}, {alpha: 2, beta: 1}");
  settings.competitors = file("{alpha: 2, beta: 1}, {alpha: 3, beta: 1}");
  return settings;
}

}  // namespace

TEST_CASE("without a parameter that tells competitors apart those of their file alone are named by their labels") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  const comparison_options settings = options();
  const contestants compared(problem, settings);
  CHECK(compared.name_of(configuration_with(1, 1)) == our_name);
  CHECK(compared.name_of(configuration_with(2, 1)) == our_name);  // also if it is in the short list
  CHECK(compared.name_of(configuration_with(3, 1)) == compared.shown_label(configuration_with(3, 1)));
  CHECK_FALSE(compared.is_ours(configuration_with(3, 1)));
  CHECK(compared.name_of(configuration_with(3, 2)) == our_name);  // for example, a recorded configuration
}

TEST_CASE("the value of a parameter names competitors, and its default is ours") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  comparison_options settings = options();
  settings.rules.competitor_parameter = "beta";
  const contestants compared(problem, settings);
  const auto ours = std::get<std::int64_t>(compared.parameters().find("beta")->declared.default_value);
  CHECK(compared.is_ours(configuration_with(3, ours)));
  CHECK(compared.name_of(configuration_with(3, ours + 1)) == std::to_string(ours + 1));
  tuner::configuration left_out;
  left_out.set("alpha", std::int64_t{3});
  CHECK(compared.is_ours(left_out));
}

TEST_CASE("a peer is known by its configuration, whatever its parameters") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  const one_peer peers;
  comparison_options settings = options();
  settings.peers = &peers;
  const contestants compared(problem, settings);
  tuner::configuration parameters;
  parameters.set("alpha", 0.5);
  const tuner::configuration chosen = tuner::peer_configuration("other", parameters);
  CHECK(chosen.label() == "alpha=0.5,peer=other,solver=peer");
  CHECK(tuner::peer_parameters(chosen) == parameters);
  CHECK(compared.name_of(chosen) == "other");
  CHECK(compared.shown_label(chosen) == "alpha=0.5");
  CHECK(compared.shown_label(tuner::peer_configuration("other", {})) == "defaults");
  CHECK(compared.hash_of(chosen) == "of other");
  CHECK_FALSE(compared.is_ours(chosen));
  CHECK(compared.peer_of(configuration_with(1, 1)) == nullptr);
  CHECK_THROWS_AS(compared.peer_of(tuner::peer_configuration("third", {})), work_error);
}

TEST_CASE("without declarations, configurations run on grids, and no selector chooses") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  comparison_options settings = options();
  const contestants compared(problem, settings);
  backends::device_info grid;
  backends::device_info processors;
  processors.grid = false;
  CHECK(compared.runs_on(configuration_with(1, 1), grid));
  CHECK_FALSE(compared.runs_on(configuration_with(1, 1), processors));
  CHECK_FALSE(compared.has_selector(grid));
  const problems::recommendation_hook defaults;
  problems::problem_entry entry;
  entry.name = "fake";
  entry.recommendation = &defaults;
  settings.recommended_for = &entry;
  CHECK(compared.has_selector(grid));
  CHECK_FALSE(compared.has_selector(processors));
}
