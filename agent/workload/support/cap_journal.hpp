// CapJournal: what each fence in force was made from (HostCap's parts), for workload managers that
// can keep only a number beside a fence, or a name. Written before a fence is set and read when
// fences are found, so that an agent without state can say what it held. Not the fence: what is
// enforced is what the workload manager says, and a cap of the journal without a fence is none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/core/limits/cap.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

class CapJournal {
 public:
  /// A file that is not there is an empty journal. `read_only`: put() is refused.
  static Result<CapJournal> open(const std::string& path, bool read_only = false);

  /// Sorted by host.
  const std::vector<HostCap>& caps() const { return caps_; }
  const HostCap* find(const std::string& host) const;
  /// Durable when it returns: the file is written beside, synced and renamed. Caps without parts
  /// are taken out. What is unchanged writes nothing.
  Status put(std::span<const HostCap> caps);

 private:
  std::string path_;
  bool read_only_ = false;
  std::vector<HostCap> caps_;
};

}  // namespace leasehold::agent
