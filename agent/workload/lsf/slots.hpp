// LsfSlots: how many job slots (MXJ) an administrator gave to each host that is fenced now, so that
// it can be put back: LSF keeps only the present number. Durable; a file beside the journal.
// Not the fences, and not what they were made from (support/cap_journal.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

class LsfSlots {
 public:
  using Hosts = std::map<std::string, int32_t>;

  /// A file that is not there is empty. `read_only`: put() is refused.
  static Result<LsfSlots> open(const std::string& path, bool read_only);
  std::optional<int32_t> find(const std::string& host) const;
  const Hosts& hosts() const { return hosts_; }
  /// What is unchanged writes nothing.
  Status put(Hosts hosts);

 private:
  std::string path_;
  bool read_only_ = false;
  Hosts hosts_;
};

}  // namespace leasehold::agent
