// SPDX-License-Identifier: Apache-2.0
// Which workloads an experiment means.
#include "tuner/workload_list.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "fakes.hpp"
#include "message.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using mlmq::tuner::test::fake_problem;
using mlmq::tuner::test::fake_script;
using mlmq::tuner::test::temporary_folder;

constexpr const char* tiny_gr = "p sp 3 2\na 1 2 5\na 2 3 7\n";

/// An experiment file beside three graphs, one of them not named by the pattern *.gr, and a file that is no graph.
class experiment_folder {
 public:
  experiment_folder() {
    write_file_atomically(path() / "graphs/b.gr", tiny_gr);
    write_file_atomically(path() / "graphs/a.gr", tiny_gr);
    write_file_atomically(path() / "graphs/c.el", "0 1\n1 2\n");
    write_file_atomically(path() / "graphs/notes.md", "no graph\n");
    write_file_atomically(path() / "graphs/inner/d.gr", tiny_gr);
    write_file_atomically(path() / "empty/notes.md", "no graph\n");
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path() / name).string(); }
  [[nodiscard]] experiment_file experiment(const std::string& graphs, const std::string& rest = "") const {
    return parse_experiment("name: n\nproblem: fake\nparameters: {alpha: [1]}\nworkloads:\n" + graphs + rest,
                            path() / "experiment.yaml");
  }

 private:
  temporary_folder folder_;
};

const fake_problem& fake() {
  static fake_script script;
  static const fake_problem problem(script);
  return problem;
}

std::vector<std::string> names_of(const std::vector<workload_input>& inputs) {
  std::vector<std::string> names;
  for (const workload_input& one : inputs) names.push_back(one.name);
  return names;
}

/// "count=2 choose=first, source=4"
std::string text_of(const query_rules& rules) {
  std::string text;
  for (const query_rule& rule : rules) {
    text += text.empty() ? "" : ", ";
    for (const setting& one : rule.settings) {
      text += (&one == &rule.settings.front() ? "" : " ") + one.name + "=" + one.value();
    }
  }
  return text;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("an experiment's graphs are those it lists, in its order, patterns sorted by name") {
  const experiment_folder folder;
  const auto inputs = list_workloads(
      folder.experiment("  - generate: path9\n  - file: graphs/*.gr\n  - file: graphs/c.el\n"), fake(), {});
  CHECK(names_of(inputs) == names{"path9", "a", "b", "c"});
  CHECK(inputs[0].generated == "path9");
  CHECK(inputs[0].file == "");
  CHECK(inputs[1].generated == "");
  CHECK(inputs[1].file == folder / "graphs/a.gr");
}

TEST_CASE("a workload's own queries go before those of the experiment") {
  const experiment_folder folder;
  const experiment_file experiment = folder.experiment(
      "  - {generate: path9, queries: {source: 4}}\n  - generate: star9\n", "queries: {count: 3, choose: first}\n");
  const auto inputs = list_workloads(experiment, fake(), {});
  CHECK(text_of(inputs[0].queries) == "source=4");
  CHECK(text_of(inputs[1].queries) == "count=3 choose=first");
}

TEST_CASE("graphs named on the command line replace the experiment's: folders, files, patterns, generators") {
  const experiment_folder folder;
  const experiment_file experiment = folder.experiment("  - generate: path9\n", "queries: {count: 2, choose: first}\n");
  const auto listed = [&](const std::vector<std::string>& instead) {
    return list_workloads(experiment, fake(), instead);
  };
  // A folder stands for its own graph files, not for those of its folders.
  CHECK(names_of(listed({folder / "graphs"})) == names{"a", "b", "c"});
  CHECK(names_of(listed({folder / "graphs/c.el"})) == names{"c"});
  CHECK(names_of(listed({folder / "graphs/[ab].gr"})) == names{"a", "b"});
  CHECK(names_of(listed({"star9"})) == names{"star9"});
  CHECK(names_of(listed({"power9:seed=3", folder / "graphs/*.el", folder / "graphs/a.gr"})) ==
        names{"power9:seed=3", "c", "a"});
  for (const workload_input& one : listed({folder / "graphs", "star9"})) {
    CHECK(text_of(one.queries) == "count=2 choose=first");
  }
}

TEST_CASE("what names no graph is refused with its name") {
  const experiment_folder folder;
  const experiment_file experiment = folder.experiment("  - generate: path9\n");
  const auto message = [&](const std::string& name) {
    return message_of([&] { static_cast<void>(list_workloads(experiment, fake(), std::vector{name})); });
  };
  CHECK_THAT(message(folder / "graphs/*.mtx"), Catch::Contains("*.mtx"));
  CHECK_THAT(message(folder / "absent/x.gr"), Catch::Contains("absent/x.gr"));
  CHECK_THAT(message(folder / "empty"), Catch::Contains(folder / "empty") && Catch::Contains("no graph files"));
}

TEST_CASE("files are found relative to the experiment") {
  const temporary_folder folder;
  for (const char* name : {"graphs/b.gr", "graphs/a.gr", "graphs/c[1].gr", "graphs/d.txt"}) {
    write_file_atomically(folder.path() / name, "x");
  }
  const auto file = folder.path() / "experiments" / "x.yaml";
  write_file_atomically(file, "x");
  workload_request request{
      .from = workload_request::origin::file, .what = "", .options = {}, .queries = {}, .place = {"x.yaml", 4}};
  const auto found = [&](const std::string& pattern) {
    request.what = pattern;
    names all;
    for (const workload_input& one : list_workloads(fake().workloads(), request, file)) {
      CHECK(std::filesystem::exists(one.file));
      all.push_back(std::filesystem::path(one.file).filename().string());
    }
    return all;
  };
  CHECK(found("../graphs/*.gr") == names{"a.gr", "b.gr", "c[1].gr"});
  CHECK(found("../graphs/[ab].gr") == names{"a.gr", "b.gr"});
  CHECK(found("../graphs/c[1].gr") == names{"c[1].gr"});
  CHECK(found((folder.path() / "graphs" / "a.gr").string()) == names{"a.gr"});

  const std::string looked_in = " (looked in " + file.parent_path().string() + ")";
  CHECK(message_of([&] { (void)found("../graphs/*.el"); }) == "x.yaml:4: no file matches '../graphs/*.el'" + looked_in);
  CHECK(message_of([&] { (void)found("a.gr"); }) == "x.yaml:4: there is no file 'a.gr'" + looked_in);
}
