// The bash completion: run by bash itself, with answers of the real views.
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "broker/ctl/command_line.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

const std::string kScript = std::string(LEASEHOLD_SOURCE_DIR) + "/config/completion/leasectl";

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> part{};
  while (const size_t got = fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), got);
  CHECK(pclose(pipe) == 0);
  return text;
}

/// What is offered at the end of `line`, blank-separated. `leasectl` answers from a small site.
std::string offered(const std::string& line) {
  const State state = site::state();
  // Each process its own: tests run side by side.
  const std::string answers =
      std::string(LEASEHOLD_BINARY_DIR) + "/completion_answers." + std::to_string(getpid());
  std::ofstream(answers + ".leases") << view_leases(state).dump(2) << "\n";
  std::ofstream(answers + ".clusters") << view_clusters(state, site::liveness()).dump(2) << "\n";
  std::ofstream(answers + ".hosts") << view_hosts(state, site::liveness(), false).dump(2) << "\n";
  const std::string script = answers + ".sh";
  std::ofstream(script) << "source '" << kScript << "'\n"
                        << "leasectl() { cat '" << answers << "'.\"$1\"; }\n"
                        << "COMP_LINE='" << line << "' COMP_POINT=" << line.size() << "\n"
                        << "_leasectl; echo \"${COMPREPLY[*]}\"\n";
  std::string text = output_of("bash '" + script + "'");
  for (const char* part : {".leases", ".clusters", ".hosts", ".sh"}) {
    std::remove((answers + part).c_str());
  }
  REQUIRE_FALSE(text.empty());
  text.pop_back();
  return text;
}

std::string help_of(const char* command) {
  const std::array<const char*, 3> words{"leasectl", command, "--help"};
  auto parsed = ctl::parse_command_line(3, words.data(), site::kNoon);
  REQUIRE(parsed);
  return std::get<ctl::Help>(*parsed).text;
}

}  // namespace

TEST_CASE("completion offers commands and options") {
  CHECK(offered("leasectl lea") == "leases lease");
  CHECK(offered("leasectl --json reb") == "rebalance");
  CHECK(offered("leasectl history --f") == "--follow");
  CHECK(offered("leasectl close --rec") == "--reclaim");
}

TEST_CASE("completion offers the ids that the broker knows") {
  CHECK(offered("leasectl lease ") == "pool:west");
  CHECK(offered("leasectl explain pool:w") == "west");  // bash breaks words at ':'
  CHECK(offered("leasectl drain ") == "east north west");
  CHECK(offered("leasectl close ") == "big1@east w1@west");
  CHECK(offered("leasectl close big1@east --for w") == "west");
  CHECK(offered("leasectl history --lease ") == "pool:west");
  CHECK(offered("leasectl freeze ").empty());
}

TEST_CASE("completion knows every command and every option of the help") {
  const std::string commands = offered("leasectl ");
  std::istringstream words(commands);
  std::string command;
  int count = 0;
  while (words >> command) {
    if (command[0] == '-') continue;
    ++count;
    INFO(command);
    const std::string known = " " + offered("leasectl " + command + " -") + " ";
    std::istringstream help(help_of(command.c_str()));
    std::string line;
    while (std::getline(help, line)) {
      const size_t at = line.find("--");
      if (line.rfind("  -", 0) != 0 || at == std::string::npos) continue;
      const std::string option = line.substr(at, line.find_first_of(" ,=", at) - at);
      INFO(option);
      CHECK(known.find(" " + option + " ") != std::string::npos);
    }
  }
  CHECK(count == 26);
}
