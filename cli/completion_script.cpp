// SPDX-License-Identifier: Apache-2.0
// Completion scripts for three shells. Each script finds the longest known command among the words before the cursor
// and offers the values of the option before the cursor, options, commands or files. 'mlmq complete KIND' provides
// devices, problems, figures and parameters at run time.
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

/// Returns the KIND of 'mlmq complete' for the placeholder of an option, or "".
std::string completion_kind(const declared_option& option) {
  if (option.value == "DEVICE") return "devices";
  if (option.value == "PROBLEM") return "problems";
  if (option.value == "FIGURE") return "figures";
  return option.value == "CONFIGURATION" ? "parameters" : "";
}

/// Returns the four tables; each line is `start` + key + `between` + words + `end`.
std::string tables(const std::vector<declared_command>& commands, const char* start, const char* between,
                   const char* end) {
  std::string commands_below;
  std::string options;
  std::string choices;
  std::string kinds;
  const auto line = [&](const std::string& key, const std::string& words) {
    return fmt::format("{}{}{}{}{}\n", start, in_single_quotes(key), between, in_single_quotes(words), end);
  };
  for (const declared_command& command : commands) {
    if (!command.below.empty())
      commands_below += line(command.name(), fmt::format("{}", fmt::join(command.below, " ")));
    options += line(command.name(), option_names(command));
    for (const declared_option& option : command.options) {
      std::vector<std::string> keys;
      for (const std::string& name : option.names) keys.push_back(command.name() + " " + name);
      if (keys.empty()) keys.push_back(command.name());  // an argument
      const std::string kind = completion_kind(option);
      for (const std::string& key : keys) {
        if (!option.choices.empty()) choices += line(key, fmt::format("{}", fmt::join(option.choices, " ")));
        if (!kind.empty()) kinds += line(key, kind);
      }
    }
  }
  return fmt::format("  subcommands=(\n{}  )\n  flags=(\n{}  )\n  choices=(\n{}  )\n  kinds=(\n{}  )\n", commands_below,
                     options, choices, kinds);
}

std::string bash_script(const std::vector<declared_command>& commands) {
  return "# bash completion of mlmq, made by 'mlmq completion bash'\n"
         "_mlmq() {\n"
         "  local -A subcommands flags choices kinds\n" +
         tables(commands, "    [", "]=", "") +
         R"(  local command=mlmq first=$COMP_CWORD typed= last key kind words= i
  COMPREPLY=()
  # Bash splits words at '=' and ':', so the value begins at $first.
  while ((first > 1)) && [[ ${COMP_WORDS[first]} == [=:] || ${COMP_WORDS[first - 1]} == [=:] ]]; do ((first--)); done
  for ((i = first; i <= COMP_CWORD; i++)); do typed+=${COMP_WORDS[i]}; done
  last=${COMP_WORDS[COMP_CWORD]}
  [[ $last == [=:] ]] && last=
  for ((i = 1; i < first; i++)); do
    key="$command ${COMP_WORDS[i]}"
    [[ -n ${flags[$key]+known} ]] && command=$key
  done
  key="$command ${COMP_WORDS[first - 1]}"
  if [[ $typed == --*=* ]]; then
    key="$command ${typed%%=*}"
    typed=${typed#*=}
  fi
  if [[ -z ${choices[$key]+known}${kinds[$key]+known} && $typed != -* && -z ${subcommands[$command]+known} ]]; then
    key=$command
  fi
  kind=${kinds[$key]-}
  if [[ -n ${choices[$key]+known} ]]; then
    words=${choices[$key]}
  elif [[ $kind == parameters ]]; then
    compopt -o nospace 2>/dev/null
    for i in $("${COMP_WORDS[0]}" complete parameters 2>/dev/null); do words+=" ${typed%"${typed##*,}"}$i"; done
  elif [[ -n $kind ]]; then
    words=$("${COMP_WORDS[0]}" complete "$kind" 2>/dev/null)
  elif [[ $typed == -* ]]; then
    words=${flags[$command]}
  elif [[ -n ${subcommands[$command]+known} ]]; then
    words=${subcommands[$command]}
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$last")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$typed")
  last=${typed%"$last"}
  COMPREPLY=("${COMPREPLY[@]#"$last"}")
}
complete -F _mlmq mlmq
)";
}

std::string zsh_script(const std::vector<declared_command>& commands) {
  return "#compdef mlmq\n"
         "# zsh completion of mlmq, made by 'mlmq completion zsh'\n"
         "_mlmq_offer() {\n"
         "  local -a values\n"
         "  values=(${(f)\"$(${words[1]} complete $1 2>/dev/null)\"})\n"
         "  if [[ $1 == parameters ]]; then\n"
         "    compset -P '*,'\n"
         "    compadd -S '' -- $values\n"
         "  else\n"
         "    compadd -- $values\n"
         "  fi\n"
         "}\n"
         "_mlmq() {\n"
         "  local -A subcommands flags choices kinds\n" +
         tables(commands, "    ", " ", "") +
         R"(  local command=mlmq key word
  for word in ${words[2,CURRENT-1]}; do
    key="$command $word"
    (( ${+flags[$key]} )) && command=$key
  done
  key="$command ${words[CURRENT-1]}"
  if (( ${+choices[$key]} )); then
    compadd -- ${=choices[$key]}
  elif (( ${+kinds[$key]} )); then
    _mlmq_offer ${kinds[$key]}
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${=flags[$command]}
  elif (( ${+subcommands[$command]} )); then
    compadd -- ${=subcommands[$command]}
  elif (( ${+choices[$command]} )); then
    compadd -- ${=choices[$command]}
  elif (( ${+kinds[$command]} )); then
    _mlmq_offer ${kinds[$command]}
  else
    _files
  fi
}
if [[ ${funcstack[1]} == _mlmq ]]; then _mlmq "$@"; else compdef _mlmq mlmq; fi
)";
}

std::string fish_script(const std::vector<declared_command>& commands) {
  std::string command_names;
  std::string offers;
  for (const declared_command& command : commands) {
    command_names += fmt::format(" {}", in_single_quotes(command.name()));
    const std::string condition = fmt::format("complete -c mlmq -n \"test (__mlmq_command) = '{}'\"", command.name());
    for (const declared_command& other : commands) {
      if (!command.is_parent_of(other)) continue;
      offers += fmt::format("{} -f -a {} -d {}\n", condition, other.words.back(), in_single_quotes(other.meaning));
    }
    for (const declared_option& option : command.options) {
      std::string names;
      for (const std::string& name : option.names) {
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      std::string value = option.value.empty() ? "" : " -r";
      const std::string kind = completion_kind(option);
      if (!option.choices.empty()) {
        value = " -x -a " + in_single_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
      } else if (kind == "parameters") {
        value = " -x -a '(__mlmq_parameters)'";
      } else if (!kind.empty()) {
        value = fmt::format(" -x -a '(mlmq complete {} 2>/dev/null)'", kind);
      }
      if (names.empty() && option.choices.empty() && kind.empty()) continue;
      offers += fmt::format("{}{}{} -d {}\n", condition, names, value, in_single_quotes(option.meaning));
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
function __mlmq_parameters
  set -l head (string replace -r '[^,]*$' '' -- (commandline -ct))
  for name in (mlmq complete parameters 2>/dev/null)
    echo $head$name
  end
end
{})",
                     command_names, offers);
}

}  // namespace

std::string completion_script(const std::vector<declared_command>& commands, const std::string& shell) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  throw input_error(
      fmt::format("no completion for '{}'{} (known: bash, zsh, fish)", shell, did_you_mean(shell, shells)));
}

}  // namespace mlmq::cli
