// The most frequent mistakes at the command line, and the answer to each: of leasectl, or of a
// broker with a small site.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "broker/ctl/client/client.hpp"
#include "broker/ctl/command_line/parse.hpp"
#include "broker/ports/operators/change.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/lists/forms.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using namespace leasehold::ctl;

namespace {

struct Mistake {
  const char* typed;
  const char* answer;
};

constexpr Mistake kMistakes[] = {
    {"", "no command is given; see leasectl help"},
    {"leses", "unknown command 'leses'; did you mean 'leases'?"},
    {"policy", "unknown command 'policy'; did you mean 'policies'?"},
    {"list", "unknown command 'list'; see leasectl help"},
    {"show leases", "'show' is one word too many; see leasectl help leases"},
    {"help leeses", "unknown command 'leeses'; did you mean 'leases'?"},
    {"help policy", "unknown command 'policy'; did you mean 'policies'?"},
    {"lease", "LEASE is required; see leasectl help lease"},
    {"explain", "SUBJECT is required; see leasectl help explain"},
    {"drain", "CLUSTER is required; see leasectl help drain"},
    {"replay", "DB is required; see leasectl help replay"},
    {"backup", "FILE is required; see leasectl help backup"},
    {"plan", "--config is required; see leasectl help plan"},
    {"lease east west", "'west' is one word too many; see leasectl help lease"},
    {"hosts big1 big2", "'big2' is one word too many; see leasectl help hosts"},
    {"keygen extra", "'extra' is one word too many; see leasectl help keygen"},
    {"freeze now", "'now' is one word too many; see leasectl help freeze"},
    {"--jsn leases", "unknown option '--jsn'; did you mean '--json'?"},
    {"history --limt=5", "unknown option '--limt=5'; did you mean '--limit'?"},
    {"reload --dryrun", "unknown option '--dryrun'; did you mean '--dry-run'?"},
    {"leases --phse active", "unknown option '--phse'; did you mean '--phase'?"},
    {"clusters --host big1",
     "clusters has no field for --host; these have: leases, hosts, policies"},
    {"leases --provider", "--provider needs a value: CLUSTER; see leasectl help leases"},
    {"leases -o", "--output needs a value: FORM; see leasectl help leases"},
    {"leases --sort", "--sort needs a value: FIELD,...; see leasectl help leases"},
    {"leases -o csv --json", "--json and -o csv exclude each other"},
    {"usage --csv --json", "--csv and --json exclude each other"},
    {"status -o csv",
     "-o csv: the answer of status is not a list of rows; table or json would be right"},
    {"status -o tabel",
     "-o tabel: the answer of status is not a list of rows; table or json would be right"},
    {"-o csv status",
     "-o csv: the answer of status is not a list of rows; table or json would be right"},
    {"-o east.toml import-lsf lsb.resources",
     "-o east.toml: the answer of import-lsf is not a list of rows; table or json would be right; "
     "the file to write is named behind the command"},
    {"history -n", "--limit needs a value: N; see leasectl help history"},
    {"history -n 0",
     "--limit: 0 is too small; 1 to 100000 would be right; see leasectl help history"},
    {"history -n all", "--limit: 'all' is no number; 1 to 100000 would be right"},
    {"leases --color red",
     "--color: 'red' is none of its values; auto, always or never would be right"},
    {"leases --provider east --provider west",
     "--provider is given more than once; once would be right"},
    {"leases --broker tcp://a:1 --broker tcp://b:1",
     "--broker is given more than once; several are separated by commas; see leasectl help leases"},
    {"leases --timeout 5",
     "--timeout: \"5\" is no duration: a number needs a unit (ms s m h d), as in \"5s\" or \"5m\""},
    {"leases --at 2099",
     "--at: \"2099\" is no time: write ISO 8601 with a zone, as in \"2026-11-21T17:01:00Z\", or "
     "\"2h\" (ago), \"yesterday\", \"tue 15:00\", \"15:00\""},
    {"freeze --until yesterday",
     "--until: 'yesterday' is over already; 2026-11-22T18:00:00Z, a duration ahead as 2h, or "
     "\"fri 18:00\" would be right"},
    {"close big1@east --until 5",
     "--until: '5' is no time; 2026-11-22T18:00:00Z, or a duration ahead as 2h, would be right"},
    {"leases --at now --timezone Mars", "--timezone: unknown time zone 'Mars'"},
    {"leases --db x.db --broker tcp://hub:7441", "--broker and --db exclude each other"},
    {"replay x.db --verify --csv",
     "--verify judges the whole database: leave --lease, --since, --until, --csv and -o out"},
    // Only the broker knows these:
    {"lease pool:wst", "there is no lease 'pool:wst'; did you mean 'pool:west'?"},
    {"explain wst",
     "'wst' is no lease, no cluster, no host (big1@east) and no consumer of a plan; did you mean "
     "'west'?"},
    {"clusters esat", "there is no cluster 'esat'; did you mean 'east'?"},
    {"hosts big2", "there is no host 'big2'; did you mean 'big1'?"},
    {"leases --provider esat", "there is no cluster 'esat'; did you mean 'east'?"},
    {"leases --phase actve", "there is no phase 'actve'; did you mean 'active'?"},
    {"leases --reason tye", "there is no reason 'tye'; did you mean 'tie'?"},
    {"forget we", "there is no cluster 'we'; did you mean 'west'?"},
    {"drain eas", "there is no cluster 'eas'; did you mean 'east'?"},
    {"close big1", "'big1' is not HOST@CLUSTER, as in big1@east"},
    {"close big1@esat", "there is no cluster 'esat'; did you mean 'east'?"},
    {"close big1@east --for wst", "there is no cluster 'wst'; did you mean 'west'?"},
    {"leases -o tabel", "no row has a field 'tabel'; there are "},
    {"rebalance pool", "there is no lease 'pool'; did you mean 'pool:west'?"},
};

/// The error of a broker, or of the form in which its answer is to be printed, or "".
std::string broker_answer_to(const Request& request) {
  const State state = site::state();
  if (request.row->is_change()) {
    const auto order = operator_command(state, request, {});
    return order ? "" : order.error().message;
  }
  const auto rows = answer_query(state, site::liveness(), {}, request);
  if (!rows) return rows.error().message;
  if (request.row->list == nullptr || request.output.empty()) return "";
  const auto text = rows_text(*rows, *request.row->list, request.output, {});
  return text ? "" : text.error().message;
}

std::string answer_to(const std::string& typed) {
  std::istringstream in(typed);
  std::vector<std::string> words{"leasectl"};
  for (std::string word; in >> word;) words.push_back(word);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  const auto parsed =
      parse_command_line(static_cast<int>(argv.size()), argv.data(), Instant{1'795'284'000'000});
  if (parsed) return broker_answer_to(std::get<CommandLine>(*parsed).request);
  CHECK(parsed.error().code == ErrorCode::usage);
  return parsed.error().message;
}

}  // namespace

TEST_CASE("each of the commonest mistakes is answered by what would be right") {
  for (const Mistake& mistake : kMistakes) {
    INFO("leasectl " << mistake.typed);
    CHECK_THAT(answer_to(mistake.typed), Catch::StartsWith(mistake.answer));
  }
}

TEST_CASE("an address that is no endpoint is told as what it is") {
  const auto answer = [](const char* text) {
    const Status found = probe(text, 100);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::usage);
    return found.error().message;
  };
  CHECK_THAT(answer("http://hub:7480/"), Catch::Contains("the address of a page"));
  CHECK_THAT(answer("hub:7441"), Catch::EndsWith("it would be tcp://hub:7441"));
  CHECK_THAT(answer("/run/leasehold/broker"), Catch::EndsWith("ipc:///run/leasehold/broker"));
  CHECK_THAT(answer("hub"), Catch::EndsWith("it would be tcp://HOST:PORT or ipc://PATH"));
}
