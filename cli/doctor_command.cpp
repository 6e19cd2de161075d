// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "backends/backend.hpp"
#include "base/cache_folder.hpp"
#include "base/code_cache.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "selector/shipped.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::cli {
namespace {

/// Where compiled code is kept, and whether and how well.
std::string cache_state() {
  const std::filesystem::path folder = wanted_cache_folder();
  if (const std::string problem = cache_folder_problem(); !problem.empty()) {
    return fmt::format("{} (not used: {}; every run compiles again. MLMQ_CACHE chooses another folder)",
                       folder.string(), problem);
  }
  const cache_contents kept = code_cache::inspect(folder);
  return fmt::format("{} ({} compiled variants, {:.1f} MB{})", folder.string(), kept.files,
                     static_cast<double>(kept.bytes) / 1e6,
                     kept.damaged > 0 ? fmt::format("; {} damaged, made again when needed", kept.damaged) : "");
}

}  // namespace

void add_doctor_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("doctor", "What this program found: devices, compilers, libraries");
  command->callback([] {
    fmt::print("mlmq      {}\n", program_version());
    fmt::print("kernels   {}{}\n", backends::kernel_folder(),
               std::filesystem::is_directory(backends::kernel_folder()) ? "" : " (missing!)");
    fmt::print("cache     {}\n", cache_state());
    for (const backends::backend_report& report : backends::report_backends()) {
      fmt::print("{:<10}{}\n", report.name, report.usable ? "usable" : "not usable");
      for (const auto& [key, value] : report.facts) fmt::print("          {}: {}\n", key, value);
    }
    fmt::print("xgboost   {}\n", selector::xgboost_version());
    fmt::print("selector  {} configurations, trained on {}\n", selector::shipped_candidate_count(),
               selector::shipped_provenance());
  });
}

}  // namespace mlmq::cli
