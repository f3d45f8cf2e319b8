#include <catch2/catch.hpp>

#include "broker/ctl/client/address.hpp"
#include "broker/ctl/command_line/parse.hpp"
#include "broker/views/catalogue.hpp"

using namespace leasehold;
using namespace leasehold::ctl;

namespace {

constexpr Instant kNow{1'795'284'000'000};

Result<std::variant<CommandLine, Help>> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "leasectl");
  return parse_command_line(static_cast<int>(words.size()), words.data(), kNow);
}

CommandLine line(std::vector<const char*> words) {
  auto parsed = parse(std::move(words));
  REQUIRE(parsed);
  return std::get<CommandLine>(*parsed);
}

std::string help(std::vector<const char*> words) {
  auto parsed = parse(std::move(words));
  REQUIRE(parsed);
  return std::get<Help>(*parsed).text;
}

std::string mistake(std::vector<const char*> words) {
  auto parsed = parse(std::move(words));
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == ErrorCode::usage);
  return parsed.error().message;
}

}  // namespace

TEST_CASE("options stand before or after the command") {
  CHECK(line({"--json", "leases", "--db", "x.db"}).db == "x.db");
  CHECK(line({"leases", "--db", "x.db", "--json"}).json);
  CHECK(line({"--broker", "ipc:///tmp/b", "freeze"}).broker == "ipc:///tmp/b");
}

TEST_CASE("copies that are kept are counted, of backup alone") {
  CHECK_FALSE(line({"backup", "copy.db"}).keep.has_value());
  CHECK(line({"backup", "copy.db", "--keep", "12"}).keep == 12);
  CHECK_THAT(mistake({"backup", "copy.db", "--keep", "0"}), Catch::Contains("--keep"));
  CHECK_THAT(mistake({"leases", "--keep", "2"}), Catch::Contains("--keep"));
}

TEST_CASE("times are ISO 8601 with a zone, or relative") {
  CHECK(*line({"history", "--since", "-2h"}).request.since == kNow + -7'200'000);
  CHECK(*line({"leases", "--at", "2026-11-21T19:00:00+01:00"}).request.at == kNow);
  CHECK_THAT(mistake({"leases", "--at", "noon"}), Catch::StartsWith("--at: "));
  CHECK_THAT(mistake({"leases", "--at", "2026-11-21T19:00:00"}), Catch::StartsWith("--at: "));
}

TEST_CASE("times in words are of the zone that is named, and are sent as instants") {
  CHECK(*line({"leases", "--at", "yesterday", "--timezone", "UTC"}).request.at ==
        *parse_time("2026-11-20T00:00:00Z", {}));
  CHECK(*line({"history", "--since", "19:00", "--timezone", "Europe/Berlin"}).request.since ==
        kNow);
  const auto end = [](const char* text) {
    return line({"freeze", "--until", text, "--timezone", "UTC"}).request.order_end.said;
  };
  CHECK(end("2h") == "2h");
  CHECK(end("19:00") == "2026-11-21T19:00:00.000Z");
  CHECK_THAT(mistake({"freeze", "--until", "yesterday"}), Catch::Contains("is over already"));
  CHECK_THAT(mistake({"leases", "--at", "now", "--timezone", "Mars"}),
             Catch::StartsWith("--timezone: unknown time zone 'Mars'"));
}

TEST_CASE("a freeze begins and ends by the broker's clock where a duration is typed") {
  const auto typed = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"freeze", "--timezone", "UTC"});
    const Request read = line(words).request;
    return read.order_begin.said + " to " + read.order_end.said;
  };
  CHECK(typed({"--from", "2h"}) == "2h to ");
  CHECK(typed({"--from", "-2h"}) == "-2h to ");
  CHECK(typed({"--for", "1h"}) == " to 1h");
  CHECK(typed({"--from", "2h", "--for", "30m"}) == "2h to 2h30m");
  CHECK(typed({"--from", "+90m", "--for", "30m"}) == "+90m to 2h");
  CHECK(typed({"--from", "fri 20:00", "--for", "10h"}) ==
        "2026-11-27T20:00:00.000Z to 2026-11-28T06:00:00.000Z");
  CHECK(typed({"--from", "yesterday", "--for", "1h"}) == "2026-11-20T00:00:00.000Z to 1h");
  CHECK(mistake({"freeze", "--from", "2h", "--until", "1h"}) ==
        "--from 2h is not before --until 1h: 2026-11-21T20:00:00.000Z and "
        "2026-11-21T19:00:00.000Z; a later end would be right, or --for DURATION, which counts "
        "from the begin");
  CHECK_THAT(mistake({"freeze", "--for", "1h", "--until", "1h"}), Catch::Contains("excludes"));
  for (const char* wrong : {"5", "0s", "5000d", "fri"}) {
    CHECK_THAT(mistake({"freeze", "--for", wrong}), Catch::StartsWith("--for: "));
  }
  CHECK_THAT(mistake({"freeze", "--from", "noon"}), Catch::StartsWith("--from: "));
  CHECK_THAT(mistake({"drain", "east", "--from", "2h"}), Catch::Contains("--from"));
}

TEST_CASE("an empty value, as of a variable that is not set, is refused and not left out") {
  CHECK(mistake({"attention", "--at", ""}) ==
        "--at: the value is empty; TIME would be right, or leave it out");
  CHECK(mistake({"status", "--db", ""}) ==
        "--db: the value is empty; FILE would be right, or leave it out");
  for (const char* option : {"--broker", "--key", "--broker-key", "--timeout", "--timezone",
                             "--sort", "--cluster", "--reason", "--output"}) {
    CHECK_THAT(mistake({"clusters", option, ""}), Catch::StartsWith(option));
  }
  CHECK_THAT(mistake({"status", "--db="}), Catch::StartsWith("--db needs a value: FILE"));
  CHECK_THAT(mistake({"replay", "x.db", "--what-if", "--rule", ""}), Catch::StartsWith("--rule"));
  CHECK(mistake({"lease", ""}) == "LEASE: the value is empty; LEASE would be right");
  CHECK_THAT(mistake({"tables", "x.db", ""}), Catch::StartsWith("FILE: "));
  CHECK_THAT(mistake({"import-lsf", "lsb.resources", ""}), Catch::StartsWith("FILE: "));
}

TEST_CASE("a table takes a name without its option, and both together are refused") {
  CHECK(line({"hosts", "big1"}).request.host_like == "big1");
  CHECK(line({"clusters", "e*"}).request.cluster_like == "e*");
  CHECK(line({"leases", "pool:west"}).request.lease_like == "pool:west");
  CHECK(line({"policies", "pool"}).request.policy_like == "pool");
  CHECK(line({"groups", "compute"}).request.group_like == "compute");
  CHECK(line({"consumers", "/research"}).request.consumer_like == "/research");
  CHECK_THAT(mistake({"hosts", "big1", "--host", "big2"}), Catch::Contains("excludes"));
  CHECK_THAT(mistake({"hosts", "big1", "big2"}), Catch::Contains("one word too many"));
}

TEST_CASE("one -o everywhere, and what a command cannot print is refused") {
  CHECK(line({"status", "-o", "json"}).json);
  CHECK(line({"leases", "-o", "table"}).request.output.empty());
  CHECK(line({"explain", "pool:west", "-o", "table"}).request.output.empty());
  CHECK(line({"-o", "json", "leases"}).json);
  CHECK(line({"-o", "id,slots", "leases", "--db", "x.db"}).request.output == "id,slots");
  CHECK(line({"--output", "csv", "history"}).request.output == "csv");
  CHECK(line({"freeze", "-o", "json"}).json);
  CHECK(line({"replay", "x.db", "--verify", "-o", "json"}).json);
  CHECK(line({"check-config", "-o", "json", "broker.toml"}).json);
  for (const RequestRow& row : questions()) {
    if (row.list == nullptr) continue;
    INFO(row.name);
    for (const char* form : {"table", "wide", "name", "json", "csv", "some,fields"}) {
      line({"-o", form, row.name});
    }
  }
  CHECK(line({"doctor", "-o", "csv"}).request.output == "csv");
  CHECK(line({"simulate", "x.toml", "-o", "rule"}).request.output == "rule");
  CHECK(line({"history", "-n", "5", "-f", "-o", "id,kind"}).request.output == "id,kind");
  CHECK(line({"history", "-o", "json"}).json);
  CHECK_THAT(mistake({"replay", "x.db", "--verify", "-o", "name"}), Catch::Contains("-o out"));
  for (const char* command : {"status", "freeze", "watch"}) {
    CHECK_THAT(mistake({command, "-o", "csv"}), Catch::Contains("table or json would be right"));
  }
  CHECK_THAT(mistake({"simulate", "x.toml", "--seeds", "3", "-o", "csv"}),
             Catch::Contains("table or json would be right"));
}

TEST_CASE("-o of an import is its file, behind the command") {
  CHECK(line({"import-lsf", "lsb.resources", "-o", "east.toml"}).output == "east.toml");
  CHECK(line({"-o", "json", "import-ego", "trees.xml"}).json);
  CHECK_THAT(mistake({"-o", "east.toml", "import-lsf", "lsb.resources"}),
             Catch::EndsWith("the file to write is named behind the command"));
}

TEST_CASE("every table takes filters, an order and a form") {
  const Request leases = line({"leases", "--phase", "a*", "--sort", "-flips,id", "-o", "id,slots",
                               "--no-header", "--summary"})
                             .request;
  CHECK(leases.phase_like == "a*");
  CHECK(leases.sort == "-flips,id");
  CHECK(leases.output == "id,slots");
  CHECK((leases.no_header && leases.summary));
  CHECK(line({"hosts", "-o", "json"}).json);
  CHECK(line({"drain", "east", "--provider"}).request.half == DrainSide::exports);
  CHECK(line({"leases", "--host", "big1"}).request.host_like == "big1");
  CHECK_THAT(mistake({"clusters", "--host", "big1"}),
             Catch::StartsWith("clusters has no field for --host; these have: leases, hosts"));
  CHECK_THAT(mistake({"hosts", "-o", "csv", "--json"}), Catch::Contains("exclude each other"));
  CHECK_THAT(mistake({"usage", "-o", "csv", "--csv"}), Catch::Contains("exclude each other"));
  CHECK_THAT(mistake({"leases", "--phse", "x"}), Catch::Contains("did you mean '--phase'?"));
  CHECK(line({"leases", "--color", "never"}).colour == "never");
  mistake({"leases", "--color", "sometimes"});
}

TEST_CASE("the past is there for every question of what is") {
  for (const char* question : {"clusters", "leases", "hosts", "policies", "groups", "consumers"}) {
    CHECK(line({question, "--at", "1h"}).request.at == kNow + -3'600'000);
  }
  CHECK(line({"lease", "pool:west", "--at", "1h"}).request.at);
  CHECK(line({"explain", "pool:west", "--at", "1h"}).request.at);
}

TEST_CASE("the time-out is a duration with a unit") {
  CHECK(line({"leases"}).timeout_ms == 10'000);
  CHECK(line({"leases", "--timeout", "1m30s"}).timeout_ms == 90'000);
  CHECK_THAT(mistake({"leases", "--timeout", "5"}), Catch::StartsWith("--timeout: "));
}

TEST_CASE("what is unknown names the nearest") {
  CHECK(mistake({"lease-s"}) == "unknown command 'lease-s'; did you mean 'leases'?");
  CHECK_THAT(mistake({"xyzzyplugh"}), Catch::Contains("see leasectl help"));
  CHECK_THAT(mistake({"history", "--folow"}), Catch::Contains("did you mean '--follow'?"));
  CHECK_THAT(mistake({"freeze", "now"}), Catch::Contains("one word too many"));
  CHECK_THAT(mistake({}), Catch::Contains("no command is given"));
}

TEST_CASE("plan wants a plan and a state") {
  const CommandLine typed = line({"plan", "--config", "p.toml", "--state", "s.json", "--json"});
  CHECK(typed.command == "plan");
  CHECK(typed.config == "p.toml");
  CHECK(typed.state == "s.json");
  CHECK(typed.json);
  CHECK_THAT(mistake({"plan", "--config", "p.toml"}), Catch::Contains("--state is required"));
  CHECK_THAT(mistake({"import-ego"}), Catch::Contains("FILE is required"));
}

TEST_CASE("a leader steps down for anybody, or for whom an operator names") {
  CHECK(line({"brokers"}).command == "brokers");
  CHECK(line({"stepdown"}).command == "stepdown");
  CHECK_THAT(mistake({"stepdown", "hub-2"}), Catch::Contains("one word too many"));
}

TEST_CASE("what cannot go together is refused") {
  CHECK_THAT(mistake({"history", "--csv", "--json"}), Catch::Contains("exclude each other"));
  CHECK_THAT(mistake({"leases", "--db", "x", "--broker", "ipc://y"}),
             Catch::Contains("exclude each other"));
  CHECK_THAT(mistake({"replay", "x.db", "--verify", "--lease", "a:b"}),
             Catch::Contains("whole database"));
  CHECK_THAT(mistake({"replay", "x.db", "--rule", "exclusive"}), Catch::Contains("--what-if"));
  CHECK_THAT(mistake({"replay", "x.db", "--what-if", "--rule", "tie"}),
             Catch::Contains("'tie'") && Catch::Contains("none"));
  CHECK_THAT(mistake({"replay", "x.db", "--what-if", "--lease", "a:b"}),
             Catch::Contains("whole site"));
  for (const char* option : {"--reclaim-delay", "--min-hold", "--use-by", "--reclaim-backoff"}) {
    CHECK(mistake({"replay", "x.db", "--what-if", "--rule", "none", option, "5m"}) ==
          std::string("--rule none lends nothing, so ") + option +
              " would change nothing: leave one of the two out");
  }
  for (const auto& [option, value] :
       {std::pair{"--plan", "p.toml"}, std::pair{"--provider-first", "true"},
        std::pair{"--max-share-moved", "0.5"}, std::pair{"--dead-zone", "2"}}) {
    CHECK_THAT(mistake({"replay", "x.db", "--what-if", "--rule", "none", option, value}),
               Catch::StartsWith("--rule none") && Catch::Contains(option));
  }
  CHECK(line({"replay", "x.db", "--what-if", "--rule", "none", "--run-time", "5m"})
            .what_if.settings.nobody_lends);
  CHECK_THAT(mistake({"replay", "x.db", "--what-if", "--run-time", "0s"}),
             Catch::Contains("at least 1s"));
  CHECK_THAT(mistake({"lease"}), Catch::Contains("LEASE"));
  mistake({"history", "--limit", "0"});
  mistake({"forecast", "pool:west", "--slots", "0"});
  mistake({"forecast", "pool:west", "--slots", "-3"});
}

TEST_CASE("help and version are not errors, and every command has examples") {
  CHECK_THAT(help({"--version"}), Catch::StartsWith("leasectl "));
  CHECK(help({"version"}) == help({"--version"}));
  CHECK(help({"help"}) == help({"--help"}));
  CHECK_THAT(help({"help"}), Catch::Contains("\nOrders to the broker:\n  rebalance "));
  CHECK(mistake({"help", "leeses"}) == "unknown command 'leeses'; did you mean 'leases'?");
  for (const char* command :
       {"clusters",   "leases",    "lease",  "hosts",    "policies",   "explain",      "history",
        "replay",     "drain",     "resume", "close",    "open",       "freeze",       "thaw",
        "rebalance",  "forget",    "reload", "simulate", "import-lsf", "check-config", "keygen",
        "completion", "reference", "tables", "backup",   "restore",    "forecast",     "brokers",
        "stepdown",   "help",      "version"}) {
    INFO(command);
    CHECK(help({"help", command}) == help({command, "--help"}));
    CHECK_THAT(help({command, "--help"}), Catch::Contains("--timeout DURATION"));
    CHECK_THAT(help({command, "--help"}),
               Catch::Contains(std::string("Examples:\n  leasectl ") + command));
    CHECK_THAT(help({"--help"}), Catch::Contains(command));
  }
}

TEST_CASE("the broker is found by option, environment, own file, the system's file, default") {
  const std::string home = std::string(LEASEHOLD_BINARY_DIR) + "/ctl_home";
  REQUIRE(system(("mkdir -p '" + home + "/.config/leasehold'").c_str()) == 0);
  const std::string own = home + "/.config/leasehold/ctl.toml";
  const std::string system_file = home + "/system.toml";
  const auto write = [](const std::string& path, const std::string& text) {
    FILE* file = fopen(path.c_str(), "w");
    REQUIRE(file != nullptr);
    fputs(text.c_str(), file);
    fclose(file);
  };
  std::string set;
  const Environment environment = [&](const char* name) {
    if (std::string(name) == "HOME") return home;
    return std::string(name) == "LEASEHOLD_BROKER" ? set : std::string();
  };
  remove(own.c_str());
  remove(system_file.c_str());
  const auto address = [&](const CommandLine& typed) {
    return broker_addresses(typed, environment, system_file).map([](const auto& all) {
      const BrokerAddress& found = all.front();
      CHECK_FALSE(found.keys);
      return found.endpoint;
    });
  };
  CHECK(*address({}) == "tcp://127.0.0.1:7441");
  write(system_file, "broker = \"ipc:///system\"\n");
  CHECK(*address({}) == "ipc:///system");
  write(own, "broker = \"ipc:///own\"\n");
  CHECK(*address({}) == "ipc:///own");
  set = "ipc:///environment";
  CHECK(*address({}) == "ipc:///environment");
  CommandLine typed;
  typed.broker = "ipc:///typed";
  CHECK(*address(typed) == "ipc:///typed");

  set.clear();
  write(own, "brocker = \"ipc:///own\"\n");
  const auto wrong = address({});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == ErrorCode::usage);
  CHECK_THAT(describe(wrong.error()), Catch::Contains("ctl.toml:1") && Catch::Contains("broker"));
  CHECK(*address(typed) == "ipc:///typed");  // a broken file is not in the way
}
