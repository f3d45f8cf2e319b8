#include "tests/simulation/faults.hpp"

#include <algorithm>
#include <iterator>

namespace leasehold::simulation {

namespace {

struct Kind {
  const char* token;
  const char* description;
  int32_t most;  // times a day, or parts of a million
};

constexpr Kind kKinds[] = {
    {"message-lost", "a message is not delivered", 100'000},
    {"message-repeated", "a message is delivered again, at once or much later", 60'000},
    {"message-late", "a message is overtaken by later ones", 100'000},
    {"message-garbled", "bytes of a message change so that it cannot be read", 20'000},
    {"message-oversized", "a message is far too long; the connection ends", 2'000},
    {"order-outrun", "short jobs fill what an order is about to take; it comes again later",
     300'000},
    {"report-lies", "use, demand and readiness of hosts in a report are made up", 100'000},
    {"cut-both-ways", "an agent and the broker cannot reach each other", 12},
    {"cut-one-way", "only one of them reaches the other", 12},
    {"clogged", "messages are held back, then let through in random order", 16},
    {"reconnected", "a connection breaks and is made anew", 20},
    {"agent-killed", "kill -9", 12},
    {"agent-killed-in-order", "kill -9 at a named step of an order", 12},
    {"agent-power-lost", "its machine loses power; what was not synced may be gone", 6},
    {"agent-state-lost", "it starts without its state file", 4},
    {"agent-state-old", "it starts with an earlier copy of its state file", 4},
    {"agent-paused", "it stands still for seconds", 16},
    {"agent-zombie", "it stands still for longer than agent_timeout, then goes on", 8},
    {"agent-second", "another agent with a state of its own serves the same cluster", 4},
    {"agent-disk-fails", "a write or sync of its state file fails", 12},
    {"workload-hangs", "the workload manager does not answer for long", 12},
    {"workload-fails", "its calls fail for some time", 12},
    {"workload-half-done", "some caps are set, then the call fails", 12},
    {"workload-fences-too-little", "it says done, but a cap is higher than asked", 8},
    {"workload-forgets-fence", "a cap is gone, and jobs start there at once", 24},
    {"workload-restarts", "its jobs are gone, its caps stand", 6},
    {"host-down", "a host goes down with its jobs, and comes back", 12},
    {"host-removed", "a host leaves its cluster, and comes back", 6},
    {"host-missing", "a look misses a host that is there", 12},
    {"broker-killed", "kill -9", 12},
    {"broker-killed-before-commit", "kill -9 with a batch decided, not committed", 12},
    {"broker-killed-after-commit", "kill -9 with a batch committed, not sent", 12},
    {"broker-power-lost", "its machine loses power; what was not synced may be gone", 6},
    {"broker-killed-in-write", "it dies at some write: in a transaction, migration, compaction",
     12},
    {"broker-paused", "it stands still for seconds or minutes", 12},
    {"broker-backup-restored", "it starts with an earlier copy of its database", 2},
    {"store-busy", "another program has its database locked", 12},
    {"store-fails", "a write fails", 12},
    {"store-full", "the disk is full, and freed later", 6},
    {"store-commit-unknown", "the sync of a commit fails: it may stand or not", 12},
    {"clock-jumps", "the wall clock is wrong by up to a day either way", 6},
    {"clock-drifts", "a clock is up to half a percent too fast or too slow", 4},
    {"clock-stands", "a clock stands still for a while", 4},
    {"config-reloaded", "slots, hosts and shares of policies change", 16},
    {"policy-removed", "a policy is removed and added again", 8},
    {"operator-command", "drain, resume, close, open, freeze, thaw, rebalance", 24},
    {"operator-forgets", "an operator frees a silent cluster by hand and says forget", 4},
    {"agent-cloned", "another agent uses a copy of its state file at the same time", 8},
    {"hello-lies", "a hello names orders that were never given, of others' groups too", 500'000},
    {"numbers-absurd", "numbers of a report are as large as they can be written", 50'000},
    {"host-drained", "a host's owner drains it: nothing new starts there, its jobs run on", 12},
    {"operator-forgets-older",
     "an earlier copy of the database is started, and forget is said of a silent cluster", 8},
    {"broker-stands-in-turn", "a broker stands still in the midst of a turn; the world goes on",
     200},
    {"broker-terminated", "SIGTERM", 24},
    {"operator-steps-down", "an operator has the leader give up, for anybody or for one by name",
     24},
    {"server-cut", "a broker cannot reach the database server", 48},
    {"server-answer-lost", "a commit stands, its answer does not arrive", 48},
    {"server-restarted", "the database server is started again", 24},
    {"server-failed-over", "the server fails over to one that has not the last commits", 6},
    {"server-left-running", "likewise, and the old one goes on with who is connected to it", 6},
    {"server-copy-restored",
     "an earlier copy is put back on the server that runs, while an agent is silent", 12},
    {"host-wake-ignored", "a call to switch a host on is taken, and nothing happens", 300'000},
    {"host-boots-in-vain", "a host that is switched on sleeps again, or is down", 300'000},
    {"killed-as-host-boots", "kill -9 of an agent or broker while a host is being switched on",
     200'000},
    {"agent-paused-as-it-returns", "it stands still while slots that it left unused are asked back",
     500'000},
};

static_assert(std::size(kKinds) == kFaults);

}  // namespace

const char* token(Fault fault) {
  return kKinds[static_cast<size_t>(fault)].token;
}
const char* description(Fault fault) {
  return kKinds[static_cast<size_t>(fault)].description;
}

bool is_event(Fault fault) {
  return fault > Fault::report_lies && fault != Fault::hello_lies &&
         fault != Fault::numbers_absurd && fault < Fault::host_wake_ignored;
}

FaultPlan draw_faults(Chance& chance, bool several) {
  FaultPlan plan;
  Chance apart = chance;  // the faults that others have for a seed do not change
  apart = Chance(apart.next());
  if (chance.one_in(16)) return plan;
  for (size_t kind = 0; kind < kFaultsByChance; ++kind) {
    if (!chance.one_in(3)) continue;
    plan.rate[kind] = static_cast<int32_t>(chance.between(1, kKinds[kind].most));
  }
  for (size_t kind = kFaultsByChance; kind < kFaultsOfOne; ++kind) {
    if (!apart.one_in(6)) continue;
    plan.rate[kind] = static_cast<int32_t>(apart.between(1, kKinds[kind].most));
  }
  for (size_t kind = kFaultsOfOne; several && kind < kFaultsDrawn; ++kind) {
    if (!apart.one_in(3)) continue;
    plan.rate[kind] = static_cast<int32_t>(apart.between(1, kKinds[kind].most));
  }
  return plan;
}

void add_restored_copies(FaultPlan& plan) {
  const auto kind = static_cast<size_t>(Fault::server_copy_restored);
  plan.rate[kind] = kKinds[kind].most;
}

void add_faults_of_power(FaultPlan& plan) {
  const auto drawn = [](int32_t rate) { return rate > 0; };
  if (std::none_of(plan.rate.begin(), plan.rate.end(), drawn)) return;
  for (const Fault fault :
       {Fault::host_wake_ignored, Fault::host_boots_in_vain, Fault::killed_as_host_boots}) {
    plan.rate[static_cast<size_t>(fault)] = kKinds[static_cast<size_t>(fault)].most;
  }
}

void add_slow_returns(FaultPlan& plan) {
  const auto kind = static_cast<size_t>(Fault::agent_paused_as_it_returns);
  plan.rate[kind] = kKinds[kind].most;
}

}  // namespace leasehold::simulation
