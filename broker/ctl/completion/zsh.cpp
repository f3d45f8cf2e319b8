#include "broker/ctl/completion/completion.hpp"
#include "broker/ctl/completion/words.hpp"

namespace leasehold::ctl {

namespace {

constexpr const char* kHead = R"zsh(#compdef leasectl
# zsh completion of leasectl, as `leasectl completion zsh` prints it: source it after compinit, or
# keep it as _leasectl in a folder of fpath.
)zsh";

constexpr const char* kCompleting = R"zsh(
_leasectl_offer_value() { # KIND: what may stand there
  local table
  local -a names
  if [[ -n $(_leasectl_files "$1") ]]; then
    _files
    return
  fi
  names=(${=$(_leasectl_words "$1")})
  for table in ${=$(_leasectl_tables "$1")}; do names+=(${(f)"$(_leasectl_ask $table)"}); done
  compadd -- $names
}

_leasectl() {
  local command="" previous="" kind="" word
  local -a _leasectl_where
  for word in ${words[2,CURRENT-1]}; do
    if [[ -n $kind ]]; then # the value of the option before it
      case $previous in
        --broker | --db | --key | --broker-key) _leasectl_where+=($previous $word) ;;
      esac
      kind=""
    elif [[ $word == -* ]]; then
      kind=$(_leasectl_value_of "$command" "$word")
    elif [[ -z $command ]]; then
      command=$word
    fi
    previous=$word
  done
  if [[ -n $kind ]]; then
    _leasectl_offer_value $kind
  elif [[ -z $command ]]; then
    compadd -- ${=_leasectl_commands} ${=_leasectl_common}
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${=$(_leasectl_options $command)} ${=_leasectl_common}
  else
    _leasectl_offer_value "$(_leasectl_subject $command)"
  fi
}

# As a file of fpath this is the body of _leasectl at its first call.
if [[ ${funcstack[1]} == _leasectl ]]; then _leasectl "$@"; else compdef _leasectl leasectl; fi
)zsh";

}  // namespace

std::string zsh_completion(const ProgramHelp& program) {
  return kHead + words::shell_functions(program) + kCompleting;
}

}  // namespace leasehold::ctl
