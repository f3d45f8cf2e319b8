#include "broker/ctl/completion.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "broker/ctl/commands.hpp"

namespace leasehold::ctl {

namespace {

constexpr const char* kAsking =
    R"bash(# bash completion of leasectl, as `leasectl completion bash` prints it.
# Ids of leases, clusters and hosts are asked of the broker (or --db) that the line names; without
# an answer within a second nothing is offered.

_leasectl_ask() { # COMMAND KEY: values of the key in the rows of `leasectl COMMAND --json`
  leasectl "$1" --json --timeout 1s "${_leasectl_where[@]}" 2>/dev/null |
    sed -nE "s/^    \"$2\": \"([^\"\\\\]*)\",?$/\1/p" | sort -u
}

_leasectl_hosts() { # HOST@CLUSTER: "cluster" follows "host" in each row
  leasectl hosts --json --timeout 1s "${_leasectl_where[@]}" 2>/dev/null |
    sed -nE -e '/^    "host": "/{s/^    "host": "([^"\\]*)",$/\1/;h;d}' \
      -e '/^    "cluster": "/{s/^    "cluster": "([^"\\]*)",$/\1/;H;x;s/\n/@/p;d}'
}

# Words as the shell broke them, put together again: ids contain ':' and '@'.
_leasectl_offer() {
  local prefix="" sign
  for sign in : @; do
    if [[ $_leasectl_current == *$sign* && $COMP_WORDBREAKS == *$sign* ]]; then
      prefix=${_leasectl_current%"${_leasectl_current##*"$sign"}"}
    fi
  done
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$_leasectl_current")
  COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
}

_leasectl_offer_value() { # KIND: what may stand there
  case $1 in
    LEASE) _leasectl_offer "$(_leasectl_ask leases id)" ;;
    CLUSTER) _leasectl_offer "$(_leasectl_ask clusters cluster)" ;;
    HOST) _leasectl_offer "$(_leasectl_hosts)" ;;
    SHELL) _leasectl_offer "bash" ;;
    FILE | NAME | DB | SCENARIO) mapfile -t COMPREPLY < <(compgen -f -- "$_leasectl_current") ;;
  esac
}
)bash";

constexpr const char* kCompleting = R"bash(
_leasectl() {
  local line=${COMP_LINE:0:COMP_POINT} words command="" previous="" kind="" word i
  local _leasectl_current="" _leasectl_where=()
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    _leasectl_current=${words[-1]}
    unset 'words[-1]'
  fi
  for ((i = 1; i < ${#words[@]}; i++)); do
    word=${words[i]}
    if [[ -n $kind ]]; then # the value of the option before it
      case $previous in --broker | --db) _leasectl_where=("$previous" "$word") ;; esac
      kind=""
    elif [[ $word == -* ]]; then
      kind=$(_leasectl_value_of "$command" "$word")
    elif [[ -z $command ]]; then
      command=$word
    fi
    previous=$word
  done
  COMPREPLY=()
  if [[ -n $kind ]]; then
    _leasectl_offer_value "$kind"
  elif [[ -z $command ]]; then
    _leasectl_offer "$_leasectl_commands $_leasectl_common"
  elif [[ $_leasectl_current == -* ]]; then
    _leasectl_offer "$(_leasectl_options "$command") $_leasectl_common"
  else
    _leasectl_offer_value "$(_leasectl_subject "$command")"
  fi
}

complete -F _leasectl leasectl
)bash";

using Text = std::string;

void add_word(Text& words, const Text& word) {
  words += (words.empty() ? "" : " ") + word;
}

Text names_of(const std::vector<OptionHelp>& options) {
  Text words;
  for (const OptionHelp& option : options) {
    for (const Text& name : option.names) add_word(words, name);
  }
  return words;
}

/// A function of bash: cases, a line each.
Text function(const Text& name, const Text& takes, const Text& of, const Text& cases) {
  return "\n" + name + "() { # " + takes + "\n  case " + of + " in\n" + cases + "  esac\n}\n";
}

Text one_case(const Text& pattern, const Text& answer) {
  return "    " + pattern + ") echo \"" + answer + "\" ;;\n";
}

Text options_function(const ProgramHelp& program) {
  Text cases;
  for (const CommandHelp& command : program.commands) {
    if (!command.options.empty()) cases += one_case(command.name, names_of(command.options));
  }
  return function("_leasectl_options", "COMMAND: its own options", "$1", cases);
}

Text subject_function(const ProgramHelp& program) {
  Text cases;
  for (const CommandHelp& command : program.commands) {
    if (command.subjects.empty()) continue;
    cases += one_case(command.name, command.subjects.front().value);
  }
  return function("_leasectl_subject", "COMMAND: the kind of what it is about", "$1", cases);
}

/// `command`: "*" of every command.
Text value_cases(const Text& command, const std::vector<OptionHelp>& options) {
  Text cases;
  for (const OptionHelp& option : options) {
    if (option.value.empty()) continue;
    Text pattern;
    for (const Text& name : option.names) {
      pattern += (pattern.empty() ? "" : " | ") + command + "\" " + name + "\"";
    }
    cases += one_case(pattern, option.value);
  }
  return cases;
}

Text value_function(const ProgramHelp& program) {
  Text cases = value_cases("*", program.options);
  for (const CommandHelp& command : program.commands) {
    cases += value_cases(command.name, command.options);
  }
  return function("_leasectl_value_of", "COMMAND OPTION: the kind of its value; a switch has none",
                  "\"$1 $2\"", cases);
}

Text variable(const char* name, const Text& words) {
  return Text(name) + "=\"" + words + "\"\n";
}

}  // namespace

std::string bash_completion(const ProgramHelp& program) {
  Text commands;
  for (const CommandHelp& command : program.commands) add_word(commands, command.name);
  return kAsking + ("\n" + variable("_leasectl_commands", commands)) +
         variable("_leasectl_common", names_of(program.options)) + options_function(program) +
         subject_function(program) + value_function(program) + kCompleting;
}

int completion(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  if (line.subject != "bash") {
    return report(
        fail(ErrorCode::usage, "'" + line.subject + "' is no shell that is known; bash is").value(),
        line.json);
  }
  print(bash_completion(program_help()));
  return 0;
}

}  // namespace leasehold::ctl
