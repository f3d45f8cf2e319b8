#include "tests/bench/served.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/record/images/images.hpp"
#include "common/check.hpp"
#include "tests/bench/agents.hpp"

namespace leasehold::bench {

namespace {

constexpr int64_t kLongMs = 3'600'000;

Channel listening() {
  auto channel = Channel::listen("tcp://127.0.0.1:*");
  LEASEHOLD_CHECK(channel.has_value(), "loopback has a port left");
  return std::move(*channel);
}

/// A channel, and how many messages came in.
class Counted : public Exchange {
 public:
  Counted(std::unique_ptr<Channel> channel, int64_t& messages)
      : channel_(std::move(channel)), messages_(messages) {}
  bool receive_into(Frame& frame) override {
    const bool there = channel_->receive_into(frame);
    messages_ += there ? 1 : 0;
    return there;
  }
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override {
    return channel_->send(peer, bytes);
  }

 private:
  std::unique_ptr<Channel> channel_;
  int64_t& messages_;
};

}  // namespace

Status NoStore::commit(State& state) {
  clear_marks(state);
  return {};
}

BrokerConfig config_of_pairs(int64_t reclaim_delay_ms) {
  BrokerConfig config;
  config.reclaim_delay_ms = reclaim_delay_ms;
  config.agent_timeout_ms = kLongMs;
  for (const char* side : {"p", "c"}) {
    for (int i = 0; i < kPairs; ++i) {
      config.clusters.push_back({side + std::to_string(i), "", reclaim_delay_ms, {}});
    }
  }
  for (int i = 0; i < kPairs * kGroups; ++i) {
    ExportPolicy policy;
    policy.name = "pool" + std::to_string(i);
    policy.provider = "p" + std::to_string(i / kGroups);
    policy.hosts = {"h" + std::to_string(i % kGroups)};
    policy.slots_per_host = kSlots;
    policy.distribution = {{"c" + std::to_string(i / kGroups), 1}};
    policy.type = LeaseType::shared;
    policy.rule = RuleKind::idle_comparison;
    config.policies.push_back(std::move(policy));
  }
  return config;
}

Served::Served(std::unique_ptr<Store> store, const BrokerConfig& config, int messages_max)
    : listening_(std::make_unique<Channel>(listening())),
      channel_(listening_.get()),
      port_(std::make_unique<Counted>(std::move(listening_), messages_)),
      messages_max_(messages_max) {
  auto state = store->load();
  LEASEHOLD_CHECK(state.has_value(), "a new database can be read");
  engine_ = std::make_unique<Engine>(std::move(store), std::move(*state), figures_);
  const Instant now = clock_.now();
  engine_->feed(BrokerStarted{1, false}, now);
  engine_->feed(ConfigLoaded{config, {}, "start"}, now);
  commit_and_send(now);
  ticked_ = now;
}

void Served::turn(int64_t wait_ms) {
  const std::array<Channel*, 1> channels{channel_};
  const int64_t until_deadline_ms =
      std::max<int64_t>(0, next_deadline(engine_->state()) - clock_.now());
  Channel::wait(channels, {}, std::min(wait_ms, until_deadline_ms));
  const Instant now =
      std::max(clock_.now(), std::max(engine_->state().now, Instant{ticked_.ms + 1}));
  port_.read(engine_->state(), now, messages_max_,
             [this, now](const Event& event) { return engine_->feed(event, now); });
  if (next_deadline(engine_->state()) <= now) {
    engine_->tick(now);
    ticked_ = now;
  }
  commit_and_send(now);
  ++turns;
}

void Served::commit_and_send(Instant now) {
  const auto before = figures_.commit.counts();
  LEASEHOLD_CHECK(engine_->commit().has_value(), "the database takes the batch");
  if (figures_.commit.counts() != before) note_batch();
  port_.send(engine_->state(), now, engine_->effects());
  engine_->clear_effects();
}

void Served::note_batch() {
  ServedBatch& batch = batches.emplace_back();
  batch.messages = std::exchange(messages_, 0);
  for (const Record& row : engine_->effects().records) {
    batch.flips += row.kind == RecordKind::flip ? 1 : 0;
  }
}

}  // namespace leasehold::bench
