// SPDX-License-Identifier: Apache-2.0
#include "base/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include "base/error.hpp"

extern char** environ;

namespace mlmq {
namespace {

/// Returns the environment of this process, with `variables` added or replaced.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!variables.contains(text.substr(0, text.find('=')))) environment.push_back(text);
  }
  for (const auto& [name, value] : variables) {
    std::string& text = environment.emplace_back(name);
    text.append("=").append(value);
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void redirect(posix_spawn_file_actions_t& actions, int source, int target) {
  if (source >= 0) {
    posix_spawn_file_actions_adddup2(&actions, source, target);
  } else {
    posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0);
  }
}

}  // namespace

pid_t spawn(const std::vector<std::string>& arguments, const spawn_settings& settings) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  redirect(actions, settings.input, STDIN_FILENO);
  redirect(actions, settings.output, STDOUT_FILENO);
  redirect(actions, settings.errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<std::string> words = arguments;
  std::vector<std::string> environment = environment_with(settings.variables);
  const std::vector<char*> argv = pointers_to(words);
  pid_t pid = 0;
  const int failure =
      ::posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw work_error(arguments.at(0) + ": cannot be started: " + ::strerror(failure));
  return pid;
}

}  // namespace mlmq
