// Commands that show what is.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold::ctl {

int show(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const Result<Json> answer = invocation.ask(line.request);
  if (!answer) return report(answer.error(), line.json);
  if (line.json) {
    print_json(*answer);
  } else {
    print(table_of(line.command, *answer,
                   {Invocation::colour(), line.request.details, line.request.exported}));
  }
  const auto needs_person = line.request.row->needs_person;
  return needs_person != nullptr && needs_person(*answer) ? 1 : 0;
}

}  // namespace leasehold::ctl
