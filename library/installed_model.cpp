// SPDX-License-Identifier: Apache-2.0
#include "library/installed_model.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "selector/installed.hpp"

namespace mlmq::detail {
namespace {

/// What tells a file from the one that had its name before.
struct file_state {
  std::filesystem::file_time_type written;
  std::uintmax_t size = 0;
  bool operator==(const file_state&) const = default;
};

struct known_file {
  file_state state;
  std::shared_ptr<const model_data> model;  ///< null: it cannot be used
};

void check_labels(const model_data& model, const tuner::parameter_set& parameters) {
  const std::vector<double> unknown(model.features().size(), std::numeric_limits<double>::quiet_NaN());
  for (const ranked_label& one : model.ranked(unknown)) (void)parameters.parse_label(one.label);
  for (const searcher& one : model.searchers()) (void)parameters.parse_label(one.label);
}

std::shared_ptr<const model_data> usable(const std::filesystem::path& file, std::string_view problem,
                                         const tuner::parameter_set& parameters) {
  try {
    std::shared_ptr<const model_data> model = read_installed(file);
    if (model->trained_for() != problem)
      throw input_error(fmt::format("{}: it was made for problem '{}'", file.string(), model->trained_for()));
    check_labels(*model, parameters);
    return model;
  } catch (const input_error& error) {
    // The message of a parameter does not name the file.
    const std::string what = error.what();
    fmt::print(
        stderr,
        "mlmq: warning: the installed selector is not used, but the shipped one: {}{}. Run 'mlmq tune' again, or "
        "remove the file\n",
        printable(what.starts_with(file.string()) ? "" : file.string() + ": "), printable(what));
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<const model_data> installed_model(std::string_view device, std::string_view problem,
                                                  const tuner::parameter_set& parameters) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, known_file> all;
  const auto file = selector::installed_file(device, problem);
  if (!file) return nullptr;
  std::error_code failure;
  const file_state now{.written = std::filesystem::last_write_time(*file, failure),
                       .size = std::filesystem::file_size(*file, failure)};
  const std::lock_guard lock(mutex);
  const auto known = all.find(*file);
  if (known != all.end() && known->second.state == now) return known->second.model;
  std::shared_ptr<const model_data> model = usable(*file, problem, parameters);
  all.insert_or_assign(*file, known_file{now, model});
  return model;
}

}  // namespace mlmq::detail
