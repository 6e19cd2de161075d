// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/hardware_profiler.hpp"
#include "base/cache_folder.hpp"
#include "base/code_cache.hpp"
#include "cli/build_info.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/listed_selectors.hpp"
#include "cli/print_text.hpp"
#include "cli/result_options.hpp"
#include "selector/model_file.hpp"
#include "selector/shipped.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::cli {
namespace {

/// State of the cache of compiled code.
struct cache_state {
  std::filesystem::path folder = configured_cache_folder();
  std::string problem = cache_folder_problem();  ///< why it is not used; "" if it is used
  cache_contents contents = problem.empty() ? code_cache::inspect(folder) : cache_contents{};
};

std::string text_of(const cache_state& cache) {
  if (!cache.problem.empty()) {
    return fmt::format("{} (not used: {}; every run recompiles; set MLMQ_CACHE to use another folder)",
                       cache.folder.string(), cache.problem);
  }
  return fmt::format(
      "{} ({} compiled variants, {:.1f} MB{})", cache.folder.string(), cache.contents.files,
      static_cast<double>(cache.contents.bytes) / 1e6,
      cache.contents.damaged > 0 ? fmt::format("; {} damaged, recompiled when needed", cache.contents.damaged) : "");
}

selector::model shipped_model() {
  return selector::model_from_text(selector::shipped_model_text("sssp"), "the shipped selector");
}

/// Prints the shipped selector and the selectors installed for devices.
void print_selectors() {
  const selector::model shipped = shipped_model();
  print_text("selector  {} configurations, learned from {} graphs on {} ({} times)\n", shipped.candidates.size(),
             shipped.provenance.workloads, shipped.provenance.source.device_name, shipped.provenance.source.times);
  const std::vector<listed_selector> installed = list_selectors();
  for (const listed_selector& listed : installed) {
    const auto& about = listed.installed.about;
    print_text("          {}: {}\n",
               about ? fmt::format("installed for {} ({}, made {}, {})", about->device, about->problem,
                                   about->creation_day, listed.state())
                     : "damaged, not used",
               listed.installed.file.string());
  }
  if (installed.empty()) print_text("          none is installed for a device; 'mlmq tune' creates one\n");
}

void print_findings() {
  const std::string kernels = backends::kernel_folder();
  print_text("{}\n", text_of(this_build()));
  print_text("kernels   {}{}\n", kernels, std::filesystem::is_directory(kernels) ? "" : " (missing!)");
  print_text("cache     {}\n", text_of(cache_state()));
  for (const backends::backend_report& report : backends::report_backends()) {
    print_text("{:<10}{}\n", report.name, report.usable ? "usable" : "not usable");
    for (const auto& [key, value] : report.facts) print_text("          {}: {}\n", key, value);
  }
  const backends::profiler_state profiler = backends::find_profiler();
  print_text("counters  hardware counters {}\n", profiler.problem.empty()
                                                     ? fmt::format("can be read through {}", profiler.library)
                                                     : fmt::format("cannot be read: {}", profiler.problem));
  print_text("xgboost   {}\n", selector::xgboost_version());
  print_selectors();
}

void print_json() {
  const build_info build = this_build();
  const cache_state cache;
  const std::string kernels = backends::kernel_folder();
  json_document document = begin_document("doctor");
  document["program"] = {{"version", build.version}, {"commit", nullptr}, {"cuda_toolkit", nullptr}};
  if (!build.commit.empty()) document["program"]["commit"] = build.commit;
  if (!build.toolkit.empty()) document["program"]["cuda_toolkit"] = build.toolkit;
  document["kernels"] = {{"folder", kernels}, {"found", std::filesystem::is_directory(kernels)}};
  document["cache"] = {{"folder", cache.folder.string()},
                       {"used", cache.problem.empty()},
                       {"variants", cache.contents.files},
                       {"damaged", cache.contents.damaged},
                       {"bytes", cache.contents.bytes}};
  if (!cache.problem.empty()) document["cache"]["problem"] = cache.problem;
  document["backends"] = json_document::array();
  for (const backends::backend_report& report : backends::report_backends()) {
    json_document facts = json_document::array();
    for (const auto& [key, value] : report.facts) facts.push_back({{"name", key}, {"text", value}});
    document["backends"].push_back({{"name", report.name}, {"usable", report.usable}, {"facts", std::move(facts)}});
  }
  const backends::profiler_state profiler = backends::find_profiler();
  document["hardware_counters"] = {{"readable", profiler.problem.empty()}, {"library", profiler.library}};
  if (!profiler.problem.empty()) document["hardware_counters"]["problem"] = profiler.problem;
  document["xgboost"] = selector::xgboost_version();
  const selector::model shipped = shipped_model();
  document["selector"] = {{"configurations", shipped.candidates.size()},
                          {"trained_on", json_document::parse(selector::provenance_json(shipped.provenance))},
                          {"installed", selectors_document(list_selectors())}};
  print_document(document);
}

}  // namespace

void add_doctor_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("doctor", "Show the available devices, compilers and libraries");
  const auto results = std::make_shared<result_options>();
  results->add_format(*command);
  command->callback([results] { results->as_json() ? print_json() : print_findings(); });
}

}  // namespace mlmq::cli
