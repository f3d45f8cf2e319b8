// Program: a site's own program for tests of its conformance, right in all: a test spoils a part.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/workload/conformance/conformance.hpp"

namespace leasehold::agent::test {

using nlohmann::json;

inline constexpr int64_t kNowMs = 1'790'000'000'000;

class StoppedTime final : public TimeSource {
 public:
  int64_t boottime_ms() const override { return 0; }
  Instant wall_time() const override { return {kNowMs}; }
};

inline json job(const char* id, int64_t slots, json hosts) {
  json row{{"id", id}, {"slots", slots}, {"hosts", std::move(hosts)}};
  if (!row["hosts"].empty()) row["started_ms"] = kNowMs - 60'000;
  return row;
}

/// Right in all; a test spoils a part of it.
struct Program {
  json hosts = json::array({{{"name", "big1"}, {"slots", 8}, {"up", true}},
                            {{"name", "big2"}, {"slots", 4}, {"up", true}}});
  std::map<std::string, int> caps{{"big2", 3}};
  std::map<std::string, int> used{{"big1", 3}, {"big2", 1}, {"imp-far", 0}};
  json jobs = json::array(
      {job("1", 3, json::array({{{"host", "big1"}, {"slots", 3}}})), job("2", 4, json::array())});
  json shapes{{"now_ms", kNowMs},
              {"waiting", json::array({{{"slots", 4}, {"slots_per_host", 2}, {"hosts", 2}}})},
              {"running", json::array({{{"id", "1"}, {"slots", 3}, {"started_ms", kNowMs}}})}};
  bool self_expiring = false;
  std::string asked;                           // the present request
  json imported = json::array();               // of it
  std::map<std::string, int> times;            // each was asked
  std::function<void(Program&, json&)> spoil;  // an answer that is right
  std::function<std::optional<CallAnswer>(Program&, const json&)> instead;

  bool own(const std::string& host) const { return host != "imp-far"; }

  json load(const std::string& host) const {
    return {{"host", host}, {"imported", !own(host)}, {"up", true}, {"used", used.at(host)}};
  }
  json read(const json& question) const {
    json loads = json::array({load("big1"), load("big2")});
    for (const json& host : question.at("imported")) {
      if (host == "imp-far") loads.push_back(load("imp-far"));
    }
    json rows = json::array();
    for (const auto& [host, slots] : caps) {
      if (own(host) || loads.size() == 3) {
        rows.push_back({{"host", host}, {"imported", !own(host)}, {"slots", slots}});
      }
    }
    return {{"hosts", hosts}, {"loads", loads}, {"caps", rows},
            {"pending", 4},   {"running", 4},   {"shapes", shapes}};
  }
  json enforce(const json& question) {
    for (const json& cap : question.at("caps")) {
      if (!used.contains(cap.at("host")) && !cap.at("remove")) {
        return {{"error", "there is no such host"}};
      }
    }
    for (const json& cap : question.at("caps")) {
      const std::string host = cap.at("host");
      if (cap.at("remove")) {
        caps.erase(host);
      } else {
        caps[host] = cap.at("slots");
      }
    }
    return json::object();
  }
  json answer(const json& question) {
    if (asked == "describe") {
      return {{"fences", {{"memory", false}, {"swap", false}, {"resources", false}}},
              {"settle_ms", 0},
              {"self_expiring", self_expiring},
              {"level", 2}};
    }
    if (asked == "read") return read(question);
    if (asked == "enforce") return enforce(question);
    if (asked == "jobs") return {{"now_ms", kNowMs}, {"jobs", jobs}};
    if (asked == "fate") return {{"fate", "unknown"}};
    if (asked == "permissions") return {{"lacking", json::array()}};
    return json::object();
  }
  Result<CallAnswer> call(const std::string& input) {
    const json question = json::parse(input, nullptr, false);
    const bool known =
        question.is_object() && question.value("version", 0) == 1 && question.contains("request");
    asked = known ? question["request"].get<std::string>() : "";
    ++times[asked];
    imported = asked == "read" ? question.value("imported", json::array()) : json::array();
    if (instead) {
      if (const auto other = instead(*this, question)) return *other;
    }
    static const std::set<std::string> kKnown{"describe",  "read",    "enforce", "jobs",
                                              "interrupt", "requeue", "fate",    "permissions"};
    if (!kKnown.contains(asked)) return CallAnswer{1, "", "I do not know that"};
    json answered = answer(question);
    if (spoil) spoil(*this, answered);
    answered["version"] = answered.value("version", 1);
    return CallAnswer{0, answered.dump(), ""};
  }
};

}  // namespace leasehold::agent::test
