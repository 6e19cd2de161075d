// SPDX-License-Identifier: Apache-2.0
// The workloads that an experiment refers to.
#include "tuner/workload_list.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "experiment_folder.hpp"
#include "fakes.hpp"
#include "message.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using mlmq::tests::experiment_folder;
using mlmq::tuner::test::fake_problem;
using mlmq::tuner::test::fake_script;
using mlmq::tuner::test::temporary_folder;

const fake_problem& fake() {
  static fake_script script;
  static const fake_problem problem(script);
  return problem;
}

std::vector<std::string> names_of(const std::vector<workload_input>& inputs) {
  std::vector<std::string> names;
  for (const workload_input& input : inputs) names.push_back(input.name);
  return names;
}

/// Returns rules as text, for example "count=2 choose=first, source=4".
std::string text_of(const query_rules& rules) {
  std::string text;
  for (const query_rule& rule : rules) {
    text += text.empty() ? "" : ", ";
    for (const setting& option : rule.settings) {
      text += (&option == &rule.settings.front() ? "" : " ") + option.name + "=" + option.value();
    }
  }
  return text;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("an experiment's graphs are those it lists, in its order, patterns sorted by name") {
  const experiment_folder folder("fake", "{alpha: [1]}");
  const auto inputs = list_workloads(
      folder.experiment("  - generate: path9\n  - file: graphs/*.gr\n  - file: graphs/c.el\n"), fake(), {});
  CHECK(names_of(inputs) == names{"path9", "a", "b", "c"});
  CHECK(inputs[0].generated == "path9");
  CHECK(inputs[0].file == "");
  CHECK(inputs[1].generated == "");
  CHECK(inputs[1].file == folder / "graphs/a.gr");
}

TEST_CASE("a workload's own queries go before those of the experiment") {
  const experiment_folder folder("fake", "{alpha: [1]}");
  const experiment_file experiment = folder.experiment(
      "  - {generate: path9, queries: {source: 4}}\n  - generate: star9\n", "queries: {count: 3, choose: first}\n");
  const auto inputs = list_workloads(experiment, fake(), {});
  CHECK(text_of(inputs[0].queries) == "source=4");
  CHECK(text_of(inputs[1].queries) == "count=3 choose=first");
}

TEST_CASE("graphs named on the command line replace the experiment's: folders, files, patterns, generators") {
  const experiment_folder folder("fake", "{alpha: [1]}");
  const experiment_file experiment = folder.experiment("  - generate: path9\n", "queries: {count: 2, choose: first}\n");
  const auto listed = [&](const std::vector<std::string>& instead) {
    return list_workloads(experiment, fake(), instead);
  };
  // A folder stands for its graph files and those of its subfolders, except for hidden ones.
  CHECK(names_of(listed({folder / "graphs"})) == names{"a", "b", "c", "d"});
  CHECK(names_of(listed({folder / "graphs/c.el"})) == names{"c"});
  CHECK(names_of(listed({folder / "graphs/[ab].gr"})) == names{"a", "b"});
  CHECK(names_of(listed({"star9"})) == names{"star9"});
  CHECK(names_of(listed({"power9:seed=3", folder / "graphs/*.el", folder / "graphs/a.gr"})) ==
        names{"power9:seed=3", "c", "a"});
  for (const workload_input& input : listed({folder / "graphs", "star9"})) {
    CHECK(text_of(input.queries) == "count=2 choose=first");
  }
}

TEST_CASE("an entry that names no graph is refused with its name") {
  const experiment_folder folder("fake", "{alpha: [1]}");
  const experiment_file experiment = folder.experiment("  - generate: path9\n");
  const auto message = [&](const std::string& name) {
    return message_of([&] { static_cast<void>(list_workloads(experiment, fake(), std::vector{name})); });
  };
  CHECK_THAT(message(folder / "graphs/*.mtx"), Catch::Contains("*.mtx"));
  CHECK_THAT(message(folder / "absent/x.gr"), Catch::Contains("absent/x.gr"));
  CHECK_THAT(message(folder / "empty"), Catch::Contains(folder / "empty") && Catch::Contains("no graph files"));
}

TEST_CASE("a pattern that leads through too many files is refused") {
  const temporary_folder folder;
  // Folders of many entries: the limit is reached after few of the system calls that open a folder.
  for (int i = 0; i < 1010; ++i) std::filesystem::create_directory(folder / std::to_string(i));
  for (int i = 0; i < 30; ++i) write_file_atomically(folder / fmt::format("{}/x.gr", i), "x");
  const auto message = [&](const std::string& pattern) {
    return message_of(
        [&] { static_cast<void>(list_workloads(fake().workloads(), std::vector{(folder / pattern).string()})); });
  };
  CHECK(message("2*/../1*/x.gr") == "");
  CHECK_THAT(message("*/../*/../*/x.gr"),
             Catch::Contains("more than 1000000 files would have to be searched to match '"));
  CHECK_THAT(message(std::string(5000, 'x') + ".gr"), Catch::Contains("there is no file"));
}

TEST_CASE("files of any kind that a name leads to") {
  const temporary_folder folder;
  for (const char* name : {"graphs/a.gr", "graphs/deep/b.gr", "graphs/notes.md", "graphs/.git/c.gr",
                           "graphs/out/results.sqlite", "graphs/out/lock", "graphs/out/d.gr"}) {
    write_file_atomically(folder / name, "x");
  }
  write_file_atomically(folder / "list.yaml", "workloads:\n  - generate: road8\n  - file: [graphs/*.gr, absent.gr]\n");
  write_file_atomically(folder / "peers.yaml", "peers: none\n");
  const auto listed = [&](const std::filesystem::path& name) {
    names relative;
    for (const auto& file :
         files_of(name.string(), [](const std::filesystem::path& path) { return path.extension() == ".gr"; })) {
      relative.push_back(std::filesystem::relative(file, folder.path()).string());
    }
    return relative;
  };
  CHECK(listed(folder / "graphs") == names{"graphs/a.gr", "graphs/deep/b.gr"});
  CHECK(listed(folder / "graphs/*.md") == names{"graphs/notes.md"});
  CHECK(listed(folder / "list.yaml") == names{"graphs/a.gr"});
  CHECK(listed(folder / "peers.yaml").empty());
  CHECK(listed(folder / "absent.gr").empty());
  CHECK(listed("road8").empty());
}

TEST_CASE("files are found relative to the experiment") {
  const temporary_folder folder;
  for (const char* name : {"graphs/b.gr", "graphs/a.gr", "graphs/c[1].gr", "graphs/d.txt"}) {
    write_file_atomically(folder.path() / name, "x");
  }
  const auto file = folder.path() / "experiments" / "x.yaml";
  write_file_atomically(file, "x");
  workload_request request{
      .source = workload_request::origin::file, .specifier = "", .options = {}, .queries = {}, .place = {"x.yaml", 4}};
  const auto matches = [&](const std::string& pattern) {
    request.specifier = pattern;
    names file_names;
    for (const workload_input& input : list_workloads(fake().workloads(), request, file)) {
      CHECK(std::filesystem::exists(input.file));
      file_names.push_back(std::filesystem::path(input.file).filename().string());
    }
    return file_names;
  };
  CHECK(matches("../graphs/*.gr") == names{"a.gr", "b.gr", "c[1].gr"});
  CHECK(matches("../graphs/[ab].gr") == names{"a.gr", "b.gr"});
  CHECK(matches("../graphs/c[1].gr") == names{"c[1].gr"});
  CHECK(matches((folder.path() / "graphs" / "a.gr").string()) == names{"a.gr"});

  const std::string looked_in = " (looked in " + file.parent_path().string() + ")";
  CHECK(message_of([&] { (void)matches("../graphs/*.el"); }) ==
        "x.yaml:4: no file matches '../graphs/*.el'" + looked_in);
  CHECK(message_of([&] { (void)matches("a.gr"); }) == "x.yaml:4: there is no file 'a.gr'" + looked_in);
}

TEST_CASE("an option for all files is for those whose entry does not have it, and contradicts no entry") {
  const experiment_folder folder("fake", "{alpha: [1]}");
  const auto listed = [&](const std::string& graphs, const std::vector<std::string>& instead = {},
                          const std::string& value = "absolute") {
    names descriptions;
    for (const workload_input& input :
         list_workloads(folder.experiment(graphs), fake(), instead, {{"negative_weights", value}})) {
      const auto option = input.options.find("negative_weights");
      descriptions.push_back(input.name + (option == input.options.end() ? "" : ":" + option->second));
    }
    return descriptions;
  };
  const std::string two = "  - {file: graphs/a.gr, negative_weights: absolute}\n  - file: graphs/*.gr\n";
  CHECK(listed(two + "  - generate: path9\n") == names{"a:absolute", "a:absolute", "b:absolute", "path9"});
  CHECK(listed("  - file: graphs/*.gr\n", {}, "refuse") == names{"a", "b"});
  CHECK(listed("  - generate: path9\n", {folder / "graphs/a.gr", "path8"}) == names{"a:absolute", "path8"});

  const auto message = [&](const std::string& graphs, const std::vector<std::string>& instead = {},
                           const std::string& value = "absolute") {
    return message_of([&] { static_cast<void>(listed(graphs, instead, value)); });
  };
  CHECK_THAT(message(two, {}, "refuse"), Catch::Contains(".yaml:5: 'negative_weights': this entry says absolute, but "
                                                         "the command line says refuse; remove one of them"));
  CHECK_THAT(
      message("  - file: graphs/b.gr\n  - {file: graphs/a.gr, negative_weights: refuse}\n"),
      Catch::Contains(".yaml:6: 'negative_weights': this entry says refuse, but the command line says absolute"));
  // An entry that stands for both contradicts the option, too.
  CHECK_THAT(message("  - {file: graphs/a.gr, negative_weights: [absolute, refuse]}\n"),
             Catch::Contains("this entry says refuse"));
  // Entries in lists from the command line are treated like others.
  const std::string list = folder / "list.yaml";
  write_file_atomically(list, "workloads:\n  - {file: graphs/a.gr, negative_weights: refuse}\n");
  CHECK_THAT(message("  - generate: path9\n", {list}), Catch::Contains("list.yaml:2: 'negative_weights'"));
  CHECK_THAT(message("  - generate: path9\n"), Catch::Contains("no workload is a file"));
  CHECK_THAT(message("  - file: graphs/b.gr\n", {}, "drop"), Catch::Contains("expected refuse or absolute"));
}
