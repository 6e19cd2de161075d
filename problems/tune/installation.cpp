// SPDX-License-Identifier: Apache-2.0
#include "problems/tune/installation.hpp"

#include <optional>
#include <system_error>

#include "base/files.hpp"
#include "selector/installed.hpp"

namespace mlmq::tune {

std::string installed_text(const std::string& device, const std::string& problem) {
  const std::optional<std::filesystem::path> file = selector::installed_file(device, problem);
  std::error_code failure;
  return file && std::filesystem::exists(*file, failure) ? read_file(*file) : std::string();
}

installation install(const tuned_selector& tuned, const std::filesystem::path& folder) {
  const selector::selector_lock lock(folder);
  const selector::tuned_about& about = tuned.file.about;
  if (installed_text(about.device, about.problem) != tuned.replaced_text)
    return {.outcome = install_outcome::overtaken};
  if (tuned.outcome != verdict::fresh) return {.outcome = install_outcome::kept};
  installation done{.outcome = install_outcome::installed, .file = selector::install_selector(tuned.file, folder)};
  const auto used = selector::installed_file(about.device, about.problem);
  done.is_used = used && *used == done.file;
  return done;
}

}  // namespace mlmq::tune
