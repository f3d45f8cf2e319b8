// doctor: what the broker finds, and what can be seen from here: whether it answers, who may read
// the key, and of a database whether all of its history is whole.
#include "broker/views/attention/doctor.hpp"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/replay/verify.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold::ctl {

namespace {

void look_at_key(const CommandLine& line, Json& findings) {
  struct stat file {};
  if (line.key.empty() || stat(line.key.c_str(), &file) != 0) return;
  if ((file.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  findings.push_back(finding_json(Checked::rights, line.key, "others may read this key file",
                                  "chmod 600 " + line.key));
}

void verify_history(const std::string& database, Json& findings) {
  const Result<VerifyReport> report = verify_database(database);
  if (!report) {
    findings.push_back(finding_json(Checked::history, database, describe(report.error()), ""));
  } else if (!report->ok()) {
    findings.push_back(finding_json(Checked::history, database, describe(*report->difference),
                                    "put a copy back that leasectl backup made: leasectl restore"));
  } else {
    findings.push_back(sound_json(Checked::history, "all " + std::to_string(report->events) +
                                                        " events are as decided, the hash chain "
                                                        "is whole"));
  }
}

int told(const Json& findings, const Invocation& invocation, int code) {
  if (invocation.line.json) {
    print_json(findings);
  } else {
    print(table_of("doctor", findings, invocation.style()));
  }
  if (code != 0) return code;
  return finds_fault(findings) ? 1 : 0;
}

/// Nothing else could be looked at. 3: the broker is not reached.
int not_answered(const Error& error, Json findings, const Invocation& invocation) {
  const std::string& database = invocation.line.db;
  findings.push_back(
      database.empty()
          ? finding_json(Checked::broker, "", describe(error),
                         "is lease-broker running there? --broker says where else to look")
          : finding_json(Checked::history, database, describe(error), ""));
  return told(findings, invocation, exit_code(error.code));
}

}  // namespace

int doctor(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Json findings = Json::array();
  look_at_key(line, findings);
  const Result<Json> answer = invocation.ask(line.request);
  if (!answer) return not_answered(answer.error(), std::move(findings), invocation);
  if (line.db.empty()) findings.push_back(sound_json(Checked::broker, "it answers"));
  findings.insert(findings.end(), answer->begin(), answer->end());
  if (!line.db.empty()) verify_history(line.db, findings);
  return told(findings, invocation, 0);
}

}  // namespace leasehold::ctl
