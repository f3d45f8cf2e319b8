#include "agent/io/settings/settings.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "agent/workload/simulated/settings.hpp"
#include "tests/support/pipes.hpp"
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

/// Returns what [workload.simulated] of that file says.
SimulatedSettings simulated_of(const std::string& path) {
  const ConfigFile file = ConfigFile::read(path);
  SimulatedSettings settings;
  read_settings(file.root().table("workload").table("simulated"), settings);
  CHECK(file.errors().empty());
  return settings;
}

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
  CHECK(settings.workload.manager == find_manager("simulated"));
  const SimulatedSettings simulated = simulated_of(settings.file);
  CHECK(simulated.speed_milli == 60'000);
  CHECK(simulated.jobs.slots == 16);
  CHECK(simulated.hosts[0].booleans == std::vector<std::string>{"bigmem"});
  REQUIRE(simulated.jobs.generator);
  CHECK(simulated.jobs.generator->shape == Shape::wave);
  CHECK(simulated.jobs.generator->busy_ppm == 600'000);
  CHECK(simulated.jobs.generator->period_ms == 3'600'000);
}

namespace {

/// The errors of a whole file with this [workload], its files looked at.
std::string checked(const Scratch& scratch, const std::string& workload) {
  std::ofstream(scratch.file("agent.toml")) << kAgent << workload;
  std::string text;
  for (const Error& error : read_settings(scratch.file("agent.toml"), NamedFiles::checked).errors) {
    text += describe(error) + "\n";
  }
  return text;
}

std::string slurm(const std::string& conf) {
  return "[workload]\nmanager = \"slurm\"\n[workload.slurm]\nconf = \"" + conf + "\"\n";
}

}  // namespace

TEST_CASE("a wrong slurm.conf is refused at its line where a configuration is checked") {
  const Scratch scratch;
  std::ofstream(scratch.file("slurm.conf")) << "# of east\n ClusterName=east\n";
  std::ofstream(scratch.file("other.conf")) << "# nothing\n[section]\n";
  CHECK(checked(scratch, slurm("slurm.conf")).empty());
  CHECK_THAT(checked(scratch, slurm("slrum.conf")),
             Catch::Contains("agent.toml:8:8: 'conf': ") &&
                 Catch::Contains("write the path of this cluster's slurm.conf"));
  CHECK_THAT(checked(scratch, slurm("other.conf")), Catch::Contains("says no ClusterName"));
  CHECK_THAT(checked(scratch, slurm("slurm.conf") + "bin_dir = \"/nowhere\"\n"),
             Catch::Contains("agent.toml:9:11: 'bin_dir': there is no program /nowhere/scontrol"));
  // Jobs that ask for their time may run where it is not.
  CHECK(read_settings(scratch.file("agent.toml")).errors.empty());
}

TEST_CASE("what the sections of other workload managers name is looked at too") {
  const Scratch scratch;
  const auto with = [&](const char* manager, const std::string& line) {
    const std::string name = manager;
    return checked(
        scratch, "[workload]\nmanager = \"" + name + "\"\n[workload." + name + "]\n" + line + "\n");
  };
  CHECK_THAT(with("gridengine", "root = \"/nowhere\""),
             Catch::Contains("8:8: 'root': there is no"));
  CHECK_THAT(with("gridengine", "root = \"/tmp\"\ncell = \"x\""),
             Catch::Contains("9:8: 'cell': there is no folder /tmp/x/common"));
  CHECK_THAT(with("lsf", "env_dir = \"/nowhere\""),
             Catch::Contains("8:11: 'env_dir': there is no"));
  CHECK_THAT(with("command", "argv = [\"/nowhere/adapter\"]"),
             Catch::Contains("'argv': there is no program /nowhere/adapter"));
  CHECK(with("command", "argv = [\"found-by-path\"]").empty());
}

TEST_CASE("the example shows the section of every workload manager, with their defaults") {
  std::ifstream file(LEASEHOLD_SOURCE_DIR "/config/agent.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const ManagerRow& row : managers()) {
    const std::string manager = row.name;
    INFO(manager);
    CHECK(text.find("[workload." + manager + "]") != std::string::npos);
    CHECK(text.find("manager = \"" + manager + "\"") != std::string::npos);
  }
  CHECK(text.find("interrupt_signal") != std::string::npos);
}

TEST_CASE("a signal that ends what does not catch it is a caution, in every place for them") {
  const Scratch scratch;
  const auto read = [&](const std::string& signal) {
    const std::string path = scratch.file("agent.toml");
    std::ofstream(path) << "[agent]\ncluster = \"east\"\nbroker = \"tcp://127.0.0.1:1\"\nstate = "
                           "\"a.db\"\n[workload]\nmanager = \"slurm\"\n"
                        << signal;
    ReadSettings made = read_settings(path);
    REQUIRE(made.errors.empty());
    return made;
  };
  CHECK(read("").settings.workload.interrupt_signal == "none");
  for (const char* harmless :
       {"", "interrupt_signal = \"none\"\n", "interrupt_signal = \"SIGURG\"\n",
        "interrupt_signal = \"WINCH\"\n"}) {
    const ReadSettings made = read(harmless);
    CHECK(made.warnings.empty());
    CHECK(cautions_of(made.settings).empty());
  }
  for (const char* signal : {"USR1", "TERM", "CONT"}) {
    const ReadSettings made = read(std::string("interrupt_signal = \"") + signal + "\"\n");
    REQUIRE(made.warnings.size() == 1);
    CHECK(made.warnings.front().line == 7);
    CHECK(made.warnings.front().message.find("sent to no job by itself") != std::string::npos);
    REQUIRE(cautions_of(made.settings).size() == 1);
    CHECK(cautions_of(made.settings).front().starts_with("[workload] interrupt_signal = "));
  }
}

TEST_CASE("what is left out has its default, and a list of brokers is kept in order") {
  const ReadSettings made = read(std::string("[agent]\ncluster = \"e\"\nstate = \"a\"\nbroker = "
                                             "[\"tcp://a:1\", \"ipc:///b\"]\n") +
                                 kWorkload + "[security]\nsecret_key_file = \"e.key\"\n" +
                                 "broker_public_key = \"" + std::string(40, 'a') + "\"\n");
  REQUIRE(made.errors.empty());
  CHECK(made.settings.brokers == std::vector<std::string>{"tcp://a:1", "ipc:///b"});
  CHECK(made.settings.agent.names.local("big1", "west") == "big1@west");
  const Scratch scratch;
  std::ofstream(scratch.file("agent.toml")) << kWorkload;
  const SimulatedSettings simulated = simulated_of(scratch.file("agent.toml"));
  CHECK_FALSE(simulated.jobs.generator);
  CHECK(simulated.speed_milli == 1'000);
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

void write_private(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
}

TEST_CASE("the secret that keys the hashes of users is named where it is wrong") {
  const Scratch scratch;
  const std::string file = scratch.file("users.secret");
  const std::string start = "[agent]\ncluster = \"e\"\nstate = \"a\"\nbroker = \"ipc:///run/b\"\n";
  const std::string named = "user_hash_file = \"" + file + "\"\n";
  const ReadSettings alone = read(start + named + kWorkload);
  REQUIRE(alone.errors.size() == 1);
  CHECK_THAT(alone.errors[0].message, Catch::EndsWith("right would be tell_users = true"));

  ReadSettings made = read(start + named + "tell_users = true\n" + kWorkload);
  REQUIRE(made.errors.empty());
  const Status missing = read_user_secret(made.settings);
  REQUIRE_FALSE(missing);
  CHECK_THAT(describe(missing.error()), Catch::Contains(":5: ") && Catch::Contains("is not there"));
  write_private(file, "too short\n");
  CHECK_THAT(describe(read_user_secret(made.settings).error()),
             Catch::Contains("one line of at least 32 characters"));
  std::filesystem::remove(file);
  write_private(file, std::string(32, 'x') + "\n");
  REQUIRE(read_user_secret(made.settings));
  CHECK(made.settings.agent.user_secret == std::string(32, 'x'));
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
      {agent + "[workload]\nmanager = \"slurm\"\ninterrupt_signal = \"KILL\"\n", 7, "none"},
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

TEST_CASE("a configuration that is a pipe, and a slurm.conf that is one, are refused at once") {
  const Scratch scratch;
  const std::string pipe = leasehold::test::make_pipe(scratch.file("pipe"));
  const ReadSettings piped = read_settings(pipe);
  REQUIRE(piped.errors.size() == 1);
  CHECK(describe(piped.errors[0]) == pipe + ": is a pipe: a regular file is wanted");
  CHECK_THAT(checked(scratch, slurm(pipe)), Catch::Contains(pipe + ": is a pipe"));
}

TEST_CASE("a file that is not there is an error") {
  CHECK(read_settings("/no/such/agent.toml").errors.size() == 1);
}

}  // namespace
}  // namespace leasehold::agent
