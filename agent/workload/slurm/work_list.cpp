#include "agent/workload/slurm/work_list.hpp"

#include <utility>

#include "agent/workload/slurm/running.hpp"
#include "agent/workload/slurm/units.hpp"

namespace leasehold::agent {

namespace {

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
                               const SlurmScene& scene) {
  const Result<std::string> text = client.running_facts();
  if (!text) return tl::unexpected(text.error());
  const auto facts = parse_slurm_facts(*text);
  if (!facts) return tl::unexpected(facts.error());
  WorkList work{{scene.controller.now_s * 1'000}, {}};
  Result<std::vector<WorkUnit>> units = slurm_running_units(look, scene, *facts);
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

void SlurmWorkList::keep(SlurmScene scene, UnknownWords& unknown) {
  records_ = slurm_records(scene.jobs);
  if (!is_long()) records_most_ = kSlurmRecordsMost;
  tell(unknown);
  std::vector<SlurmJob> running;  // a list of its own: that of all jobs may have 100 MB
  for (SlurmJob& job : scene.jobs)
    if (runs(job)) running.push_back(std::move(job));
  scene.jobs = std::move(running);
  scene_ = std::move(scene);
}

void SlurmWorkList::tell(UnknownWords& unknown) const {
  if (is_long()) unknown.see(records_ > kSlurmRecordsMost ? kSlurmTooMany : kSlurmTooLong);
}

Result<std::optional<std::string>> SlurmWorkList::json(const SlurmClient& client,
                                                       UnknownWords& unknown) {
  if (is_long()) return std::nullopt;
  Result<std::string> text = client.jobs_as_json();
  if (text) return std::optional(*std::move(text));
  if (text.error().code != ErrorCode::refused) return tl::unexpected(text.error());
  if (records_ > 0) records_most_ = records_ * 3 / 4;
  tell(unknown);
  return std::nullopt;
}

Result<WorkList> SlurmWorkList::take(const SlurmClient& client, SlurmLook& look,
                                     UnknownWords& unknown) {
  const Result<std::optional<std::string>> text = json(client, unknown);
  if (!text) return tl::unexpected(text.error());
  if (*text) return all_units(client, **text);
  const Result<SlurmScene> scene =
      scene_ ? Result<SlurmScene>(*std::exchange(scene_, std::nullopt)) : look.take(INT64_MAX);
  if (!scene) return tl::unexpected(scene.error());
  return running_units(client, look, *scene);
}

Result<std::vector<std::string>> SlurmWorkList::lacking(const SlurmClient& client,
                                                        UnknownWords& unknown) {
  const Result<std::optional<std::string>> text = json(client, unknown);
  if (!text) return tl::unexpected(text.error());
  return *text ? slurm_jobs_lacking(**text) : std::vector<std::string>{};
}

}  // namespace leasehold::agent
