// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "report/reproduce/catalogue.hpp"
#include "tests/report/reproduce/fixture.hpp"

using namespace mlmq;
using namespace mlmq::reproduce;
using namespace mlmq::reproduce::tests;
using Catch::Matchers::Contains;

namespace {

using names = std::vector<std::string>;

names names_of(const std::vector<figure>& figures) {
  names result;
  for (const figure& entry : figures) result.push_back(entry.name);
  return result;
}

std::vector<figure> catalogue_of(const figure_folder& folder, const names& requested) {
  std::filesystem::create_directory(folder.path() / "figures");
  for (const std::string& name : requested) {
    std::string text = with("paper/fig8", name);
    for (std::size_t position = 0; (position = text.find("sweep.yaml", position)) != std::string::npos; position += 13)
      text.insert(position, "../");
    folder.write(
        "figures/" + std::to_string(name.size()) + name.substr(name.find('/') + 1) + name.substr(0, 1) + ".yaml", text);
  }
  return load_catalogue(folder.path() / "figures");
}

}  // namespace

TEST_CASE("figures are in the order of a paper: by number, tables last") {
  const figure_folder folder;
  CHECK(names_of(catalogue_of(folder, {"b/fig2", "a/table1", "a/fig10", "a/fig9", "a/table10", "a/table9"})) ==
        names{"a/fig9", "a/fig10", "a/table1", "a/table9", "a/table10", "b/fig2"});
}

TEST_CASE("figures are chosen by name, by paper or all together, each once") {
  const figure_folder folder;
  const std::vector<figure> catalogue = catalogue_of(folder, {"a/fig1", "a/fig2", "b/fig1"});
  const auto chosen = [&](const names& requested) { return names_of(select_figures(catalogue, requested)); };
  CHECK(chosen({"a/fig2"}) == names{"a/fig2"});
  CHECK(chosen({"b/fig1", "a", "a/fig1"}) == names{"a/fig1", "a/fig2", "b/fig1"});
  CHECK(chosen({"all"}) == names{"a/fig1", "a/fig2", "b/fig1"});
  CHECK_THROWS_WITH(chosen({"a/fig1", "a/fig3"}), Contains("no figure 'a/fig3'") && Contains("did you mean"));
  CHECK_THROWS_WITH(chosen({"something else"}), Contains("--list"));
}

TEST_CASE("a catalogue is refused when it is empty or ambiguous") {
  const figure_folder folder;
  CHECK_THROWS_WITH(load_catalogue(folder.path() / "missing"), Contains("missing") && Contains("no figures"));
  (void)catalogue_of(folder, {"a/fig1"});
  std::filesystem::copy(folder.path() / "figures" / "6fig1a.yaml", folder.path() / "figures" / "again.yaml");
  CHECK_THROWS_WITH(load_catalogue(folder.path() / "figures"),
                    Contains("again.yaml") && Contains("both describe a/fig1"));
}

TEST_CASE("missing recorded data is reported with a remedy") {
  const figure_folder folder;
  CHECK_THROWS_WITH(recorded_databases(folder.path(), "phold"), Contains((folder.path() / "results.trials").string()) &&
                                                                    Contains("--device simt") &&
                                                                    Contains("--recorded --db"));
  folder.write("results.trials", "");
  using files = std::vector<std::filesystem::path>;
  CHECK(recorded_databases(folder.path(), "phold") == files{folder.path() / "results.trials"});
  // A record of the problem takes precedence.
  folder.write("phold.trials", "");
  CHECK(recorded_databases(folder.path(), "phold") == files{folder.path() / "phold.trials"});
  CHECK(recorded_databases(folder.path(), "sssp") == files{folder.path() / "results.trials"});
  // The record of the figures is the first to look into.
  folder.write("figures.sqlite.gz", "");
  CHECK(recorded_databases(folder.path(), "phold") ==
        files{folder.path() / "figures.sqlite.gz", folder.path() / "phold.trials"});
}
