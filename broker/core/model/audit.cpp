#include "broker/core/model/audit.hpp"

namespace leasehold {

namespace {

std::string object_of(const OperatorCommand& command) {
  if (!command.lease.empty()) return command.lease;
  if (!command.successor.empty()) return command.successor;
  if (command.host.empty()) return command.cluster;
  return command.host + "@" + command.cluster;
}

std::string options_of(const OperatorCommand& command) {
  std::string text;
  const auto add = [&text](const std::string& option) {
    text += (text.empty() ? "" : " ") + option;
  };
  if (command.half != DrainSide::both) add("--" + std::string(token(command.half)));
  if (!command.consumer.empty()) add("--for " + command.consumer);
  if (command.reclaim) add("--reclaim");
  if (command.from) add("--from " + format_utc(*command.from));
  if (command.until != kNever) add("--until " + format_utc(command.until));
  return text;
}

}  // namespace

Audit audit_of(const OperatorCommand& command) {
  return {command.by,         command.where,       token(command.command),
          object_of(command), options_of(command), command.why};
}

Audit audit_of(const OperatorRefused& refused) {
  return {refused.by, refused.where, refused.verb, refused.object, refused.options, refused.why};
}

Audit audit_of(const ConfigLoaded& loaded) {
  const bool started = loaded.by == "start";
  return {loaded.by, loaded.where, started ? "start" : "reload", "", "", loaded.changes};
}

Audit audit_of(const wire::EndedWork& work) {
  Audit audit;
  audit.job = work.job;
  audit.user = work.user;
  audit.fate = token(work.fate);
  if (work.exit_code >= 0) audit.exit_code = work.exit_code;
  audit.session = work.session;
  audit.account = work.account;
  return audit;
}

Audit audit_of(const TablesFailed& failed) {
  Audit audit;
  audit.object = "readable tables";
  audit.why = failed.why;
  return audit;
}

}  // namespace leasehold
