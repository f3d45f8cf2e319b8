// Walker: random moves over a small site: messages late, lost and doubled, agents and the broker
// killed, operators and reloads in the middle. After every move no slot may be enforced twice; once
// the faults stop, every slot is held by somebody who may use it. What is configured, and what must
// have come out then, is said by the walk that builds on it.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "tests/support/converge_checks.hpp"
#include "tests/support/site.hpp"
#include "tests/support/summary_checks.hpp"

namespace leasehold::test {

class Walker {
 public:
  virtual ~Walker() = default;

  void run(int moves) {
    for (int i = 0; i < moves; ++i) {
      move();
      check();
    }
    heal();
  }

 protected:
  Walker(uint64_t seed, BrokerConfig config, std::vector<std::string> clusters)
      : random_(seed), site_(std::move(config)), clusters_(std::move(clusters)) {}

  /// Another configuration than the one in force, or the same again.
  virtual BrokerConfig any_config() = 0;
  /// The configuration that holds after everything is healed.
  virtual BrokerConfig last_config() = 0;
  /// Something of the walk's own, now and then.
  virtual void move_own(Agent&) {}
  /// Every agent is connected and idle, or wants what the walk set.
  virtual void connect_all_idle() = 0;

  int below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }
  const std::string& any_cluster() {
    return clusters_[static_cast<size_t>(below(static_cast<int>(clusters_.size())))];
  }

  bool known_to_broker(const std::string& cluster) const {
    const Cluster& known = site_.state.clusters[find_cluster(site_.state, cluster)];
    return known.contact == Contact::ok;
  }

  void move() {
    site_.now = site_.now + below(3'000);
    const std::string cluster = any_cluster();
    Agent& agent = site_.agent(cluster);
    const int what = below(100);
    site_.live();
    move_own(agent);
    if (what < 45) {
      site_.take_one(cluster);
    } else if (what < 62) {
      change_use(agent);
      site_.report(cluster);
    } else if (what < 74) {
      site_.now = std::max(site_.now, next_deadline(site_.state));
      if (site_.now == kNever) site_.now = site_.state.now + 1;
      site_.step(Tick{});
    } else if (what < 80) {
      if (!agent.connected) site_.hello(cluster);
    } else if (what < 83) {
      if (!agent.inbox.empty()) agent.inbox.pop_front();  // lost
    } else if (what < 86) {
      if (!agent.inbox.empty()) agent.inbox.push_back(agent.inbox.front());  // doubled, late
    } else if (what < 89) {
      site_.kill_agent(cluster);
      if (below(2) == 0) site_.hello(cluster);
    } else if (what < 91) {
      if (known_to_broker(cluster) && agent.session != 0) site_.lose(cluster);
    } else if (what < 93) {
      site_.restart_broker();
    } else {
      operate(cluster);
    }
  }

  virtual void change_use(Agent& agent) {
    for (auto& [generation, group] : agent.groups) {
      for (AgentRow& row : group.rows) {
        if (below(2) == 0) continue;
        row.used = below((row.closed ? row.used : row.limit) + 1);
        if (row.shrink_to >= 0) row.limit = std::max(row.shrink_to, std::min(row.limit, row.used));
        group.ever_used = group.ever_used || row.used > 0;
      }
    }
    Site::give_to_sets(agent);
  }

  void operate(const std::string& cluster) {
    OperatorCommand command;
    command.by = "walk";
    command.cluster = cluster;
    switch (below(8)) {
      case 0:
        command.command = Command::freeze;
        break;
      case 1:
        command.command = Command::thaw;
        break;
      case 2:
        command.command = Command::drain;
        break;
      case 3:
        command.command = Command::resume;
        break;
      case 4:
      case 5:
        if (!name_host(command)) return;
        command.command = below(2) == 0 ? Command::close : Command::open;
        if (below(2) == 0) command.consumer = any_cluster();
        command.reclaim = command.command == Command::close && below(3) == 0;
        break;
      default:
        return site_.load(any_config());
    }
    site_.step(command);
  }

  bool name_host(OperatorCommand& command) {
    command.cluster = any_cluster();
    const Cluster& provider = site_.state.clusters[find_cluster(site_.state, command.cluster)];
    if (provider.hosts.empty()) return false;
    const auto host = static_cast<size_t>(below(static_cast<int>(provider.hosts.size())));
    command.host = provider.hosts[host].facts.name;
    return true;
  }

  void check() {
    for (auto& [name, agent] : site_.agents) {
      for (uint32_t host = 0; host < agent.hosts.size(); ++host) {
        const int64_t enforced = site_.enforced(name, host) + nobodys(name, host);
        if (enforced > agent.hosts[host].slots) {
          FAIL(agent.hosts[host].name << "@" << name << " is enforced for " << enforced);
        }
      }
    }
    const std::vector<std::string> found = violations(site_.state);
    if (!found.empty()) FAIL(found.front());
    if (++checks_ % 8 != 0) return;
    const std::string otherwise = summaries_decide_otherwise(site_.state, site_.now);
    if (!otherwise.empty()) FAIL("by lines: " << otherwise);
    for (int cause = 0; cause < kCauseCount; ++cause) {
      const std::string twice = done_twice(site_.state, site_.now, static_cast<Cause>(cause));
      if (!twice.empty()) FAIL("converge() does more when it is called again: " << twice);
    }
  }

  /// Slots of plans there that nobody may use, whoever provides them, as far as that is known.
  int64_t nobodys(const std::string& provider, uint32_t host) const {
    int64_t sum = 0;
    for (const SlotGroup& group : site_.state.slot_groups) {
      const Cluster& of = site_.state.clusters[group.members[kProvider].cluster];
      if (group.quarantined || of.name != provider) continue;
      for (const HostLedger& row : group.hosts) {
        const bool here =
            of.hosts[row.host].facts.name == site_.agents.at(provider).hosts[host].name;
        sum += here ? row.unallocated : 0;
      }
    }
    return sum;
  }

  void open_all(const std::string& cluster) {
    for (const wire::HostFacts& host : site_.agent(cluster).hosts) {
      OperatorCommand open;
      open.command = Command::open;
      open.cluster = cluster;
      open.host = host.name;
      site_.step(open);
    }
  }

  /// Faults stop: everyone connects, operators let go (schema/wire/PROTOCOL.md, "No slot lost").
  void heal() {
    OperatorCommand thaw;
    thaw.command = Command::thaw;
    site_.step(thaw);
    for (auto& [name, agent] : site_.agents) agent.hears = true;
    for (const std::string& cluster : clusters_) {
      OperatorCommand resume;
      resume.command = Command::resume;
      resume.cluster = cluster;
      site_.step(resume);
      if (known_to_broker(cluster)) site_.lose(cluster);
      site_.hello(cluster);
    }
    for (const std::string& cluster : clusters_) open_all(cluster);
    site_.load(last_config());
    connect_all_idle();
    for (const SlotGroup& group : site_.state.slot_groups) {
      if (group.phase != Phase::closed) all_is_held(group);
    }
  }

  void all_is_held(const SlotGroup& group) {
    INFO("group " << group_id(site_.state, group) << " " << token(group.phase) << " "
                  << token(group.reason));
    REQUIRE(group.phase != Phase::draining);
    REQUIRE_FALSE(group.quarantined);
    REQUIRE(in_transfer(group) == 0);
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      REQUIRE(group.hosts[row].exported == group.hosts[row].target);
    }
  }

  void idle(Agent& agent) {
    for (auto& [generation, group] : agent.groups) {
      for (AgentRow& row : group.rows) {
        row.used = 0;
        if (row.shrink_to >= 0) row.limit = std::min(row.limit, row.shrink_to);
      }
    }
  }

  std::mt19937_64 random_;
  Site site_;
  const std::vector<std::string> clusters_;
  int checks_ = 0;
};

/// LEASEHOLD_WALKS: how many, for a long run by hand.
inline uint64_t walks_to_run(uint64_t usual) {
  const char* walks = std::getenv("LEASEHOLD_WALKS");
  return walks == nullptr ? usual : std::strtoull(walks, nullptr, 10);
}

}  // namespace leasehold::test
