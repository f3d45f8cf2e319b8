// Exit codes of a whole leasectl where more than one answer counts.
#include "tests/unit/ctl/played_broker.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr const char* kNobodyLeads =
    R"("nobody_leads":{"since":"2026-01-01T00:00:00.000Z","why":"w","help":"h","unread":false},)";

/// Answers its first question about history from memory.
PlayedBroker::Answer from_memory_at_first() {
  return [asked = 0](const Json& question) mutable {
    const bool first = question.value("command", "") == "history" && ++asked == 1;
    return answer_text(first ? R"([{"id":1}])" : "[]", first ? kNobodyLeads : "");
  };
}

/// East is drained, and its agent is lost.
std::string drained(const Json& question, const std::string& agent) {
  const bool order = question.value("command", "") == "drain";
  return answer_text(order ? R"({"command":"drain","done":true,"detail":"d","lease":null})"
                           : R"([{"cluster":"east","flow":"export","left":0,"in_quarantine":0,)"
                             R"("unanswered":0,"agent":")" +
                                 agent + R"("}])");
}

}  // namespace

TEST_CASE("history of which one page came from memory ends with 4, whoever gave the last one") {
  // Symptom: only the last of several answers counted.
  const PlayedBroker broker(from_memory_at_first());
  const Ran ran = run_leasectl(broker.endpoint(), {"history", "--json"});
  CHECK(ran.code == 4);
  CHECK_THAT(ran.output, Catch::Contains(R"("id")"));
}

TEST_CASE("drain --wait ends with 1 where the owner's agent is not heard") {
  // Symptom: it ended with 0 and \"left\": 0, and nobody knew whether the slots were open.
  for (const char* agent : {"lost", "refused"}) {
    INFO(agent);
    const PlayedBroker broker([agent](const Json& asked) { return drained(asked, agent); });
    const Ran ran = run_leasectl(broker.endpoint(), {"drain", "east", "--wait", "--json"});
    CHECK(ran.code == 1);
    CHECK(Json::parse(ran.output)["opened"] == false);
    CHECK_THAT(ran.errors, Catch::Contains("the agent of east does not report"));
  }
  const PlayedBroker broker([](const Json& asked) { return drained(asked, "connected"); });
  const Ran ran = run_leasectl(broker.endpoint(), {"drain", "east", "--wait", "--json"});
  CHECK(ran.code == 0);
  CHECK_FALSE(Json::parse(ran.output).contains("opened"));
}
