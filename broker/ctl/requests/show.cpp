// Commands that show the present state.
#include <nlohmann/json.hpp>

#include "broker/ctl/client/list.hpp"
#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/list_output.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "common/text/json_indent.hpp"

namespace leasehold::ctl {

namespace {

/// True if the rows are printed as they came, without being read.
bool shows_all_rows(const CommandLine& line) {
  const Request& asked = line.request;
  return line.json && asked.row->answered_by != AnsweredBy::broker && asked.row->list != nullptr &&
         asked.row->needs_person == nullptr && asked.sort.empty() && !asked.summary;
}

int show_text(Invocation& invocation) {
  const Result<std::string> answer = invocation.ask_text(invocation.line.request);
  if (!answer) return report(answer.error(), true);
  print_json_text(indented(*answer));
  return 0;
}

/// The rows are shown even if no broker answers; they go to stdout, and the reason to stderr only.
int show_brokers(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Result<BrokerRows> brokers = invocation.ask_brokers();
  if (!brokers) return report(brokers.error(), line.json);
  const bool needed = line.request.row->needs_person(brokers->rows);
  const int shown = show_list(invocation, std::move(brokers->rows));
  if (shown != 0) return shown;
  if (brokers->nobody) return report(*brokers->nobody, false);
  return needed ? 1 : 0;
}

}  // namespace

int show(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  if (shows_all_rows(line)) return show_text(invocation);
  if (line.request.row->answered_by == AnsweredBy::broker && line.db.empty()) {
    return show_brokers(invocation);
  }
  Result<Json> answer = invocation.ask(line.request);
  if (!answer) return report(answer.error(), line.json);
  const auto needs_person = line.request.row->needs_person;
  const int code = needs_person != nullptr && needs_person(*answer) ? 1 : 0;
  if (line.request.row->list != nullptr) {
    require_rows(*answer);
    const int shown = show_list(invocation, *std::move(answer));
    return shown != 0 ? shown : code;
  }
  if (line.json) {
    print_json(*answer);
  } else {
    print(table_of(line.command, *answer, invocation.style()) + invocation.left_out_note());
  }
  return code;
}

}  // namespace leasehold::ctl
