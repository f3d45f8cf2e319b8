#include <string_view>

#include "broker/ctl/completion/completion.hpp"
#include "broker/ctl/completion/words.hpp"

namespace leasehold::ctl {

namespace {

constexpr const char* kHead =
    R"bash(# bash completion of leasectl, as `leasectl completion bash` prints it.
# Ids of leases, clusters, hosts, policies and consumers are asked of the broker (or --db) that the
# line names; without an answer within 300 ms nothing is offered.
)bash";

constexpr const char* kOffering = R"bash(
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
  local table words
  if [[ -n $(_leasectl_files "$1") ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$_leasectl_current")
    return
  fi
  words=$(_leasectl_words "$1")
  for table in $(_leasectl_tables "$1"); do words+=" $(_leasectl_ask "$table")"; done
  # What a shell would expand is no name to be offered.
  _leasectl_offer "$(tr -s ' ' '\n' <<<"$words" | grep -v '[$`\\"'"'"']')"
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
      case $previous in
        --broker | --db | --key | --broker-key) _leasectl_where+=("$previous" "$word") ;;
      esac
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

}  // namespace

std::string bash_completion(const ProgramHelp& program) {
  return kHead + words::shell_functions(program) + kOffering + kCompleting;
}

}  // namespace leasehold::ctl
