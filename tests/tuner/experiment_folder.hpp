// SPDX-License-Identifier: Apache-2.0
// A folder with graphs that experiment files refer to.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "tests/support/scratch_folder.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::tests {

/// A folder with an experiment file, three graphs (one of them not matched by *.gr), and a file that is not a graph.
class experiment_folder {
 public:
  /// @param parameters parameters of the problem, in braces
  experiment_folder(std::string problem, std::string parameters)
      : problem_(std::move(problem)), parameters_(std::move(parameters)) {
    for (const char* const name : {"graphs/a.gr", "graphs/b.gr", "graphs/inner/d.gr", "graphs/.git/e.gr"})
      folder_.write(name, "p sp 3 2\na 1 2 5\na 2 3 7\n");
    folder_.write("graphs/c.el", "0 1\n1 2\n");
    for (const char* const name : {"graphs/notes.md", "empty/notes.md"}) folder_.write(name, "no graph\n");
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path() / name).string(); }
  /// @param workloads entries of the list of workloads @param rest further keys
  [[nodiscard]] tuner::experiment_file experiment(const std::string& workloads, const std::string& rest = "") const {
    return tuner::parse_experiment(
        "name: n\nproblem: " + problem_ + "\nparameters: " + parameters_ + "\nworkloads:\n" + workloads + rest,
        path() / "experiment.yaml");
  }

 private:
  scratch_folder folder_;
  std::string problem_;
  std::string parameters_;
};

}  // namespace mlmq::tests
