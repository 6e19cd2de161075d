// SPDX-License-Identifier: Apache-2.0
#include "cli/compile_command.hpp"

#include <filesystem>
#include <memory>
#include <system_error>

#include "backends/registry.hpp"
#include "cli/commands.hpp"

namespace mlmq::cli {

std::string this_program() {
  // The real path, which process lists show. It may be gone if a new version has been installed.
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  return !failure && std::filesystem::exists(program, failure) ? program.string() : "/proc/self/exe";
}

void compile_in_processes() {
  for (const backends::device_kind& kind : backends::device_kinds()) {
    if (kind.compile_in_processes != nullptr)
      kind.compile_in_processes({this_program(), "compile-variants", kind.name});
  }
}

void add_compile_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("compile-variants", "Compiles what the process that started it sends");
  command->group("");  // hidden: started by this program only
  const auto name = std::make_shared<std::string>();
  command->add_option("kind", *name, "name of a backend")->required();
  command->callback([&status, name] {
    for (const backends::device_kind& kind : backends::device_kinds()) {
      if (kind.name == *name && kind.serve_compilations != nullptr) status = kind.serve_compilations();
    }
  });
}

}  // namespace mlmq::cli
