// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/interruption.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/record_options.hpp"
#include "cli/usage.hpp"
#include "report/contents.hpp"
#include "report/live_contents.hpp"
#include "report/loopback_server.hpp"
#include "report/page.hpp"

namespace mlmq::cli {
namespace {

struct report_options {
  std::vector<std::string> databases = {"results.sqlite"};
  std::string output = "report.html";
  std::string title;
  std::string charts;
  std::string model;
  bool without_selectors = false;
  bool quiet = false;
  report::contents_options contents;
  code_option code;
  bool watches = false;
  std::uint16_t port = 0;
};

void check_different(const std::vector<std::string>& files) {
  std::set<std::string> seen_files;
  for (const std::string& file : files) {
    std::error_code ignored;
    const auto real = std::filesystem::weakly_canonical(file, ignored);
    if (!seen_files.insert(ignored ? file : real.string()).second)
      throw input_error(fmt::format("{}: is specified twice", file));
  }
}

report::contents_options contents_options_of(const report_options& options) {
  report::contents_options settings = options.contents;
  settings.code = options.code.code;
  settings.evaluates_selectors = !options.without_selectors && !options.watches;
  if (!options.model.empty()) settings.evaluation.model_file = options.model;
  return settings;
}

std::string title_of(const report_options& options, const std::vector<std::string>& names) {
  return options.title.empty() ? fmt::format("{}", fmt::join(names, " and ")) : options.title;
}

report::web_answer answer_of(const report::web_request& request, report::live_contents& live,
                             const report_options& options, const std::string& charts) {
  if (request.path != "" && request.path != "data")
    return {.status = 404, .tag = {}, .body = "There is nothing at this address.\n"};
  try {
    live.refresh();
  } catch (const std::exception& error) {
    return {.status = 503, .tag = {}, .body = error.what()};
  }
  const report::report_contents& contents = live.contents();
  if (request.path.empty()) {
    return {.type = "text/html; charset=utf-8",
            .tag = {},
            .body = report::make_page(contents.data, title_of(options, contents.names), charts, true)};
  }
  if (request.known_tag == live.tag()) return {.status = 304, .tag = live.tag(), .body = {}};
  return {.type = "application/json",
          .tag = live.tag(),
          .body = contents.data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

void watch_results(const report_options& options) {
  check_different(options.databases);
  const std::string charts = report::read_charts(options.charts);
  report::live_contents live(options.databases, contents_options_of(options));
  report::loopback_server server(options.port);
  note_interruptions();
  print_text("{}\n", server.address());
  if (!options.quiet) {
    print_text(
        "Open this address in a browser on this machine. From another one, run 'ssh -L {0}:127.0.0.1:{0} HOST' there "
        "first. Ctrl-C ends.\n",
        server.port());
  }
  std::fflush(stdout);
  server.serve([&](const report::web_request& request) { return answer_of(request, live, options, charts); },
               interrupted);
}

void write_report(const report_options& options) {
  const bool to_standard_output = is_standard_output(options.output);
  (void)kind_of_output("--output", options.output, {output_kind::other});
  if (!to_standard_output) check_replaceable_output(options.output);
  check_different(options.databases);
  const std::string charts = report::read_charts(options.charts);
  progress_line line(options.quiet);
  const auto now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const report::report_contents contents =
      report::collect(options.databases, contents_options_of(options), now, [&](const std::string& step) {
        if (line.due()) line.show(step);
      });
  line.end();
  const std::string page = report::make_page(contents.data, title_of(options, contents.names), charts);
  write_output(options.output, page);
  if (to_standard_output) return;  // the page itself has the warnings
  if (!options.quiet) {
    print_text("{}: {} trials in {} result set{}, {:.1f} MB\n", options.output, contents.trials, contents.result_sets,
               contents.result_sets == 1 ? "" : "s", static_cast<double>(page.size()) / 1e6);
  }
  note_hidden_trials(contents.other_code);
  for (const std::string& warning : contents.warnings) {
    // Warnings about the results are printed even with --quiet.
    print_text(options.quiet ? stderr : stdout, "{}\n", on_one_line(warning));
  }
}

}  // namespace

void add_report_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("report", "Write an offline HTML report with charts of recorded results");
  const auto options = std::make_shared<report_options>();
  command->add_option("databases", options->databases, "result databases; several are compared")->capture_default_str();
  CLI::Option* const output =
      command->add_option("-o,--output", options->output, "HTML file to write; -: standard output")
          ->capture_default_str();
  CLI::Option* const watch =
      command
          ->add_flag("--watch", options->watches,
                     "show a page that is refreshed from the databases, for this machine only, until Ctrl-C")
          ->excludes(output);
  command->add_option("--port", options->port, "port of the page of --watch; 0: any free one")
      ->check(whole_number(0, 65535))
      ->capture_default_str()
      ->needs(watch);
  command->add_flag("--quiet", options->quiet, "print no progress and no summary, only errors and warnings");
  command->add_option("--title", options->title, "title of the page [the names of the databases]");
  command
      ->add_option("--model", options->model,
                   "additional selector to evaluate: a model.json, or a selector.json of 'mlmq tune' [selector.json "
                   "in the folder of the database]")
      ->excludes(watch);
  options->code.add_to(*command);
  command
      ->add_flag("--no-selectors", options->without_selectors,
                 "do not evaluate selectors; saves seconds for large databases")
      ->excludes(watch);
  command
      ->add_option("--most-trials", options->contents.most_trials,
                   "maximum number of trials per problem and device; further configurations are omitted")
      ->check(whole_number(1, 100'000'000))
      ->capture_default_str();
  command
      ->add_option("--most-samples", options->contents.most_samples,
                   "maximum number of individual samples per problem and device, fastest configurations first")
      ->check(whole_number(0, 100'000'000))
      ->capture_default_str();
  command->add_option("--charts", options->charts, "chart library, echarts.min.js [the shipped one]");
  reads_files(*command, {"databases", "--model", "--charts"});
  writes_files(*command, {"--output"});
  takes_no_files(*command, {"--title"});
  command->callback([options] {
    if (options->watches) {
      watch_results(*options);
    } else {
      write_report(*options);
    }
  });
}

}  // namespace mlmq::cli
