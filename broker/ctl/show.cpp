// Commands that show what is.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/list_output.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold::ctl {

int show(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Result<Json> answer = invocation.ask(line.request);
  if (!answer) return report(answer.error(), line.json);
  const auto needs_person = line.request.row->needs_person;
  const int code = needs_person != nullptr && needs_person(*answer) ? 1 : 0;
  if (line.request.row->list != nullptr && answer->is_array()) {
    const int shown = show_list(invocation, *std::move(answer));
    return shown != 0 ? shown : code;
  }
  if (line.json) {
    print_json(*answer);
  } else {
    print(table_of(line.command, *answer, invocation.style()) + invocation.untold());
  }
  return code;
}

}  // namespace leasehold::ctl
