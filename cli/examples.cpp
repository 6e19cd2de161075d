// SPDX-License-Identifier: Apache-2.0
// Examples at the end of --help and manual pages. Tests check their commands and options.
#include <algorithm>
#include <array>

#include "cli/declared_commands.hpp"

namespace mlmq::cli {
namespace {

struct command_examples {
  std::string_view command;
  std::array<std::string_view, 3> lines;  ///< the last ones may be empty
};

constexpr std::array<command_examples, 45> all_examples{{
    {"mlmq", {"mlmq solve roads.gr --check", "mlmq tune graphs/ --budget 10min", "mlmq help sweep"}},
    {"mlmq solve",
     {"mlmq solve roads.gr --source 5 --check", "mlmq solve roads.gr --sources 1000:random --output distances/",
      "mlmq solve rmat16 --device simt --config l1=none,delta=4"}},
    {"mlmq centrality",
     {"mlmq centrality roads.gr --samples 1000 --output scores.csv", "mlmq centrality rmat12 --samples all --top 20",
      ""}},
    {"mlmq tune",
     {"mlmq tune graphs/ --budget 30min", "mlmq tune road14 rmat14 --device cuda:0 --output selector.json", ""}},
    {"mlmq selector",
     {"mlmq selector predict roads.gr", "mlmq selector train results.sqlite --output model.json",
      "mlmq help selector evaluate"}},
    {"mlmq selector train", {"mlmq selector train results.sqlite --output model.json", "", ""}},
    {"mlmq selector evaluate",
     {"mlmq selector evaluate results.sqlite --folds 5 --repeats 3",
      "mlmq selector evaluate results.sqlite --method boosted --output choices.csv", ""}},
    {"mlmq selector curve", {"mlmq selector curve results.sqlite --points 4 --output curve.csv", "", ""}},
    {"mlmq selector candidates", {"mlmq selector candidates results.sqlite --tolerance 0.05", "", ""}},
    {"mlmq selector picks", {"mlmq selector picks results.sqlite --model model.json --format csv", "", ""}},
    {"mlmq selector export", {"mlmq selector export model.json --output model.hpp --namespace my_selector", "", ""}},
    {"mlmq selector importance", {"mlmq selector importance model.json", "", ""}},
    {"mlmq selector predict", {"mlmq selector predict roads.gr --count 3", "", ""}},
    {"mlmq selector list", {"mlmq selector list", "", ""}},
    {"mlmq selector install", {"mlmq selector install selector.json", "", ""}},
    {"mlmq selector remove", {"mlmq selector remove 'NVIDIA H200'", "", ""}},
    {"mlmq sweep",
     {"mlmq sweep space.yaml --dry-run", "mlmq sweep space.yaml --db results.sqlite --device cuda:all",
      "mlmq sweep space.yaml --workloads graphs/ --shard 2/8"}},
    {"mlmq compare",
     {"mlmq compare --workloads roads/ rmat20 --device cuda:0,cpu", "mlmq compare --format markdown --output table.md",
      ""}},
    {"mlmq verify", {"mlmq verify results.sqlite --sample 50", "", ""}},
    {"mlmq replay",
     {"mlmq replay results.sqlite --strategies random,model --budget 50", "mlmq replay cache_A100.json --score",
      "mlmq replay --t4 results_T4.json --t1 kernel.json"}},
    {"mlmq db",
     {"mlmq db status results.sqlite", "mlmq db merge all.sqlite part1.sqlite part2.sqlite", "mlmq help db query"}},
    {"mlmq db status", {"mlmq db status results.sqlite --experiment candidates", "", ""}},
    {"mlmq db query",
     {"mlmq db query \"SELECT workload, min(median_ms) FROM result GROUP BY 1\" results.sqlite", "", ""}},
    {"mlmq db export",
     {"mlmq db export results.sqlite --format nvbench --output nvbench/",
      "mlmq db export matmul.sqlite --format launches --output matmul/", ""}},
    {"mlmq db merge", {"mlmq db merge all.sqlite part1.sqlite part2.sqlite", "", ""}},
    {"mlmq db import", {"mlmq db import mine.sqlite cache_A100.json --t1 kernel.json", "", ""}},
    {"mlmq db compact", {"mlmq db compact small.sqlite results.sqlite", "", ""}},
    {"mlmq db features", {"mlmq db features results.sqlite --workloads graphs/", "", ""}},
    {"mlmq report", {"mlmq report results.sqlite --output report.html", "mlmq report before.sqlite after.sqlite", ""}},
    {"mlmq reproduce",
     {"mlmq reproduce --list", "mlmq reproduce mlmq/fig8 --recorded",
      "mlmq reproduce adds --device cuda:0 --budget 30min"}},
    {"mlmq graph",
     {"mlmq graph info roads.gr", "mlmq graph convert roads.gr roads.mtx", "mlmq graph generate rmat16 rmat16.gr"}},
    {"mlmq graph info", {"mlmq graph info roads.gr", "mlmq graph info rmat16:seed=7 --format json", ""}},
    {"mlmq graph features",
     {"mlmq graph features roads.gr rmat16 --all --format csv", "mlmq graph features --list", ""}},
    {"mlmq graph names", {"mlmq graph names edges.csv", "", ""}},
    {"mlmq graph convert",
     {"mlmq graph convert roads.gr roads.mtx.gz", "mlmq graph convert edges.txt - --format galois --undirected", ""}},
    {"mlmq graph generate", {"mlmq graph generate rmat16:seed=7 rmat16.gr", "", ""}},
    {"mlmq problems", {"mlmq problems", "mlmq problems sssp", ""}},
    {"mlmq doctor", {"mlmq doctor", "mlmq doctor --format json", ""}},
    {"mlmq help", {"mlmq help solve", "mlmq help selector train", ""}},
    {"mlmq version", {"mlmq version", "", ""}},
    {"mlmq new", {"mlmq new problem my_problem", "mlmq new kernel my_kernel --folder kernels/my_kernel", ""}},
    {"mlmq cache", {"mlmq help cache fill", "", ""}},
    {"mlmq cache fill", {"mlmq cache fill --architectures 90,100 --output share/mlmq/machine-code", "", ""}},
    {"mlmq check",
     {"mlmq check --schedules 1000 --only vector,bucket", "mlmq check --graphs star grid --problem bfs", ""}},
    {"mlmq completion", {"mlmq completion bash > ~/.local/share/bash-completion/completions/mlmq", "", ""}},
}};

}  // namespace

std::span<const std::string_view> examples_of(std::string_view command_name) {
  for (const command_examples& examples : all_examples) {
    if (examples.command != command_name) continue;
    const auto end = std::ranges::find(examples.lines, std::string_view());
    return {examples.lines.begin(), static_cast<std::size_t>(end - examples.lines.begin())};
  }
  return {};
}

}  // namespace mlmq::cli
