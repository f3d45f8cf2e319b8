// The bash completion, run by bash itself with answers of the real views.
#include "broker/ctl/completion/completion.hpp"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "broker/ctl/command_line/parse.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/lists/forms.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> part{};
  while (const size_t got = fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), got);
  CHECK(pclose(pipe) == 0);
  return text;
}

/// Returns what is offered at the end of `line`, separated by blanks. `leasectl` answers from a
/// small site.
std::string offered(const std::string& line) {
  const State state = site::state();
  // Each process has its own file, because tests run in parallel.
  const std::string answers =
      std::string(LEASEHOLD_BINARY_DIR) + "/completion_answers." + std::to_string(getpid());
  constexpr const char* kTables[] = {"leases", "clusters", "hosts", "policies", "consumers"};
  for (const char* table : kTables) {
    const Json rows = *answer_query(state, site::liveness(), {}, request_for(table));
    std::ofstream(answers + "." + table) << names_text(rows, *find_request(table)->list);
  }
  const std::string script = answers + ".sh";
  std::ofstream(script) << ctl::bash_completion(ctl::program_help()) << "leasectl() { cat '"
                        << answers << "'.\"$1\"; }\n"
                        << "COMP_LINE='" << line << "' COMP_POINT=" << line.size() << "\n"
                        << "_leasectl; echo \"${COMPREPLY[*]}\"\n";
  std::string text = output_of("bash '" + script + "'");
  for (const char* table : kTables) std::remove((answers + "." + table).c_str());
  std::remove(script.c_str());
  REQUIRE_FALSE(text.empty());
  text.pop_back();
  return text;
}

}  // namespace

TEST_CASE("completion offers commands and options") {
  CHECK(offered("leasectl lea") == "leases lease");
  CHECK(offered("leasectl --json reb") == "rebalance");
  CHECK(offered("leasectl history --f") == "--follow");
  CHECK(offered("leasectl close --rec") == "--reclaim");
  CHECK(offered("leasectl completion ") == "bash zsh fish");
  CHECK(offered("leasectl leases -o n") == "name");
  CHECK(offered("leasectl -o c") == "csv");
  CHECK(offered("leasectl --color a") == "auto always");
  CHECK(offered("leasectl dr") == "drain");
  CHECK(offered("leasectl drain --pro") == "--provider");
  CHECK(offered("leasectl usage --by a") == "account");
}

TEST_CASE("completion offers the ids that the broker knows") {
  CHECK(offered("leasectl lease ") == "pool:west");
  CHECK(offered("leasectl explain pool:w") == "west");  // bash breaks words at ':'
  CHECK(offered("leasectl explain nor") == "north");
  CHECK(offered("leasectl drain ") == "east north west");
  CHECK(offered("leasectl close ") == "big1@east w1@west");
  CHECK(offered("leasectl close big1@east --for w") == "west");
  CHECK(offered("leasectl history --lease ") == "pool:west");
  CHECK(offered("leasectl freeze ").empty());
  CHECK(offered("leasectl leases --policy ") == "pool");
  CHECK(offered("leasectl leases --consumer n") == "north");
  CHECK(offered("leasectl clusters --reason ti") == "tie");
  CHECK(offered("leasectl leases --phase dr") == "draining");
  CHECK(offered("leasectl hosts --host b") == "big1@east");
  // --provider is a switch of one command, and an option with a value of the other.
  CHECK(offered("leasectl drain --provider ") == "east north west");
  CHECK(offered("leasectl import-lsf --provider w") == "west");
  CHECK(offered("leasectl drain --provider --wa") == "--wait");
  CHECK(offered("leasectl --timeout drain close big1@east --re") == "--reclaim --reason");
}

TEST_CASE("completion knows every command and every option of the help") {
  const ctl::ProgramHelp program = ctl::program_help();
  const std::string commands = " " + offered("leasectl ") + " ";
  CHECK(program.commands.size() > 20);
  for (const ctl::CommandHelp& command : program.commands) {
    INFO(command.name);
    CHECK(commands.find(" " + command.name + " ") != std::string::npos);
    const std::string known = " " + offered("leasectl " + command.name + " -") + " ";
    for (const auto& options : {command.options, program.options}) {
      for (const ctl::OptionHelp& option : options) {
        for (const std::string& name : option.names) {
          INFO(name);
          CHECK(known.find(" " + name + " ") != std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("completion of every shell knows every command and every option") {
  const ctl::ProgramHelp program = ctl::program_help();
  const std::string zsh = ctl::zsh_completion(program);
  const std::string fish = ctl::fish_completion(program);
  for (const ctl::CommandHelp& command : program.commands) {
    INFO(command.name);
    CHECK_THAT(zsh, Catch::Contains(command.name));
    CHECK_THAT(fish, Catch::Contains("-n '__fish_use_subcommand' -a " + command.name + " -d '"));
    for (const ctl::OptionHelp& option : command.options) {
      const std::string& name = option.names.back();
      INFO(name);
      CHECK_THAT(zsh, Catch::Contains(name));
      CHECK_THAT(fish, Catch::Contains(name.starts_with("--") ? " -l " + name.substr(2)
                                                              : " -s " + name.substr(1)));
    }
  }
  CHECK_THAT(fish, Catch::Contains("-x -a '(__leasectl_ask leases)'"));
  CHECK_THAT(zsh, Catch::Contains("LEASE) echo \"leases\" ;;"));
}

TEST_CASE("shells that are here read their completion without a complaint") {
  const ctl::ProgramHelp program = ctl::program_help();
  const std::pair<const char*, std::string> shells[] = {{"bash", ctl::bash_completion(program)},
                                                        {"zsh", ctl::zsh_completion(program)},
                                                        {"fish", ctl::fish_completion(program)}};
  for (const auto& [shell, script] : shells) {
    INFO(shell);
    const std::string file =
        std::string(LEASEHOLD_BINARY_DIR) + "/completion." + shell + "." + std::to_string(getpid());
    std::ofstream(file) << script;
    const std::string words = std::string(" command -v ") + shell + " >/dev/null || exit 0; " +
                              shell + " -n '" + file + "' 2>&1";
    CHECK(output_of(words).empty());
    std::remove(file.c_str());
  }
}
