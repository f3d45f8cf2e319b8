// All consumers fall silent, and very many leases end at once: what each step of that costs the
// broker with its store, and how long a report waits meanwhile. Beside the loop, as in a broker,
// the log is followed and its bases are made; the first phase lists all leases meanwhile.
//
//   bench_lease_end [PROVIDERS [CONSUMERS]]      one line of JSON a phase
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "broker/core/agents/expiry.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/daemon/present.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/views/request/request_json.hpp"
#include "common/check.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/folder.hpp"

namespace leasehold::bench {

namespace {

using Timer = std::chrono::steady_clock;

double ms_since(Timer::time_point from) {
  return std::chrono::duration<double, std::milli>(Timer::now() - from).count();
}

/// Turns of the broker's loop: each takes one report of another cluster, steps deadlines, commits.
struct Turns {
  int count = 0;
  double total_ms = 0;
  double longest_ms = 0;

  void add(double took_ms) {
    ++count;
    total_ms += took_ms;
    longest_ms = std::max(longest_ms, took_ms);
  }
  void tell(const char* phase, uint32_t leases) const {
    std::printf(
        "{\"bench\":\"lease_end\",\"phase\":\"%s\",\"leases\":%u,\"turns\":%d,"
        "\"total_ms\":%.0f,\"longest_turn_ms\":%.1f,\"report_waits_mean_ms\":%.1f}\n",
        phase, leases, count, total_ms, longest_ms, total_ms / count);
    std::fflush(stdout);
  }
};

/// The thread of a broker that answers and makes bases.
class Beside {
 public:
  explicit Beside(const std::string& log)
      : present_(std::make_shared<Present>(log)), thread_([this] { run(); }) {}
  ~Beside() {
    over_ = true;
    thread_.join();
    present_->close();
  }
  const std::shared_ptr<Present>& present() const { return present_; }
  void list(std::function<void()> done) {
    done_ = std::move(done);
    asked_ = true;
  }

 private:
  void run() {
    for (; !over_; std::this_thread::sleep_for(std::chrono::milliseconds(200))) {
      present_->follow();
      if (asked_.exchange(false)) answer();
    }
  }
  void answer() {
    const auto from = Timer::now();
    const auto leases = present_->answer({request_for("leases"), 0, {}, nullptr, {}, nullptr});
    LEASEHOLD_CHECK(leases.has_value(), "the log can be read");
    std::printf("{\"bench\":\"lease_end\",\"answer\":\"leases\",\"ms\":%.0f,\"bytes\":%zu}\n",
                ms_since(from), leases->json.size());
    done_();
  }

  std::shared_ptr<Present> present_;
  std::function<void()> done_;
  std::atomic<bool> asked_{false};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

class Scene {
 public:
  Scene(const FleetShape& shape, Store* store) : leases_(shape.leases()), fleet_(shape, store) {
    fleet_.start();
    fleet_.commit();
    for (const SlotGroup& group : fleet_.state.slot_groups) {
      fleet_.state.clusters[group.members[kConsumer].cluster].lease_bound_ms = 600'000;
    }
  }

  /// All leases, while reports come.
  void list(Beside& beside) {
    std::atomic<bool> done{false};
    beside.list([&] { done = true; });
    Turns turns;
    while (!done) turns.add(turn());
    turns.tell("leases-listed", leases_);
  }

  void lose() {
    std::vector<Event> all;
    for (const Cluster& cluster : fleet_.state.clusters) {
      if (cluster.lease_bound_ms == 0) continue;
      all.push_back(AgentLost{cluster.name, cluster.session, fleet_.now});
    }
    one_turn("agents-lost", all);
  }

  void end() {
    fleet_.now = fleet_.state.expiry_next;
    Turns turns;
    while (turns.count == 0 || !fleet_.state.returning.empty()) turns.add(turn());
    LEASEHOLD_CHECK(held() == 0, "every slot has returned");
    turns.tell("leases-end", leases_);
  }

  void evaluate() {
    fleet_.to_next_evaluation();
    Turns turns;
    const Instant at = fleet_.now;
    while (turns.count == 0 || next_deadline(fleet_.state) < at + 1000) turns.add(turn());
    turns.tell("evaluation-after", leases_);
  }

  void come_back() {
    AgentHello hello;
    hello.cluster = fleet_.state.clusters.back().name;
    hello.state_id = 1;
    hello.boot = 2;
    hello.session = 77;
    one_turn("hello-of-one", {hello});
  }

 private:
  double turn() {
    const auto from = Timer::now();
    Cluster& other = fleet_.state.clusters[fleet_.state.slot_groups[0].members[kProvider].cluster];
    fleet_.now = fleet_.now + 1;
    fleet_.step(StateReported{other.name, other.session, other.pending + 1, false, {}, 0});
    if (next_deadline(fleet_.state) <= fleet_.now) fleet_.step(Tick{});
    fleet_.commit();
    fleet_.effects.clear();
    return ms_since(from);
  }

  void one_turn(const char* phase, const std::vector<Event>& events) {
    const auto from = Timer::now();
    fleet_.now = fleet_.now + 1;
    for (const Event& event : events) fleet_.step(event);
    fleet_.commit();
    fleet_.effects.clear();
    Turns turns;
    turns.add(ms_since(from));
    turns.tell(phase, leases_);
  }

  int64_t held() const {
    int64_t sum = 0;
    for (const SlotGroup& group : fleet_.state.slot_groups) sum += group.at(0, kConsumer).held;
    return sum;
  }

  uint32_t leases_;
  Fleet fleet_;
};

int measure(const FleetShape& shape) {
  const Folder folder;
  const std::string log = folder.file("leasehold.db");
  SqliteStore::open(log, OpenMode::broker).value().reset();  // there, to be followed
  Beside beside(log);
  StoreOptions options;
  options.base_maker = beside.present();
  auto store = SqliteStore::open(log, OpenMode::broker, std::move(options));
  LEASEHOLD_CHECK(store.has_value(), "the database of a benchmark opens");
  Scene snapshot(shape, store->get());
  snapshot.list(beside);
  snapshot.lose();
  snapshot.end();
  snapshot.evaluate();
  snapshot.come_back();
  return 0;
}

}  // namespace

}  // namespace leasehold::bench

int main(int argc, char** argv) {
  leasehold::bench::FleetShape shape{400, 250, false};
  if (argc > 1) shape.providers = static_cast<uint32_t>(std::atoi(argv[1]));
  if (argc > 2) shape.consumers = static_cast<uint32_t>(std::atoi(argv[2]));
  return leasehold::bench::measure(shape);
}
