// replay: shows or verifies the history in a database.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/replay/verify.hpp"
#include "common/version.hpp"

namespace leasehold::ctl {

namespace {

Json verify_json(const VerifyReport& found) {
  Json difference = nullptr;
  if (found.difference) {
    difference = {{"event_id", found.difference->event_id},
                  {"what", found.difference->what},
                  {"recorded", found.difference->recorded},
                  {"computed", found.difference->computed}};
  }
  Json not_judged = Json::array();
  for (const OtherCore& part : found.not_judged) {
    not_judged.push_back({{"core_version", part.core_version},
                          {"first_event", part.first_event},
                          {"last_event", part.last_event}});
  }
  return {{"ok", found.ok()},
          {"events", found.events},
          {"inputs", found.inputs},
          {"records", found.records},
          {"batches", found.batches},
          {"first_event", found.first_event},
          {"last_event", found.last_event},
          {"not_judged", not_judged},
          {"difference", difference}};
}

std::string verified(const VerifyReport& found) {
  std::string text = "verified: " + std::to_string(found.judged()) + " events (" +
                     std::to_string(found.inputs) +
                     " inputs): deciding them again gives the same; the hash chain is whole\n";
  if (found.judged() == 0 && !found.not_judged.empty()) {
    text = "verified: the hash chain of " + std::to_string(found.events) +
           " events is whole; none of them was decided again\n";
  }
  for (const OtherCore& part : found.not_judged) {
    text += "not judged: events " + std::to_string(part.first_event) + " to " +
            std::to_string(part.last_event) + ", decided by core version " +
            std::to_string(part.core_version) + " (this is " + std::to_string(kCoreVersion) +
            "): ask a program of that version\n";
  }
  return text;
}

int verify_history(const CommandLine& line) {
  const Result<VerifyReport> found = verify_database(line.subject);
  if (!found) return report(found.error(), line.json);
  if (line.json) {
    print_json(verify_json(*found));
  } else if (found->ok()) {
    print(verified(*found));
  } else {
    print(describe(*found->difference) + "\n");
  }
  return found->ok() ? 0 : 1;
}

}  // namespace

int replay(Invocation& invocation) {
  if (invocation.line.verify) return verify_history(invocation.line);
  if (invocation.line.what_if.asked) return run_what_if(invocation.line);
  CommandLine line = invocation.line;
  line.db = line.subject;
  Invocation database(std::move(line));
  return show_history(database);
}

}  // namespace leasehold::ctl
