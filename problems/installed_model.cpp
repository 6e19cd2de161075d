// SPDX-License-Identifier: Apache-2.0
#include "problems/installed_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "selector/installed.hpp"

namespace mlmq::problems {
namespace {

using selector::ranking_model;

/// Distinguishes a file from an earlier one of the same name.
struct file_state {
  std::filesystem::file_time_type modified;
  std::uintmax_t size = 0;
  bool operator==(const file_state&) const = default;
};

struct known_file {
  file_state state;
  std::shared_ptr<const ranking_model> model;  ///< null: it cannot be used
};

void check_labels(const ranking_model& model, const tuner::parameter_set& parameters) {
  for (const std::string& label : model.candidates()) (void)parameters.parse_label(label);
}

std::shared_ptr<const ranking_model> usable(const std::filesystem::path& file, std::string_view problem,
                                            const tuner::parameter_set& parameters,
                                            const tuner::workload_features& kind) {
  try {
    std::shared_ptr<const ranking_model> model = selector::read_tuned_ranking_model(file);
    if (model->trained_for() != problem)
      throw input_error(
          fmt::format("{}: the selector was trained for problem '{}'", file.string(), model->trained_for()));
    check_labels(*model, parameters);
    require_known_features(*model, kind);
    return model;
  } catch (const input_error& error) {
    // The message of a parameter does not name the file.
    const std::string message = error.what();
    fmt::print(stderr,
               "mlmq: warning: the installed selector cannot be used ({}{}), so the shipped one is used. Rerun "
               "'mlmq tune', or remove the file\n",
               printable(message.starts_with(file.string()) ? "" : file.string() + ": "), printable(message));
    return nullptr;
  }
}

}  // namespace

void require_known_features(const ranking_model& model, const tuner::workload_features& kind) {
  const auto defined = kind.definitions();
  if (defined.empty()) return;
  for (const std::string_view name : model.features()) {
    if (std::ranges::any_of(defined, [&](const tuner::named_meaning& feature) { return feature.name == name; }))
      continue;
    std::vector<std::string> names;
    for (const tuner::named_meaning& feature : defined) names.emplace_back(feature.name);
    throw input_error(fmt::format("{}: trained with the feature '{}', which this program does not know{}", model.name(),
                                  name, did_you_mean(std::string(name), names)));
  }
}

std::shared_ptr<const ranking_model> installed_model(std::string_view device, std::string_view problem,
                                                     const tuner::parameter_set& parameters,
                                                     const tuner::workload_features& kind) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, known_file> files;
  const auto file = selector::installed_file(device, problem);
  if (!file) return nullptr;
  std::error_code failure;
  const file_state state{.modified = std::filesystem::last_write_time(*file, failure),
                         .size = std::filesystem::file_size(*file, failure)};
  const std::lock_guard lock(mutex);
  const auto entry = files.find(*file);
  if (entry != files.end() && entry->second.state == state) return entry->second.model;
  std::shared_ptr<const ranking_model> model = usable(*file, problem, parameters, kind);
  files.insert_or_assign(*file, known_file{state, model});
  return model;
}

}  // namespace mlmq::problems
