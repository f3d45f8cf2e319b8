#include "agent/io/settings.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

constexpr const char* kAgent = R"([agent]
cluster = "east"
broker = "tcp://127.0.0.1:7440"
state = "a.db"
)";
constexpr const char* kWorkload = R"([workload]
manager = "simulated"
[workload.simulated]
state = "j.db"
hosts = [{ name = "big1", slots = 8 }]
)";

ReadSettings read(const std::string& text) {
  const Scratch scratch;
  std::ofstream(scratch.file("agent.toml")) << text;
  return read_settings(scratch.file("agent.toml"));
}

TEST_CASE("the example is good and says what its comments say") {
  const ReadSettings example = read_settings(LEASEHOLD_SOURCE_DIR "/config/agent.toml");
  for (const Error& error : example.errors) UNSCOPED_INFO(describe(error));
  REQUIRE(example.errors.empty());
  CHECK(example.warnings.empty());
  const Settings& settings = example.settings;
  CHECK(settings.agent.cluster == "east");
  CHECK(settings.agent.report_interval_ms == 5'000);
  CHECK(settings.agent.names.local("big1", "west") == "w-big1");
  CHECK(settings.agent.names.local("big2", "west") == "imp-big2");
  REQUIRE(settings.agent.scheduling.session_types.size() == 1);
  CHECK(settings.agent.scheduling.session_types[0].match.partition == "batch");
  CHECK(settings.workload.simulated.speed_milli == 60'000);
  CHECK(settings.workload.simulated.jobs.slots == 16);
  CHECK(settings.workload.simulated.hosts[0].booleans == std::vector<std::string>{"bigmem"});
  REQUIRE(settings.workload.simulated.jobs.generator);
  CHECK(settings.workload.simulated.jobs.generator->shape == Shape::wave);
  CHECK(settings.workload.simulated.jobs.generator->busy_ppm == 600'000);
  CHECK(settings.workload.simulated.jobs.generator->period_ms == 3'600'000);
}

TEST_CASE("what is left out has its default, and a list of brokers is kept in order") {
  const ReadSettings made = read(std::string("[agent]\ncluster = \"e\"\nstate = \"a\"\nbroker = "
                                             "[\"tcp://a:1\", \"ipc:///b\"]\n") +
                                 kWorkload + "[security]\nsecret_key_file = \"e.key\"\n" +
                                 "broker_public_key = \"" + std::string(40, 'a') + "\"\n");
  REQUIRE(made.errors.empty());
  CHECK(made.settings.brokers == std::vector<std::string>{"tcp://a:1", "ipc:///b"});
  CHECK(made.settings.agent.names.local("big1", "west") == "big1@west");
  CHECK_FALSE(made.settings.workload.simulated.jobs.generator);
  CHECK(made.settings.workload.simulated.speed_milli == 1'000);
}

TEST_CASE("a broker on another machine needs keys, one on this machine does not") {
  const std::string start = "[agent]\ncluster = \"e\"\nstate = \"a\"\nbroker = \"";
  for (const char* far : {"tcp://broker.example:7440", "tcp://127.example.org:7440"}) {
    const ReadSettings made = read(start + far + "\"\n" + kWorkload);
    REQUIRE(made.errors.size() == 1);
    CHECK(made.errors[0].line == 4);
    CHECK_THAT(made.errors[0].message, Catch::Contains("`leasectl keygen --out e`") &&
                                           Catch::Contains("broker_public_key"));
  }
  for (const char* near : {"tcp://127.0.0.1:7440", "tcp://[::1]:7440", "ipc:///run/b"}) {
    CHECK(read(start + near + "\"\n" + kWorkload).errors.empty());
  }
}

TEST_CASE("the agent's key file is named where it is wrong") {
  const Scratch scratch;
  SecuritySettings security;
  CHECK(read_own_key("agent.toml", security) == std::nullopt);
  security.secret_key_file = scratch.file("e.key");
  security.line = 7;
  const auto missing = read_own_key("agent.toml", security);
  REQUIRE_FALSE(missing);
  CHECK_THAT(describe(missing.error()),
             Catch::StartsWith("agent.toml:7: ") && Catch::Contains("e.key is not there"));
  const KeyPair keys = new_key_pair();
  REQUIRE(write_key_file(security.secret_key_file, "e", keys));
  CHECK(read_own_key("agent.toml", security)->value() == keys);
}

struct Row {
  std::string text;
  int line;
  const char* says;
};

TEST_CASE("a mistake is named with its line and what would be right") {
  const std::string agent = kAgent;
  const std::string workload = kWorkload;
  const Row row = GENERATE_COPY(values<Row>({
      {workload, 0, "[agent]"},
      {agent + "clutser = 1\n" + workload, 5, "unknown key"},
      {agent, 0, "[workload]"},
      {agent + "[workload]\nmanager = \"gridengine\"\n", 5, "SGE_ROOT"},
      {agent + "[workload]\nmanager = \"lsf\"\n", 5, "lsf.conf"},
      {agent + "[workload]\nmanager = \"command\"\n", 5, "argv = ["},
      {agent + "[workload]\nmanager = \"slurm\"\ninterrupt_signal = \"KILL\"\n", 7, "USR1"},
      {agent + "[workload]\nmanager = \"slurm\"\n[workload.slurm]\nfence = \"x\"\n", 8, "hold-job"},
      {agent + "[workload]\nmanager = \"simulator\"\n", 6, "\"simulated\""},
      {agent + "report_interval = 5\n" + workload, 5, "1h30m"},
      {agent + workload + "[security]\nsecret_key_file = \"x\"\n", 10,
       "'broker_public_key' is missing"},
      {agent + workload + "[security]\nbroker_public_key = \"" + std::string(40, 'a') + "\"\n", 10,
       "leasectl keygen"},
      {agent + workload + "[security]\nsecret_key_file = \"x\"\nbroker_public_key = \"short\"\n",
       12, "40 characters of Z85"},
      {agent + workload + "[scheduling]\npolicy = \"fair\"\n", 11, "proportional"},
      {agent + workload + "[[session_type]]\npreemptive = 1\n", 11, "true"},
      {agent + workload + "trace = \"x\"\ngenerator = \"wave\"\n", 11, "leave one"},
      {agent + workload + "generator = \"waves\"\n", 10, "wave"},
      {agent + workload + "widths = [4, 1]\ngenerator = \"wave\"\n", 10, "[1, 4]"},
      {agent + workload + "[hosts]\nrule = \"imp\"\n", 11, "{host}"},
      {agent + workload + "[hosts.map]\nbig1 = \"x\"\n", 11, "big1@CLUSTER"},
      {"[agent\n", 1, ""},
  }));
  const ReadSettings made = read(row.text);
  REQUIRE_FALSE(made.errors.empty());
  bool said = false;
  for (const Error& error : made.errors) {
    UNSCOPED_INFO(describe(error));
    said = said ||
           ((row.line == 0 || error.line == row.line) &&
            error.message.find(row.says) != std::string::npos && error.code == ErrorCode::usage);
  }
  CHECK(said);
}

TEST_CASE("a file that is not there is an error") {
  CHECK(read_settings("/no/such/agent.toml").errors.size() == 1);
}

}  // namespace
}  // namespace leasehold::agent
