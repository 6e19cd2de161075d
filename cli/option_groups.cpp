// SPDX-License-Identifier: Apache-2.0
#include "cli/option_groups.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace mlmq::cli {
namespace {

struct option_group {
  std::string_view title;
  std::vector<std::string_view> options;
};

/// Returns the groups in the order of --help.
const std::vector<option_group>& option_groups() {
  static const std::vector<option_group> groups = {
      {"Arguments", {}},
      {"Problem",
       {"--problem", "--query", "--source", "--sources", "--targets", "--cutoff", "--samples", "--normalized",
        "--endpoints", "--pairs", "--path-sums", "--reduce", "--workloads", "--code", "--processors"}},
      {"Graph",
       {"--weights", "--weight-seed", "--ignore-weights", "--negative-weights", "--directed", "--undirected",
        "--reverse"}},
      {"Configurations",
       {"--config", "--model", "--tries", "--try-queries", "--partition", "--space", "--sample", "--record",
        "--configurations", "--competitors", "--peers", "--candidates", "--tolerance"}},
      {"Learning",
       {"--features", "--method", "--rounds", "--depth", "--eta", "--subsample", "--colsample", "--lambda",
        "--min-child-weight", "--kernel-scale", "--ridge", "--model-seed"}},
      {"Devices and limits",
       {"--device", "--workers", "--memory", "--shard", "--shard-by", "--budget", "--time-limit", "--grace", "--limit",
        "--no-commands"}},
      {"Measurement", {"--repeat", "--check", "--counters", "--timeline", "--retry", "--dry-run"}},
      {"Output",
       {"--db", "--folder", "--name", "--output", "--predecessors", "--top", "--system", "--format", "--quiet",
        "--verbose"}},
  };
  return groups;
}

}  // namespace

void group_options(CLI::App& app) {
  constexpr std::size_t least_options = 15;
  for (CLI::App* const command : app.get_subcommands({})) group_options(*command);
  if (app.get_options().size() < least_options) return;
  for (const option_group& group : option_groups()) {
    for (const std::string_view name : group.options) {
      CLI::Option* const option = app.get_option_no_throw(std::string(name));
      if (option != nullptr && !option->get_group().empty()) option->group(std::string(group.title));
    }
  }
}

std::size_t position_of_group(std::string_view title) {
  const auto& groups = option_groups();
  return static_cast<std::size_t>(std::ranges::find(groups, title, &option_group::title) - groups.begin());
}

}  // namespace mlmq::cli
