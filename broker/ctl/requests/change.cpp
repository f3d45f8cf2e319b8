// Commands that change what the broker does. The answer comes after the commit.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "broker/ctl/client/list.hpp"
#include "broker/ctl/commands.hpp"
#include "broker/ctl/requests/orders.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"

namespace leasehold::ctl {

namespace {

const char* question(const Json& changes, bool loses) {
  const bool ends = std::any_of(changes.begin(), changes.end(),
                                [](const Json& row) { return !list_at(row, "reclaims").empty(); });
  if (ends) return "A reload would end running work after its grace and requeue it. Reload? [y/N] ";
  return loses ? "Running work loses slots as its jobs end. Reload? [y/N] " : "Reload? [y/N] ";
}

bool anything_changes(const Json& preview) {
  return !list_at(preview, "changes").empty() || !list_at(preview, "settings").empty();
}

bool asks_a_person(const CommandLine& line) {
  return isatty(STDIN_FILENO) == 1 && !line.json;
}

/// Asks at a terminal. Any answer but yes means no.
bool person_says_yes(const Json& preview) {
  print(question(list_at(preview, "changes"), flag_at(preview, "running_work_loses")));
  if (finish_output() != 0) return false;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

/// Changes nothing, and says why; returns 1 where something would have changed.
int leave_it(const Json& preview, const CommandLine& line) {
  if (line.json) print_json(preview);
  if (!anything_changes(preview)) {
    if (!line.json) print("nothing would change\n");
    return 0;
  }
  if (!line.request.dry_run && !asks_a_person(line)) {
    std::fprintf(
        stderr,
        "leasectl: nothing was changed: %sthere is no terminal to ask at; leasectl reload "
        "--yes does it all the same\n",
        flag_at(preview, "running_work_loses") ? "running work would lose slots, and " : "");
  } else if (!line.json) {
    print("nothing was changed\n");
  }
  return 1;
}

/// Refuses a stepdown where no broker answers, and where no successor is near the end of the log.
Status may_step_down(Invocation& invocation) {
  const Result<BrokerRows> brokers = invocation.ask_brokers();
  if (!brokers) return tl::unexpected(brokers.error());
  if (brokers->nobody) return tl::unexpected(*brokers->nobody);
  if (brokers->leaderless) {
    return fail(ErrorCode::refused, "there is no leader that could step down; nothing was changed");
  }
  return check_successor(brokers->rows, invocation.line.request.successor);
}

/// Refuses a freeze for later where the broker does not know `from`: it would freeze at once.
Status may_begin_later(Invocation& invocation) {
  const Result<Json> status = invocation.ask(request_for("status"));
  if (!status) return tl::unexpected(status.error());
  if (require_object(*status).contains("freeze_ahead")) return {};
  return fail(ErrorCode::refused,
              "the broker (version " + text_at(*status, "version") +
                  ") is too old for --from and would freeze at once; nothing was changed");
}

}  // namespace

int change(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  if (line.request.row->takes_field(RequestField::preview)) {
    if (const std::optional<int> stop = may_forget(invocation)) return *stop;
  }
  if (line.request.row->command == Command::step_down && !line.request.force) {
    const Status may = may_step_down(invocation);
    if (!may) return report(may.error(), line.json);
  }
  if (!line.request.order_begin.said.empty()) {
    const Status may = may_begin_later(invocation);
    if (!may) return report(may.error(), line.json);
  }
  Result<Json> done = invocation.ask(line.request);
  if (!done) return report(done.error(), line.json);
  if (!line.request.wait) {
    print_done(*done, line.json);
    return 0;
  }
  if (!line.json) print_done(*done, false);
  return wait_until_empty(invocation, *std::move(done));
}

int reload(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const Result<Json> preview = invocation.ask(line.request);
  if (!preview) return report(preview.error(), line.json);
  if (!line.json) print(table_of(line.command, *preview, invocation.style()));
  const bool stays = line.request.dry_run || (!line.request.yes && !anything_changes(*preview)) ||
                     (!line.request.yes && !asks_a_person(line));
  if (stays || (!line.request.yes && !person_says_yes(*preview))) return leave_it(*preview, line);
  Request request = line.request;
  request.apply = true;
  request.fingerprint = text_at(*preview, "fingerprint");
  const Result<Json> done = invocation.ask(std::move(request));
  if (!done) return report(done.error(), line.json);
  print_done(*done, line.json);
  return 0;
}

}  // namespace leasehold::ctl
