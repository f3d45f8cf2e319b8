// CapJournal: what each fence in force was made from (HostCap's parts), for workload managers that
// can keep only a number beside a fence, or a name. It is written before a fence is set and read
// when fences are found, so that an agent without state can say what it held. It is not the fence:
// the workload manager says what is enforced, and a cap in the journal without a fence does not
// count.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/core/limits/cap.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

class CapJournal {
 public:
  /// Opens the journal; a missing file is an empty one. `read_only`: put() is refused.
  static Result<CapJournal> open(const std::string& path, bool read_only = false);

  bool read_only() const { return read_only_; }
  /// Returns the caps, sorted by host.
  const std::vector<HostCap>& caps() const { return caps_; }
  const HostCap* find(const std::string& host) const;
  /// Adds caps, and removes those without parts. It is durable when it returns: the file is written
  /// beside, synced and renamed. Unchanged caps write nothing.
  Status put(std::span<const HostCap> caps);

 private:
  std::string path_;
  bool read_only_ = false;
  std::vector<HostCap> caps_;
};

}  // namespace leasehold::agent
