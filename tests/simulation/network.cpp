#include "tests/simulation/network.hpp"

#include <algorithm>

#include "common/wire/codec.hpp"

namespace leasehold::simulation {

namespace {

constexpr size_t kInboxMost = 5'000;
constexpr int64_t kLateMs = 3'000;
constexpr int64_t kVeryLateMs = 600'000;

/// Makes up demand of any shape: none, more buckets than allowed, a new one in each report.
wire::Demand made_up_demand(Chance& chance) {
  wire::Demand demand(static_cast<size_t>(chance.below(int64_t{wire::kDemandBucketsMax} + 2)));
  for (wire::DemandBucket& bucket : demand) {
    bucket.slots_per_host = static_cast<int32_t>(chance.between(1, 1'000));
    bucket.hosts = static_cast<int32_t>(chance.between(1, 1'000'000));
    bucket.limit = static_cast<wire::TimeClass>(chance.below(int64_t{wire::kTimeClasses}));
    bucket.oldest_ms = chance.between(0, INT64_MAX / 40'000);
    bucket.jobs = chance.between(1, 50);
    bucket.slots = chance.between(1, 80'000'000);
    if (chance.one_in(4)) bucket.host_types.assign(2, "made-up");
    bucket.whole = chance.one_in(3);
  }
  return demand;
}

wire::Ending made_up_ending(Chance& chance) {
  wire::Ending ending;
  for (size_t left = 0; left < wire::kTimeClasses; ++left) {
    if (chance.one_in(2)) continue;
    ending.slots.push_back({static_cast<wire::TimeClass>(left), chance.between(1, 80'000'000)});
  }
  ending.error_milli = static_cast<int32_t>(chance.between(-1, 1'000));
  return ending;
}

}  // namespace

Network::Network(Timeline& time, Chance chance, FaultPlan& faults)
    : time_(time), chance_(chance), faults_(faults) {}

Network::Line Network::connect(Deliver deliver) {
  const Line line = next_++;
  Connection made;
  made.peer = "peer" + std::to_string(line);
  made.deliver = std::move(deliver);
  line_of_[made.peer] = line;
  connections_[line] = std::move(made);
  return line;
}

void Network::disconnect(Line line) {
  const auto found = connections_.find(line);
  if (found == connections_.end()) return;
  line_of_.erase(found->second.peer);
  connections_.erase(found);
}

Network::Way* Network::way(Line line, bool to_broker) {
  const auto found = connections_.find(line);
  if (found == connections_.end()) return nullptr;
  return to_broker ? &found->second.to_broker : &found->second.to_agent;
}

void Network::from_agent(Line line, const Bytes& bytes) {
  send(line, true, bytes);
}

void Network::from_broker(const std::string& peer, std::span<const uint8_t> bytes) {
  const auto found = line_of_.find(peer);
  if (found != line_of_.end()) send(found->second, false, Bytes(bytes.begin(), bytes.end()));
}

/// Makes up use, demand and readiness, as a broken agent would. Limits stay: nobody could find out
/// that an agent claims to hold less than it uses (broker/SECURITY.md).
void Network::lie(Bytes& bytes) {
  auto message = wire::decode(bytes);
  auto* report = message ? std::get_if<wire::Report>(&*message) : nullptr;
  if (report == nullptr) return;
  faults_.note(Fault::report_lies);
  report->pending = chance_.between(0, 50);
  if (chance_.one_in(2)) report->demand = made_up_demand(chance_);
  if (chance_.one_in(2)) report->ending = made_up_ending(chance_);
  for (wire::HostState& host : report->state.hosts) {
    host.used = static_cast<int32_t>(chance_.between(0, host.limit + 1));
    if (chance_.one_in(3)) host.up = !host.up;
  }
  if (chance_.one_in(8) && !report->state.groups.empty()) report->state.groups[0].seq += 7;
  if (chance_.one_in(8) && !report->state.hosts.empty()) report->state.hosts[0].host += 100;
  bytes = wire::encode(*message);
}

/// Names orders that were never given, for its own groups and for others'; the slots that it holds
/// stay true.
void Network::lie_in_hello(Bytes& bytes) {
  const auto envelope = wire::peek(bytes);
  if (!envelope || envelope->type != wire::MessageType::hello) return;
  auto message = wire::decode(bytes);
  auto* hello = message ? std::get_if<wire::Hello>(&*message) : nullptr;
  if (hello == nullptr) return;
  for (const wire::GroupState& group : hello->state.groups) {
    const bool known =
        std::find(generations_.begin(), generations_.end(), group.generation) != generations_.end();
    if (!known) generations_.push_back(group.generation);
  }
  if (!chance_.happens(faults_[Fault::hello_lies]) || generations_.empty()) return;
  faults_.note(Fault::hello_lies);
  const uint64_t seq = uint64_t{1} << static_cast<unsigned>(chance_.between(8, 36));
  const uint64_t about =
      generations_[static_cast<size_t>(chance_.below(static_cast<int64_t>(generations_.size())))];
  const auto own =
      std::find_if(hello->state.groups.begin(), hello->state.groups.end(),
                   [&](const wire::GroupState& each) { return each.generation == about; });
  if (own != hello->state.groups.end()) {
    own->seq += seq;
  } else {
    uint64_t highest = 0;  // higher than any order of its cluster
    for (const wire::GroupState& group : hello->state.groups) {
      highest = std::max(highest, group.seq);
    }
    hello->state.groups.push_back({about, highest + seq, false, 0, 0, 0});
  }
  bytes = wire::encode(*message);
}

void Network::exaggerate(Bytes& bytes) {
  auto message = wire::decode(bytes);
  auto* report = message ? std::get_if<wire::Report>(&*message) : nullptr;
  if (report == nullptr) return;
  faults_.note(Fault::numbers_absurd);
  const int64_t number = chance_.one_in(2) ? INT64_MAX : int64_t{1} << 62U;
  switch (chance_.below(6)) {
    case 0:
      report->pending = number;
      break;
    case 1:
      report->running = number;
      break;
    case 2:
      report->lease_ms = number;
      break;
    case 3:
      report->demand = wire::Demand{{1, 1, wire::TimeClass::hour_1, number, number, number, {}}};
      break;
    case 4:
      for (wire::HostState& host : report->state.hosts) host.used = host.limit = INT32_MAX;
      break;
    default:
      for (wire::GroupState& group : report->state.groups) group.seq += uint64_t{1} << 36U;
      break;
  }
  bytes = wire::encode(*message);
}

/// Returns true if it does not arrive as anything readable.
bool Network::spoilt(Line line, Bytes& bytes) {
  if (chance_.happens(faults_[Fault::message_oversized])) {
    faults_.note(Fault::message_oversized);
    for (const bool to_broker : {true, false}) way(line, to_broker)->held.clear();
    cut(line, true, true, chance_.between(100, 2'000));  // a new connection is made later
    return true;
  }
  if (chance_.happens(faults_[Fault::report_lies])) lie(bytes);
  if (faults_[Fault::hello_lies] > 0) lie_in_hello(bytes);
  const int32_t absurd = faults_[Fault::numbers_absurd];
  if (absurd > 0 && chance_.happens(absurd)) exaggerate(bytes);
  if (!chance_.happens(faults_[Fault::message_garbled])) return false;
  faults_.note(Fault::message_garbled);
  for (int64_t i = chance_.between(1, 4); i > 0; --i) {
    bytes[static_cast<size_t>(chance_.below(static_cast<int64_t>(bytes.size())))] =
        static_cast<uint8_t>(chance_.below(256));
  }
  if (chance_.one_in(3)) bytes.resize(static_cast<size_t>(chance_.between(0, 10)));
  // Bytes that can still be read would be another message; TCP's and CURVE's checksums prevent
  // that.
  return wire::decode(bytes).has_value();
}

void Network::send(Line line, bool to_broker, Bytes bytes) {
  ++messages;
  if (healed_) return travel(line, to_broker, std::move(bytes), true);
  if (chance_.happens(faults_[Fault::message_lost])) return faults_.note(Fault::message_lost);
  if (spoilt(line, bytes)) return;
  if (chance_.happens(faults_[Fault::message_repeated])) {
    faults_.note(Fault::message_repeated);
    const int64_t later_ms = chance_.one_in(4) ? chance_.between(0, kVeryLateMs) : 0;
    time_.in(later_ms,
             [this, line, to_broker, copy = bytes] { travel(line, to_broker, copy, false); });
  }
  const bool late = chance_.happens(faults_[Fault::message_late]);
  if (late) faults_.note(Fault::message_late);
  travel(line, to_broker, std::move(bytes), !late);
}

void Network::travel(Line line, bool to_broker, Bytes bytes, bool in_order) {
  Way* on = way(line, to_broker);
  if (on == nullptr) return;
  if (on->clogged) {
    on->held.push_back(std::move(bytes));
    return;
  }
  int64_t at_ms = time_.now_ms() + chance_.between(0, latency_most_ms);
  if (in_order) {
    at_ms = std::max(at_ms, on->last_arrival_ms);
    on->last_arrival_ms = at_ms;
  } else {
    at_ms += chance_.between(1, kLateMs);
  }
  time_.at(at_ms,
           [this, line, to_broker, bytes = std::move(bytes)] { arrive(line, to_broker, bytes); });
}

void Network::arrive(Line line, bool to_broker, Bytes bytes) {
  Way* on = way(line, to_broker);
  if (on == nullptr || on->cut_until_ms > time_.now_ms()) return;
  Connection& connection = connections_[line];
  if (!to_broker) {
    const Deliver deliver = connection.deliver;  // the line may end in the call
    return deliver(bytes);
  }
  if (inbox_.size() >= kInboxMost) return;
  inbox_.push_back({connection.peer, std::move(bytes)});
  if (broker_has_mail) broker_has_mail();
}

void Network::broker_restarted() {
  // The sockets are new: every agent connects again with another routing id.
  const auto before = std::exchange(inbox_, {});
  std::map<std::string, std::string> renamed;
  line_of_.clear();
  for (auto& [line, connection] : connections_) {
    std::string& now = renamed[connection.peer];
    now = connection.peer + "'";
    if (now.size() > 40) now = "peer" + std::to_string(next_++);
    connection.peer = now;
    line_of_[now] = line;
  }
  for (const Frame& frame : before) {
    const auto peer = renamed.find(frame.peer);
    if (peer != renamed.end() && chance_.one_in(2)) inbox_.push_back({peer->second, frame.bytes});
  }
}

void Network::cut(Line line, bool to_broker, bool to_agent, int64_t for_ms) {
  const int64_t until_ms = time_.now_ms() + for_ms;
  if (Way* on = way(line, true); on != nullptr && to_broker) on->cut_until_ms = until_ms;
  if (Way* on = way(line, false); on != nullptr && to_agent) on->cut_until_ms = until_ms;
}

void Network::clog(Line line, int64_t for_ms) {
  for (const bool to_broker : {true, false}) {
    if (Way* on = way(line, to_broker); on != nullptr) on->clogged = true;
  }
  time_.in(for_ms, [this, line] { unclog(line); });
}

void Network::unclog(Line line) {
  for (const bool to_broker : {true, false}) {
    Way* on = way(line, to_broker);
    if (on == nullptr) continue;
    on->clogged = false;
    std::vector<Bytes> held = std::exchange(on->held, {});
    while (!held.empty()) {
      const auto pick = held.begin() + chance_.below(static_cast<int64_t>(held.size()));
      travel(line, to_broker, std::move(*pick), false);
      held.erase(pick);
    }
  }
}

void Network::heal() {
  healed_ = true;
  for (auto& [line, connection] : connections_) {
    connection.to_broker.cut_until_ms = connection.to_agent.cut_until_ms = 0;
  }
  std::vector<Line> lines;
  for (const auto& [line, connection] : connections_) lines.push_back(line);
  for (const Line line : lines) unclog(line);
}

bool BrokerEnd::receive_into(Frame& frame) {
  if (network_.broker_inbox().empty()) return false;
  frame = std::move(network_.broker_inbox().front());
  network_.broker_inbox().pop_front();
  return true;
}

bool BrokerEnd::send(const std::string& peer, std::span<const uint8_t> bytes) {
  network_.from_broker(peer, bytes);
  return true;
}

}  // namespace leasehold::simulation
