// SPDX-License-Identifier: Apache-2.0
#include "report/reproduce/recorded.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace mlmq::reproduce {

std::filesystem::path recorded_database(const std::filesystem::path& folder, const std::string& problem) {
  const std::filesystem::path problem_database = folder / (problem + ".sqlite.gz");
  std::error_code ignored;
  if (std::filesystem::is_regular_file(problem_database, ignored)) return problem_database;
  const std::filesystem::path shared_database = folder / "results.sqlite.gz";
  if (std::filesystem::is_regular_file(shared_database, ignored)) return shared_database;
  throw input_error(fmt::format(
      "{}: there is no recorded data; measure with --device cuda:0, simulate tiny workloads with --device simt, "
      "or name a database of finished sweeps with --recorded --db FILE",
      shared_database.string()));
}

}  // namespace mlmq::reproduce
