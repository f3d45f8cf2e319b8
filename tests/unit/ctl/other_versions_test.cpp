// A whole leasectl against a broker of another version, whose answers have another form.
#include "tests/unit/ctl/played_broker.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Answers `status` with its version, and every other question with the same value.
class OtherBroker : public PlayedBroker {
 public:
  explicit OtherBroker(const std::string& result)
      : PlayedBroker([result](const Json& question) {
          const bool status = question.value("command", "") == "status";
          return answer_text(status ? R"({"version":"9.8.7"})" : result);
        }) {}
};

constexpr const char* kSentence =
    "the broker (version 9.8.7) gave an answer that this leasectl does not know";

}  // namespace

TEST_CASE("an answer of another shape ends in one error that names the broker's version") {
  const std::vector<const char*> commands[] = {
      {"leases"},
      {"leases", "-o", "name"},
      {"leases", "--sort", "id"},
      {"clusters"},
      {"hosts"},
      {"policies", "-l"},
      {"groups"},
      {"consumers"},
      {"attention"},
      {"doctor"},
      {"usage"},
      {"usage", "--csv"},
      {"compare"},
      {"history"},
      {"history", "--csv"},
      {"explain", "west"},
      {"lease", "pool:west"},
      {"forecast", "west"},
      {"drain", "west"},
      {"reload", "--dry-run"},
      {"forget", "west", "--yes"},
  };
  for (const char* result : {"7", "\"text\"", "[7]"}) {
    const OtherBroker broker(result);
    for (const std::vector<const char*>& words : commands) {
      INFO(words.front() << " " << result);
      const Ran ran = run_leasectl(broker.endpoint(), words);
      CHECK(ran.code == 1);
      CHECK_THAT(ran.errors, Catch::Contains(kSentence));
    }
  }
}

TEST_CASE("with --json the same error stands on stdout, and the code is 1") {
  const OtherBroker broker("7");
  CHECK(run_leasectl(broker.endpoint(), {"attention", "--sort", "since", "--json"}).code == 1);
}

TEST_CASE("a freeze for later is not given to a broker that would freeze at once") {
  const OtherBroker broker(R"({"done":true,"detail":"the leases are frozen"})");
  const Ran later = run_leasectl(broker.endpoint(), {"freeze", "--from", "2h"});
  CHECK(later.code == 1);
  CHECK_THAT(later.errors, Catch::Contains("(version 9.8.7) is too old for --from"));
  CHECK(run_leasectl(broker.endpoint(), {"freeze"}).code == 0);
}

TEST_CASE("rows that lack fields are shown with empty cells") {
  const OtherBroker broker(R"([ {"lease": "a,b"} ])");
  for (const char* command : {"leases", "clusters", "hosts", "policies", "usage", "history"}) {
    INFO(command);
    const Ran ran = run_leasectl(broker.endpoint(), {command});
    CHECK(ran.code == 0);
    CHECK(ran.errors.empty());
  }
  CHECK(run_leasectl(broker.endpoint(), {"leases", "--json"}).code == 0);
}
