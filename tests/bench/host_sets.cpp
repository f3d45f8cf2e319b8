// An order with one set of all hosts of a plan, from its bytes to what an agent withholds on them,
// beside the decoding of the same bytes: hosts that ascend, and hosts that descend.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/bounds.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "common/wire/codec.hpp"
#include "tests/bench/paired.hpp"

namespace leasehold::bench {

namespace {

constexpr uint32_t kGroups = 10;

/// Its groups have as many hosts each, and four slots on each host.
agent::Book book_of(uint32_t hosts) {
  wire::Configuration configuration;
  std::vector<agent::GroupLimits> limits;
  for (uint64_t generation = 1; generation <= kGroups; ++generation) {
    wire::ConfiguredGroup group;
    group.generation = generation;
    group.role = wire::Role::consumer;
    group.peer = "p" + std::to_string(generation);
    agent::GroupLimits known;
    known.generation = generation;
    known.role = group.role;
    known.seq = 1;
    for (uint32_t h = 0; h < hosts / kGroups; ++h) {
      group.hosts.push_back({"h" + std::to_string(h), 4, false});
      known.hosts.emplace_back().limit = 4;
    }
    configuration.groups.push_back(std::move(group));
    limits.push_back(std::move(known));
  }
  agent::Book book{agent::HostNames{}};
  book.restore(configuration, limits, {});
  return book;
}

/// Half of all slots are to come back.
wire::Order order_of(uint32_t hosts, bool ascending) {
  wire::Order order;
  order.generation = 1;
  order.seq = 2;
  order.parts.resize(kGroups - 1);
  order.sets.push_back({int64_t{2} * hosts, 60'000, false, {}});
  for (uint32_t g = 0; g < kGroups; ++g) {
    std::vector<wire::OrderedHost>& rows = g == 0 ? order.hosts : order.parts[g - 1].hosts;
    if (g > 0) order.parts[g - 1].generation = g + 1;
    for (uint32_t h = 0; h < hosts / kGroups; ++h) {
      rows.push_back({h, 4});
      order.sets[0].hosts.push_back({g + 1, h});
    }
    if (!ascending) std::reverse(rows.begin(), rows.end());
  }
  if (!ascending) std::reverse(order.sets[0].hosts.begin(), order.sets[0].hosts.end());
  return order;
}

bool take_order(const Bytes& bytes, wire::Order& order, agent::Book& book) {
  if (!wire::decode_into(bytes, order)) return false;
  if (!agent::check_numbers(order) || !agent::check_sets(order)) return false;
  agent::ReclaimSets sets;
  sets.take(order);
  sets.withhold(book);
  return true;
}

void order_sets(benchmark::State& bench, bool ascending) {
  const auto hosts = static_cast<uint32_t>(bench.range(0));
  agent::Book book = book_of(hosts);
  Bytes bytes;
  wire::encode_into(order_of(hosts, ascending), bytes);
  wire::Order order;
  Paired paired;
  bool all_taken = true;
  for (auto _ : bench) {
    paired.measure(
        bench, [] {}, [&] { benchmark::DoNotOptimize(wire::decode_into(bytes, order)); },
        [&] { all_taken = take_order(bytes, order, book) && all_taken; });
  }
  paired.tell(bench);
  bench.counters["hosts"] = hosts;
  bench.counters["bytes"] = static_cast<double>(bytes.size());
  if (!all_taken) bench.SkipWithError("an order is refused");
}

void twice_the_hosts(benchmark::internal::Benchmark* bench) {
  five_runs(bench);
  bench->Arg(10'000)->Arg(20'000)->Iterations(20);
}

BENCHMARK_CAPTURE(order_sets, ascending, true)->Apply(twice_the_hosts);
BENCHMARK_CAPTURE(order_sets, descending, false)->Apply(twice_the_hosts);

}  // namespace

}  // namespace leasehold::bench
