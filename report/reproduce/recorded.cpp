// SPDX-License-Identifier: Apache-2.0
#include "report/reproduce/recorded.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace mlmq::reproduce {

std::vector<std::filesystem::path> recorded_databases(const std::filesystem::path& folder, const std::string& problem) {
  const auto exists = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored);
  };
  const std::filesystem::path shared_database = folder / "results.sqlite.gz";
  const std::filesystem::path problem_database = folder / (problem + ".sqlite.gz");
  std::vector<std::filesystem::path> databases;
  for (const std::filesystem::path& file :
       {folder / "figures.sqlite.gz", exists(problem_database) ? problem_database : shared_database}) {
    if (exists(file)) databases.push_back(file);
  }
  if (!databases.empty()) return databases;
  throw input_error(fmt::format(
      "{}: there is no recorded data; measure with --device cuda:0, simulate tiny workloads with --device simt, "
      "or name a database of finished sweeps with --recorded --db FILE",
      shared_database.string()));
}

}  // namespace mlmq::reproduce
