// SPDX-License-Identifier: Apache-2.0
// Experiment files that define a kernel, with its source and a file of numbers, up to what a compiler gets.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "problems/kernel/first_file.hpp"
#include "problems/kernel/host_array.hpp"
#include "problems/kernel/kernel_problem.hpp"
#include "problems/kernel/source_text.hpp"
#include "problems/kernel/variant_source.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/space_size.hpp"
#include "tests/fuzz/targets.hpp"
#include "tuner/parameter_values.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

/// A folder with the files that an experiment file names.
class kernel_folder {
 public:
  kernel_folder() : folder_("fuzz-kernel") {
    for (const char* const name : {"k.cu", "k.h"}) std::filesystem::create_symlink(source_.path(), path() / name);
    for (const char* const name : {"a.npy", "a.csv", "a.raw"}) {
      std::filesystem::create_symlink(numbers_.path(), path() / name);
    }
  }
  void set(std::string_view source, std::string_view numbers) {
    source_.set(source);
    numbers_.set(numbers);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  fuzz::memory_file source_;
  fuzz::memory_file numbers_;
  temporary_folder folder_;
};

/// What `mlmq sweep --init` writes for any source can be read.
void check_first_file(const std::filesystem::path& folder) {
  std::string first;
  try {
    first = kernel::first_experiment(folder / "k.cu", folder);
  } catch (const input_error&) {
    return;  // the source has no kernel
  }
  try {
    const tuner::experiment_file experiment = tuner::parse_experiment(first, folder / "first.yaml");
    require(experiment.problem == "kernel", "a first file is for a kernel");
    const std::vector<std::string> open_questions = {"TODO: an array", "TODO: type", "TODO: the argument",
                                                     "TODO: a template argument"};
    const auto has = [&first](const std::string& text) { return first.find(text) != std::string::npos; };
    if (std::ranges::none_of(open_questions, has)) (void)kernel::kernel_problem(experiment);
  } catch (const input_error& error) {
    require(false, error.what());
  }
}

void check_launches(const std::vector<kernel::launch_definition>& launches, const kernel::bindings& values) {
  for (const kernel::launch_definition& launch : launches) {
    for (const auto* sizes : {&launch.grid, &launch.block, &launch.cluster}) {
      const backends::extent extent = values.extent(*sizes);
      require(extent.x > 0 && extent.y > 0 && extent.z > 0, "a launch has threads");
    }
    (void)values.whole_number(launch.shared_bytes, 0, 1 << 20);
  }
}

void check_arguments(const kernel::definition& definition, const kernel::bindings& values) {
  constexpr std::uint64_t most_elements = 4096;
  for (const kernel::array_definition& array : definition.arrays) {
    const kernel::element_type& type = values.type(array.type);
    const std::uint64_t count = values.whole_number(array.count, 1, kernel::most_elements);
    // A file has as many elements as the type and the size say, or is refused.
    if (count > most_elements && array.fill != kernel::fill_rule::file) continue;
    if (array.role == kernel::array_role::out) continue;
    const auto contents = kernel::initial_contents(array, type, count, definition.folder);
    require(contents.size() == count * type.element_bytes(), "an array has its size");
    std::vector<std::byte> other(contents);
    std::ranges::reverse(other);
    (void)kernel::compare(array.name, type, contents, other, array.allowed.value_or(definition.allowed));
  }
  for (const kernel::scalar_definition& scalar : definition.scalars) {
    const auto contents = kernel::contents_of(scalar, values, definition.folder);
    require(contents.size() == values.type(scalar.type).element_bytes(), "a scalar has its size");
  }
}

/// Checks what one configuration and workload give.
void check_variant(const kernel::kernel_problem& problem, const kernel::definition& definition,
                   const tuner::configuration& chosen, const tuner::workload_input& input) {
  auto names = problem.workloads().sizes(input);
  const tuner::parameter_values parameters(problem.declarations(), chosen);
  for (const tuner::parameter_declaration& declared : problem.declarations()) {
    names.emplace_back(declared.name, parameters.at(declared.name));
  }
  const kernel::bindings values(std::move(names), definition.texts);
  try {
    check_launches(definition.launches, values);
    check_launches(definition.reference.launches, values);
    const auto source = kernel::source_of(definition, definition.source, values, definition.launches,
                                          definition.defines, parameters.macros(definition.name));
    require(source.is_plain_cuda(), "a variant has functions");
    const std::vector<db::best_result> best = {{.problem = problem.name(),
                                                .workload = input.name,
                                                .workload_class = {},
                                                .query = {},
                                                .device = "cuda:0",
                                                .label = {},
                                                .parameters_json = chosen.to_json(),
                                                .criterion = {},
                                                .rate_unit = {},
                                                .metrics = {}}};
    require(nlohmann::json::accept(problem.launch_files(best).back().content), "exported launches are JSON");
    check_arguments(definition, values);
  } catch (const backends::launch_error&) {
  }
}

void check_experiment(std::string_view text, const std::filesystem::path& folder) {
  const tuner::experiment_file experiment = tuner::parse_experiment(std::string(text), folder / "k.yaml");
  if (experiment.problem != "kernel") return;
  const kernel::kernel_problem problem(experiment);
  const kernel::definition definition = kernel::read_definition(experiment);
  const auto& kind = dynamic_cast<const kernel::size_kind&>(problem.workloads());
  (void)problem.notes();
  constexpr std::size_t most_workloads = 2;
  for (std::size_t i = 0; i < std::min(experiment.workloads.size(), most_workloads); ++i) {
    const tuner::workload_request& request = experiment.workloads[i];
    tuner::workload_input input{.name = {}, .file = {}, .generated = request.specifier, .place = request.place};
    kind.describe(input, request.options);
    const auto sizes = kind.sizes(input);
    require(kind.values_of(input.name) == sizes, "the name of a workload gives its sizes");
    require(kind.expected_size(input) > 0, "a workload has a size");
    constexpr std::uint64_t most_configurations = 4096;
    tuner::configuration chosen;
    if (fuzz::size_of_product(experiment.space, most_configurations) < most_configurations) {
      const tuner::search_space space(experiment.space.with_sizes(sizes), problem.declarations());
      chosen = space.at(space.count() / 2);
      require(space.contains(chosen), "a space contains its configurations");
    }
    require(problem.source_hash(chosen) == problem.source_hash(chosen), "a configuration has one identity");
    check_variant(problem, definition, chosen, input);
    require(kind.load(input)->record.hash == kind.load(input)->record.hash, "a workload has one identity");
  }
}

}  // namespace

/// The input is an experiment file, the source and the numbers, with a 0 byte between them.
void mlmq::fuzz::kernel(std::string_view content) {
  static kernel_folder folder;
  const std::size_t end = std::min(content.find('\0'), content.size());
  const std::string_view files = content.substr(std::min(end + 1, content.size()));
  const std::size_t source_end = std::min(files.find('\0'), files.size());
  const std::string_view source = files.substr(0, source_end);
  folder.set(source, files.substr(std::min(source_end + 1, files.size())));
  check_first_file(folder.path());
  const std::vector<std::string> macros = {"tile", "threads"};
  const std::string macro = mlmq::kernel::declared_macro(source, macros);
  require(macro.empty() || source.find(macro) != std::string_view::npos, "a declared macro is in the source");
  try {
    check_experiment(content.substr(0, end), folder.path());
  } catch (const input_error&) {
  }
}
