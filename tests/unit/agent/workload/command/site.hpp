// Site: a site's own program for tests of the adapter: answers of a program by request, and what it
// was asked.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/workload/command/command.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent::test {

inline constexpr const char* kPlain =
    R"({"version":1,"fences":{"memory":false,"swap":false,"resources":false},
        "settle_ms":250,"self_expiring":false})";
inline constexpr const char* kView =
    R"({"version":1,
        "hosts":[{"name":"big1","slots":8,"up":true,"type":"LINUX64","mem_mb":16000,
                  "booleans":["ssd"],"numbers":{"gpus":2.5}}],
        "loads":[{"host":"big1","imported":false,"up":true,"used":3,"used_peak":5},
                 {"host":"i1","imported":true,"up":false,"used":0}],
        "caps":[{"host":"big1","imported":false,"slots":6}],"pending":4,"running":3})";
inline constexpr const char* kDone = R"({"version":1})";

struct Site {
  std::map<std::string, std::string> answers{{"describe", kPlain}, {"read", kView}};
  std::vector<nlohmann::json> asked;
  int exit_status = 0;
  Scratch scratch;

  Caller caller() {
    return [this](const CallRequest& request) -> Result<CallAnswer> {
      asked.push_back(nlohmann::json::parse(request.input));
      const auto known = answers.find(asked.back().at("request"));
      return CallAnswer{exit_status, known == answers.end() ? kDone : known->second,
                        "no such luck"};
    };
  }
  Result<std::unique_ptr<Workload>> opened(bool read_only = false) {
    AdapterSettings adapter;
    adapter.journal = scratch.file("fences");
    return open_command({{"/opt/site/adapter", "x"}}, adapter, caller(), read_only);
  }
  Result<View> read() {
    auto workload = opened();
    if (!workload) return tl::unexpected(workload.error());
    return (*workload)->read(std::vector<std::string>{"i1"});
  }
};

}  // namespace leasehold::agent::test
