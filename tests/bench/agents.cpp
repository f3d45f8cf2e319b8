#include "tests/bench/agents.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>
#include <thread>

#include "common/check.hpp"

namespace leasehold::bench {

namespace {

Channel connected(const std::string& endpoint) {
  ChannelLimits limits;
  limits.linger_ms = 0;
  auto channel = Channel::connect(endpoint, limits);
  LEASEHOLD_CHECK(channel.has_value(), "an agent of the generator connects");
  return std::move(*channel);
}

void send_bytes(Channel& channel, const Bytes& bytes) {
  while (!channel.send("", bytes)) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace

Agents::Agent::Agent(Channel to_broker, Channel to_bare)
    : channel(std::move(to_broker)), bare(std::move(to_bare)) {}

Agents::Agents(const std::string& broker, const std::string& bare) {
  agents_.reserve(2 * kPairs);
  for (int i = 0; i < 2 * kPairs; ++i) {
    Agent& agent = agents_.emplace_back(connected(broker), connected(bare));
    agent.provider = i < kPairs;
    agent.cluster = (agent.provider ? "p" : "c") + std::to_string(i % kPairs);
    channels_.push_back(&agent.channel);
    channels_.push_back(&agent.bare);
    wire::encode_into(wire::Heartbeat{}, out_);  // of no session: answered with a welcome
    send_bytes(agent.channel, out_);
  }
}

int Agents::take(int64_t wait_ms) {
  if (!Channel::wait(channels_, {}, wait_ms)) return 0;
  int taken = 0;
  for (Agent& agent : agents_) {
    for (Channel* channel : {&agent.channel, &agent.bare}) {
      while (channel->receive_into(frame_)) {
        handle(agent, *channel, frame_.bytes);
        ++taken;
      }
    }
  }
  return taken;
}

bool Agents::handle(Agent& agent, Channel& from, const Bytes& bytes) {
  const auto envelope = wire::peek(bytes);
  LEASEHOLD_CHECK(envelope.has_value(), "brokers send what can be decoded");
  if (envelope->type == wire::MessageType::order) {
    LEASEHOLD_CHECK(wire::decode_into(bytes, order_).has_value(), "an order can be decoded");
    obey(agent, from, order_);
    return true;
  }
  const auto message = wire::decode(bytes);
  LEASEHOLD_CHECK(message.has_value(), "a broker's message can be decoded");
  if (const auto* hello = std::get_if<wire::Welcome>(&*message)) welcome(agent, *hello);
  if (const auto* config = std::get_if<wire::Configuration>(&*message)) configure(agent, *config);
  if (const auto* refusal = std::get_if<wire::Refusal>(&*message)) {
    std::cerr << agent.cluster << " was refused: " << refusal->message << '\n';
  }
  return true;
}

void Agents::welcome(Agent& agent, const wire::Welcome& welcome) {
  wire::Hello hello;
  hello.cluster = agent.cluster;
  hello.incarnation = welcome.incarnation;
  hello.state_id = hello.boot = 1;
  hello.session = agent.session = 1000 + static_cast<uint64_t>(&agent - agents_.data());
  hello.program_version = "0.1.0";
  hello.workload = "bench";
  wire::encode_into(hello, out_);
  send_bytes(agent.channel, out_);
  if (!agent.provider) return;
  wire::Inventory inventory;
  inventory.session = agent.session;
  for (int h = 0; h < kGroups; ++h) {
    wire::HostFacts& host = inventory.hosts.emplace_back();
    host.name = "h" + std::to_string(h);
    host.type = "any";
    host.slots = kSlots;
  }
  wire::encode_into(inventory, out_);
  send_bytes(agent.channel, out_);
}

/// A provider starts with all that it exports; a consumer with nothing.
void Agents::configure(Agent& agent, const wire::Configuration& configuration) {
  agent.configuration = configuration.number;
  for (const wire::ConfiguredGroup& configured : configuration.groups) {
    const auto [found, added] =
        agent.by_generation.emplace(configured.generation, agent.groups.size());
    if (added) agent.groups.emplace_back().generation = configured.generation;
    Group& group = agent.groups[found->second];
    for (size_t row = group.hosts.size(); row < configured.hosts.size(); ++row) {
      const int32_t limit = agent.provider ? configured.hosts[row].slots : 0;
      group.hosts.push_back({static_cast<uint32_t>(row), limit, 0, true});
    }
  }
  report_all(agent, 0);
}

void Agents::obey(Agent& agent, Channel& from, const wire::Order& order) {
  const auto found = agent.by_generation.find(order.generation);
  if (found == agent.by_generation.end()) return;
  Group& group = agent.groups[found->second];
  group.seq = std::max(group.seq, order.seq);
  for (const wire::OrderedHost& host : order.hosts) {
    wire::HostState& row = group.hosts[host.host];
    row.limit = std::max(host.limit, std::min(row.limit, row.used));
  }
  answer_.session = agent.session;
  answer_.configuration = agent.configuration;
  answer_.state.clear();
  answer_.state.groups.push_back({group.generation, group.seq, group.ever_used, 0, 0,
                                  static_cast<uint32_t>(group.hosts.size())});
  answer_.state.hosts.assign(group.hosts.begin(), group.hosts.end());
  wire::encode_into(answer_, out_);
  send_bytes(from, out_);
}

wire::Report Agents::report_of(Agent& agent) {
  wire::Report report;
  report.session = agent.session;
  report.number = ++agent.report;
  report.full = true;
  report.configuration = agent.configuration;
  for (const Group& group : agent.groups) {
    report.state.groups.push_back({group.generation, group.seq, group.ever_used, 0,
                                   static_cast<uint32_t>(report.state.hosts.size()),
                                   static_cast<uint32_t>(group.hosts.size())});
    for (const wire::HostState& host : group.hosts) report.state.hosts.push_back(host);
  }
  return report;
}

void Agents::report_all(Agent& agent, int32_t used_most) {
  for (Group& group : agent.groups) {
    for (wire::HostState& host : group.hosts) {
      host.used = std::min(used_most, host.limit);
      group.ever_used = group.ever_used || host.used > 0;
    }
  }
  wire::encode_into(report_of(agent), out_);
  send_bytes(agent.channel, out_);
}

bool Agents::ready() const {
  return std::all_of(agents_.begin(), agents_.end(), [](const Agent& agent) {
    return agent.groups.size() == kGroups &&
           std::all_of(agent.groups.begin(), agent.groups.end(), [&agent](const Group& group) {
             return group.hosts.front().limit == (agent.provider ? kSlots - 1 : 1);
           });
  });
}

void Agents::prepare_reports(int rounds, int64_t pending) {
  for (Agent& agent : agents_) {
    agent.reports.resize(static_cast<size_t>(rounds));
    for (int round = 0; round < rounds; ++round) {
      wire::Report report = report_of(agent);
      report.full = false;
      report.pending = round + 1 == rounds ? pending : pending - 1;
      for (wire::GroupState& group : report.state.groups) group.ever_used = true;
      for (wire::HostState& host : report.state.hosts) host.used = round % (host.limit + 1);
      wire::encode_into(report, agent.reports[static_cast<size_t>(round)]);
    }
  }
}

void Agents::send_reports(bool bare) {
  const size_t rounds = agents_.front().reports.size();
  for (size_t round = 0; round < rounds; ++round) {
    for (Agent& agent : agents_) {
      send_bytes(bare ? agent.bare : agent.channel, agent.reports[round]);
    }
  }
}

void Agents::idle() {
  for (Agent& agent : agents_) {
    report_all(agent, kSlots);  // the consumer's first job makes the lease
    report_all(agent, 0);
  }
}

void Agents::greet() {
  for (Agent& agent : agents_) {
    const uint64_t number = agent.report;
    wire::encode_into(report_of(agent), out_);
    send_bytes(agent.bare, out_);
    agent.report = number;
  }
}

namespace {

bool readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

void tell_caller(const char* line) {
  std::cout << line << std::endl;
}

bool follow(Agents& agents, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "reports") {
    int rounds = 0;
    int64_t pending = 0;
    words >> rounds >> pending;
    agents.prepare_reports(rounds, pending);
    return true;
  }
  if (verb == "send") {
    std::string where;
    words >> where;
    agents.send_reports(where == "bare");
    return true;
  }
  if (verb == "greet") agents.greet();
  if (verb == "idle") agents.idle();
  return verb == "greet" || verb == "idle";
}

}  // namespace

int run_agents(const std::string& broker, const std::string& bare) {
  Agents agents(broker, bare);
  while (!agents.ready()) agents.take(1000);
  tell_caller("ready");
  std::string line;
  for (;;) {
    agents.take(20);
    if (!readable(STDIN_FILENO)) continue;
    if (!std::getline(std::cin, line)) return 0;
    LEASEHOLD_CHECK(follow(agents, line), "the generator knows what it is told");
    tell_caller("done");
  }
}

}  // namespace leasehold::bench
