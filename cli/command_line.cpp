// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"

#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "cli/build_info.hpp"
#include "cli/commands.hpp"
#include "cli/declared_commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/option_groups.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/usage.hpp"

namespace mlmq::cli {
namespace {

int report(int status, const std::string& message) {
  std::fprintf(stderr, "%s %s\n", coloured(stderr, colour::red, "mlmq:").c_str(), on_one_line(message).c_str());
  return status;
}

/// Assigns the commands to the groups of --help.
void group_commands(CLI::App& app) {
  const std::map<std::string, std::string> groups = {{"solve", "Solve"},          {"centrality", "Solve"},
                                                     {"tune", "Tune and select"}, {"selector", "Tune and select"},
                                                     {"sweep", "Measure"},        {"compare", "Measure"},
                                                     {"verify", "Measure"},       {"replay", "Measure"},
                                                     {"db", "Results"},           {"report", "Results"},
                                                     {"reproduce", "Results"},    {"graph", "Information"},
                                                     {"problems", "Information"}, {"doctor", "Information"},
                                                     {"help", "Information"},     {"version", "Information"},
                                                     {"cache", "Maintain"},       {"check", "Maintain"},
                                                     {"completion", "Maintain"},  {"new", "Extend"}};
  for (CLI::App* const command : app.get_subcommands({})) {
    if (!command->get_group().empty()) command->group(groups.at(command->get_name()));
  }
}

int finish_output(int status) {
  const std::string failure = output_failure();
  return failure.empty() ? status : report(exit_failed, "standard output cannot be written: " + failure);
}

}  // namespace

int run(int argc, const char* const* argv) {
  hold_closed_streams();
  program app{"Multi-level multi-queues for shortest paths on GPUs: tune, select, solve, reproduce.", "mlmq"};
  app.set_version_flag(
      "--version", [] { return text_of(this_build()); }, "Print the version, commit and CUDA toolkit of this program");
  app.require_subcommand(1);
  app.formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode) { return help_text(*command); });
  int status = exit_ok;
  add_solve_command(app, status);
  add_centrality_command(app, status);
  add_tune_command(app, status);
  add_selector_commands(app);
  add_sweep_command(app, status);
  add_compare_command(app, status);
  add_verify_command(app, status);
  add_replay_command(app);
  add_db_commands(app);
  add_report_command(app);
  add_reproduce_command(app, status);
  add_graph_commands(app);
  add_problems_command(app);
  add_doctor_command(app);
  add_help_commands(app);
  add_new_command(app);
  add_cache_commands(app);
  add_check_command(app, status);
  add_completion_command(app);
  add_sweep_worker_command(app, status);
  add_compile_command(app, status);
  group_commands(app);
  group_options(app);
  check_values(app, "--config");  // no parameters: all defaults
  try {
    app.parse(argc, argv);
    return finish_output(status);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return finish_output(app.exit(error));  // --help, --version
    return report(exit_usage, usage_message(app, error));
  } catch (const input_error& error) {
    return report(exit_usage, error.what());
  } catch (const std::bad_alloc&) {
    return report(exit_failed, "not enough memory on this machine");
  } catch (const std::system_error& error) {
    // The formatting library throws if standard output cannot be written.
    const std::string failure = output_failure();
    return report(exit_failed, failure.empty() ? error.what() : "standard output cannot be written: " + failure);
  } catch (const std::exception& error) {
    return report(exit_failed, error.what());
  }
}

}  // namespace mlmq::cli
