// SPDX-License-Identifier: Apache-2.0
// Whose configurations are, for a problem with the parameters alpha and beta.
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compare/contestants.hpp"
#include "compare/table.hpp"
#include "tests/tuner/fakes.hpp"
#include "tuner/peer_configuration.hpp"

using namespace mlmq;
using namespace mlmq::compare;

namespace {

tuner::experiment_file file(const std::string& configurations) {
  return tuner::parse_experiment(
      "name: some\nproblem: fake\nconfigurations: [" + configurations + "]\nworkloads: [{generate: path5}]\n",
      "s.yaml");
}

tuner::configuration with(std::int64_t alpha, std::int64_t beta) {
  tuner::configuration chosen;
  chosen.set("alpha", alpha);
  chosen.set("beta", beta);
  return chosen;
}

class one_peer final : public peer_list {
 public:
  [[nodiscard]] std::span<const peer> peers() const override { return all_; }
  [[nodiscard]] std::span<const std::string> notes() const override { return {}; }
  [[nodiscard]] std::unique_ptr<peer_session> open(const tuner::workload& /*on*/, const tuner::query& /*asked*/,
                                                   const backends::device_info& /*device*/) const override {
    return nullptr;
  }

 private:
  std::vector<peer> all_ = {
      {.name = "other", .hash = "of other", .device_kind = "cpu", .parameter_sets = {{}}, .turns = 0}};
};

comparison_options options() {
  comparison_options made;
  made.configurations = file("{alpha: 1, beta: 1}, {alpha: 2, beta: 1}");
  made.competitors = file("{alpha: 2, beta: 1}, {alpha: 3, beta: 1}");
  return made;
}

}  // namespace

TEST_CASE("without a parameter that tells competitors apart those of their file alone are named by their labels") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  const comparison_options given = options();
  const contestants who(problem, given);
  CHECK(who.name_of(with(1, 1)) == our_name);
  CHECK(who.name_of(with(2, 1)) == our_name);  // in the short list, too
  CHECK(who.name_of(with(3, 1)) == who.shown_label(with(3, 1)));
  CHECK_FALSE(who.is_ours(with(3, 1)));
  CHECK(who.name_of(with(3, 2)) == our_name);  // on record, perhaps
}

TEST_CASE("the value of a parameter names competitors, and its default is ours") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  comparison_options given = options();
  given.rules.competitor_parameter = "beta";
  const contestants who(problem, given);
  const auto ours = std::get<std::int64_t>(who.parameters().find("beta")->declared.default_value);
  CHECK(who.is_ours(with(3, ours)));
  CHECK(who.name_of(with(3, ours + 1)) == std::to_string(ours + 1));
  tuner::configuration left_out;
  left_out.set("alpha", std::int64_t{3});
  CHECK(who.is_ours(left_out));
}

TEST_CASE("a peer is known by its configuration, whatever its parameters") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  const one_peer peers;
  comparison_options given = options();
  given.peers = &peers;
  const contestants who(problem, given);
  tuner::configuration own;
  own.set("alpha", 0.5);
  const tuner::configuration chosen = tuner::peer_configuration("other", own);
  CHECK(chosen.label() == "alpha=0.5,peer=other,solver=peer");
  CHECK(tuner::peer_parameters(chosen) == own);
  CHECK(who.name_of(chosen) == "other");
  CHECK(who.shown_label(chosen) == "alpha=0.5");
  CHECK(who.shown_label(tuner::peer_configuration("other", {})) == "defaults");
  CHECK(who.hash_of(chosen) == "of other");
  CHECK_FALSE(who.is_ours(chosen));
  CHECK(who.peer_of(with(1, 1)) == nullptr);
  CHECK_THROWS_AS(who.peer_of(tuner::peer_configuration("third", {})), work_error);
}

TEST_CASE("what a problem tells nothing of runs on grids, and no selector chooses") {
  tuner::test::fake_script script;
  const tuner::test::fake_problem problem(script);
  comparison_options given = options();
  const contestants who(problem, given);
  backends::device_info grid;
  backends::device_info processors;
  processors.grid = false;
  CHECK(who.runs_on(with(1, 1), grid));
  CHECK_FALSE(who.runs_on(with(1, 1), processors));
  CHECK_FALSE(who.has_selector(grid));
  const problems::recommendation_hook defaults;
  problems::problem_entry entry;
  entry.name = "fake";
  entry.recommendation = &defaults;
  given.recommended_for = &entry;
  CHECK(who.has_selector(grid));
  CHECK_FALSE(who.has_selector(processors));
}
