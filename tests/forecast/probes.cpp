#include "tests/forecast/probes.hpp"

#include <algorithm>

#include "broker/lab/simulate/work.hpp"
#include "common/check.hpp"

namespace leasehold::study {

namespace {

/// JobModel numbers them so in a scenario of one policy.
constexpr uint32_t kOwn = 0;
constexpr uint32_t kLeased = 1;

int32_t free_on(const JobModel& model, uint32_t host) {
  return std::max(0, model.cap(host) - model.used(host));
}

}  // namespace

Probes::Probes(Options options, size_t clusters)
    : options_(std::move(options)), endings_(clusters), next_{options_.every_ms} {}

void Probes::tell(uint32_t cluster, const JobModel& model, Instant now, StateReported& report) {
  tell_work(model, 0, leasehold::Limits::stated, {}, report);
  for (const size_t open : open_) {
    const Probe& probe = probes_[open];
    if (!options_.demand || probe.cluster != cluster) continue;
    report.pending += probe.slots;
    if (!report.demand) continue;
    report.demand->push_back(
        {.oldest_ms = probe.asked.ms, .jobs = probe.slots, .slots = probe.slots});
  }
  report.ending = endings_[cluster].look(running_work(model), now);
}

/// Work that waited when the probe was asked goes first, on the cluster's own slots, then on leased
/// ones.
bool Probes::fits(const JobModel& model, const Probe& probe) const {
  const int32_t leased = free_on(model, kLeased);
  if (leased < probe.slots) return false;
  JobModel older;
  older.add_host(free_on(model, kOwn), free_on(model, kOwn));
  older.add_host(0, leased);
  model.visit_queued([&](const Job& job) {
    if (job.arrival <= probe.asked) older.arrive(job);
  });
  older.start(probe.asked);
  return free_on(older, kLeased) >= probe.slots;
}

void Probes::before_starts(std::span<const JobModel> models, Instant now) {
  std::erase_if(open_, [&](size_t open) {
    Probe& probe = probes_[open];
    if (probe.asked == now || !fits(models[probe.cluster], probe)) return false;
    probe.had = now;
    return true;
  });
}

void Probes::ask(const State& state, const Asking& whom, int64_t slots, Instant now) {
  const auto answer = forecasting::forecast(state, {whom.id, slots, whom.provider_side, now});
  LEASEHOLD_CHECK(answer.has_value(), "a study asks of what there is");
  LEASEHOLD_CHECK(answer->possible && answer->idle, "and of what there may be");
  if (*answer->idle >= slots) {
    ++at_once_;
    return;
  }
  Probe probe{whom.id, whom.provider_side, whom.cluster, slots, now, {}, {}};
  for (size_t at = 0; at < probe.said.size(); ++at) probe.said[at] = answer->times[at].at;
  open_.push_back(probes_.size());
  probes_.push_back(std::move(probe));
}

bool Probes::after(const State& state, std::span<const JobModel>, Instant now) {
  if (now > options_.until && open_.empty()) return false;
  if (now < next_ || now > options_.until) return true;
  if (options_.demand && !open_.empty()) return true;
  next_ = now + options_.every_ms;
  if (options_.demand) {
    const size_t sizes = options_.slots.size();
    const size_t turn = turn_++ % (sizes * options_.whom.size());
    ask(state, options_.whom[turn / sizes], options_.slots[turn % sizes], now);
    return true;
  }
  for (const Asking& whom : options_.whom) {
    for (const int64_t slots : options_.slots) ask(state, whom, slots, now);
  }
  return true;
}

}  // namespace leasehold::study
