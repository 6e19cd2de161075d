// SPDX-License-Identifier: Apache-2.0
#include "report/reproduce/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::reproduce {
namespace {

namespace fs = std::filesystem;

std::string paper_of(const figure& entry) { return entry.name.substr(0, entry.name.find('/')); }

/// Splits "mlmq/fig10" into ("mlmq", "fig", 10). Figures sort before tables because "fig" < "table".
std::tuple<std::string, std::string, unsigned long> sort_key(const figure& entry) {
  const std::size_t digits = entry.name.find_last_not_of("0123456789") + 1;
  const std::size_t slash = entry.name.find('/') + 1;
  return {paper_of(entry), entry.name.substr(slash, digits - slash), std::stoul(entry.name.substr(digits))};
}

}  // namespace

std::vector<figure> load_catalogue(const fs::path& folder) {
  std::error_code failure;
  std::vector<figure> catalogue;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".yaml") catalogue.push_back(load_figure(entry.path()));
  }
  if (catalogue.empty()) throw input_error(folder.string() + ": there are no figures in this folder");
  std::sort(catalogue.begin(), catalogue.end(),
            [](const figure& a, const figure& b) { return sort_key(a) < sort_key(b); });
  const auto duplicate = std::adjacent_find(catalogue.begin(), catalogue.end(),
                                            [](const figure& a, const figure& b) { return a.name == b.name; });
  if (duplicate != catalogue.end()) {
    throw input_error(fmt::format("{} and {} both describe {}", duplicate->file.string(),
                                  std::next(duplicate)->file.string(), duplicate->name));
  }
  return catalogue;
}

std::vector<figure> select_figures(std::span<const figure> catalogue, std::span<const std::string> names) {
  const auto is_named_by = [](const figure& candidate, const std::string& name) {
    return name == "all" || name == candidate.name || name == paper_of(candidate);
  };
  for (const std::string& name : names) {
    if (std::any_of(catalogue.begin(), catalogue.end(),
                    [&](const figure& candidate) { return is_named_by(candidate, name); }))
      continue;
    std::vector<std::string> known_names = {"all"};
    for (const figure& candidate : catalogue) {
      known_names.push_back(candidate.name);
      known_names.push_back(paper_of(candidate));
    }
    const auto named_without_paper =
        std::ranges::find_if(catalogue, [&](const figure& candidate) { return candidate.name.ends_with("/" + name); });
    const std::string suggestion = named_without_paper != catalogue.end()
                                       ? fmt::format("; did you mean '{}'?", named_without_paper->name)
                                       : did_you_mean(name, known_names);
    throw input_error(fmt::format("there is no figure '{}'{}", name,
                                  suggestion.empty() ? "; 'mlmq reproduce --list' lists all figures" : suggestion));
  }
  std::vector<figure> selected;
  for (const figure& candidate : catalogue) {
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return is_named_by(candidate, name); })) {
      selected.push_back(candidate);
    }
  }
  return selected;
}

std::vector<std::filesystem::path> recorded_databases(const std::filesystem::path& folder, const std::string& problem) {
  const auto exists = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored);
  };
  const std::filesystem::path shared_database = folder / "results.trials";
  const std::filesystem::path problem_database = folder / (problem + ".trials");
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
