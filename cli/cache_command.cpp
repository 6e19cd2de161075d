// SPDX-License-Identifier: Apache-2.0
// Compiles kernels in advance.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/print_text.hpp"
#include "cli/sweep_run.hpp"
#include "library/first_kernels.hpp"
#include "problems/registry.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::cli {
namespace {

struct fill_options {
  std::string architectures;
  std::string output;
  std::vector<std::string> only;
  std::string configurations;
  std::string weight_type = "uint32";
  unsigned threads = 0;
};

/// Converts "90" and "sm_90" to "sm_90".
std::string architecture_of(const std::string& text) {
  const std::string number = text.starts_with("sm_") ? text.substr(3) : text;
  if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) {
    throw input_error(fmt::format("--architectures: '{}' is not an architecture such as 90 or sm_90", text));
  }
  return "sm_" + number;
}

/// Largest experiment whose kernels are compiled in advance.
constexpr std::uint64_t most_configurations = 100'000;

/// Returns the kernels of all configurations of an experiment with single searches.
std::vector<backends::kernel_source> kernels_of_experiment(const std::string& file, const std::string& weight_type) {
  const tuner::experiment_file experiment = tuner::load_experiment(file);
  if (experiment.problem != "sssp" && experiment.problem != "bfs") {
    throw input_error(experiment.problem_place.prefix() + "kernels are compiled in advance for the problems sssp and " +
                      "bfs; those of '" + experiment.problem + "' depend on the workload");
  }
  const auto problem = problems::make_problem(experiment.problem);
  const tuner::search_space space(experiment.space, problem->declarations(), problem->presets());
  return detail::kernels_of(space.list(most_configurations),
                            experiment.problem == "bfs" ? problems::search_kind::bfs : problems::search_kind::sssp,
                            graph::weight_type_from(weight_type));
}

/// Returns the kernels whose file or entry has one of these names; all kernels if `only` is empty.
std::vector<backends::kernel_source> select_kernels(const std::vector<std::string>& only) {
  std::vector<backends::kernel_source> kernels = detail::first_kernels();
  if (only.empty()) return kernels;
  std::vector<backends::kernel_source> selected;
  for (const std::string& word : only) {
    const std::size_t before = selected.size();
    for (const backends::kernel_source& kernel : kernels) {
      if (kernel.file == word || kernel.entry == word) selected.push_back(kernel);
    }
    if (selected.size() > before) continue;
    std::vector<std::string> entries;
    for (const backends::kernel_source& kernel : kernels) entries.push_back(kernel.entry);
    throw input_error(fmt::format("--only: no kernel is named '{}'{}", word, did_you_mean(word, entries)));
  }
  return selected;
}

const backends::device_kind& shipping_kind() {
  for (const backends::device_kind& kind : backends::device_kinds()) {
    if (kind.ship != nullptr) return kind;
  }
  throw work_error("this program was built without the CUDA backend, and cannot compile for GPUs");
}

void fill(const fill_options& options) {
  std::vector<std::string> architectures;
  for (const std::string& text : split(options.architectures, ',')) architectures.push_back(architecture_of(text));
  const std::vector<backends::kernel_source> kernels =
      options.configurations.empty() ? select_kernels(options.only)
                                     : kernels_of_experiment(options.configurations, options.weight_type);
  const backends::device_kind& kind = shipping_kind();
  compile_in_processes();
  for (const std::string& architecture : architectures) {
    const backends::shipment shipment = kind.ship(kernels, architecture, options.output, options.threads);
    print_text("{:<8}{} kernels, {:.1f} MB, {:.0f} s: {}\n", architecture, shipment.kernels,
               static_cast<double>(shipment.bytes) / 1e6, shipment.seconds, shipment.file.string());
    std::fflush(stdout);
  }
}

}  // namespace

void add_cache_commands(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("cache", "Manage compiled kernels");
  command->require_subcommand(1);
  CLI::App* const filling = command->add_subcommand(
      "fill",
      "Precompile the kernels that first searches need, for GPUs that need not be present, to ship with the program");
  const auto options = std::make_shared<fill_options>();
  filling
      ->add_option("--architectures", options->architectures,
                   "comma-separated GPU architectures, such as 80,86,89,90,100,120")
      ->required();
  filling
      ->add_option("--output", options->output,
                   "folder for one file per architecture: PREFIX/share/mlmq/machine-code of an installed program, or "
                   "the folder in $MLMQ_MACHINE_CODE")
      ->required();
  CLI::Option* const only =
      filling
          ->add_option("--only", options->only,
                       "compile only kernels with this name, such as sssp or finish_distances; may be repeated [all]")
          ->allow_extra_args(false);
  CLI::Option* const configurations =
      filling
          ->add_option("--configurations", options->configurations,
                       "compile the kernels of all configurations of this experiment file instead, so that a sweep "
                       "does not wait for the compiler; problems sssp and bfs")
          ->excludes(only);
  filling
      ->add_option("--weight-type", options->weight_type,
                   "with --configurations: uint32, float32 or float64, the type of the graphs' weights [uint32]")
      ->needs(configurations);
  filling->add_option("--threads", options->threads, "number of threads that compile [one per processor]");
  takes_no_files(*filling, {"--architectures", "--only", "--weight-type"});
  reads_files(*filling, {"--configurations"});
  writes_files(*filling, {"--output"}, {"sm_*"});
  filling->callback([options] { fill(*options); });
}

}  // namespace mlmq::cli
