#include "agent/workload/slurm/look/spreads.hpp"

#include <utility>

namespace leasehold::agent {

namespace {

constexpr size_t kAsksALook = 8;      // about the cores of one job; more: of all jobs at once,
constexpr size_t kJobsAnAsk = 5'000;  // which takes about as long as a call for each so many

}  // namespace

void SlurmSpreads::begin(const std::vector<SlurmJob>& jobs) {
  asks_left_ = kAsksALook + jobs.size() / kJobsAnAsk;
  lines_.reset();
  std::map<std::string, Spread> known = std::move(spreads_);
  spreads_.clear();
  for (const SlurmJob& job : jobs) {
    if (const auto spread = known.find(job.id); spread != known.end()) {
      spreads_.insert(known.extract(spread));
    }
  }
}

/// A call for each job would take minutes where many started at once, or the agent did. If the
/// answer about all jobs is not certain for a job, Slurm is asked about the job itself.
Result<std::vector<SlurmShare>> SlurmSpreads::ask(const SlurmJob& job,
                                                  const std::vector<std::string>& nodes,
                                                  int32_t numbered) {
  if (asks_left_ == 0 && !lines_) {
    Result<SlurmJobLines> all = client_.job_lines();
    lines_ = all ? *std::move(all) : SlurmJobLines{};
  }
  if (lines_) {
    if (const auto line = lines_->find(job.id); line != lines_->end() && !line->second.empty()) {
      return parse_slurm_shares(line->second, nodes, job.cpus, numbered);
    }
  }
  if (asks_left_ > 0) --asks_left_;
  return client_.shares(job, nodes, numbered);
}

/// A job stays on the cores that it was given.
Result<const std::vector<SlurmShare>*> SlurmSpreads::of(const SlurmSnapshot& snapshot,
                                                        const SlurmJob& job,
                                                        const std::vector<std::string>& nodes) {
  Spread& spread = spreads_[job.id];
  const bool same = spread.nodes == job.nodes && spread.cpus == job.cpus &&
                    spread.started_s == job.started_s && spread.asked;
  if (same) return &spread.shares;
  const SlurmHost* first = nullptr;
  for (size_t i = 0; i < nodes.size() && first == nullptr; ++i) first = snapshot.find(nodes[i]);
  const int32_t numbered = first == nullptr ? 1 : first->node.numbered / first->node.threads;
  Result<std::vector<SlurmShare>> shares = ask(job, nodes, numbered);
  if (!shares) return tl::unexpected(shares.error());
  spread = {job.nodes, job.cpus, job.started_s, true, *std::move(shares)};
  return &spread.shares;
}

}  // namespace leasehold::agent
