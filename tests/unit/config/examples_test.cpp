// The examples under config/ are promises: they load, they show every key, and damage to them
// crashes no reader.
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>

#include "broker/config/keys/daemon.hpp"
#include "broker/config/keys/plan.hpp"
#include "broker/config/keys/reference.hpp"
#include "broker/config/load.hpp"
#include "broker/config/lsf/exports.hpp"
#include "tests/support/own_folder.hpp"

using namespace leasehold;

namespace {

const std::string kFolder = LEASEHOLD_SOURCE_DIR "/config/";

std::string example(const std::string& name) {
  const auto text = read_text_file(kFolder + name);
  REQUIRE(text);
  return *text;
}

/// Returns the text with a few bytes changed, cut out, doubled or inserted.
std::string damaged(std::string text, std::mt19937& random) {
  static constexpr std::string_view kPieces("[]{}()\"'=,.#\\\n\0-!&|<>0 \xff", 24);
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  for (size_t change = below(5) + 1; change > 0 && !text.empty(); --change) {
    const size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = kPieces[below(kPieces.size())];
        break;
      case 1:
        text.erase(at, below(20) + 1);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
      default:
        text.insert(at, 1, kPieces[below(kPieces.size())]);
    }
  }
  return text;
}

/// True if a line begins with `key =`, perhaps as a comment.
bool shows_key(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of("# ");
    if (begin == std::string::npos || line.compare(begin, key.size(), key) != 0) continue;
    const size_t next = line.find_first_not_of(' ', begin + key.size());
    if (next != std::string::npos && line[next] == '=') return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the examples load without an error or a warning") {
  for (const char* name : {"broker.toml", "broker-secure.toml", "broker-lsf.toml"}) {
    const Loaded loaded = load_broker_config(kFolder + name);
    for (const Error& error : loaded.errors) UNSCOPED_INFO(describe(error));
    for (const Error& error : loaded.warnings) UNSCOPED_INFO(describe(error));
    CHECK(loaded.errors.empty());
    CHECK(loaded.warnings.empty());
    CHECK(loaded.core.clusters.size() >= 2);
  }
}

TEST_CASE("the examples name the rule of each shared policy") {
  for (const char* name : {"broker.toml", "broker-secure.toml", "demo/broker.toml"}) {
    const Loaded loaded = load_broker_config(kFolder + name);
    REQUIRE(loaded.ok());
    for (const ExportPolicy& policy : loaded.core.policies) {
      INFO(name << ": " << policy.name);
      CHECK_FALSE(policy.rule_by_default);
    }
  }
}

TEST_CASE("the example shows the defaults that are in force without it") {
  const Loaded shown = load_broker_config(kFolder + "broker.toml");
  const Loaded bare = parse_broker_config("[[cluster]]\nname = \"x\"\n", kFolder + "broker.toml");
  CHECK(shown.core.mode == bare.core.mode);
  CHECK(shown.core.reclaim_delay_ms == bare.core.reclaim_delay_ms);
  CHECK(shown.core.agent_timeout_ms == bare.core.agent_timeout_ms);
  CHECK(shown.core.transfer_timeout_ms == bare.core.transfer_timeout_ms);
  CHECK(shown.core.leeway_ms == bare.core.leeway_ms);
  CHECK(shown.daemon.listen == bare.daemon.listen);
  CHECK(shown.daemon.control == bare.daemon.control);
  CHECK(shown.daemon.database == bare.daemon.database);
  CHECK(shown.daemon.retention_age_ms == bare.daemon.retention_age_ms);
  CHECK(shown.daemon.retention_size_mb == bare.daemon.retention_size_mb);
  CHECK(shown.daemon.limits.connections == bare.daemon.limits.connections);
  CHECK(shown.daemon.limits.message_bytes == bare.daemon.limits.message_bytes);
  CHECK(shown.daemon.limits.rate_per_peer == bare.daemon.limits.rate_per_peer);
  CHECK(shown.daemon.limits.history_rows == bare.daemon.limits.history_rows);
  CHECK(shown.daemon.limits.record_mb_per_hour == bare.daemon.limits.record_mb_per_hour);
}

TEST_CASE("the example names every key") {
  const std::string text = example("broker.toml");
  const auto check = [&](const KeyRow& row) {
    INFO(row.name);
    CHECK(shows_key(text, std::string(row.name)));
  };
  for_each_key(kBrokerKeys, check);
  for_each_key(kRetentionKeys, check);
  for_each_key(kLimitsKeys, check);
  for_each_key(kSecurityKeys, check);
  for_each_key(kOperatorKeys, check);
  for_each_key(kClusterKeys, check);
  for_each_key(kExportPolicyKeys, check);
  for_each_key(kSharedResourceKeys, check);
}

TEST_CASE("the example of a plan loads, without a warning, and names every key") {
  const Loaded loaded = load_broker_config(kFolder + "plan.toml");
  for (const Error& error : loaded.errors) UNSCOPED_INFO(describe(error));
  for (const Error& error : loaded.warnings) UNSCOPED_INFO(describe(error));
  CHECK(loaded.ok());
  CHECK(loaded.warnings.empty());
  REQUIRE(loaded.plans.trees().size() == 1);
  CHECK(loaded.plans.trees()[0].nodes.size() == 6);
  const std::string text = example("plan.toml");
  const auto check = [&](std::string_view key) {
    INFO(key);
    CHECK(shows_key(text, std::string(key)));
  };
  for_each_key(kResourceGroupKeys, [&](const KeyRow& row) { check(row.name); });
  for_each_key(kConsumerKeys, [&](const KeyRow& row) { check(row.name); });
  for (const char* key : {"from", "to", "days"}) check(key);
}

TEST_CASE("the reference of keys is what the program prints") {
  const auto kept = read_text_file(LEASEHOLD_SOURCE_DIR "/config/KEYS.md");
  REQUIRE(kept);
  INFO("make it anew: lease-broker --describe-config > config/KEYS.md");
  CHECK(*kept == key_reference());
}

TEST_CASE("no damage to an example brings the reading down") {
  std::mt19937 random(20261121);
  const std::string toml = example("broker.toml");
  const std::string resources = example("lsf/east/configdir/lsb.resources");
  const test::OwnFolder folder;
  const std::string damaged_file = folder.file("lsb.resources");
  size_t refused = 0;
  for (int round = 0; round < 400; ++round) {
    refused += parse_broker_config(damaged(toml, random), "b.toml").errors.empty() ? 0U : 1U;
    Findings findings;
    LsfExports exports;
    std::ofstream(damaged_file) << damaged(resources, random);
    const auto sections = read_lsf_file(damaged_file, findings);
    take_lsf_sections(sections, "east", "UTC", exports, findings);
  }
  CHECK(refused > 200);
}
