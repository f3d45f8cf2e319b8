// JobQueue: the waiting jobs of a JobModel, in the order of their arrival (job.hpp: before). Of
// jobs with equal width and hosts it looks at the earliest only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/jobs/job.hpp"

namespace leasehold {

class JobQueue {
 public:
  /// Adds a job. Jobs may come in any order.
  void add(const Job& job);
  /// Takes out the job that a walk through the whole queue would start first; nullopt: none fits. A
  /// job that is wider than `width_most` does not fit.
  std::optional<Job> take_first(int64_t width_most, const std::function<bool(const Job&)>& fits);
  /// Takes out this job, which waits.
  void take(const Job& job);
  std::vector<Job> in_order() const;
  void visit(const std::function<void(const Job&)>& visit) const;

  size_t size() const { return size_; }
  int64_t slots() const { return slots_; }

 private:
  struct Bucket {  // jobs of one width and number of hosts: a heap, earliest first
    int32_t width = 0;
    int32_t hosts = 0;
    std::vector<Job> heap;
  };
  Bucket& bucket_of(const Job& job);

  std::vector<Bucket> buckets_;  // sorted by width, then hosts; emptied ones stay
  size_t size_ = 0;
  int64_t slots_ = 0;
};

}  // namespace leasehold
