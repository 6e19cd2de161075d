// SPDX-License-Identifier: Apache-2.0
// Completion for three shells. Each script looks for the longest known command among the words before the cursor; it then
// offers the values of the option before the cursor, options, commands or files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/declared_commands.hpp"

namespace mlmq::cli {
namespace {

std::string in_single_quotes(const std::string& text) {
  std::string result = "'";
  for (const char character : text) result += character == '\'' ? "'\\''" : std::string(1, character);
  return result + "'";
}

std::string option_names(const declared_command& command) {
  std::vector<std::string> names;
  for (const declared_option& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

/// The three tables, each line `start` + key + `between` + words + `end`.
std::string tables(const std::vector<declared_command>& commands, const char* start, const char* between,
                   const char* end) {
  std::string commands_below;
  std::string options;
  std::string choices;
  const auto line = [&](const std::string& key, const std::string& words) {
    return fmt::format("{}{}{}{}{}\n", start, in_single_quotes(key), between, in_single_quotes(words), end);
  };
  for (const declared_command& command : commands) {
    if (!command.below.empty())
      commands_below += line(command.name(), fmt::format("{}", fmt::join(command.below, " ")));
    options += line(command.name(), option_names(command));
    for (const declared_option& option : command.options) {
      if (option.choices.empty()) continue;
      for (const std::string& name : option.names) {
        choices += line(command.name() + " " + name, fmt::format("{}", fmt::join(option.choices, " ")));
      }
    }
  }
  return fmt::format("  subcommands=(\n{}  )\n  flags=(\n{}  )\n  choices=(\n{}  )\n", commands_below, options,
                     choices);
}

std::string bash_script(const std::vector<declared_command>& commands) {
  return "# bash completion of mlmq, made by 'mlmq completion bash'\n"
         "_mlmq() {\n"
         "  local -A subcommands flags choices\n" +
         tables(commands, "    [", "]=", "") +
         R"(  local current=${COMP_WORDS[COMP_CWORD]} command=mlmq key i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    key="$command ${COMP_WORDS[i]}"
    [[ -n ${flags[$key]+known} ]] && command=$key
  done
  key="$command ${COMP_WORDS[COMP_CWORD - 1]}"
  if [[ -n ${choices[$key]+known} ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${choices[$key]}" -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${flags[$command]}" -- "$current")
  elif [[ -n ${subcommands[$command]+known} ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${subcommands[$command]}" -- "$current")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _mlmq mlmq
)";
}

std::string zsh_script(const std::vector<declared_command>& commands) {
  return "#compdef mlmq\n"
         "# zsh completion of mlmq, made by 'mlmq completion zsh'\n"
         "_mlmq() {\n"
         "  local -A subcommands flags choices\n" +
         tables(commands, "    ", " ", "") +
         R"(  local command=mlmq key word
  for word in ${words[2,CURRENT-1]}; do
    key="$command $word"
    (( ${+flags[$key]} )) && command=$key
  done
  key="$command ${words[CURRENT-1]}"
  if (( ${+choices[$key]} )); then
    compadd -- ${=choices[$key]}
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${=flags[$command]}
  elif (( ${+subcommands[$command]} )); then
    compadd -- ${=subcommands[$command]}
  else
    _files
  fi
}
if [[ ${funcstack[1]} == _mlmq ]]; then _mlmq "$@"; else compdef _mlmq mlmq; fi
)";
}

std::string fish_script(const std::vector<declared_command>& commands) {
  std::string known;
  std::string offers;
  for (const declared_command& command : commands) {
    known += fmt::format(" {}", in_single_quotes(command.name()));
    const std::string here = fmt::format("complete -c mlmq -n \"test (__mlmq_command) = '{}'\"", command.name());
    for (const declared_command& other : commands) {
      const bool is_below =
          other.words.size() == command.words.size() + 1 && other.name().starts_with(command.name() + " ");
      if (!is_below) continue;
      offers += fmt::format("{} -f -a {} -d {}\n", here, other.words.back(), in_single_quotes(other.meaning));
    }
    for (const declared_option& option : command.options) {
      std::string names;
      for (const std::string& name : option.names) {
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (names.empty()) continue;
      std::string value = option.value.empty() ? "" : " -r";
      if (!option.choices.empty()) {
        value = " -x -a " + in_single_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
      }
      offers += fmt::format("{}{}{} -d {}\n", here, names, value, in_single_quotes(option.meaning));
    }
  }
  return fmt::format(R"(# fish completion of mlmq, made by 'mlmq completion fish'
function __mlmq_command
  set -l known{}
  set -l command mlmq
  for word in (commandline -opc)[2..-1]
    if contains -- "$command $word" $known
      set command "$command $word"
    end
  end
  echo $command
end
{})",
                     known, offers);
}

}  // namespace

std::string completion_script(const std::vector<declared_command>& commands, const std::string& shell) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  const std::vector<std::string> known{"bash", "zsh", "fish"};
  throw input_error(
      fmt::format("no completion for '{}'{} (known: bash, zsh, fish)", shell, did_you_mean(shell, known)));
}

}  // namespace mlmq::cli
