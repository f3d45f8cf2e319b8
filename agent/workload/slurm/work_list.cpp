#include "agent/workload/slurm/work_list.hpp"

#include <utility>

#include "agent/workload/slurm/printed/units.hpp"
#include "agent/workload/slurm/running.hpp"

namespace leasehold::agent {

namespace {

constexpr int kLooksWithoutJson = 120;

bool runs(const SlurmJob& job) {
  return job.phase == SlurmPhase::holds || job.phase == SlurmPhase::completing;
}

Result<WorkList> all_units(const SlurmClient& client, const std::string& json) {
  const Result<SlurmController> controller = client.controller();
  if (!controller) return tl::unexpected(controller.error());
  WorkList work{{controller->now_s * 1'000}, {}};
  Result<std::vector<WorkUnit>> units = parse_slurm_units(json, work.now);
  if (!units) return tl::unexpected(units.error());
  work.units = *std::move(units);
  return work;
}

Result<WorkList> running_units(const SlurmClient& client, SlurmLook& look,
                               const SlurmSnapshot& snapshot) {
  const Result<std::string> text = client.running_facts();
  if (!text) return tl::unexpected(text.error());
  const auto facts = parse_slurm_facts(*text);
  if (!facts) return tl::unexpected(facts.error());
  WorkList work{{snapshot.controller.now_s * 1'000}, {}};
  Result<std::vector<WorkUnit>> units = slurm_running_units(look.spreads(), snapshot, *facts);
  if (!units) return tl::unexpected(units.error());
  work.units = *std::move(units);
  return work;
}

}  // namespace

int64_t slurm_records(const std::vector<SlurmJob>& jobs) {
  int64_t records = 0;
  const std::string* last = nullptr;
  for (const SlurmJob& job : jobs) {
    records += last == nullptr || *last != job.id ? 1 : 0;
    last = &job.id;
  }
  return records;
}

void SlurmWorkList::keep(SlurmSnapshot snapshot, SlurmVerdicts verdicts, UnknownWords& unknown) {
  verdicts_ = std::move(verdicts);
  records_ = slurm_records(snapshot.jobs);
  if (looks_without_json_ > 0 && --looks_without_json_ == 0) no_json_.clear();
  tell(unknown);
  snapshot_.emplace();  // without what waits, which may have 100 MB
  snapshot_->controller = std::move(snapshot.controller);
  snapshot_->hosts = std::move(snapshot.hosts);
  snapshot_->places = std::move(snapshot.places);
  snapshot_->partitions = std::move(snapshot.partitions);
  for (SlurmJob& job : snapshot.jobs) {
    if (runs(job)) snapshot_->jobs.push_back(std::move(job));
  }
}

void SlurmWorkList::tell(UnknownWords& unknown) const {
  if (many()) unknown.see(kSlurmTooMany);
  if (!no_json_.empty()) unknown.see(no_json_.c_str());
}

/// The list may be longer than is read, or take longer than a call may, at each look.
std::optional<std::string> SlurmWorkList::json(const SlurmClient& client, UnknownWords& unknown) {
  if (many() || !no_json_.empty()) return std::nullopt;
  Result<std::string> text = client.jobs_as_json();
  if (text) {
    failed_before_ = false;
    return *std::move(text);
  }
  // A controller that was away for a moment is asked again at the next look.
  looks_without_json_ = std::exchange(failed_before_, true) ? kLooksWithoutJson : 1;
  no_json_ = "jobs cannot be listed in JSON, as " + text.error().message +
             ": only those that run are looked at to choose what ends, without their comments and "
             "accounts, and no work is preempted for work that waits";
  tell(unknown);
  return std::nullopt;
}

Result<WorkList> SlurmWorkList::take(const SlurmClient& client, SlurmLook& look,
                                     UnknownWords& unknown) {
  const std::optional<std::string> text = json(client, unknown);
  Result<WorkList> work = text ? all_units(client, *text) : running(client, look);
  if (work && verdicts_) set_where_they_fit(*verdicts_, work->units);
  return work;
}

Result<WorkList> SlurmWorkList::running(const SlurmClient& client, SlurmLook& look) {
  const Result<SlurmSnapshot> snapshot =
      snapshot_ ? Result<SlurmSnapshot>(*std::exchange(snapshot_, std::nullopt))
                : look.take(INT64_MAX);
  if (!snapshot) return tl::unexpected(snapshot.error());
  Result<WorkList> work = running_units(client, look, *snapshot);
  if (!work) no_json_.clear();  // Slurm answers nothing at all, so JSON is not the reason
  return work;
}

std::vector<std::string> SlurmWorkList::lacking(const SlurmClient& client, UnknownWords& unknown) {
  const std::optional<std::string> text = json(client, unknown);
  return text ? slurm_jobs_lacking(*text) : std::vector<std::string>{};
}

}  // namespace leasehold::agent
