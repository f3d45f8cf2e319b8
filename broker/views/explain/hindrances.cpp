#include "broker/views/explain/hindrances.hpp"

#include <algorithm>

#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

std::string types_of(const wire::DemandBucket& bucket) {
  std::string text;
  for (const std::string& type : bucket.host_types) text += (text.empty() ? "" : " or ") + type;
  return text;
}

}  // namespace

int64_t slots_of_job(const wire::DemandBucket& bucket) {
  return waiting_of_bucket({}, bucket).shape.slots;
}

bool is_too_small(Obstacle what) {
  return what >= Obstacle::slots_few && what <= Obstacle::host_type;
}

std::string own_words(Obstacle what, const std::string& cluster) {
  if (what == Obstacle::on_way) return "slots that start it are on their way to " + cluster;
  return cluster + " has idle slots that start it: ask its workload manager why it has not";
}

std::string in_use_words(const Found& found) {
  const std::string idle = found.idle_most == 0 ? "no slot is idle for it now"
                                                : "the most that is idle for it on one host is " +
                                                      count_of(found.idle_most, "slot");
  return "it waits for slots in use to become idle: " + idle;
}

std::string too_small_words(const Found& found, const wire::DemandBucket& bucket,
                            const std::string& of) {
  const std::string wide = count_of(bucket.slots_per_host, "slot");
  if (found.what == Obstacle::host_type) {
    return "no host of " + of + " is of type " + types_of(bucket);
  }
  if (found.what == Obstacle::whole) {
    return "it takes hosts whole, and " + of + " has only a part of each";
  }
  if (found.what == Obstacle::width) {
    return "no host of " + of + " has " + wide + ": the largest has " + std::to_string(found.there);
  }
  if (found.what == Obstacle::hosts_few) {
    return "it needs " + std::to_string(bucket.hosts) + " hosts with " + wide + " each: " + of +
           " has " + std::to_string(found.of_width);
  }
  return "it needs " + count_of(slots_of_job(bucket), "slot") + " in all: " + of + " has " +
         std::to_string(found.slots);
}

std::string larger_words(const Found& found, const wire::DemandBucket& bucket,
                         const std::string& where) {
  if (found.what == Obstacle::host_type) {
    return "a host of type " + types_of(bucket) + " in " + where;
  }
  if (found.what == Obstacle::whole) {
    return "whole hosts in " + where + ": slots_per_host as large as they are";
  }
  if (found.what == Obstacle::width) {
    return "slots_per_host = " + std::to_string(bucket.slots_per_host) + " or more in " + where +
           ", on hosts that have as many";
  }
  if (found.what == Obstacle::hosts_few) {
    return count_of(bucket.hosts - found.of_width, "host") + " more with " +
           count_of(bucket.slots_per_host, "slot") + " in " + where;
  }
  const int64_t more = slots_of_job(bucket) - found.slots;
  return count_of(std::max<int64_t>(1, more), "slot") + " more in " + where;
}

}  // namespace leasehold::explanation
