// SPDX-License-Identifier: Apache-2.0
#include "reproduce/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::reproduce {
namespace {

namespace fs = std::filesystem;

std::string paper_of(const figure& one) { return one.name.substr(0, one.name.find('/')); }

/// "mlmq/fig10" as ("mlmq", "fig", 10): figures are before tables because f is before t.
std::tuple<std::string, std::string, unsigned long> sort_key(const figure& one) {
  const std::size_t digits = one.name.find_last_not_of("0123456789") + 1;
  const std::size_t slash = one.name.find('/') + 1;
  return {paper_of(one), one.name.substr(slash, digits - slash), std::stoul(one.name.substr(digits))};
}

}  // namespace

std::vector<figure> load_catalogue(const fs::path& folder) {
  std::error_code failure;
  std::vector<figure> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".yaml") all.push_back(load_figure(entry.path()));
  }
  if (all.empty()) throw input_error(folder.string() + ": there are no figures in this folder");
  std::sort(all.begin(), all.end(), [](const figure& a, const figure& b) { return sort_key(a) < sort_key(b); });
  const auto twice =
      std::adjacent_find(all.begin(), all.end(), [](const figure& a, const figure& b) { return a.name == b.name; });
  if (twice != all.end()) {
    throw input_error(
        fmt::format("{} and {} both describe {}", twice->file.string(), std::next(twice)->file.string(), twice->name));
  }
  return all;
}

std::vector<figure> select_figures(std::span<const figure> catalogue, std::span<const std::string> names) {
  const auto meant = [](const figure& one, const std::string& name) {
    return name == "all" || name == one.name || name == paper_of(one);
  };
  for (const std::string& name : names) {
    if (std::any_of(catalogue.begin(), catalogue.end(), [&](const figure& one) { return meant(one, name); })) continue;
    std::vector<std::string> known = {"all"};
    for (const figure& one : catalogue) {
      known.push_back(one.name);
      known.push_back(paper_of(one));
    }
    const auto named_without_paper =
        std::ranges::find_if(catalogue, [&](const figure& candidate) { return candidate.name.ends_with("/" + name); });
    const std::string suggestion = named_without_paper != catalogue.end()
                                       ? fmt::format("; did you mean '{}'?", named_without_paper->name)
                                       : did_you_mean(name, known);
    throw input_error(fmt::format("there is no figure '{}'{}", name,
                                  suggestion.empty() ? "; 'mlmq reproduce --list' shows what there is" : suggestion));
  }
  std::vector<figure> selected;
  for (const figure& one : catalogue) {
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return meant(one, name); })) {
      selected.push_back(one);
    }
  }
  return selected;
}

}  // namespace mlmq::reproduce
