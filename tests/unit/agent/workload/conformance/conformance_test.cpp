// A program that is right passes every check; each way to be wrong is found, by the check that is
// for it. The programs are functions here; a real one runs in
// tests/integration/conformance_test.py.
#include <catch2/catch.hpp>
#include <span>

#include "tests/unit/agent/workload/conformance/program.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;
using test::kNowMs;
using test::Program;
using test::StoppedTime;

std::vector<Check> checks_of(Program& program, const std::string& host = "") {
  const StoppedTime time;
  int64_t paused = 0;
  ConformanceAsked asked;
  asked.argv = {"/opt/site/adapter"};
  asked.host = host;
  const Caller caller = [&](const CallRequest& request) { return program.call(request.input); };
  return check_program(
      asked, caller, [&](int64_t ms) { paused += ms; }, time);
}

std::vector<std::string> failures(const std::vector<Check>& checks) {
  std::vector<std::string> names;
  for (const Check& one : checks) {
    if (one.result == CheckResult::failed) names.push_back(one.name);
  }
  return names;
}

struct Defect {
  const char* what;
  const char* found_by;
  const char* said;
  std::function<void(Program&)> make;
};

Defect spoiled(const char* what, const char* request, const char* found_by, const char* said,
               const std::function<void(json&)>& spoil) {
  return {what, found_by, said, [request, spoil](Program& program) {
            program.spoil = [request, spoil](Program& at, json& answer) {
              if (at.asked == request) spoil(answer);
            };
          }};
}

Defect later(const char* what, const char* request, const char* found_by, const char* said,
             const std::function<void(json&)>& spoil) {
  return {what, found_by, said, [request, spoil](Program& program) {
            program.spoil = [request, spoil](Program& at, json& answer) {
              if (at.asked == request && at.times[request] > 1) spoil(answer);
            };
          }};
}

Defect answers(const char* what, const char* found_by, const char* said,
               const std::function<std::optional<CallAnswer>(Program&, const json&)>& instead) {
  return {what, found_by, said, [instead](Program& program) { program.instead = instead; }};
}

bool asks(const json& question, const char* request) {
  return question.is_object() && question.value("request", "") == request;
}

/// The first cap that an enforce asks for; null: none.
json first_cap(const json& question) {
  const bool has_caps = asks(question, "enforce") && !question["caps"].empty();
  return has_caps ? question["caps"][0] : json();
}

void each_is_found(std::span<const Defect> defects, const std::string& host) {
  for (const Defect& defect : defects) {
    INFO(defect.what);
    Program program;
    defect.make(program);
    const std::vector<Check> checks = checks_of(program, host);
    const std::vector<std::string> found = failures(checks);
    INFO(conformance_table(checks));
    CHECK(std::count(found.begin(), found.end(), defect.found_by) == 1);
    CHECK(conformance_table(checks).find(defect.said) != std::string::npos);
    CHECK_FALSE(all_passed(checks));
  }
}

}  // namespace

TEST_CASE("conformance: a program that is right passes every check, with changes and without") {
  Program program;
  const std::vector<Check> looked = checks_of(program);
  CHECK(failures(looked) == std::vector<std::string>{});
  CHECK(all_passed(looked));
  CHECK(program.times["enforce"] + program.times["requeue"] + program.times["interrupt"] == 0);
  const std::vector<Check> changed = checks_of(program, "big1");
  CHECK(failures(changed) == std::vector<std::string>{});
  CHECK(changed.size() > looked.size() + 8);
  CHECK(program.caps == std::map<std::string, int>{{"big2", 3}});
  CHECK(failures(checks_of(program, "imp-far")) == std::vector<std::string>{});
  CHECK(program.caps == std::map<std::string, int>{{"big2", 3}});
}

TEST_CASE("conformance: what is told wrongly is found, and said in the program's own words") {
  const Defect defects[] = {
      spoiled("a key that nobody knows", "describe", "describe: is answered", "is not known",
              [](json& answer) { answer["color"] = "red"; }),
      spoiled("no settle time", "describe", "describe: is answered", "settle_ms: is missing",
              [](json& answer) { answer.erase("settle_ms"); }),
      later("another description each time", "describe", "describe: the same again",
            "differs from the first", [](json& answer) { answer["settle_ms"] = 7; }),
      spoiled("another version", "read", "read: is answered", "version: is 2",
              [](json& answer) { answer["version"] = 2; }),
      spoiled("a number as text", "read", "read: is answered", "loads[0].used",
              [](json& answer) { answer["loads"][0]["used"] = "3"; }),
      spoiled("an own host without a load", "read", "read: is answered", "host 'big2' is missing",
              [](json& answer) { answer["loads"].erase(1); }),
      spoiled("shapes that do not come to what is pending", "read", "read: is answered",
              "wants 3 slots, but 'pending' is 4",
              [](json& answer) {
                answer["shapes"]["waiting"] = json::array({{{"slots", 3}}});
              }),
      spoiled("more in use than a host has", "read", "read: slots in use", "uses 9",
              [](json& answer) {
                answer["loads"][0]["used"] = 9;
                answer["running"] = 20;
              }),
      spoiled("a job that nobody knows ended well", "fate", "fate: a job that nobody knows",
              "the second answer is another one",
              [](json& answer) { answer["fate"] = "ended-well"; }),
      spoiled("a fate that there is not", "fate", "fate: a job that nobody knows", "is 'gone'",
              [](json& answer) { answer["fate"] = "gone"; }),
      spoiled("fewer that run than are in use", "read", "read: slots in use", "'running' is 1",
              [](json& answer) { answer["running"] = 1; })};
  each_is_found(defects, "");
}

TEST_CASE("conformance: times, hosts and fences that `read` tells wrongly are found") {
  const Defect defects[] = {
      spoiled("shapes by another clock", "read", "read: times of shapes", "since 1970",
              [](json& answer) { answer["shapes"]["now_ms"] = 5; }),
      spoiled("a job submitted in the future", "read", "read: times of shapes", "'submitted_ms'",
              [](json& answer) { answer["shapes"]["waiting"][0]["submitted_ms"] = kNowMs + 1; }),
      {"a host that is not there", "read: a host that nobody knows", "which does not exist",
       [](Program& program) {
         program.spoil = [](Program& at, json& answer) {
           if (at.asked == "read" && at.imported != json::array()) {
             answer["loads"].push_back(
                 {{"host", at.imported[0]}, {"imported", true}, {"up", true}, {"used", 0}});
           }
         };
       }},
      {"fences that change when looked at", "read: the same again", "other fences",
       [](Program& program) {
         program.spoil = [](Program& at, json& answer) {
           if (at.asked == "read") answer["caps"][0]["slots"] = at.times["read"];
         };
       }}};
  each_is_found(defects, "");
}

TEST_CASE("conformance: jobs and rights that are told wrongly are found") {
  const Defect defects[] = {
      spoiled("times in seconds", "jobs", "jobs: times", "milliseconds since 1970 would be right",
              [](json& answer) { answer["now_ms"] = kNowMs / 1000; }),
      spoiled("a job that begins in the future", "jobs", "jobs: times", "after 'now_ms'",
              [](json& answer) { answer["jobs"][0]["started_ms"] = kNowMs + 1; }),
      spoiled("a job that began before it was submitted", "jobs", "jobs: times",
              "submitted after it began",
              [](json& answer) { answer["jobs"][0]["submitted_ms"] = kNowMs; }),
      later("a start that wanders", "jobs", "jobs: the same again", "asked again at",
            [](json& answer) { answer["jobs"][0]["started_ms"] = kNowMs - 50'000; }),
      spoiled("jobs that hold more than is in use", "jobs", "jobs: agree with read", "hold 5 slots",
              [](json& answer) {
                answer["jobs"][0]["slots"] = 5;
                answer["jobs"][0]["hosts"][0]["slots"] = 5;
              }),
      spoiled("a job without slots", "jobs", "jobs: is answered", "jobs[1].slots: is 0",
              [](json& answer) { answer["jobs"][1]["slots"] = 0; }),
      spoiled("no list of rights", "permissions", "permissions: is answered", "lacking: is missing",
              [](json& answer) { answer.erase("lacking"); }),
      answers("words before the answer", "permissions: is answered", "not valid JSON",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "permissions")) return std::nullopt;
                return CallAnswer{0, "loading...\n{\"version\":1,\"lacking\":[]}", ""};
              }),
      answers("another exit status", "jobs: is answered", "exit status 3; on stderr: no database",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "jobs")) return std::nullopt;
                return CallAnswer{3, "", "no database\n"};
              })};
  each_is_found(defects, "");
}

TEST_CASE("conformance: a program that refuses nothing, or says too much, is found") {
  const Defect defects[] = {
      answers("anything is answered", "refuses a request that nobody knows", "no 'error'",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "leasehold-nothing")) return std::nullopt;
                return CallAnswer{0, "{\"version\":1}", ""};
              }),
      answers("any version is", "refuses another version", "no 'error'",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!question.is_object() || question.value("version", 0) != 999) {
                  return std::nullopt;
                }
                return CallAnswer{0, "{\"version\":1}", ""};
              }),
      answers("no JSON is answered", "refuses no JSON", "no 'error'",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!question.is_discarded()) return std::nullopt;
                return CallAnswer{0, "{\"version\":1}", ""};
              }),
      answers("a failure says nothing", "refuses no request", "did not say why",
              [](Program& program, const json&) -> std::optional<CallAnswer> {
                if (!program.asked.empty()) return std::nullopt;
                return CallAnswer{1, "", ""};
              }),
      answers("a log on stderr that never ends", "what it prints is bounded", "are on stderr",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "permissions")) return std::nullopt;
                return CallAnswer{0, "{\"version\":1,\"lacking\":[]}", std::string(100'000, 'x')};
              })};
  each_is_found(defects, "");
}

TEST_CASE("conformance: a fence that is none is found, and taken away whatever it was") {
  using Caps = std::map<std::string, int>;
  const auto enforcing = [](const char* what, const char* found_by, const char* said,
                            const std::function<void(Program&)>& then) -> Defect {
    return {what, found_by, said, [then](Program& program) {
              program.spoil = [then](Program& at, json&) {
                if (at.asked == "enforce") then(at);
              };
            }};
  };
  const Defect defects[] = {
      enforcing("it is answered, and nothing stands", "enforce: a cap is in force", "has none",
                [](Program& at) { at.caps.erase("big1"); }),
      enforcing("open and closed alone", "enforce: a cap is in force", "has one of 8",
                [](Program& at) {
                  if (at.caps.contains("big1") && at.caps["big1"] > 0) at.caps["big1"] = 8;
                }),
      enforcing("a fence too many", "enforce: a cap is in force", "fences of other hosts",
                [](Program& at) { at.caps["big2"] = 0; }),
      enforcing("it never lowers", "enforce: closed", "has one of 7",
                [](Program& at) {
                  if (at.caps.contains("big1")) at.caps["big1"] = 7;
                }),
      enforcing("it is never removed", "enforce: removed", "none would be right",
                [](Program& at) { at.caps.try_emplace("big1", 0); }),
      {"work starts on a closed host", "enforce: a closed host stays closed", "'used' rose",
       [](Program& program) {
         program.spoil = [](Program& at, json& answer) {
           if (at.asked == "read" && at.caps == Caps{{"big1", 0}, {"big2", 3}}) {
             at.used["big1"] = std::min(8, at.used["big1"] + 1);
             answer["running"] = 20;
           }
         };
       }}};
  each_is_found(defects, "big1");
}

TEST_CASE("conformance: what must be no error, and what must be one, is found") {
  const Defect defects[] = {
      answers("it wants a signal", "interrupt: with the signal none", "no signal",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "interrupt") || question.at("signal") != "none") {
                  return std::nullopt;
                }
                return CallAnswer{1, "", "no signal was named"};
              }),
      answers("a second time is an error", "enforce: the same again", "there is one already",
              [](Program& program, const json& question) -> std::optional<CallAnswer> {
                const json cap = first_cap(question);
                if (!program.caps.contains("big1") || cap.is_null() || cap["remove"] ||
                    program.caps["big1"] != cap["slots"]) {
                  return std::nullopt;
                }
                return CallAnswer{0, R"({"version":1,"error":"there is one already"})", ""};
              }),
      answers("what is gone cannot be removed", "enforce: removed again", "no such fence",
              [](Program& program, const json& question) -> std::optional<CallAnswer> {
                const json cap = first_cap(question);
                if (cap.is_null() || !cap["remove"]) return std::nullopt;
                if (program.caps.contains("big1")) return std::nullopt;
                return CallAnswer{4, "", "no such fence"};
              }),
      answers("no caps are an error", "enforce: no caps", "nothing to do",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "enforce") || !question["caps"].empty()) return std::nullopt;
                return CallAnswer{1, "", "nothing to do"};
              }),
      answers("any host will do", "enforce: a host that nobody knows",
              "as if the cap were in force",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                const json cap = first_cap(question);
                if (cap.is_null() || cap["host"] != "leasehold-nobody@nowhere") return std::nullopt;
                return CallAnswer{0, "{\"version\":1}", ""};
              }),
      answers("a job that is gone is an error", "requeue: a job that is gone", "no such job",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "requeue")) return std::nullopt;
                return CallAnswer{0, R"({"version":1,"error":"no such job"})", ""};
              }),
      answers("nor can it be told", "interrupt: a job that is gone", "no such job",
              [](Program&, const json& question) -> std::optional<CallAnswer> {
                if (!asks(question, "interrupt")) return std::nullopt;
                return CallAnswer{0, R"({"version":1,"error":"no such job"})", ""};
              })};
  each_is_found(defects, "big1");
}

TEST_CASE("conformance: a host that will not do is not touched") {
  for (const char* host : {"big2", "nobody"}) {  // fenced now; not known
    Program program;
    const std::vector<Check> checks = checks_of(program, host);
    CHECK(failures(checks) == std::vector<std::string>{"enforce: the host given"});
    CHECK(program.times["enforce"] == 0);
    CHECK(checks.back().result == CheckResult::not_run);
  }
}

TEST_CASE("conformance: a program that cannot be started fails each check and ends none") {
  const StoppedTime time;
  const Caller none = [](const CallRequest&) -> Result<CallAnswer> {
    return fail(ErrorCode::io, "`x` cannot be started");
  };
  const std::vector<Check> checks = check_program(
      {{"x"}, "", 1}, none, [](int64_t) {}, time);
  CHECK_FALSE(all_passed(checks));
  CHECK(conformance_table(checks).find("cannot be started") != std::string::npos);
  const json printed = json::parse(conformance_json({{"x"}, "", 1}, checks));
  CHECK(printed["argv"] == json::array({"x"}));
  CHECK(printed["failed"].get<size_t>() + printed["not_run"].get<size_t>() == checks.size() - 1);
}

}  // namespace leasehold::agent
