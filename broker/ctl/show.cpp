// Commands that show what is.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold::ctl {

int show(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Json request = invocation.request(line.command);
  if (!line.subject.empty()) request["lease"] = line.subject;
  if (!line.cluster.empty()) request["cluster"] = line.cluster;
  if (line.at) request["at"] = format_utc(*line.at);
  if (line.exported) request["exported"] = true;
  if (line.details) request["details"] = true;
  const Result<Json> answer = invocation.ask(std::move(request));
  if (!answer) return report(answer.error(), line.json);
  if (line.json) {
    print_json(*answer);
  } else {
    print(table_of(line.command, *answer, {Invocation::colour(), line.details, line.exported}));
  }
  return 0;
}

}  // namespace leasehold::ctl
