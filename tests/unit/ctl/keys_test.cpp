// leasectl's keys: their sources, their use, and how they are made.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "broker/ctl/client/address.hpp"
#include "broker/ctl/client/client.hpp"
#include "broker/ctl/commands.hpp"
#include "common/key.hpp"

namespace leasehold::ctl {

namespace {

const KeyPair kMine = new_key_pair();
const KeyPair kOther = new_key_pair();
const KeyPair kBroker = new_key_pair();
constexpr const char* kFar = "tcp://broker.example:7441";

/// A home with a key file, and no variables except those that a test sets.
class Home {
 public:
  Home() : path_("/tmp/leasehold-ctl-" + std::to_string(getpid())) {
    REQUIRE(system(("rm -rf " + path_ + " && mkdir -p " + path_ + "/.config/leasehold").c_str()) ==
            0);
    REQUIRE(write_key_file(at("/me.key"), "me", kMine));
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() { static_cast<void>(system(("rm -rf " + path_).c_str())); }

  std::string at(const std::string& name) const { return path_ + name; }
  void write(const std::string& text) const {
    std::ofstream(at("/.config/leasehold/ctl.toml")) << text;
  }
  Result<BrokerAddress> address(const CommandLine& typed) const {
    const Environment environment = [this](const char* name) {
      if (std::string(name) == "HOME") return path_;
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
    return broker_addresses(typed, environment, "/nonexistent")
        .map([](const std::vector<BrokerAddress>& found) { return found.front(); });
  }
  std::string mistake(const CommandLine& typed) const {
    const auto found = address(typed);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::usage);
    return found.error().message;
  }

  std::map<std::string, std::string> variables;

 private:
  std::string path_;
};

CommandLine typed(const std::string& broker, const std::string& key = "",
                  const std::string& broker_key = "") {
  CommandLine line;
  line.broker = broker;
  line.key = key;
  line.broker_key = broker_key;
  return line;
}

}  // namespace

TEST_CASE("keys come from options, else the environment, else ctl.toml, each by itself") {
  Home home;
  const std::string other = home.at("/other.key");
  REQUIRE(write_key_file(other, "other", kOther));
  home.write("broker = \"" + std::string(kFar) + "\"\nkey = \"" + home.at("/me.key") +
             "\"\nbroker_key = \"" + kBroker.public_key + "\"\n");
  auto found = home.address({});
  REQUIRE(found);
  CHECK(found->endpoint == kFar);
  REQUIRE(found->keys);
  CHECK(found->keys->own == kMine);
  CHECK(found->keys->broker_public_key == kBroker.public_key);
  CHECK(found->key_from == "key of " + home.at("/.config/leasehold/ctl.toml"));
  CHECK(found->broker_key_from == "broker_key of " + home.at("/.config/leasehold/ctl.toml"));
  home.variables["LEASEHOLD_KEY"] = other;
  CHECK(home.address({})->keys->own == kOther);
  CHECK(home.address({})->key_from == "$LEASEHOLD_KEY");
  home.variables["LEASEHOLD_BROKER_KEY"] = kOther.public_key;
  CHECK(home.address({})->keys->broker_public_key == kOther.public_key);
  found = home.address(typed(kFar, home.at("/me.key"), kBroker.public_key));
  CHECK(found->keys->own == kMine);
  CHECK(found->keys->broker_public_key == kBroker.public_key);
  CHECK(found->broker_key_from == "--broker-key");
}

TEST_CASE("a broker on another machine is not asked without both keys") {
  const Home home;
  const std::string file = home.at("/me.key");
  CHECK_THAT(home.mistake(typed(kFar)), Catch::Contains("--key FILE and --broker-key KEY"));
  CHECK_THAT(home.mistake(typed("tcp://127.example.org:7441")), Catch::Contains("asks for keys"));
  CHECK_THAT(home.mistake(typed(kFar, file)), Catch::Contains("--broker-key KEY is missing"));
  CHECK_THAT(home.mistake(typed(kFar, "", kBroker.public_key)),
             Catch::Contains("--key FILE is missing"));
  CHECK_THAT(home.mistake(typed(kFar, file, "short")), Catch::Contains("40 characters of Z85"));
  CHECK_THAT(home.mistake(typed(kFar, file + "x", kBroker.public_key)),
             Catch::Contains("is not there"));
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  CHECK_THAT(home.mistake(typed(kFar, file, kBroker.public_key)), Catch::Contains("chmod 600"));
}

TEST_CASE("on this machine keys are used where they are given, and not on a local socket") {
  const Home home;
  CHECK_FALSE(home.address(typed("tcp://127.0.0.1:7441"))->keys);
  CHECK(home.address(typed("tcp://127.0.0.1:7441", home.at("/me.key"), kBroker.public_key))->keys);
  CHECK_FALSE(home.address(typed("ipc:///run/x", home.at("/me.key"), kBroker.public_key))->keys);
}

TEST_CASE("a broker that does not let leasectl in says why, at once") {
  const ListenKeys admits_other{kBroker, {kOther.public_key}};
  // Which of two errors a keyless broker causes is a matter of timing: both name the keys.
  const struct {
    std::optional<ListenKeys> broker;
    std::optional<ConnectKeys> own;
    const char* says;
    ErrorCode code;
  } rows[] = {
      {admits_other, ConnectKeys{kMine, kBroker.public_key}, "does not admit this key",
       ErrorCode::unreachable},
      {admits_other, ConnectKeys{kOther, kMine.public_key}, "broker_key of ctl.toml is not its key",
       ErrorCode::unreachable},
      {admits_other, std::nullopt, "it asks for keys", ErrorCode::usage},
      {std::nullopt, ConnectKeys{kMine, kBroker.public_key}, "key and broker_key of ctl.toml",
       ErrorCode::unreachable},
  };
  for (const auto& row : rows) {
    auto broker = Channel::listen("tcp://127.0.0.1:*", {}, row.broker);
    REQUIRE(broker);
    std::atomic<bool> over = false;
    std::thread serving([&] {
      const std::array<Channel*, 1> channels{&*broker};
      while (!over) static_cast<void>(Channel::wait(channels, {}, 5));
    });
    auto client = BrokerClient::connect(
        {broker->endpoint(), row.own, "key of ctl.toml", "broker_key of ctl.toml"}, 60'000);
    REQUIRE(client);
    const auto answer = client->ask(Json{{"leasehold", 1}, {"command", "leases"}});
    over = true;
    serving.join();
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == row.code);
    CHECK_THAT(answer.error().message, Catch::Contains(row.says));
  }
}

}  // namespace leasehold::ctl
