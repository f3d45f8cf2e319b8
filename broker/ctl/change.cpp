// Commands that change what the broker does. The answer comes after the commit.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/orders.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request.hpp"

namespace leasehold::ctl {

namespace {

const char* question(const Json& changes, bool loses) {
  const bool ends = std::any_of(changes.begin(), changes.end(),
                                [](const Json& row) { return !row["reclaims"].empty(); });
  if (ends) return "Running work is ended after its grace, and requeued. Reload? [y/N] ";
  return loses ? "Running work loses slots as its jobs end. Reload? [y/N] " : "Reload? [y/N] ";
}

bool anything_changes(const Json& preview) {
  return !preview["changes"].empty() || !preview["settings"].empty();
}

bool asks_a_person(const CommandLine& line) {
  return isatty(STDIN_FILENO) == 1 && !line.json;
}

/// A person's word, asked for at a terminal. Anything but yes is no.
bool person_says_yes(const Json& preview) {
  print(question(preview["changes"], request_flag(preview, "running_work_loses")));
  if (finish_output() != 0) return false;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

/// Nothing is changed: why, and 1 where something would have been.
int leave_it(const Json& preview, const CommandLine& line) {
  if (line.json) print_json(preview);
  if (!anything_changes(preview)) {
    if (!line.json) print("nothing would change\n");
    return 0;
  }
  if (!line.dry_run && !asks_a_person(line)) {
    std::fprintf(
        stderr,
        "leasectl: nothing was changed: %sthere is no terminal to ask at; leasectl reload "
        "--yes does it all the same\n",
        request_flag(preview, "running_work_loses") ? "running work would lose slots, and " : "");
  } else if (!line.json) {
    print("nothing was changed\n");
  }
  return 1;
}

}  // namespace

namespace {

/// What is ordered, without doing it yet.
Json change_request(const Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Json request = invocation.request(line.command);
  const bool of_host = line.command == "close" || line.command == "open";
  const char* subject = of_host ? "host" : line.command == "rebalance" ? "lease" : "cluster";
  if (!line.subject.empty()) request[subject] = line.subject;
  if (!line.consumer.empty()) request["consumer"] = line.consumer;
  if (line.reclaim) request["reclaim"] = true;
  if (line.as_provider) request["half"] = "provider";
  if (line.as_consumer) request["half"] = "consumer";
  if (!line.reason.empty()) request["reason"] = line.reason;
  if (!line.order_end.empty()) request["until"] = line.order_end;
  return request;
}

}  // namespace

int change(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  if (line.command == "forget") {
    if (const std::optional<int> stop = may_forget(invocation)) return *stop;
  }
  Result<Json> done = invocation.ask(change_request(invocation));
  if (!done) return report(done.error(), line.json);
  if (!line.wait) {
    print_done(*done, line.json);
    return 0;
  }
  if (!line.json) print_done(*done, false);
  return wait_until_empty(invocation, *std::move(done));
}

int reload(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  const Result<Json> preview = invocation.ask(invocation.request("reload"));
  if (!preview) return report(preview.error(), line.json);
  if (!line.json) print(table_of("reload", *preview, {Invocation::colour()}));
  const bool stays = line.dry_run || (!line.yes && !anything_changes(*preview)) ||
                     (!line.yes && !asks_a_person(line));
  if (stays || (!line.yes && !person_says_yes(*preview))) return leave_it(*preview, line);
  Json request = invocation.request("reload");
  request["apply"] = true;
  request["fingerprint"] = (*preview)["fingerprint"];
  const Result<Json> done = invocation.ask(std::move(request));
  if (!done) return report(done.error(), line.json);
  print_done(*done, line.json);
  return 0;
}

}  // namespace leasehold::ctl
