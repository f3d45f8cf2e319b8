#include "broker/ctl/completion/completion.hpp"
#include "broker/ctl/completion/words.hpp"
#include "common/text/joined.hpp"

namespace leasehold::ctl {

namespace {

using words::Text;

constexpr const char* kFishHead =
    R"fish(# fish completion of leasectl, as `leasectl completion fish` prints it.

function __leasectl_ask # TABLE...: what names their rows, of the broker (or --db) of the line
  set -l where
  set -l typed (commandline -opc)
  for i in (seq 2 (count $typed))
    switch $typed[(math $i - 1)]
      case --broker --db --key --broker-key
        set -a where $typed[(math $i - 1)] $typed[$i]
    end
  end
  for table in $argv
    leasectl $table -o name --timeout 300ms $where 2>/dev/null
  end
end

complete -c leasectl -f
)fish";

Text quoted(const Text& said) {
  Text text = "'";
  for (const char c : said) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + "'";
}

/// Returns the words offered for a value: "-x -a '…'".
Text offer(const Text& value) {
  const words::Kind* kind = words::kind_of(value);
  if (kind == nullptr) return " -x";
  if (kind->files) return " -r -F";
  if (!kind->fixed.empty()) return " -x -a " + quoted(joined(kind->fixed, " "));
  return " -x -a " + quoted("(__leasectl_ask " + joined(kind->tables, " ") + ")");
}

Text begin(const Text& condition) {
  return "complete -c leasectl" + (condition.empty() ? "" : " -n " + quoted(condition));
}

Text option_line(const Text& condition, const OptionHelp& option) {
  Text line = begin(condition);
  for (const Text& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty()) line += offer(option.value);
  return line + " -d " + quoted(option.what) + "\n";
}

Text command_lines(const CommandHelp& command) {
  const Text seen = "__fish_seen_subcommand_from " + command.name;
  Text lines =
      begin("__fish_use_subcommand") + " -a " + command.name + " -d " + quoted(command.what) + "\n";
  for (const OptionHelp& option : command.options) lines += option_line(seen, option);
  if (command.subjects.empty()) return lines;
  const words::Kind* kind = words::kind_of(command.subjects.front().value);
  if (kind == nullptr) return lines;
  return lines + begin(seen) + (kind->files ? Text(" -F") : offer(kind->name)) + "\n";
}

}  // namespace

std::string fish_completion(const ProgramHelp& program) {
  Text text = kFishHead;
  for (const OptionHelp& option : program.options) text += option_line("", option);
  for (const CommandHelp& command : program.commands) text += command_lines(command);
  return text;
}

}  // namespace leasehold::ctl
