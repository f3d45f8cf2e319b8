// A broker starts with a state in which the release before had transfers open: it gives the orders
// that the release before would have given, and each transfer goes on and ends. The states, and
// what was ordered then, are kept in tests/releases/open (scenes.hpp).
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "broker/core/model/state.hpp"
#include "broker/record/state_bytes.hpp"
#include "common/version.hpp"
#include "tests/unit/core/upgrade/scenes.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

namespace fs = std::filesystem;

const fs::path kKept = fs::path(LEASEHOLD_SOURCE_DIR) / "tests/releases/open";

/// An agent as it last reported. It was restarted: what it was asked it has forgotten.
void come_back(Agent& agent, const State& state, uint32_t index) {
  const Cluster& cluster = state.clusters[index];
  agent.cluster = cluster.name;
  agent.state_id = cluster.state_id;
  agent.boot = cluster.boot;
  agent.pending = cluster.pending;
  agent.chooses = cluster.chooses;
  for (const Host& host : cluster.hosts) {
    if (host.present) agent.hosts.push_back(host.facts);
  }
  for (const SlotGroup& group : state.slot_groups) {
    const size_t m = member_of(group, index);
    if (m >= group.members.size()) continue;
    AgentGroup& known = agent.groups[group.generation];
    known.seq = group.members[m].seq_stated;
    known.ever_used = group.members[m].ever_used;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, m);
      AgentRow& host = known.rows.emplace_back();
      host.limit = holding.stated;
      host.used = holding.used;
      host.up = holding.up;
      if (m == kProvider) host.exported = group.hosts[row].exported;
    }
  }
}

Site site_of(const State& kept) {
  Site site(kept.config);
  site.state = kept;
  site.now = kept.now + 1'000;
  for (uint32_t c = 0; c < kept.clusters.size(); ++c) {
    come_back(site.agent(kept.clusters[c].name), kept, c);
  }
  return site;
}

void put_hosts(std::ostream& out, const State& state, uint64_t generation,
               const std::vector<wire::OrderedHost>& hosts) {
  for (const SlotGroup& group : state.slot_groups) {
    if (group.generation == generation) out << " " << group_id(state, group);
  }
  for (const wire::OrderedHost& host : hosts) {
    out << " " << host.host << "=" << host.limit;
    if (host.lowering != wire::Lowering::release) out << "/" << static_cast<int>(host.lowering);
  }
}

std::string text_of(const State& state, const std::string& cluster, const wire::Order& order) {
  std::ostringstream out;
  out << "  " << cluster << ":";
  put_hosts(out, state, order.generation, order.hosts);
  for (const wire::OrderPart& part : order.parts) {
    put_hosts(out, state, part.generation, part.hosts);
  }
  for (const wire::ReclaimSet& set : order.sets) {
    out << " " << set.sum << " on";
    for (const wire::SetHost& host : set.hosts) out << " " << host.host;
    out << " within " << set.grace_ms;
  }
  if (order.grace_ms != 0) out << " within " << order.grace_ms;
  if (order.reason) out << " (" << token(*order.reason) << ")";
  return out.str() + "\n";
}

/// All agents greet and answer. Returns the orders that the broker gives meanwhile.
std::string orders_at_start(Site& site, bool warm) {
  std::string said;
  site.watcher = [&](const std::string& cluster, const wire::Order& order) {
    said += text_of(site.state, cluster, order);
  };
  site.restart_broker(warm);
  for (const Cluster& cluster : std::vector<Cluster>(site.state.clusters)) {
    site.hello(cluster.name);
  }
  site.run_until_idle();
  site.watcher = nullptr;
  return said;
}

std::set<uint64_t> open_transfers(const State& state) {
  std::set<uint64_t> open;
  for (const SlotGroup& group : state.slot_groups) {
    for (const Transfer& transfer : group.transfers) open.insert(transfer.id);
  }
  return open;
}

bool goes_on(const State& state, const std::set<uint64_t>& before) {
  const std::set<uint64_t> now = open_transfers(state);
  return std::any_of(now.begin(), now.end(),
                     [&](uint64_t transfer) { return before.count(transfer) > 0; });
}

/// Work ends on the slots that are asked back.
void end_work(Site& site) {
  for (auto& [name, agent] : site.agents) {
    for (auto& [generation, group] : agent.groups) {
      for (uint32_t row = 0; row < group.rows.size(); ++row) {
        AgentRow& host = group.rows[row];
        if (Site::asked(agent, generation, row) > 0) host.used = 0;
        if (host.shrink_to < 0) continue;
        host.used = std::min(host.used, host.shrink_to);
        host.limit = std::max(host.used, host.shrink_to);
      }
    }
    Site::give_to_sets(agent);
    site.report(name);
  }
  site.run_until_idle();
}

std::string held_by(const State& state) {
  std::ostringstream out;
  for (const SlotGroup& group : state.slot_groups) {
    for (size_t m = 0; m < group.members.size(); ++m) {
      out << "  " << group_id(state, group) << " " << state.clusters[group.members[m].cluster].name;
      for (uint32_t row = 0; row < group.hosts.size(); ++row) out << " " << group.at(row, m).held;
      out << "\n";
    }
  }
  return out.str();
}

/// Returns what the core of this tree does with a kept state. `ended`: all that was open has ended.
std::string course_of(const State& kept, bool& ended) {
  std::string course;
  ended = true;
  for (const bool warm : {false, true}) {
    Site site = site_of(kept);
    course += std::string(warm ? "warm" : "cold") + " start, orders:\n";
    course += orders_at_start(site, warm);
    for (int rounds = 0; rounds < 10 && goes_on(site.state, open_transfers(kept)); ++rounds) {
      end_work(site);
      site.pass(1'000);
    }
    ended = ended && !goes_on(site.state, open_transfers(kept));
    course += "then held:\n" + held_by(site.state);
  }
  return course;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("what a release before left open goes on with the orders that it would have given") {
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(kKept)) {
    if (entry.path().extension() != ".state") continue;
    INFO(entry.path().string());
    const Result<State> kept = decode_state(read_file(entry.path()));
    REQUIRE(kept.has_value());
    bool ended = false;
    CHECK(course_of(*kept, ended) == read_file(fs::path(entry.path()).replace_extension(".txt")));
    CHECK(ended);
    seen.insert(entry.path().stem().string());
  }
  CHECK(seen.size() == open_scenes().size());
}

TEST_CASE("each scene leaves open what its name says") {
  for (const OpenScene& scene : open_scenes()) {
    INFO(scene.name);
    const Site site = scene.play();
    const bool order_alone = std::string(scene.name) == "order-unanswered";
    CHECK((order_alone || !open_transfers(site.state).empty()));
  }
}

TEST_CASE("keeps what is open, for the releases to come", "[.keep]") {
  const fs::path folder = kKept / std::to_string(kCoreVersion);
  fs::create_directories(folder);
  for (const OpenScene& scene : open_scenes()) {
    const State state = scene.play().state;
    std::string bytes;
    encode_state(state, bytes);
    std::ofstream(folder / (std::string(scene.name) + ".state"), std::ios::binary) << bytes;
    bool ended = false;
    std::ofstream(folder / (std::string(scene.name) + ".txt")) << course_of(state, ended);
    CHECK(ended);
  }
}
