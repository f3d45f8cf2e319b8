// Commands that change what the broker does. The answer comes after the commit.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/views/queries.hpp"
#include "broker/views/tables.hpp"

namespace leasehold::ctl {

namespace {

void print_done(const Json& done, bool json) {
  if (json) return print_json(done);
  print(request_text(done, "detail") + "\n");
}

const char* question(const Json& changes, bool loses) {
  const bool ends = std::any_of(changes.begin(), changes.end(),
                                [](const Json& row) { return !row["reclaims"].empty(); });
  if (ends) return "Running work is ended after its grace, and requeued. Reload? [y/N] ";
  return loses ? "Running work loses slots as its jobs end. Reload? [y/N] " : "Reload? [y/N] ";
}

/// nullopt: reload; else the exit code of one that must not go on.
std::optional<int> may_reload(const Json& preview, const CommandLine& line) {
  if (line.yes) return std::nullopt;
  const bool loses = request_flag(preview, "running_work_loses");
  if (isatty(STDIN_FILENO) != 1 || line.json) {
    if (!loses) return std::nullopt;
    const Error error{ErrorCode::refused,
                      "running work would lose slots; nothing was changed. leasectl reload --yes "
                      "does it all the same",
                      {},
                      0,
                      0};
    return report(error, line.json);
  }
  if (preview["changes"].empty()) return std::nullopt;
  print(question(preview["changes"], loses));
  finish_output();
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return std::nullopt;
  print("nothing was changed\n");
  return 1;
}

}  // namespace

int change(Session& session) {
  const CommandLine& line = session.line;
  Json request = session.request(line.command);
  const bool of_host = line.command == "close" || line.command == "open";
  const char* subject = of_host ? "host" : line.command == "rebalance" ? "lease" : "cluster";
  if (!line.subject.empty()) request[subject] = line.subject;
  if (!line.consumer.empty()) request["consumer"] = line.consumer;
  if (line.reclaim) request["reclaim"] = true;
  const Result<Json> done = session.ask(std::move(request));
  if (!done) return report(done.error(), line.json);
  print_done(*done, line.json);
  return 0;
}

int reload(Session& session) {
  const CommandLine& line = session.line;
  const Result<Json> preview = session.ask(session.request("reload"));
  if (!preview) return report(preview.error(), line.json);
  if (!line.json) print(table_of("reload", (*preview)["changes"], {Session::colour()}));
  if (const std::optional<int> stop = may_reload(*preview, line)) return *stop;
  Json request = session.request("reload");
  request["apply"] = true;
  request["fingerprint"] = (*preview)["fingerprint"];
  const Result<Json> done = session.ask(std::move(request));
  if (!done) return report(done.error(), line.json);
  print_done(*done, line.json);
  return 0;
}

}  // namespace leasehold::ctl
