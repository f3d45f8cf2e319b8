#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/config/findings.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// A configuration without a fault; tests replace one line by another.
const std::string kGood = R"([broker]
reclaim_delay = "5m"
[[cluster]]
name = "east"
[[cluster]]
name = "west"
[[cluster]]
name = "north"
[[export_policy]]
name = "pool"
provider = "east"
hosts = ["big1", "big2"]
slots_per_host = 4
distribution = [{ cluster = "west", shares = 1 }]
type = "shared"
)";

const std::string kKey(40, 'a');
const std::string kOther(40, 'b');
constexpr int kBelow = 16;  // the line of text put below kGood

std::string with(const std::string& from, const std::string& to) {
  return replaced(kGood, from, to);
}

void check_refused(const Bad& bad) {
  const Loaded loaded = parse_broker_config(bad.text, "b.toml");
  INFO(bad.text << "----\n" << all_of(loaded.errors));
  const bool found =
      std::any_of(loaded.errors.begin(), loaded.errors.end(), [&](const Error& error) {
        return error.line == bad.line && error.file == "b.toml" && error.code == ErrorCode::usage &&
               error.message.find(bad.fragment) != std::string::npos;
      });
  CHECK(found);
  CHECK(loaded.errors.size() == 1);
  CHECK_FALSE(loaded.ok());
}

}  // namespace

TEST_CASE("a configuration fills in every default") {
  const Loaded loaded = parse_broker_config(kGood, "/etc/leasehold/b.toml");
  INFO(all_of(loaded.errors));
  REQUIRE(loaded.ok());
  CHECK(loaded.warnings.empty());
  CHECK(loaded.core.reclaim_delay_ms == 300'000);
  CHECK(loaded.core.agent_timeout_ms == 60'000);
  CHECK(loaded.core.clusters.size() == 3);
  CHECK(loaded.core.clusters[0].reclaim_delay_ms == 300'000);
  REQUIRE(loaded.core.policies.size() == 1);
  const ExportPolicy& policy = loaded.core.policies[0];
  CHECK(policy.hosts == std::vector<std::string>{"big1", "big2"});
  CHECK(policy.slots_per_host == 4);
  CHECK(policy.type == LeaseType::shared);
  CHECK(policy.rule == RuleKind::idle_comparison);
  CHECK(policy.initial_slots == 1);
  CHECK(policy.distribution == std::vector<Share>{{"west", 1}});
  CHECK(policy.source == Source{"/etc/leasehold/b.toml", 9});
  CHECK(loaded.daemon.database == "/etc/leasehold/leasehold.db");
  CHECK(loaded.daemon.listen == "tcp://127.0.0.1:7440");
  CHECK(loaded.daemon.retention_age_ms == int64_t{400} * 86'400'000);
}

TEST_CASE("settings of the daemon are read, its paths from the file's folder") {
  const Loaded loaded = parse_broker_config(
      "[broker]\nlisten = \"ipc://run/agents.sock\"\ncontrol = \"tcp://[::1]:7441\"\nhttp = \"\"\n"
      "database = \"data/l.db\"\nmode = \"observe\"\nname = \"campus\"\n"
      "[retention]\nage = \"30d\"\nsize_mb = 100\n[limits]\nconnections = 10\n"
      "message_bytes = 100000\nrate_per_peer = 50\nhistory_rows = 7\nrecord_mb_per_hour = "
      "9\n[http]\nbase_path = \"/lease/hold\"\nhosts = [\"leases.example.org\"]\nconnections = 9\n"
      "streams = 8\nstreams_per_address = 7\nrate_per_address = 6\nanswers_mb = 5\n"
      "metrics_leases = 4\n"
      "[[cluster]]\nname = \"east\"\n",
      "/etc/b.toml");
  INFO(all_of(loaded.errors));
  REQUIRE(loaded.ok());
  CHECK(loaded.core.mode == Mode::observe);
  CHECK(loaded.core.name == "campus");
  CHECK(loaded.daemon.listen == "ipc:///etc/run/agents.sock");
  CHECK(loaded.daemon.control == "tcp://[::1]:7441");
  CHECK(loaded.daemon.database == "/etc/data/l.db");
  CHECK(loaded.daemon.retention_age_ms == int64_t{30} * 86'400'000);
  CHECK(loaded.daemon.retention_size_mb == 100);
  CHECK(loaded.daemon.limits.connections == 10);
  CHECK(loaded.daemon.limits.message_bytes == 100'000);
  CHECK(loaded.daemon.limits.rate_per_peer == 50);
  CHECK(loaded.daemon.limits.history_rows == 7);
  CHECK(loaded.daemon.limits.record_mb_per_hour == 9);
  CHECK(loaded.daemon.http.empty());
  CHECK(loaded.daemon.http_limits ==
        HttpConfig{"/lease/hold", {"leases.example.org"}, 9, 8, 7, 6, 5, 4});
}

TEST_CASE("HTTP listens on loopback where nobody says anything, and operators have tokens for it") {
  const Loaded loaded = parse_broker_config(
      "[[operator]]\nname = \"ana\"\ntoken_file = \"ana.token\"\n[[cluster]]\nname = \"east\"\n",
      "/etc/b.toml");
  INFO(all_of(loaded.errors));
  REQUIRE(loaded.ok());
  CHECK(loaded.warnings.empty());
  CHECK(loaded.daemon.http == "127.0.0.1:7442");
  CHECK_FALSE(loaded.daemon.http_written);
  REQUIRE(loaded.daemon.operators.size() == 1);
  CHECK(loaded.daemon.operators[0].token_file == "/etc/ana.token");
}

TEST_CASE("what a policy must keep is refused at its line, saying what would be right") {
  const std::string dist = "distribution = [{ cluster = \"west\", shares = 1 }]";
  const Bad cases[] = {
      {with("\"east\"\nhosts", "\"eats\"\nhosts"), 11, "did you mean 'east'?"},
      {with("cluster = \"west\"", "cluster = \"wst\""), 14, "did you mean 'west'?"},
      {with("cluster = \"west\"", "cluster = \"zz\""), 14, "add a [[cluster]]"},
      {with("\"north\"", "\"east\""), 8, "is defined at b.toml:4 already"},
      {with("\"north\"", "\"no:rth\""), 8, "a name consists of"},
      {with("\"north\"", "\"\""), 8, "'name' is empty"},
      {with("\"pool\"", "\"po@ol\""), 10, "a name consists of"},
      {with("name = \"pool\"\n", ""), 9, "missing key 'name' in [[export_policy]]"},
      {with("slots_per_host = 4\n", ""), 12, "'hosts' needs 'slots_per_host'"},
      {with("slots_per_host = 4", "slots_per_host = 0"), 13, "from 1 to 1000000000"},
      {with("slots_per_host = 4", "slots_per_host = -4"), 13, "from 1 to 1000000000"},
      {with("slots_per_host = 4", "slot_per_host = 4\nslots_per_host = 4"), 13,
       "did you mean 'slots_per_host'?"},
      {with("slots_per_host = 4", "slots_per_host = 4\nselect = \"type==any\""), 14,
       "exclude each other"},
      {with("slots_per_host = 4", "slots_per_host = 4\nnhosts = 4"), 14,
       "'nhosts' does not go with 'hosts'"},
      {with("hosts = [\"big1\", \"big2\"]\nslots_per_host = 4\n", ""), 9, "nothing is exported"},
      {with("hosts = [\"big1\", \"big2\"]\nslots_per_host = 4", "select = \"type==any\""), 12,
       "'select' needs 'nhosts'"},
      {with("hosts = [\"big1\", \"big2\"]\nslots_per_host = 4", "select = \"mem=5\"\nnhosts = 1"),
       12, "write =="},
      {with("hosts = [\"big1\", \"big2\"]\nslots_per_host = 4", "select = \"\"\nnhosts = 1"), 12,
       "type==any takes every host"},
      {with("hosts = [\"big1\", \"big2\"]\nslots_per_host = 4", "select = \"ssd\"\nnhosts = 0"), 13,
       "from 1 to 1000000000"},
      {with("[\"big1\", \"big2\"]", "[]"), 12, "names no host"},
      {with("[\"big1\", \"big2\"]", "[\"big1\", \"big1\"]"), 12, "is listed twice"},
      {with("[\"big1\", \"big2\"]", "[\"big1\", \"big2@west\"]"), 12, "a name consists of"},
      {with(dist, "distribution = []"), 14, "names no cluster"},
      {with(dist + "\n", ""), 9, "names no cluster"},
      {with(dist, "distribution = [{ cluster = \"west\", shares = 0 }]"), 14, "at least 1"},
      {with(dist, "distribution = [{ cluster = \"west\", shares = -1 }]"), 14, "at least 1"},
      {with(dist, "distribution = [{ shares = 1 }]"), 14, "missing key 'cluster'"},
      {with(dist, "distribution = \"west\""), 14, "'distribution' is a text"},
      {with(dist, "distribution = [{ cluster = \"west\" }, { cluster = \"north\" }]"), 14,
       "a shared policy with 'hosts' has one consumer"},
      {with(dist + "\ntype = \"shared\"",
            "distribution = [{ cluster = \"west\" }, { cluster = \"west\" }]"),
       14, "is listed twice"},
      {with(dist, "distribution = [{ cluster = \"east\" }]"), 14, "nobody but the provider"},
      {with("type = \"shared\"", "type = \"share\""), 15, "\"exclusive\", \"shared\""},
      {with("type = \"shared\"", "rule = \"idle-comparison\""), 15, "needs type = \"shared\""},
      {with("type = \"shared\"", "type = \"shared\"\nrule = \"exclusive\""), 16,
       "has rule \"idle-comparison\" or \"demand-aware\""},
      {with("type = \"shared\"", "rule = \"demand-aware\""), 15, "needs type = \"shared\""},
      {kGood + "initial_slots = 0\n", kBelow, "from 1 to 1000000000"},
      {kGood + "reselect = true\n", kBelow, "goes with 'select' only"},
      {kGood + "mem_mb = -1\n", kBelow, "it must be"},
      {kGood + "reclaim_grace = 30\n", kBelow, "a duration with its unit"},
      {kGood + "dead_zone = 3\n", kBelow, "works only in a [[resource_group]]"},
      {kGood + "timezone = \"Europe/Berlni\"\n", kBelow, "did you mean 'Europe/Berlin'?"},
      {kGood + "window = [{ from = \"08:00\", to = \"08:00\" }]\n", kBelow, "the same"},
      {kGood + "window = [{ from = \"24:00\", to = \"08:00\" }]\n", kBelow, "as 'to' only"},
      {kGood + "window = [{ from = \"8:00\", to = \"09:00\" }]\n", kBelow, "write HH:MM"},
      {kGood + "window = [{ from = \"08:00\", to = \"24:01\" }]\n", kBelow, "write HH:MM"},
      {kGood + "window = [{ from = \"08:60\", to = \"09:00\" }]\n", kBelow, "write HH:MM"},
      {kGood + "window = [{ from = \"08:00\" }]\n", kBelow, "missing key 'to'"},
      {kGood + "window = [{ days = [\"sunday\"], from = \"08:00\", to = \"09:00\" }]\n", kBelow,
       "is no day"},
      {kGood + "window = [{ days = [], from = \"08:00\", to = \"09:00\" }]\n", kBelow, "is empty"},
      {kGood + "window = [{ days = [\"sat\", \"sat\"], from = \"08:00\", to = \"09:00\" }]\n",
       kBelow, "is listed twice"},
      {kGood + "window = [{ from = \"08:00\", to = \"10:00\" },\n"
               "{ days = [\"mon\"], from = \"09:59\", to = \"11:00\" }]\n",
       kBelow + 1, "overlaps"},
      {kGood + "window = [{ from = \"22:00\", to = \"02:00\" },\n"
               "{ days = [\"mon\"], from = \"01:00\", to = \"03:00\" }]\n",
       kBelow + 1, "overlaps"},
  };
  for (const Bad& bad : cases) check_refused(bad);
}

TEST_CASE("what several sections must keep among them is refused") {
  const std::string exclusive =
      "[[export_policy]]\nname = \"other\"\nprovider = \"east\"\nhosts = [\"big2\"]\n"
      "slots_per_host = 1\ndistribution = [{ cluster = \"north\" }]\n";
  check_refused({kGood + exclusive, kBelow + 3, "may not go to another consumer"});
  check_refused({kGood +
                     "[[export_policy]]\nname = \"pool\"\nprovider = \"west\"\nhosts = [\"w\"]\n"
                     "slots_per_host = 1\ndistribution = [{ cluster = \"north\" }]\n",
                 kBelow + 1, "is defined at b.toml:10 already"});
  const std::string resource =
      "[[shared_resource]]\nname = \"lic\"\nprovider = \"east\"\ninstances = 10\n"
      "distribution = [{ cluster = \"west\" }]\n";
  check_refused({kGood + resource + resource, kBelow + 6, "must be unique"});
  check_refused({kGood + "[[shared_resource]]\nname = \"lic\"\nprovider = \"east\"\n"
                         "instances = 0\ndistribution = [{ cluster = \"west\" }]\n",
                 kBelow + 3, "from 1 to"});
  check_refused({kGood + "[[shared_resource]]\nname = \"lic\"\nprovider = \"east\"\n"
                         "distribution = [{ cluster = \"west\" }]\n",
                 kBelow, "missing key 'instances'"});
}

TEST_CASE("a host in a shared policy may stand in another policy for the same consumer") {
  const std::string more =
      "[[export_policy]]\nname = \"other\"\nprovider = \"east\"\nhosts = [\"big2\"]\n"
      "slots_per_host = 1\ndistribution = [{ cluster = \"west\" }]\n";
  CHECK(parse_broker_config(kGood + more, "b.toml").ok());
}

TEST_CASE("settings of the broker are checked") {
  const auto broker = [](const std::string& line) {
    return "[broker]\n" + line + "\n[[cluster]]\nname = \"east\"\n";
  };
  const Bad cases[] = {
      {broker("mode = \"lend\""), 2, "\"lease\", \"observe\""},
      {broker("name = \"a b\""), 2, "a name consists of"},
      {broker("reclaim_delay = \"0s\""), 2, "at least"},
      {broker("reclaim_delay = 600"), 2, "with its unit"},
      {broker("agent_timeout = \"1ms\""), 2, "at least 100ms"},
      {broker("transfer_timeout = \"0s\""), 2, "at least 100ms"},
      {broker("lease_ttl = \"2m\""), 2, "above twice agent_timeout, 2m, or \"\""},
      {broker("agent_timeout = \"5s\"\nlease_ttl = \"10s\""), 3, "above twice agent_timeout, 10s"},
      {broker("lease_ttl = \"0s\""), 2, "at least"},
      {broker("database = \"mysql://x/y\""), 2, "or postgresql://"},
      {broker("leader_ttl = \"5s\""), 2, "of a database on a server"},
      {broker("database = \"postgresql://x/y\"\nlease_ttl = \"1h\""), 3, "database_fenced = true"},
      {broker("database = \"\""), 2, "is empty"},
      {broker("listen = \"127.0.0.1:7440\""), 2, "is no endpoint"},
      {broker("listen = \"tcp://0.0.0.0:7440\""), 2, "without [security]"},
      {broker("listen = \"tcp://*:7440\""), 2, "without [security]"},
      {broker("listen = \"tcp://127.example.org:7440\""), 2, "without [security]"},
      {broker("listen = \"tcp://127.0.0.1.example.org:7440\""), 2, "without [security]"},
      {broker("listen = \"tcp://127.0.0.1:70000\""), 2, "is no endpoint"},
      {broker("listen = \"tcp://127.0.0.1:7441\""), 1, "address of another listener"},
      {broker("control = \"tcp://east:7441\""), 2, "without [security]"},
      {broker("http = \"http://127.0.0.1:7442\""), 2, "write HOST:PORT, as 127.0.0.1:7442"},
      {broker("http = \"127.0.0.1\""), 2, "write HOST:PORT"},
      {broker("http = \"0.0.0.0:7442\""), 2, "can be reached from other machines"},
      {broker("http = \"*:7442\""), 2, "the site's proxy speak TLS"},
      {broker("http = \"127.0.0.1:7441\""), 2, "address of another listener"},
      {broker("[http]\nbase_path = \"leases\""), 3, "begins with a slash"},
      {broker("[http]\nbase_path = \"/leases/\""), 3, "ends with none"},
      {broker("[http]\nbase_path = \"/a/../b\""), 3, "as /leasehold"},
      {broker("[http]\nbase_pth = \"\""), 3, "did you mean 'base_path'?"},
      {broker("[http]\nstreams_per_address = 0"), 3, "from 1"},
      {broker("[http]\nrate_per_address = -1"), 3, "from 0"},
      {broker("reclaimdelay = \"5m\""), 2, "did you mean 'reclaim_delay'?"},
      {broker("listen = \"tcp://0.0.0.0:1\""), 2, "`leasectl keygen --out broker`"},
      {broker("listen = \"tcp://0.0.0.0:1\""), 2, "secret_key_file = \"broker.key\""},
      {broker("[security]"), 2, "missing key 'secret_key_file'"},
      {broker("[security]\nsecret_key_file = \"\""), 3, "leasectl keygen"},
      {broker("[[operator]]\nname = \"ana\"\npublic_key = \"short\""), 4, "40 characters of Z85"},
      {broker("[[operator]]\nname = \"ana\"\npublic_key = []"), 4, "an empty list"},
      {broker("[[operator]]\nname = \"ana\""), 2, "what `leasectl keygen` prints"},
      {broker("[[operator]]\nname = \"local:x\"\npublic_key = \"" + kKey + "\""), 3,
       "a name consists of"},
      {broker("[[operator]]\nname = \"ana\"\npublic_key = \"" + kKey + "\"\nrole = \"root\""), 5,
       "write read, admin, or admin:/consumer/path"},
      {broker("[[operator]]\nname = \"ana\"\npublic_key = \"" + kKey + "\"\nrole = \"admin:a\""), 5,
       "write read, admin, or admin:/consumer/path"},
      {broker("[[operator]]\nname = \"ana\"\npublic_key = \"" + kKey +
              "\"\n[[operator]]\nname = \"bob\"\npublic_key = \"" + kKey + "\""),
       5, "is that of operator 'ana' too"},
      {broker("[[cluster]]\nname = \"x\"\npublic_key = \"" + kKey +
              "\"\n[[cluster]]\nname = \"y\"\npublic_key = [\"" + kOther + "\", \"" + kKey + "\"]"),
       6, "is that of cluster 'x' too"},
      {broker("[[cluster]]\nname = \"x\"\npublic_key = \"" + kKey +
              "\"\n[[operator]]\nname = \"ana\"\npublic_key = \"" + kKey + "\""),
       5, "is that of cluster 'x' too"},
      {broker("[retention]\nage = \"1m\""), 3, "at least 1h"},
      {broker("[retention]\nsize_mb = 0"), 3, "from 16"},
      {broker("[limits]\nconnections = 0"), 3, "from 1"},
      {broker("[[resource_group]]\nname = \"compute\"\npolicy = \"hybrid\"\npolicies = [\"p\"]\n"
              "[[export_policy]]\nname = \"p\"\nprovider = \"east\"\nhosts = [\"h\"]\n"
              "slots_per_host = 1\n[[consumer]]\npath = \"/a\"\ncluster = \"east\"\n"
              "queues = [\"night\"]"),
       14, "'queues': a cluster's agent says"},
      {broker("[[consumer]]\npath = \"/a\""), 2, "no [[resource_group]] is there"},
      {broker("[[cluster]]\nname = \"x\"\npublic_key = \"short\""), 4, "40 characters of Z85"},
      {broker("[[cluster]]\nname = \"x\"\ntimezone = \"Mars\""), 4, "unknown time zone"},
      {broker("[[cluster]]\nname = \"x\"\nreclaim_delay = \"0s\""), 4, "at least"},
      {"[broker\n", 1, "not valid TOML"},
  };
  for (const Bad& bad : cases) check_refused(bad);
}

// A policy may have the anti-flap keys of contracts with values that change nothing.
TEST_CASE("what a policy says that is off anyway is as if it were left out") {
  const Loaded loaded = parse_broker_config(
      kGood +
          "min_hold = \"0s\"\nmax_share_moved = 1.0\ndead_zone = 0\nreclaim_backoff = \"0s\"\n"
          "provider_first = false\n",
      "p.toml");
  INFO(all_of(loaded));
  CHECK(loaded.ok());
}

TEST_CASE("all mistakes are told at once, in the order of their lines") {
  const Loaded loaded = parse_broker_config(
      "[broker]\nmode = \"lend\"\nlease_ttl = \"1m\"\n[[cluster]]\nname = \"ea st\"\n"
      "[[export_policy]]\nname = \"p\"\nprovider = \"east\"\ndistribution = []\n"
      "[[export_policy]]\nnam = \"q\"\n",
      "b.toml");
  std::vector<int> lines;
  for (const Error& error : loaded.errors) lines.push_back(error.line);
  INFO(all_of(loaded.errors));
  CHECK(std::is_sorted(lines.begin(), lines.end()));
  // The second policy lacks a name, a provider, hosts and a distribution, and has an unknown key.
  CHECK(lines == std::vector<int>{2, 3, 5, 6, 8, 9, 10, 10, 10, 10, 11});
}

TEST_CASE("what is odd but not wrong is a warning") {
  struct Odd {
    std::string text;
    int line;
    const char* fragment;
  };
  const Odd cases[] = {
      {with("[{ cluster = \"west\", shares = 1 }]",
            "[{ cluster = \"west\", shares = 1 }, { cluster = \"east\", shares = 5 }]"),
       14, "the provider 'east' in its own 'distribution' is ignored"},
      {kGood + "[[shared_resource]]\nname = \"lic\"\nprovider = \"east\"\ninstances = 1\n"
               "distribution = [{ cluster = \"north\" }]\n",
       kBelow + 4, "has no effect for 'north'"},
      {kGood + "initial_slots = 9\n", kBelow, "has 8 slots in all"},
      {kGood + "[[cluster]]\nname = \"x\"\npublic_key = \"" + kKey + "\"\n", kBelow + 1,
       "is not asked for, because 'listen' is plain"},
      {kGood + "[[operator]]\nname = \"ana\"\npublic_key = \"" + kKey + "\"\n", kBelow,
       "operators cannot be distinguished"},
      {kGood + "[[export_policy]]\nname = \"few\"\nprovider = \"west\"\nhosts = [\"w\"]\n"
               "slots_per_host = 1\ndistribution = [{ cluster = \"east\" },\n"
               "{ cluster = \"north\" }]\n",
       kBelow + 6, "'north' gets no slot"},
      {"[broker]\n", 0, "no [[cluster]] is named"},
      {kGood + "[http]\nbase_path = \"/leases\"\n", 0, "every request by HTTP needs a token"},
  };
  for (const Odd& odd : cases) {
    const Loaded loaded = parse_broker_config(odd.text, "b.toml");
    INFO(odd.text << "----\n" << all_of(loaded.errors) << all_of(loaded.warnings));
    CHECK(loaded.ok());
    REQUIRE(loaded.warnings.size() == 1);
    CHECK(loaded.warnings[0].line == odd.line);
    CHECK_THAT(loaded.warnings[0].message, Catch::Contains(odd.fragment));
  }
  const Loaded loaded = parse_broker_config(cases[0].text, "b.toml");
  CHECK(loaded.core.policies[0].distribution == std::vector<Share>{{"west", 1}});
}

TEST_CASE("with a key of its own a broker may listen anywhere") {
  const std::string text =
      "[broker]\nlisten = \"tcp://*:7440\"\ncontrol = \"tcp://0.0.0.0:7441\"\n"
      "[security]\nsecret_key_file = \"keys/broker.key\"\n"
      "[[operator]]\nname = \"ana\"\npublic_key = [\"" +
      kKey + "\", \"" + kOther + "\"]\nrole = \"admin:/research/genomics\"\n";
  const Loaded loaded = parse_broker_config(text, "/etc/leasehold/broker.toml");
  INFO(all_of(loaded.errors));
  CHECK(loaded.ok());
  CHECK(loaded.daemon.secret_key_file == "/etc/leasehold/keys/broker.key");
  CHECK(loaded.daemon.secret_key_written == Source{"/etc/leasehold/broker.toml", 5});
  REQUIRE(loaded.daemon.operators.size() == 1);
  const OperatorConfig& ana = loaded.daemon.operators.front();
  CHECK(ana.public_keys == std::vector<std::string>{kKey, kOther});
  CHECK(ana.role == Role::branch_admin);
  CHECK(ana.branch == "/research/genomics");

  const Loaded cluster = parse_broker_config(
      "[security]\nsecret_key_file = \"k\"\n[[cluster]]\nname = \"x\"\npublic_key = \"" + kKey +
          "\"\n[[cluster]]\nname = \"y\"\n",
      "b.toml");
  CHECK(cluster.ok());
  CHECK(cluster.core.clusters[0].public_key == kKey);
  REQUIRE(cluster.warnings.size() == 2);
  CHECK_THAT(cluster.warnings[0].message, Catch::Contains("no [[operator]]"));
  CHECK_THAT(cluster.warnings[1].message, Catch::Contains("'y' has no 'public_key'"));
}

TEST_CASE("a file that is not there is refused by its name") {
  const Loaded loaded = load_broker_config("/nonexistent/broker.toml");
  REQUIRE(loaded.errors.size() == 1);
  CHECK(loaded.errors[0].file == "/nonexistent/broker.toml");
  CHECK(loaded.errors[0].code == ErrorCode::usage);
}
