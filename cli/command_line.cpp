// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"

#include <cstdio>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"

namespace mlmq::cli {

int run(int argc, const char* const* argv) {
  CLI::App app{"Multi-level multi-queues for shortest paths on GPUs: tune, select, solve, reproduce.", "mlmq"};
  app.set_version_flag("--version", program_version());
  app.require_subcommand(1);
  int status = exit_ok;
  add_graph_commands(app);
  add_solve_command(app, status);
  add_sweep_command(app, status);
  add_db_commands(app);
  add_selector_commands(app);
  add_doctor_command(app);
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::fprintf(stderr, "mlmq: %s; run with --help for the options\n", error.what());
    return exit_usage;
  } catch (const input_error& error) {
    std::fprintf(stderr, "mlmq: %s\n", error.what());
    return exit_usage;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "mlmq: not enough memory on this machine\n");
    return exit_failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mlmq: %s\n", error.what());
    return exit_failed;
  }
}

}  // namespace mlmq::cli
