// doctor: adds to the broker's findings what leasectl can see: whether the broker answers, who may
// read the key, and whether all of a database's history is intact.
#include "broker/views/attention/doctor.hpp"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "broker/ctl/client/list.hpp"
#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/list_output.hpp"
#include "broker/replay/verify.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "common/database_name.hpp"

namespace leasehold::ctl {

namespace {

void look_at_key(const CommandLine& line, Json& findings) {
  struct stat file {};
  if (line.key.empty() || stat(line.key.c_str(), &file) != 0) return;
  if ((file.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  findings.push_back(finding_json(Checked::rights, line.key, "others may read this key file",
                                  "chmod 600 " + line.key));
}

std::string sound_history(const VerifyReport& report) {
  const auto number = [](int64_t events) { return std::to_string(events); };
  if (report.not_judged.empty()) {
    return "all " + number(report.events) +
           " events were decided again with the same outcome, the hash chain is whole";
  }
  std::string text = "the hash chain of " + number(report.events) + " events is whole";
  if (report.judged() > 0) {
    text += ", " + number(report.judged()) + " of them were decided again with the same outcome";
  }
  for (const OtherCore& part : report.not_judged) {
    text += "; events " + number(part.first_event) + " to " + number(part.last_event) +
            ", of core version " + number(part.core_version) + ", were not judged";
  }
  return text;
}

/// Compares all brokers of leasectl's list, which the one that answered cannot do.
void look_at_brokers(Invocation& invocation, Json& findings) {
  if (!invocation.line.db.empty()) return;
  const Result<BrokerRows> brokers = invocation.ask_brokers();
  if (!brokers || brokers->rows.size() < 2) return;
  const std::vector<BrokerFault> faults = broker_faults(brokers->rows);
  for (const BrokerFault& fault : faults) {
    findings.push_back(finding_json(Checked::broker, fault.broker, fault.what, fault.remedy));
  }
}

/// Names the file once: in the error, or as the subject.
Json unread(const std::string& name, Error error) {
  const std::string database = without_password(name);
  if ((error.file == name || error.file == database) && error.line == 0) error.file.clear();
  const std::string finding = describe(error);
  const bool named = finding.find(database) != std::string::npos;
  return finding_json(Checked::history, named ? "" : database, finding, "");
}

void verify_history(const std::string& database, Json& findings) {
  const Result<VerifyReport> report = verify_database(database);
  if (!report) {
    findings.push_back(unread(database, report.error()));
  } else if (!report->ok()) {
    findings.push_back(finding_json(Checked::history, without_password(database),
                                    describe(*report->difference),
                                    "put a copy back that leasectl backup made: leasectl restore"));
  } else {
    findings.push_back(sound_json(Checked::history, sound_history(*report)));
  }
}

/// The table is printed here: findings say themselves what a record does not show.
int show_findings(Json findings, const Invocation& invocation, int code) {
  const Request& asked = invocation.line.request;
  const int found = code != 0 ? code : (finds_fault(findings) ? 1 : 0);
  const bool plain = asked.output.empty() && asked.sort.empty() && !asked.summary;
  if (invocation.line.json || !plain) {
    const int shown = show_list(invocation, std::move(findings));
    return shown != 0 ? shown : found;
  }
  print(table_of("doctor", findings, invocation.style()));
  return found;
}

/// Ends the checks, because nothing else can be looked at. A broker that refused says itself what
/// would help.
int not_answered(const Error& error, Json findings, const Invocation& invocation) {
  const std::string& database = invocation.line.db;
  const char* remedy =
      error.code == ErrorCode::unreachable ? "systemctl status lease-broker on its machine" : "";
  findings.push_back(database.empty() ? finding_json(Checked::broker, "", describe(error), remedy)
                                      : unread(database, error));
  return show_findings(std::move(findings), invocation, exit_code(error.code));
}

}  // namespace

int doctor(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Json findings = Json::array();
  look_at_key(line, findings);
  const Result<Json> answer = invocation.ask(line.request);
  if (!answer) return not_answered(answer.error(), std::move(findings), invocation);
  if (line.db.empty()) findings.push_back(sound_json(Checked::broker, "it answers"));
  look_at_brokers(invocation, findings);
  for (const Json& finding : require_list(*answer)) findings.push_back(finding);
  if (!line.db.empty()) verify_history(line.db, findings);
  return show_findings(std::move(findings), invocation, 0);
}

}  // namespace leasehold::ctl
