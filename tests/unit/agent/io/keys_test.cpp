// The reference of the agent's keys is what the program prints, and the example has the same keys.
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "agent/io/settings/reference.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {
namespace {

using KeysOf = std::map<std::string, std::set<std::string>>;  // by section, as its heading names it

std::string text_of(const std::string& path) {
  const auto text = read_text_file(LEASEHOLD_SOURCE_DIR "/" + path);
  REQUIRE(text);
  return *text;
}

KeysOf keys_of_reference(const std::string& text) {
  static const std::regex kRow("^\\| `(\\w+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$");
  KeysOf keys;
  std::string section;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch row;
    if (line.starts_with("## ")) section = line.substr(3);
    if (!line.starts_with("| `")) continue;
    INFO(line);  // none of its columns is empty
    REQUIRE(std::regex_match(line, row, kRow));
    CHECK(keys[section].insert(row[1]).second);
  }
  return keys;
}

/// The example with all that it has as a comment: sections, and keys at the start of their line.
std::string whole_example() {
  static const std::regex kCommented("^# (\\[|[a-z_]+ *=).*");
  std::string whole;
  std::istringstream lines(text_of("config/agent.toml"));
  for (std::string line; std::getline(lines, line);) {
    whole += (std::regex_match(line, kCommented) ? line.substr(2) : line) + "\n";
  }
  return whole;
}

void note_keys(const ConfigTable& table, const std::string& section, KeysOf& keys) {
  for (const Placed<std::string>& key : table.free_keys()) keys[section].insert(key.value);
}

KeysOf keys_of_example() {
  const ConfigFile file = ConfigFile::parse(whole_example(), "agent.toml");
  for (const Error& error : file.errors()) FAIL_CHECK(describe(error));
  KeysOf keys;
  const ConfigTable root = file.root();
  for (const char* name : {"agent", "security", "hosts", "scheduling"}) {
    note_keys(root.table(name), "[" + std::string(name) + "]", keys);
  }
  const ConfigTable workload = root.table("workload");
  for (const Placed<std::string>& key : workload.free_keys()) {
    const bool is_section = workload.kind(key.value) == ConfigKind::table;
    if (is_section) {
      note_keys(workload.table(key.value), "[workload." + key.value + "]", keys);
    } else {
      keys["[workload]"].insert(key.value);
    }
  }
  for (const ConfigTable& host : workload.table("simulated").tables("hosts")) {
    note_keys(host, "[workload.simulated] hosts", keys);
  }
  for (const ConfigTable& type : root.tables("session_type")) {
    note_keys(type, "[[session_type]]", keys);
    note_keys(type.table("match"), "[[session_type]] match", keys);
  }
  return keys;
}

TEST_CASE("the reference of the agent's keys is what the program prints") {
  INFO("make it anew: lease-agent --describe-config > config/AGENT_KEYS.md");
  CHECK(text_of("config/AGENT_KEYS.md") == key_reference());
}

TEST_CASE("the agent's example and the reference have the same keys in the same sections") {
  const KeysOf reference = keys_of_reference(key_reference());
  const KeysOf example = keys_of_example();
  CHECK(reference.size() == 13);
  for (const auto& [section, keys] : reference) {
    INFO(section);
    REQUIRE(example.contains(section));
    CHECK(example.at(section) == keys);
  }
  CHECK(example.size() == reference.size());
}

}  // namespace
}  // namespace leasehold::agent
